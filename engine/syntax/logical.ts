import { endOfLine, isClosing, isOpening, isQuote, skip, stringEnd } from './lines.ts';

/** A logical line of a file that may be half typed: brackets and strings that never close end where they were left. */
export interface LogicalLine {
  /** Where its indentation starts, where its first word does, its end without a comment, and where the next line is. */
  readonly margin: number;
  readonly start: number;
  readonly end: number;
  readonly next: number;
  /** Python's columns: a tab goes to the next multiple of eight. */
  readonly indent: number;
  /** The colon that it ends in, before a comment. */
  readonly colon: number | null;
  /** Starts of continuation lines in brackets that are indented no deeper than the line itself. */
  readonly shallow: readonly number[];
  /** Why it can be no statement, as far as brackets and strings tell. */
  readonly fault: string | null;
}

/** No expression has these words, so a line that starts with one is no continuation. */
const STATEMENT =
  /(?:def|class|return|import|with|while|try|except|finally|raise|assert|del|pass|break|continue|global|nonlocal|elif)\b(?!\s*=[^=])/y;

const COMPOUND = /(?:async|def|class|if|elif|else|for|while|try|except|finally|with|match|case)\b/y;

export const startsCompound = (text: string, at: number): boolean => startsWith(COMPOUND, text, at);

function startsWith(pattern: RegExp, text: string, at: number): boolean {
  pattern.lastIndex = at;
  return pattern.test(text);
}

export function logicalLines(text: string): LogicalLine[] {
  const openQuote = unclosedTriple(text);
  const lines: LogicalLine[] = [];
  for (let at = 0; at < text.length; ) {
    const line = logicalLine(text, at, openQuote);
    if (line.end > line.start) lines.push(line);
    at = line.next;
  }
  return lines;
}

function logicalLine(text: string, margin: number, openQuote: number | null): LogicalLine {
  const { start, indent } = indentation(text, margin);
  const brackets: number[] = [];
  let last = start;
  let end = start;
  const shallow: number[] = [];
  let stop: number | null = null;
  const colon = () => (text.charAt(last) === ':' ? last : null);
  const sound = (newline: number): LogicalLine => {
    return { margin, start, end, next: newline + 1, indent, colon: colon(), shallow, fault: null };
  };
  const faulty = (newline: number, fault: string): LogicalLine => {
    const content = text.slice(start, newline).trimEnd().length;
    return { margin, start, end: start + content, next: newline + 1, indent, colon: colon(), shallow, fault };
  };
  for (let at = start; at < text.length; ) {
    const code = text.charCodeAt(at);
    if (code === 0x0a) {
      if (brackets.length === 0) return sound(at);
      const next = indentation(text, at + 1);
      if (cannotContinue(text, next.start)) return faulty(stop ?? firstEnd(text, start), UNCLOSED);
      if (next.indent <= indent && !isBlank(text, next.start)) {
        shallow.push(at + 1);
        stop ??= at;
      }
    } else if (isOpening(code)) brackets.push(code);
    else if (isClosing(code)) {
      const opening = brackets.pop();
      if (opening === undefined) return faulty(endOfLine(text, at), 'This bracket is never opened.');
      if (!matches(opening, code)) return faulty(stop ?? endOfLine(text, at), 'This bracket closes another kind.');
    } else if (isQuote(code) && (at === openQuote || !stringEnd(text, at).closed)) {
      return faulty(endOfLine(text, at), 'This string is never closed.');
    }
    const after = skip(text, at);
    if (code > 0x20 && code !== 0x23) {
      last = at;
      end = after;
    }
    at = after;
  }
  return brackets.length === 0 ? sound(text.length) : faulty(stop ?? firstEnd(text, start), UNCLOSED);
}

const UNCLOSED = 'A bracket is never closed.';

const matches = (opening: number, closing: number): boolean => closing - opening === (opening === 0x28 ? 1 : 2);

/** A bracket closes on a line of its own without being indented; a blank line or a comment says nothing. */
const isBlank = (text: string, at: number): boolean => at >= text.length || /[\r\n#)\]}]/.test(text.charAt(at));

const cannotContinue = (text: string, at: number): boolean => startsWith(STATEMENT, text, at);

/** The first line end at which what was written could be left: not after a comma or an opening bracket. */
function firstEnd(text: string, start: number): number {
  for (let at = start; ; ) {
    const end = endOfLine(text, at);
    if (end === text.length || !/[,([{]\s*(?:#.*)?$/.test(text.slice(at, end))) return end;
    if (cannotContinue(text, indentation(text, end + 1).start)) return end;
    at = end + 1;
  }
}

function indentation(text: string, margin: number): { start: number; indent: number } {
  let indent = 0;
  for (let at = margin; ; at++) {
    const character = text.charAt(at);
    if (character === ' ') indent++;
    else if (character === '\t') indent += 8 - (indent % 8);
    else if (character === '\f' || character === '\uFEFF') indent = 0;
    else if (character === '#') return { start: endOfLine(text, at), indent };
    else if (character === '\r' && text.charAt(at + 1) === '\n') return { start: at + 1, indent };
    else return { start: at, indent };
  }
}

/**
 * With an odd number of triple quotes, the one that was left open: the first whose string ran into the opening quotes of the next.
 * Then it holds a definition that is indented less than itself, or prose follows it. Null where all are closed.
 */
function unclosedTriple(text: string): number | null {
  let suspect: number | null = null;
  for (let at = 0; at < text.length; ) {
    if (isQuote(text.charCodeAt(at))) {
      const { closed, triple, end } = stringEnd(text, at);
      if (triple && !closed) return suspect ?? at;
      if (triple && suspect === null && (startsWith(PROSE, text, end) || holdsDefinition(text, at, end))) suspect = at;
    }
    at = skip(text, at);
  }
  // An apostrophe in what is prose, but is read as code, may hide the last quotes.
  return text.split('"""').length % 2 === 0 || text.split("'''").length % 2 === 0 ? suspect : null;
}

const PROSE = /[ \t]*(?!(?:if|else|for|in|is|and|or|not|as|async)\b)\w/y;

function holdsDefinition(text: string, start: number, end: number): boolean {
  const { indent } = indentation(text, text.lastIndexOf('\n', start) + 1);
  const definitions = text.slice(start, end).matchAll(/\n([ \t]*)(?:async[ \t]+def|def|class)[ \t]+\w+[ \t]*[(:]/g);
  return [...definitions].some(([, margin = '']) => indentation(margin, 0).indent < indent);
}
