import type { Comment, Node, SyntaxProblem } from './ast.ts';

/** `# stridelint: ignore[rule, ...]` silences rules on its line, `# stridelint: file-ignore[rule]` in the whole file. */
export interface Directive extends Node {
  readonly scope: 'line' | 'file';
  /** 0-based. */
  readonly line: number;
  readonly rules: readonly RuleName[];
}

/** A rule's name, placed in the frame of the file. */
export interface RuleName extends Node {
  readonly name: string;
}

/** A directive may stand after other words of a comment if it has a `#` of its own. Malformed ones are problems. */
export function directivesOf(comments: readonly Comment[]): {
  readonly directives: readonly Directive[];
  readonly problems: readonly SyntaxProblem[];
} {
  const directives: Directive[] = [];
  const problems: SyntaxProblem[] = [];
  for (const comment of comments) {
    for (const match of comment.text.matchAll(/(?<=^\s*|#\s*)stridelint\s*:[^#]*/g)) {
      const start = comment.start + 1 + match.index;
      const text = match[0].trimEnd();
      const directive = directiveOf(text, start, comment.line);
      if (typeof directive === 'string') problems.push({ start, end: start + text.length, message: directive });
      else directives.push(directive);
    }
  }
  return { directives, problems };
}

function directiveOf(text: string, start: number, line: number): Directive | string {
  const [, head = '', verb = '', rest = ''] = /^(stridelint\s*:\s*)([\w-]*)([\s\S]*)$/.exec(text) ?? [];
  if (verb !== 'ignore' && verb !== 'file-ignore') return 'only `ignore[rule]` and `file-ignore[rule]` are known here';
  const [, open, list, close] = /^(\s*\[)([^\]]*)(\]?)/.exec(rest) ?? [];
  if (open === undefined || list === undefined)
    return `\`${verb}\` must name the rules, as in \`${verb}[hidden-copy]\``;
  if (close !== ']') return 'the list of rules is not closed';
  const listStart = start + head.length + verb.length + open.length;
  const rules: RuleName[] = [];
  for (const entry of list.matchAll(/[^,]+/g)) {
    const name = entry[0].trim();
    if (!/^[a-z][a-z0-9-]*$/.test(name)) return `\`${name}\` is no name of a rule`;
    const from = listStart + entry.index + entry[0].indexOf(name);
    rules.push({ name, start: from, end: from + name.length });
  }
  if (rules.length === 0) return `\`${verb}\` must name the rules, as in \`${verb}[hidden-copy]\``;
  const end = listStart + list.length + close.length;
  return { start, end, scope: verb === 'ignore' ? 'line' : 'file', line, rules };
}
