import { type Facts, factorsOf, loneSymbol, mul, NO_FACTS, type SymInt, same, simplify } from '../symbols/index.ts';
import type { Layout } from './layout.ts';
import { at, type Ints } from './sizes.ts';

/** The packed front becomes these dims, laid out as one contiguous block of the front's stride. */
export function bindFront(layout: Layout, dims: Ints): Layout {
  if (!layout.front) return layout;
  const shape = [...dims, ...layout.shape.slice(1)];
  if (layout.stride === null) return { ...layout, shape, front: false };
  const stride: SymInt[] = new Array(dims.length);
  let run = at(layout.stride, 0);
  for (let d = dims.length - 1; d >= 0; d--) {
    stride[d] = run;
    if (at(dims, d).constant !== 0) run = mul(run, at(dims, d));
  }
  return { ...layout, shape, stride: [...stride, ...layout.stride.slice(1)], front: false };
}

/**
 * All integers simplified under the facts, and a front unpacked whose dims the facts know. Where the first of them is a
 * packed one again, a symbol whose name starts with `*`, only trailing dims were told apart and the rank stays unknown.
 */
export function resolve(layout: Layout, facts: Facts): Layout {
  let known = layout;
  // Contradictory demands can make a packed dim a factor of itself; its rank then stays unknown.
  for (let depth = 0; known.front && depth < DEEPEST_FRONT; depth++) {
    const dims = frontDims(at(known.shape, 0), facts);
    if (dims === null) break;
    known = { ...bindFront(known, dims), front: isPacked(dims[0]) };
  }
  return simplifyLayout(known, facts);
}

const DEEPEST_FRONT = 8;

const isPacked = (size: SymInt | undefined): boolean =>
  size !== undefined && loneSymbol(size)?.startsWith('*') === true;

/** The very layout that went in where nothing got simpler. */
export function simplifyLayout(layout: Layout, facts: Facts): Layout {
  if (facts === NO_FACTS) return layout;
  const shape = simplifyInts(layout.shape, facts);
  const stride = layout.stride === null ? null : simplifyInts(layout.stride, facts);
  const offset = layout.offset === null ? null : simplify(layout.offset, facts);
  const ways = layout.ways?.map((way) => simplifyInts(way, facts));
  const waysAgree = ways === undefined || ways.every((way, i) => way === layout.ways?.[i]);
  if (shape === layout.shape && stride === layout.stride && offset === layout.offset && waysAgree) return layout;
  return { shape, stride, offset, front: layout.front, ...(ways ? { ways } : {}) };
}

/** The very array that went in where nothing got simpler. */
export function simplifyLayouts(layouts: readonly Layout[], facts: Facts): readonly Layout[] {
  return facts === NO_FACTS ? layouts : layouts.map((layout) => simplifyLayout(layout, facts));
}

function frontDims(size: SymInt, facts: Facts): Ints | null {
  const id = loneSymbol(size);
  return id === null ? null : factorsOf(facts, id);
}

/** The very array that went in where nothing got simpler, so that an unchanged layout stays the same object. */
export function simplifyInts(values: Ints, facts: Facts): Ints {
  let result: SymInt[] | null = null;
  for (let i = 0; i < values.length; i++) {
    const value = at(values, i);
    if (value.constant !== null) continue;
    const simple = simplify(value, facts);
    if (simple === value || same(simple, value)) continue;
    result ??= [...values];
    result[i] = simple;
  }
  return result ?? values;
}
