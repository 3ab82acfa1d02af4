import type { LogicalLine } from './logical.ts';

/** A line that was judged by itself. */
export interface JudgedLine extends LogicalLine {
  /** Its first word, or `@`. */
  readonly word: string;
  /** It starts with the word of a statement that has a block. */
  readonly compound: boolean;
  /** It is part of a statement that parsed well where it stands. */
  readonly stands: boolean;
}

/** A block that is open at some line of the file. */
export interface Block {
  readonly indent: number;
  /** The white space of its lines. */
  readonly margin: string;
  /** The first word of the last line that stands directly in it. */
  last: string;
}

export const outermost = (): Block => ({ indent: 0, margin: '', last: '' });

/** Which block a line belongs to, and whether it opens one in it. */
export interface Place {
  readonly block: Block;
  readonly opens: boolean;
}

/**
 * Closes and opens `blocks` up to the line at `index`. A line that cannot be read says little about the blocks around it: it is
 * placed by what follows (`following`), and opens a block only if what follows needs one. `opened` tells whether the line before did.
 */
export function place(
  text: string,
  lines: readonly JudgedLine[],
  index: number,
  following: JudgedLine | undefined,
  blocks: Block[],
  opened: boolean,
): Place {
  const line = lines[index];
  const outer = top(blocks);
  if (line === undefined) return { block: outer, opens: false };
  const sound = line.fault === null;
  const next = following?.indent ?? 0;
  if (opened && (Math.max(line.indent, next) > outer.indent || !isBodiless(line))) {
    const first = shallowest(lines, index, outer.indent);
    const margin = first === null ? `${outer.margin}    ` : text.slice(first.margin, first.start);
    blocks.push({ indent: first?.indent ?? outer.indent + 4, margin, last: '' });
    return { block: top(blocks), opens: sound ? opensBlock(line) : line.compound && next > top(blocks).indent };
  }
  if (sound) {
    closeAbove(blocks, line.indent);
    return { block: top(blocks), opens: opensBlock(line) };
  }
  if (line.compound && isHeader(line, next, blocks)) {
    closeAbove(blocks, line.indent);
    return { block: top(blocks), opens: true };
  }
  if (!line.compound && line.colon !== null && !opened && line.indent < next) {
    closeAbove(blocks, next - 1);
    return { block: top(blocks), opens: true };
  }
  if (following === undefined || !CLAUSES.has(following.word)) closeAbove(blocks, Math.max(line.indent, next));
  return { block: top(blocks), opens: false };
}

/** Clauses go on with the statement before them, so nothing may come between. */
export const CLAUSES: ReadonlySet<string> = new Set(['elif', 'else', 'except', 'finally', 'case']);

/** Whether a header has no block when this line follows it without being indented more: a line that is lost makes one. */
export const isBodiless = (line: JudgedLine | undefined): boolean =>
  line === undefined || line.fault === null || line.compound;

const opensBlock = (line: JudgedLine): boolean => line.compound && line.colon !== null;

/** Whether what follows can be the block of a header that cannot be read: the block next to the header's own, or a new one. */
function isHeader(line: JudgedLine, next: number, blocks: readonly Block[]): boolean {
  if (next <= line.indent) return false;
  const above = blocks.find((block) => block.indent > line.indent);
  return above === undefined || above.indent >= next;
}

const top = (blocks: readonly Block[]): Block => blocks.at(-1) ?? outermost();

function closeAbove(blocks: Block[], indent: number): void {
  while (blocks.length > 1 && top(blocks).indent > indent) blocks.pop();
}

/** The line that tells how deep the block is that starts at `index`: the first may stand too deep. */
function shallowest(lines: readonly JudgedLine[], index: number, outer: number): LogicalLine | null {
  let found: LogicalLine | null = null;
  for (let at = index; at < lines.length; at++) {
    const line = lines[at];
    if (line === undefined || (line.fault !== null && !line.compound)) continue;
    if (line.indent <= outer) break;
    if (found === null || line.indent < found.indent) found = line;
  }
  return found;
}
