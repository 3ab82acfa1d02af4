import { createHash } from 'node:crypto';
import { type Assertion, parseAssertions } from './assertion.ts';

/** One fenced `py` block of a specification. */
export interface SpecCase {
  /** The headers above the block, joined. */
  readonly title: string;
  /** The torch that the block is about, `1.13`, where its fence names one. */
  readonly torch: string | null;
  /** What stands on its fence behind `py`. */
  readonly info: string;
  /** The Markdown line, from 1, of the block's first line of code. */
  readonly firstLine: number;
  /** The code without the asserting comments; line for line as long as the block. */
  readonly code: string;
  /** By line of the code, from 1. */
  readonly assertions: ReadonlyMap<number, readonly Assertion[]>;
  /** Names the recording of this block: the hash of its info string and its code. */
  readonly key: string;
}

// The same two expressions stand in test/oracle/record_specs.py.
const ASSERTION = /[ \t]*#[ \t]*((?:reveal(?: [\w.]+)?:|live:|element:|(?:error|warning|info|hint)\[).*)$/;
const FENCE = /^```py\b[ \t]*(.*?)[ \t]*$/;

export function parseSpec(markdown: string): SpecCase[] {
  const lines = markdown.split('\n');
  const cases: SpecCase[] = [];
  const headers: string[] = [];
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? '';
    const header = /^(#+) (.*)$/.exec(line);
    if (header) headers.splice((header[1] ?? '').length - 1, headers.length, header[2] ?? '');
    const fence = FENCE.exec(line);
    if (!fence) continue;
    const end = lines.indexOf('```', at + 1);
    if (end < 0) throw new Error(`line ${at + 1}: the block has no end`);
    cases.push(parseBlock(headers.filter(Boolean).join(' / '), fence[1] ?? '', lines.slice(at + 1, end), at + 2));
    at = end;
  }
  return cases;
}

/** An asserting comment that stands alone on its line speaks of the line of code above it. */
function parseBlock(title: string, info: string, lines: readonly string[], firstLine: number): SpecCase {
  const assertions = new Map<number, readonly Assertion[]>();
  const code: string[] = [];
  let target = 0;
  for (const [at, line] of lines.entries()) {
    const comment = ASSERTION.exec(line);
    const rest = comment ? line.slice(0, comment.index) : line;
    code.push(rest);
    if (rest.trim() !== '') target = at + 1;
    if (comment) {
      const parsed = parseAssertions(comment[1] ?? '', firstLine + at);
      assertions.set(target, [...(assertions.get(target) ?? []), ...parsed]);
    }
  }
  const torch = /\btorch=(\S+)/.exec(info)?.[1] ?? null;
  const key = createHash('sha256')
    .update(`${info}\n${code.map((line) => `${line}\n`).join('')}`)
    .digest('hex')
    .slice(0, 16);
  return { title, torch, info, firstLine, code: code.join('\n'), assertions, key };
}
