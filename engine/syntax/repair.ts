import type { SyntaxProblem } from './ast.ts';
import { type Block, CLAUSES, isBodiless, type JudgedLine, outermost, place } from './indentation.ts';
import { type LogicalLine, logicalLines, startsCompound } from './logical.ts';

/** Text put in the place of `[start, end)`, so that the rest of the file parses. */
export interface Replacement {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

export interface Repair {
  readonly replacements: readonly Replacement[];
  /** Lines that are lost: where their first word stands, and their end. */
  readonly lost: ReadonlyMap<number, number>;
  readonly problems: readonly SyntaxProblem[];
}

/** What the repair asks of the parser. */
export interface Judge {
  /** Whether this text parses on its own. */
  readonly parses: (text: string) => boolean;
  /** Whether the line from `start` to `end` is part of a statement that parsed well where it stands. Asked in order. */
  readonly stands: (start: number, end: number) => boolean;
}

/**
 * tree-sitter's own recovery may lose a class for one unclosed bracket. But lines can be told apart without it, and judged one
 * by one; the lines that are wrong are replaced by something of the same indentation, and the file is parsed again.
 */
export function repair(text: string, judge: Judge): Repair {
  const lines = logicalLines(text).map((line) => judged(text, line, judge));
  const replacements: Replacement[] = [];
  const lost = new Map<number, number>();
  const problems: SyntaxProblem[] = [];
  const blocks: Block[] = [outermost()];
  const following = nextSound(lines);
  let opened = false;
  for (const [index, line] of lines.entries()) {
    const { word, start, end } = line;
    const { block, opens } = place(text, lines, index, following[index], blocks, opened);
    opened = opens;
    const moved = line.indent !== block.indent;
    if (moved) replacements.push({ start: line.margin, end: start, text: block.margin });
    const orphan = isOrphan(word, block.last);
    const fault = orphan ? `\`${word}\` continues nothing.` : line.fault;
    if (fault === null) {
      if (moved) problems.push({ start, end, message: 'The indentation fits no block.' });
      if (!line.stands || moved) replacements.push(...deepened(line, block.indent));
      if (opens && isEmpty(line, lines[index + 1])) replacements.push(emptyBody(line));
      block.last = word;
      continue;
    }
    problems.push({ start, end, message: fault });
    const saved = opens ? savedHeader(text, line, judge) : null;
    const stand = orphan ? 'if' : (STAND_INS.get(word) ?? 'if');
    if (opens || CLAUSES.has(word)) block.last = stand;
    if (saved !== null) replacements.push(saved);
    else {
      replacements.push({ start, end, text: placeholder(word, stand, opens) });
      lost.set(start, end);
    }
  }
  return { replacements, lost, problems };
}

/** For each line the next one, or it itself, that can be read. */
function nextSound(lines: readonly JudgedLine[]): readonly (JudgedLine | undefined)[] {
  let next: JudgedLine | undefined;
  return lines
    .map((_, at) => {
      const line = lines[lines.length - 1 - at];
      if (line?.fault === null) next = line;
      return next;
    })
    .reverse();
}

function judged(text: string, line: LogicalLine, judge: Judge): JudgedLine {
  const word = firstWord(text, line);
  const stands = judge.stands(line.start, line.end);
  const readable = stands || judge.parses(alone(text.slice(line.start, line.end), word, line.colon !== null));
  const fault = line.fault ?? (readable ? null : 'This line cannot be read.');
  return { ...line, word, fault, stands, compound: startsCompound(text, line.start) };
}

// ---- clauses ----------------------------------------------------------------------------------------

/** What a clause must follow. */
const BEFORE: ReadonlyMap<string, readonly string[]> = new Map([
  ['elif', ['if', 'elif']],
  ['else', ['if', 'elif', 'for', 'while', 'async', 'try', 'except']],
  ['except', ['try', 'except']],
  ['finally', ['try', 'except', 'else']],
]);

/** What a lost header becomes, so that its block and its clauses keep their place: the word before the colon. */
const STAND_INS: ReadonlyMap<string, string> = new Map([
  ['elif', 'elif'],
  ['else', 'else'],
  ['try', 'try'],
  ['except', 'except'],
  ['finally', 'finally'],
  ['for', 'while'],
  ['while', 'while'],
  ['with', 'with'],
  ['match', 'match'],
  ['case', 'case'],
]);

/** What stands between that word and its colon; ` 0` where nothing else is said. */
const SUBJECTS: ReadonlyMap<string, string> = new Map([
  ['case', ' _'],
  ['else', ''],
  ['try', ''],
  ['except', ''],
  ['finally', ''],
]);

/** Something that parses where the line stood. */
function placeholder(word: string, stand: string, opens: boolean): string {
  if (word === '@') return '';
  if (!opens && !CLAUSES.has(stand)) return 'pass';
  return `${stand}${SUBJECTS.get(stand) ?? ' 0'}:${opens ? '' : ' pass'}`;
}

/** tree-sitter may end a block inside of brackets where a line is indented less than the block. */
function deepened(line: LogicalLine, indent: number): Replacement[] {
  return line.shallow.map((margin) => ({ start: margin, end: margin, text: ' '.repeat(indent + 1) }));
}

function isEmpty(header: JudgedLine, next: JudgedLine | undefined): boolean {
  return isBodiless(next) && (next?.indent ?? 0) <= header.indent;
}

function emptyBody(line: LogicalLine): Replacement {
  return { start: line.end, end: line.end, text: ' pass' };
}

function isOrphan(word: string, last: string): boolean {
  const before = BEFORE.get(word);
  return before !== undefined && !before.includes(last);
}

// ---- one line ---------------------------------------------------------------------------------------

const firstWord = (text: string, line: LogicalLine): string =>
  /^@|^\w*/.exec(text.slice(line.start, Math.min(line.end, line.start + 16)))?.[0] ?? '';

/** The line with what a parser needs around it. */
function alone(text: string, word: string, colon: boolean): string {
  const body = colon ? '\n  pass\n' : '\n';
  switch (word) {
    case 'elif':
    case 'else':
      return `if 0: pass\n${text}${body}`;
    case 'except':
    case 'finally':
      return `try: pass\n${text}${body}`;
    case 'case':
      return `match x:\n ${text}${body}`;
    case 'match':
      return colon ? `${text}\n case _: pass\n` : `${text}\n`;
    case '@':
      return `${text}\ndef f(): pass\n`;
    default:
      return `${text}${body}`;
  }
}

/** A definition keeps its name and as many parameters or bases as can be read: what follows is cut off and closed. */
function savedHeader(text: string, line: LogicalLine, judge: Judge): Replacement | null {
  const header = text.slice(line.start, line.end);
  const name = /^(?:async[ \t]+)?(?:def|class)[ \t]+\w+/.exec(header)?.[0];
  if (name === undefined) return null;
  const isClass = header.startsWith('class');
  const cuts = [
    header.length,
    ...[...header.matchAll(/,/g)]
      .map((comma) => comma.index)
      .reverse()
      .slice(0, 16),
  ];
  for (const cut of cuts) {
    if (cut <= name.length) continue;
    for (const tail of [':', '):']) {
      if (judge.parses(`${header.slice(0, cut)}${tail} pass\n`)) {
        return { start: line.start + cut, end: line.end, text: tail };
      }
    }
  }
  const tail = isClass ? ':' : '():';
  return judge.parses(`${name}${tail} pass\n`) ? { start: line.start + name.length, end: line.end, text: tail } : null;
}

// ---- applying ---------------------------------------------------------------------------------------

export function applied(text: string, replacements: readonly Replacement[]): string {
  let result = '';
  let at = 0;
  for (const { start, end, text: replacement } of replacements) {
    result += text.slice(at, start) + replacement;
    at = end;
  }
  return result + text.slice(at);
}

/** Takes offsets in the repaired text back to the text as it was. */
export function original(replacements: readonly Replacement[]): (offset: number) => number {
  const starts: number[] = [];
  let shift = 0;
  for (const { start, end, text } of replacements) {
    starts.push(start + shift);
    shift += text.length - (end - start);
  }
  return (offset) => {
    let low = -1;
    for (let high = starts.length - 1; low < high; ) {
      const middle = (low + high + 1) >> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    const replacement = replacements[low];
    if (replacement === undefined) return offset;
    const into = offset - (starts[low] ?? 0);
    const beyond = into - replacement.text.length;
    return beyond >= 0 ? replacement.end + beyond : Math.min(replacement.start + into, replacement.end);
  };
}
