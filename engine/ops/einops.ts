import { type Fault, type Result, raises } from '../tensor/index.ts';

/** An axis of a pattern: a name, `…0` for a dim that an ellipsis covers, or a number above 1 that stands there. */
export interface Axis {
  readonly name: string;
  readonly length: number | null;
}

/** One side of a pattern: a group per dim, empty for `1` and `()`. */
export type Side = readonly (readonly Axis[])[];

/**
 * What einops does with a tensor, in its own order: reshape to elementary axes, permute the kept ones to the front in the
 * order of the output, reduce the others, insert the new ones by expansion, reshape to the groups of the output.
 */
export interface Recipe {
  readonly input: Side;
  readonly output: Side;
  /** The elementary axes of the input in order. */
  readonly axes: readonly Axis[];
  readonly permutation: readonly number[];
  /** How many axes at the end of the permutation are reduced. */
  readonly reduced: number;
  /** New axes by their position among the elementary axes of the output. */
  readonly added: readonly { readonly at: number; readonly axis: Axis }[];
}

type Operation = 'rearrange' | 'reduce' | 'repeat';

export const ELLIPSIS = '…';

/** Reads a pattern for a tensor of `ndim` dims; an unknown front counts as one, which an ellipsis may cover. */
export function readPattern(pattern: string, operation: Operation, ndim: number): Result<Recipe> {
  const rejected = (expects: string) => raises({ is: 'argument', name: 'pattern', got: `'${pattern}'`, expects });
  const [left, right, ...rest] = pattern.split('->');
  if (left === undefined || right === undefined || rest.length > 0) return rejected("one '->'");
  const counter = { anonymous: 0 };
  const sides = [readSide(left, counter), readSide(right, counter)];
  const [inside, outside] = sides;
  if (inside === undefined || outside === undefined || inside === null || outside === null)
    return rejected('names, numbers, parentheses and one ellipsis');
  const given = inside.filter((group) => !isEllipsis(group)).length;
  const dotted = inside.some((group) => group.some(({ name }) => name === ELLIPSIS));
  if (dotted ? ndim < given : ndim !== given)
    return raises({
      is: 'rank-differs',
      what: 'tensor',
      expected: dotted ? `${given} or more` : `${given}`,
      got: ndim,
    });
  const input = spreadEllipsis(inside, ndim - given);
  const output = spreadEllipsis(outside, ndim - given);
  return recipe(input, output, operation, rejected);
}

const isEllipsis = (group: readonly Axis[]) => group.length === 1 && group[0]?.name === ELLIPSIS;

function readSide(text: string, counter: { anonymous: number }): Side | null {
  const groups: Axis[][] = [];
  let open: Axis[] | null = null;
  for (const [token] of text.replaceAll('...', ELLIPSIS).matchAll(/[()]|[^\s()]+/g)) {
    if (token === '(') {
      if (open !== null) return null;
      open = [];
    } else if (token === ')') {
      if (open === null) return null;
      if (isEllipsis(open)) open.push(NOTHING);
      groups.push(open);
      open = null;
    } else {
      const axis = readAxis(token, counter);
      if (axis === null) return null;
      const axes = axis === 'one' ? [] : [axis];
      if (open === null) groups.push(axes);
      else open.push(...axes);
    }
  }
  return open === null ? groups : null;
}

function readAxis(token: string, counter: { anonymous: number }): Axis | 'one' | null {
  if (token === '1') return 'one';
  if (/^\d+$/.test(token)) {
    counter.anonymous += 1;
    return { name: `#${counter.anonymous}`, length: Number(token) };
  }
  return token === ELLIPSIS || /^[A-Za-z]\w*$/.test(token) || /^_+\w*$/.test(token)
    ? { name: token, length: null }
    : null;
}

/** An ellipsis among the dims becomes as many dims, one within parentheses as many axes. */
function spreadEllipsis(side: Side, count: number): Side {
  const covered = Array.from({ length: count }, (_, i): Axis => ({ name: `${ELLIPSIS}${i}`, length: null }));
  return side.flatMap((group) =>
    isEllipsis(group)
      ? covered.map((axis) => [axis])
      : [group.flatMap((axis) => (axis.name === ELLIPSIS ? covered : axis === NOTHING ? [] : [axis]))],
  );
}

/** Stands beside an ellipsis that is alone in parentheses, so that it is not taken for a bare one. */
const NOTHING: Axis = { name: '', length: 1 };

function recipe(input: Side, output: Side, operation: Operation, rejected: (expects: string) => Fault): Result<Recipe> {
  const axes = input.flat();
  const names = axes.map(({ name }) => name);
  const results = output.flat();
  const outside = results.map(({ name }) => name);
  if (new Set(names).size !== names.length || new Set(outside).size !== outside.length)
    return rejected('each axis once on a side');
  const kept = outside.filter((name) => names.includes(name));
  const dropped = names.filter((name) => !outside.includes(name));
  const added = results.flatMap((axis, at) => (names.includes(axis.name) ? [] : [{ at, axis }]));
  if (operation === 'rearrange' && (dropped.length > 0 || added.length > 0))
    return rejected('the same axes on both sides');
  if (operation === 'reduce' && added.length > 0) return rejected('no new axes on the right');
  if (operation === 'repeat' && dropped.length > 0) return rejected('all axes of the left on the right');
  return {
    input,
    output,
    axes,
    added,
    permutation: [...kept, ...dropped].map((name) => names.indexOf(name)),
    reduced: dropped.length,
  };
}

/** The rank that a pattern without an ellipsis demands. */
export function patternRank(pattern: string): number | undefined {
  const left = pattern.split('->')[0] ?? '';
  if (left.includes('...') || left.includes('…')) return undefined;
  return left
    .replace(/\([^)]*\)/g, 'g')
    .trim()
    .split(/\s+/)
    .filter((token) => token !== '').length;
}
