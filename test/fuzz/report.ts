/** A failure as a block for test/spec, with what PyTorch says in the comment. */
import { type Contradiction, shown } from './compare.ts';
import type { Answer } from './pytorch.ts';
import { HEADER, type Program } from './statement.ts';

export function specBlock(program: Program, answer: Answer, contradiction: Contradiction, version: string): string {
  const { at, op, what, says, is } = contradiction;
  const imports = HEADER.split('\n').filter((line) => {
    const name = / as (\w+)$/.exec(line)?.[1] ?? /^import (\w+)$/.exec(line)?.[1];
    return name !== undefined && name !== 'torch' && program.some(({ text }) => new RegExp(`\\b${name}\\.`).test(text));
  });
  const names = [...new Set(program.flatMap(({ text }) => text.match(/\bv\d+\b/g) ?? []))];
  const lines = program.map(({ text }, index) => {
    const named = text.replace(/\bv\d+\b/g, (name) => LETTERS[names.indexOf(name)] ?? name);
    return index === at ? `${named}  ${comment(answer, at)}`.trimEnd() : named;
  });
  return [
    `## ${op}: ${what}`,
    '',
    `The engine says: ${says}. PyTorch ${version}: ${is}.`,
    '',
    '```py',
    ...imports,
    ...(imports.length > 0 ? [''] : []),
    ...lines,
    '```',
    '',
  ].join('\n');
}

const LETTERS = 'xyzuvwabcdefghij';

function comment(answer: Answer, at: number): string {
  const is = answer?.[at];
  if (is === undefined) return '';
  if ('raises' in is) return `# raises ${is.raises}: ${is.message}`;
  const [tensor] = is.tensors;
  return tensor === undefined ? '' : `# reveal: ${shown(tensor)}`;
}
