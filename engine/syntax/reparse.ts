import type { Module, Statement } from './ast.ts';
import { difference } from './difference.ts';
import { logicalLines } from './logical.ts';
import { docstring } from './lowering/compound.ts';
import { copied, moved } from './moved.ts';
import { type Parser, parse } from './parser.ts';
import { lineStarts } from './positions.ts';

/** A text and what it was parsed to. */
export interface Parsed {
  readonly text: string;
  readonly module: Module;
}

/** Where the statements of the top level start that start a line, from the top. */
interface Chunk {
  readonly start: number;
  /** The index of its first statement in the module. */
  readonly first: number;
}

/**
 * The law: the same module as `parse(parser, text)` gives, but for one thing: statements of the top level and of classes in which
 * nothing has changed are the very same objects as before, or, where they have moved, share what their functions hold in frames of
 * their own. So what was found out about a function's nodes is found again.
 *
 * Only the statements of the top level around the change are parsed, where that is enough to know.
 */
export function reparse(parser: Parser, before: Parsed, text: string): Module {
  return spliced(parser, before, text) ?? reused(before, text, parse(parser, text));
}

function spliced(parser: Parser, before: Parsed, text: string): Module | null {
  const { module } = before;
  const chunks = chunksOf(before);
  const change = difference(before.text, text);
  const { by } = change;
  let from = chunks.findLastIndex(({ start }) => start < change.start);
  const touched = chunks[from];
  // What stands on the first line of a statement decides what it belongs to.
  if (touched && change.start <= headEnd(before.text, touched.start)) from--;
  let to = chunks.findIndex(({ start }, index) => index > from && start > change.end);
  if (to < 0) to = chunks.length;
  for (let extended = 0; extended < MOST_EXTENDED; extended++) {
    const start = from <= 0 ? 0 : (chunks[from]?.start ?? 0);
    const end = chunks[to]?.start ?? before.text.length;
    const region = text.slice(start, end + by);
    const following = text.slice(end + by, (chunks[to + 1]?.start ?? before.text.length) + by);
    const parsed = parse(parser, region);
    if (ends(region, following, parsed.problems.length === 0)) {
      const kept = module.body.slice(0, from <= 0 ? 0 : chunks[from]?.first);
      const after = to < chunks.length ? module.body.slice(chunks[to]?.first) : [];
      const old = { start, end, by };
      const inner = parsed.body.map((statement) => moved(statement, start));
      const parsedProblems = parsed.problems.map((problem) => moved(problem, start));
      const replaced = module.body.slice(kept.length, module.body.length - after.length);
      const body = [
        ...kept,
        ...withSame(before, replaced, text, inner, parsedProblems),
        ...after.map((statement) => moved(statement, by)),
      ];
      return { body, docstring: docstring(body), ...notes(before, text, parsed, old) };
    }
    if (to >= chunks.length) return null;
    to++;
  }
  return null;
}

/** How many statements further down are looked at for the end of what the change has opened. */
const MOST_EXTENDED = 3;

/** Comments and problems: those above, those of what was parsed again, those below. */
function notes(
  before: Parsed,
  text: string,
  parsed: Module,
  { start, end, by }: { readonly start: number; readonly end: number; readonly by: number },
): Pick<Module, 'comments' | 'problems'> {
  const { comments, problems } = before.module;
  const line = lines(text.slice(0, start));
  const below = lines(text.slice(start, end + by)) - lines(before.text.slice(start, end));
  return {
    comments: [
      ...comments.filter((each) => each.start < start),
      ...parsed.comments.map((each) => ({ ...moved(each, start), line: each.line + line })),
      ...comments.filter((each) => each.start >= end).map((each) => ({ ...moved(each, by), line: each.line + below })),
    ],
    problems: [
      ...problems.filter((each) => each.start < start),
      ...parsed.problems.map((each) => moved(each, start)),
      ...problems.filter((each) => each.start >= end).map((each) => moved(each, by)),
    ],
  };
}

const lines = (text: string): number => lineStarts(text).length - 1;

/**
 * Whether what follows starts a statement of its own: nothing that was opened in `text` goes on into it, and with it no more
 * would have been known about the text.
 */
function ends(text: string, following: string, sound: boolean): boolean {
  if (following !== '' && /\\\s*$|(?:^|\n)@[^\n]*\n\s*$/.test(text.slice(-LONG_LINE))) return false;
  if (sound) return true;
  if (text.split('"""').length % 2 === 0 || text.split("'''").length % 2 === 0) return false;
  return following === '' || logicalLines(text + following).some(({ margin }) => margin === text.length);
}

const LONG_LINE = 2_000;

/** The end of the line on which a statement starts, of the last one that belongs to its decorators. */
function headEnd(text: string, start: number): number {
  let at = start;
  while (text.charAt(at) === '@') {
    const end = text.indexOf('\n', at);
    if (end < 0) return text.length;
    at = end + 1;
  }
  const end = text.indexOf('\n', at);
  return end < 0 ? text.length : end;
}

function chunksOf({ text, module }: Parsed): readonly Chunk[] {
  const chunks: Chunk[] = [];
  module.body.forEach((statement, first) => {
    const start = outerStart(statement);
    const starts = start === 0 || text.charAt(start - 1) === '\n';
    if (starts && start > (chunks.at(-1)?.start ?? -1)) chunks.push({ start, first });
  });
  return chunks;
}

/** Where a statement starts, with the `@` of its first decorator. */
function outerStart(statement: Statement): number {
  if (statement.kind !== 'FunctionDef' && statement.kind !== 'ClassDef') return statement.start;
  return statement.decorators.reduce((least, each) => Math.min(least, each.start - 1), statement.start);
}

/** A module with the statements of the one before in the place of those that are as they were. */
function reused(before: Parsed, text: string, module: Module): Module {
  return { ...module, body: withSame(before, before.module.body, text, module.body, module.problems) };
}

/** `old` are the statements of the module before that may be found again. */
function withSame(
  before: Parsed,
  old: Module['body'],
  text: string,
  body: Module['body'],
  problems: Module['problems'],
  place: typeof moved = moved,
): Module['body'] {
  const known = new Map<string, Statement[]>();
  for (const statement of old)
    if (isSound(statement, before.module.problems)) {
      const key = before.text.slice(outerStart(statement), statement.end);
      known.set(key, [...(known.get(key) ?? []), statement]);
    }
  return body.map((statement) => {
    const found = isSound(statement, problems)
      ? known.get(text.slice(outerStart(statement), statement.end))
      : undefined;
    const same = found?.shift();
    if (same?.kind === statement.kind) return place(same, statement.start - same.start);
    if (statement.kind !== 'ClassDef') return statement;
    const inner = old.flatMap((each) => (each.kind === 'ClassDef' && each.name === statement.name ? each.body : []));
    return { ...statement, body: withSame(before, inner, text, statement.body, problems, copied) };
  });
}

const isSound = ({ start, end }: Statement, problems: Module['problems']): boolean =>
  problems.every((problem) => problem.end <= start || problem.start >= end);
