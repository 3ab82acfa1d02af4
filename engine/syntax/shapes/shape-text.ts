import type { DType } from '../../tensor/dtype.ts';
import type { MemoryFormat } from '../../tensor/memory-format.ts';

/** A size as people write it. `/` between sizes means the whole quotient. A size that says nothing (`_`, `-1`) is unknown. */
export type DimText =
  | { readonly kind: 'int'; readonly value: number }
  | { readonly kind: 'name'; readonly id: string }
  | { readonly kind: 'operation'; readonly op: DimOperator; readonly left: DimText; readonly right: DimText }
  | { readonly kind: 'unknown' };

export type DimOperator = '+' | '-' | '*' | '//' | '%';

/** What a text says of a tensor. With a `front`, any number of sizes stand before `dims`. */
export interface ShapeText {
  readonly dims: readonly DimText[];
  readonly front: boolean;
  readonly dtype: DType | null;
  readonly memoryFormat: MemoryFormat | null;
  readonly device: string | null;
  /** The names are this tensor's alone: what docstrings call `dim` in two places need not be one size. */
  readonly loose?: true;
}

export interface NamedShape {
  readonly name: string;
  readonly shape: ShapeText;
}

export const UNKNOWN_DIM: DimText = { kind: 'unknown' };

export function shapeOf(dims: readonly DimText[], front: boolean): ShapeText {
  return { dims, front, dtype: null, memoryFormat: null, device: null };
}

/** More dims than any layer has: a list this long is no shape. */
const MOST_DIMS = 8;
/** Nor is arithmetic this long a size: what reads it descends into it. */
const MOST_TOKENS = 100;

/** `Tensor[float]` says what a tensor holds, not how many. */
const TYPE = /^(?:bool|int|float|double|half|long|short|byte|char|str|complex|(?:u?int|b?float|complex)\d+|Tensor)$/;

/**
 * The sizes between the brackets of a shape, split at commas: `B, T, 3 * h`, `..., H, W`. Null where an entry is no simple
 * arithmetic over names and whole numbers.
 */
export function dimList(inner: string): { readonly dims: DimText[]; readonly front: boolean } | null {
  return dimEntries(inner.split(','), null);
}

/** The same, but what cannot be read is a size that is unknown: `batch size, 3`. */
export function lenientDimList(inner: string): { readonly dims: DimText[]; readonly front: boolean } | null {
  return dimEntries(inner.split(','), UNKNOWN_DIM);
}

export function dimEntries(
  entries: readonly string[],
  unreadable: DimText | null,
): { readonly dims: DimText[]; readonly front: boolean } | null {
  const parts = entries.map((entry) => entry.trim().replace(/^(['"])(.*)\1$/, '$2'));
  if (parts.at(-1) === '') parts.pop();
  const front = parts[0] !== undefined && /^(?:\.\.\.|\*|\*\w+)$/.test(parts[0]);
  if (front) parts.shift();
  if (parts.length > MOST_DIMS) return null;
  const dims: DimText[] = [];
  for (const part of parts) {
    if (/^(?:\.\.\.|\*.*)$/.test(part) || TYPE.test(part)) return null;
    const dim = dimOf(part) ?? unreadable;
    if (dim === null) return null;
    dims.push(dim);
  }
  return { dims, front };
}

/** One size, or null. A name may be dotted: `self.num_heads`. */
export function dimOf(text: string): DimText | null {
  if (/^(?:-1|_|\?)$/.test(text)) return UNKNOWN_DIM;
  const tokens = text.match(/[A-Za-z_][\w.]*|\d+|\/\/|[-+*/%()]|\S/g) ?? [];
  if (tokens.length > MOST_TOKENS) return null;
  const parser = { tokens, at: 0 };
  const dim = additive(parser);
  return parser.at === tokens.length ? dim : null;
}

interface Cursor {
  readonly tokens: readonly string[];
  at: number;
}

const SUMS: ReadonlyMap<string, DimOperator> = new Map([
  ['+', '+'],
  ['-', '-'],
]);

const PRODUCTS: ReadonlyMap<string, DimOperator> = new Map([
  ['*', '*'],
  ['//', '//'],
  ['/', '//'],
  ['%', '%'],
]);

function additive(cursor: Cursor): DimText | null {
  return leftwards(cursor, multiplicative, SUMS);
}

function multiplicative(cursor: Cursor): DimText | null {
  return leftwards(cursor, atom, PRODUCTS);
}

function leftwards(
  cursor: Cursor,
  operand: (cursor: Cursor) => DimText | null,
  operators: ReadonlyMap<string, DimOperator>,
): DimText | null {
  let left = operand(cursor);
  for (;;) {
    const op = operators.get(cursor.tokens[cursor.at] ?? '');
    if (left === null || op === undefined) return left;
    cursor.at++;
    const right = operand(cursor);
    if (right === null) return null;
    left = { kind: 'operation', op, left, right };
  }
}

function atom(cursor: Cursor): DimText | null {
  const token = cursor.tokens[cursor.at++];
  if (token === undefined) return null;
  if (/^\d/.test(token)) return { kind: 'int', value: Number(token) };
  if (/^[A-Za-z_]/.test(token) && !/^\.|\.$|\.\./.test(token)) return { kind: 'name', id: token };
  if (token !== '(') return null;
  const inner = additive(cursor);
  return cursor.tokens[cursor.at++] === ')' ? inner : null;
}
