/** Offsets in UTF-16 units against lines: `\n`, `\r\n` and a lone `\r` end one, as Python and LSP say. */

/** Offsets at which the lines of `text` start. */
export function lineStarts(text: string): readonly number[] {
  const starts = [0];
  if (!text.includes('\r')) {
    for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
    return starts;
  }
  for (const ending of text.matchAll(/\r\n|\r|\n/g)) starts.push(ending.index + ending[0].length);
  return starts;
}

/** The 0-based line that holds an offset. */
export function lineAt(starts: readonly number[], offset: number): number {
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((starts[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Python's way to say a position: `line` from 1, `column` from 0 in bytes of UTF-8. */
export interface PythonPosition {
  readonly line: number;
  readonly column: number;
}

/** Python does not count a byte-order mark at the start of the file. */
export function pythonPosition(text: string, starts: readonly number[], offset: number): PythonPosition {
  const line = lineAt(starts, offset);
  const start = starts[line] ?? 0;
  return { line: line + 1, column: utf8Length(text, line === 0 && text.startsWith('\uFEFF') ? 1 : start, offset) };
}

export function offsetOfPython(text: string, starts: readonly number[], position: PythonPosition): number {
  const line = Math.min(Math.max(position.line - 1, 0), starts.length - 1);
  const end = starts[line + 1] ?? text.length;
  let offset = line === 0 && text.startsWith('\uFEFF') ? 1 : (starts[line] ?? 0);
  let column = 0;
  while (offset < end && column < position.column) {
    const width = utf16Width(text, offset);
    column += utf8Length(text, offset, offset + width);
    offset += width;
  }
  return offset;
}

/** LSP's way: `line` and `character` from 0, in UTF-16 units. */
export interface LspPosition {
  readonly line: number;
  readonly character: number;
}

export function lspPosition(starts: readonly number[], offset: number): LspPosition {
  const line = lineAt(starts, offset);
  return { line, character: offset - (starts[line] ?? 0) };
}

export function offsetOfLsp(text: string, starts: readonly number[], position: LspPosition): number {
  const start = starts[position.line];
  if (start === undefined) return text.length;
  return Math.min(start + position.character, starts[position.line + 1] ?? text.length);
}

/** A lone surrogate counts as the replacement character: three bytes. */
function utf8Length(text: string, start: number, end: number): number {
  let length = 0;
  for (let at = start; at < end; at++) {
    const code = text.charCodeAt(at);
    if (code < 0x80) length += 1;
    else if (code < 0x800) length += 2;
    else if (utf16Width(text, at) === 2 && at + 1 < end) {
      length += 4;
      at++;
    } else length += 3;
  }
  return length;
}

function utf16Width(text: string, at: number): 1 | 2 {
  return (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
}
