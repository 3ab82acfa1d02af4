import type { Colours } from '../commands/terminal.ts';
import type { Positions, PythonRange } from './positions.ts';

/** A line of source under its number, with the range underlined; cropped to `width` columns around the range. */
export function frame(
  range: PythonRange,
  positions: Positions,
  paint: {
    readonly colours: Colours;
    readonly mark: (text: string) => string;
    readonly sign: '^' | '-';
    readonly width: number;
  },
): string[] {
  const { colours, mark, sign, width } = paint;
  const gutter = String(range.lineno).length;
  const line = positions.line(range.lineno);
  const from = (positions.offset(range.lineno, range.col_offset) ?? 0) - positions.lineStart(range.lineno);
  const continues = range.end_lineno > range.lineno;
  const to = continues
    ? line.trimEnd().length
    : (positions.offset(range.lineno, range.end_col_offset) ?? 0) - positions.lineStart(range.lineno);
  const room = Math.max(40, width - gutter - 5);
  const cropped = crop(line, from, room);
  const start = printed(line.slice(cropped.start, from));
  const marked = printed(line.slice(from, Math.max(to, from + 1)));
  const underline = sign.repeat(Math.max(1, Math.min(columns(marked), room - columns(start))));
  const bar = colours.dim('|');
  const indent = ' '.repeat(columns(start));
  const more = continues ? colours.dim(` … to line ${range.end_lineno}`) : '';
  return [
    `  ${colours.dim(String(range.lineno))} ${bar} ${printed(cropped.text)}`,
    `  ${' '.repeat(gutter)} ${bar} ${indent}${mark(underline)}${more}`,
  ];
}

function crop(line: string, from: number, room: number): { start: number; text: string } {
  if (line.length <= room) return { start: 0, text: line };
  const start = from < room - 20 ? 0 : Math.max(0, from - 20);
  return { start, text: line.slice(start, start + room) };
}

/** Tabs become four spaces, and what could steer the terminal is made visible instead. */
export function printed(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not reach the terminal.
  return text.replaceAll('\t', '    ').replace(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, '\ufffd');
}

const WIDE = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]/;

/** Columns in a terminal. A surrogate pair, mostly an emoji, is two units and two columns. */
function columns(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at++) count += WIDE.test(text.charAt(at)) ? 2 : 1;
  return count;
}
