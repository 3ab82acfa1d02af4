/** Where Python's lines end, told by the text alone: tree-sitter joins lines that Python does not. */

const NEWLINE = 0x0a;
const RETURN = 0x0d;
const HASH = 0x23;
const BACKSLASH = 0x5c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

export const isQuote = (code: number): boolean => code === 0x22 || code === 0x27;
export const isOpening = (code: number): boolean => code === 0x28 || code === 0x5b || code === OPEN_BRACE;
export const isClosing = (code: number): boolean => code === 0x29 || code === 0x5d || code === CLOSE_BRACE;

/** Whether the simple statement or header from `start` to `end` goes on after the end of its logical line. */
export function runsOn(text: string, start: number, end: number): boolean {
  const newline = text.indexOf('\n', start);
  return newline !== -1 && newline < end && logicalEnd(text, start) < end;
}

/** Where the logical line that starts here ends: the newline outside all brackets and strings, or the end of the text. */
export function logicalEnd(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; ) {
    const code = text.charCodeAt(at);
    if (code === NEWLINE && depth === 0) return at;
    if (isOpening(code)) depth++;
    else if (isClosing(code) && depth > 0) depth--;
    at = skip(text, at);
  }
  return text.length;
}

/** The offset after the character, comment, escaped newline or string that stands at `at`. */
export function skip(text: string, at: number): number {
  const code = text.charCodeAt(at);
  if (code === HASH) return endOfLine(text, at);
  if (code === BACKSLASH) return escapeEnd(text, at);
  return isQuote(code) ? stringEnd(text, at).end : at + 1;
}

function escapeEnd(text: string, at: number): number {
  return at + (text.charCodeAt(at + 1) === RETURN && text.charCodeAt(at + 2) === NEWLINE ? 3 : 2);
}

export function endOfLine(text: string, at: number): number {
  const newline = text.indexOf('\n', at);
  return newline === -1 ? text.length : newline;
}

export interface StringEnd {
  /** After the closing quote; without one, the end of the line or, for a triple-quoted string, of the text. */
  readonly end: number;
  readonly closed: boolean;
  readonly triple: boolean;
}

/** The string whose opening quote stands at `at`; its prefix, which stands before, may make it an f-string. */
export function stringEnd(text: string, at: number): StringEnd {
  const quote = text.charCodeAt(at);
  const triple = text.charCodeAt(at + 1) === quote && text.charCodeAt(at + 2) === quote;
  const interpolated = /(?<![\w])(?:[ft]r?|r[ft])$/i.test(text.slice(Math.max(0, at - 3), at));
  let position = at + (triple ? 3 : 1);
  while (position < text.length) {
    const code = text.charCodeAt(position);
    if (code === quote) {
      if (!triple) return { end: position + 1, closed: true, triple };
      if (text.charCodeAt(position + 1) === quote && text.charCodeAt(position + 2) === quote) {
        return { end: position + 3, closed: true, triple };
      }
    }
    if (code === NEWLINE && !triple) return { end: position, closed: false, triple };
    if (code === BACKSLASH) position = escapeEnd(text, position);
    else if (code === OPEN_BRACE && interpolated) position = interpolationEnd(text, position, triple);
    else position++;
  }
  return { end: text.length, closed: false, triple };
}

/** After the `}` of an expression in an f-string, which may hold strings with any quotes; or after a doubled `{`. */
function interpolationEnd(text: string, at: number, triple: boolean): number {
  if (text.charCodeAt(at + 1) === OPEN_BRACE) return at + 2;
  let depth = 0;
  for (let position = at; position < text.length; ) {
    const code = text.charCodeAt(position);
    if (code === NEWLINE && !triple) break;
    if (code === OPEN_BRACE) depth++;
    else if (code === CLOSE_BRACE && --depth === 0) return position + 1;
    position = isQuote(code) ? stringEnd(text, position).end : position + 1;
  }
  return at + 1;
}
