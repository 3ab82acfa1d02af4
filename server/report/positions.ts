/** Positions as Python counts them: lines from 1, columns from 0 in bytes of UTF-8. */
export interface PythonRange {
  readonly lineno: number;
  readonly col_offset: number;
  readonly end_lineno: number;
  readonly end_col_offset: number;
}

export interface Positions {
  readonly lineCount: number;
  range(start: number, end: number): PythonRange;
  /** The text of a line, counted from 1, without its line break. */
  line(lineno: number): string;
  /** Where a line, counted from 1, starts: an offset in UTF-16 units. */
  lineStart(lineno: number): number;
  /** The offset of a Python position, or null where the text has no such place. */
  offset(lineno: number, colOffset: number): number | null;
}

/** Converts the engine's offsets in UTF-16 units. A lone carriage return ends a line, as in Python. */
export function positionsIn(text: string): Positions {
  const starts = lineStarts(text);
  const lineStart = (lineno: number) => starts[lineno - 1] ?? text.length;
  const line = (lineno: number) => text.slice(lineStart(lineno), lineStart(lineno + 1)).replace(/\r?\n$|\r$/, '');

  const lineAt = (offset: number): number => {
    let [low, high] = [0, starts.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return low + 1;
  };
  const place = (offset: number) => {
    const at = Math.max(0, Math.min(offset, text.length));
    const lineno = lineAt(at);
    return { lineno, column: utf8Length(text, lineStart(lineno), at) };
  };

  return {
    // A final line break ends the last line rather than starting another.
    lineCount: text === '' ? 0 : starts.length - (starts.at(-1) === text.length ? 1 : 0),
    range(start, end) {
      const [from, to] = [place(start), place(end)];
      return { lineno: from.lineno, col_offset: from.column, end_lineno: to.lineno, end_col_offset: to.column };
    },
    line,
    lineStart,
    offset(lineno, colOffset) {
      if (lineno < 1 || lineno > starts.length) return null;
      const content = line(lineno);
      for (let at = 0, bytes = 0; at <= content.length; at++) {
        if (bytes >= colOffset) return lineStart(lineno) + at;
        bytes += utf8Length(content, at, at + 1);
      }
      return null;
    },
  };
}

function lineStarts(text: string): number[] {
  const starts = [0];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 10 || (code === 13 && text.charCodeAt(at + 1) !== 10)) starts.push(at + 1);
  }
  return starts;
}

/** A surrogate counts two: a pair is four bytes of UTF-8. */
function utf8Length(text: string, start: number, end: number): number {
  let bytes = 0;
  for (let at = start; at < end; at++) {
    const code = text.charCodeAt(at);
    bytes += code < 0x80 ? 1 : code < 0x800 || (code >= 0xd800 && code < 0xe000) ? 2 : 3;
  }
  return bytes;
}
