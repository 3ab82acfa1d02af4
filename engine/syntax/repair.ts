import type { SyntaxProblem } from './ast.ts';
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
  const lines = logicalLines(text).map((line, index, all) => judged(text, line, all[index + 1], judge));
  const replacements: Replacement[] = [];
  const lost = new Map<number, number>();
  const problems: SyntaxProblem[] = [];
  const blocks: Block[] = [{ ...NO_BLOCK }];
  let opened = false;
  for (const [index, line] of lines.entries()) {
    const { word, opens } = line;
    const block = settle(text, lines, index, blocks, opened);
    if (line.indent !== block.indent) {
      replacements.push({ start: line.margin, end: line.start, text: block.margin });
      if (line.fault === null)
        problems.push({ start: line.start, end: line.end, message: 'The indentation fits no block.' });
    }
    opened = opens;
    const orphan = isOrphan(word, block.last);
    const fault = orphan ? `\`${word}\` continues nothing.` : line.fault;
    if (fault === null) {
      if (!line.stands) replacements.push(...deepened(line));
      if (opens && (lines[index + 1]?.indent ?? 0) <= line.indent) replacements.push(emptyBody(line));
      block.last = word;
      continue;
    }
    problems.push({ start: line.start, end: line.end, message: fault });
    const saved = opens ? savedHeader(text, line, judge) : null;
    const stand = orphan ? 'if' : (STAND_INS[word] ?? 'if');
    if (opens || CLAUSES.has(word)) block.last = stand;
    if (saved !== null) replacements.push(saved);
    else {
      replacements.push({ start: line.start, end: line.end, text: placeholder(word, stand, opens) });
      lost.set(line.start, line.end);
    }
  }
  return { replacements, lost, problems };
}

/** `opens`: a block follows, or should; a line that cannot be read opens one only if what follows is indented. */
interface JudgedLine extends LogicalLine {
  readonly word: string;
  readonly opens: boolean;
  readonly stands: boolean;
}

function judged(text: string, line: LogicalLine, next: LogicalLine | undefined, judge: Judge): JudgedLine {
  const word = firstWord(text, line);
  const stands = judge.stands(line.start, line.end);
  const readable = stands || judge.parses(alone(text.slice(line.start, line.end), word, line.colon !== null));
  const fault = line.fault ?? (readable ? null : 'This line cannot be read.');
  const compound = startsCompound(text, line.start);
  const deeper = (next?.indent ?? 0) > line.indent;
  const opens = fault === null ? compound && line.colon !== null : deeper && (compound || line.colon !== null);
  return { ...line, word, fault, opens, stands };
}

// ---- indentation ------------------------------------------------------------------------------------

interface Block {
  readonly indent: number;
  readonly margin: string;
  /** The first word of the last line that stands directly in the block. */
  last: string;
}

/** Opens and closes blocks, and returns the one that the line belongs to: the nearest, where its indentation fits none. */
function settle(text: string, lines: readonly JudgedLine[], index: number, blocks: Block[], opened: boolean): Block {
  const line = lines[index];
  const outer = blocks.at(-1);
  if (line === undefined || outer === undefined) return NO_BLOCK;
  const steady = isSteady(line) ? line : lines.find((each, at) => at > index && isSteady(each));
  const belongs = steady ?? line;
  if (opened && Math.max(line.indent, belongs.indent) > outer.indent) {
    const first = shallowest(lines, index, outer.indent) ?? line;
    const block = { indent: first.indent, margin: text.slice(first.margin, first.start), last: '' };
    blocks.push(block);
    return block;
  }
  if (steady !== line && belongs.indent >= outer.indent) return outer;
  while (blocks.length > 1 && line.indent < (blocks.at(-1)?.indent ?? 0)) blocks.pop();
  return blocks.at(-1) ?? NO_BLOCK;
}

const NO_BLOCK: Block = { indent: 0, margin: '', last: '' };

/** A line that is lost says nothing about the blocks around it. */
const isSteady = (line: JudgedLine): boolean => line.fault === null || line.opens;

/** The line that tells how deep the block is that starts at `index`: the first may stand too deep. */
function shallowest(lines: readonly JudgedLine[], index: number, outer: number): LogicalLine | null {
  let found: LogicalLine | null = null;
  for (let at = index; at < lines.length; at++) {
    const line = lines[at];
    if (line === undefined || !isSteady(line)) continue;
    if (line.indent <= outer) break;
    if (found === null || line.indent < found.indent) found = line;
  }
  return found;
}

/** What a clause must follow. */
const BEFORE: Readonly<Record<string, readonly string[]>> = {
  elif: ['if', 'elif'],
  else: ['if', 'elif', 'for', 'while', 'async', 'try', 'except'],
  except: ['try', 'except'],
  finally: ['try', 'except', 'else'],
};

const CLAUSES = new Set(['elif', 'else', 'except', 'finally', 'case']);

/** What a lost header becomes, so that its block and its clauses keep their place: the word before the colon. */
const STAND_INS: Readonly<Record<string, string>> = {
  elif: 'elif',
  else: 'else',
  try: 'try',
  except: 'except',
  finally: 'finally',
  for: 'while',
  while: 'while',
  with: 'with',
  match: 'match',
  case: 'case',
};

const SUBJECTS: Readonly<Record<string, string>> = { case: ' _', else: '', try: '', except: '', finally: '' };

/** Something that parses where the line stood. */
function placeholder(word: string, stand: string, opens: boolean): string {
  if (word === '@') return '';
  if (!opens && !CLAUSES.has(stand)) return 'pass';
  return `${stand}${SUBJECTS[stand] ?? ' 0'}:${opens ? '' : ' pass'}`;
}

/** tree-sitter may end a block inside of brackets where a line is indented less than the block. */
function deepened(line: LogicalLine): Replacement[] {
  return line.shallow.map((margin) => ({ start: margin, end: margin, text: ' '.repeat(line.indent + 1) }));
}

function emptyBody(line: LogicalLine): Replacement {
  return { start: line.end, end: line.end, text: ' pass' };
}

function isOrphan(word: string, last: string): boolean {
  const before = BEFORE[word];
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
  return { start: line.start + name.length, end: line.end, text: isClass ? ':' : '():' };
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
