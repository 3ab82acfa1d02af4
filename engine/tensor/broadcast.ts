import { always, type Decisions, ONE, type SymInt, same, type Truth } from '../symbols/index.ts';
import { isFault, type Result, raises, unsure } from './fault.ts';
import type { Layout } from './layout.ts';
import { at, type Demands, type Ints, isOne, sameInts } from './sizes.ts';

/**
 * The common shape (`infer_size`). Of two sizes one has to be 1, or both equal; where neither is decided they are taken as
 * equal, and `demand` hears of it.
 */
export function broadcast(shapes: readonly Ints[], ask: Decisions, options: Demands = {}): Result<SymInt[]> {
  let common: SymInt[] = [...(shapes[0] ?? [])];
  for (let i = 1; i < shapes.length; i++) {
    const shape = shapes[i] ?? [];
    // What is equal one by one stays as it is.
    if (sameInts(common, shape)) continue;
    const next = broadcastTwo(common, shape, ask, options);
    if (isFault(next)) return next;
    common = next;
  }
  return common;
}

function broadcastTwo(a: Ints, b: Ints, ask: Decisions, options: Demands): Result<SymInt[]> {
  const ndim = Math.max(a.length, b.length);
  const result: SymInt[] = new Array(ndim);
  for (let d = ndim - 1; d >= 0; d--) {
    const left = a.length - ndim + d;
    const right = b.length - ndim + d;
    const size =
      left < 0 ? at(b, right) : right < 0 ? at(a, left) : broadcastSize(at(a, left), at(b, right), d, ask, options);
    if (isFault(size)) return size;
    result[d] = size;
  }
  return result;
}

function broadcastSize(a: SymInt, b: SymInt, dim: number, ask: Decisions, options: Demands): Result<SymInt> {
  if (a.constant === 1) return b;
  if (b.constant === 1) return a;
  if (equalNow(a, b, ask) === true) return simpler(a, b);
  if (isOne(a, ask) === true) return b;
  if (isOne(b, ask) === true) return a;
  const never = [
    [a, b],
    [a, ONE],
    [b, ONE],
  ].every(([x = ONE, y = ONE]) => always('equal', x, y, ask.facts) === false);
  if (never) return raises({ is: 'size-differs', what: `dim ${dim}`, left: a, right: b, broadcast: true });
  options.demand?.(a, b);
  return simpler(a, b);
}

/** Without genericity: that two sizes meet is the reason to take them as equal. */
export function equalNow(a: SymInt, b: SymInt, ask: Decisions): Truth {
  return same(a, b) ? true : always('equal', a, b, ask.facts);
}

/** Of two equal sizes the one to go on with: a number, else the one that says less. */
export function simpler(a: SymInt, b: SymInt): SymInt {
  if (a.constant !== null) return a;
  if (b.constant !== null) return b;
  return b.key.length < a.key.length ? b : a;
}

/**
 * The common shape of layouts of which some have an unknown front. Fronts of one size that stand equally far from the end
 * are taken as the same dims; an operand that does not reach into the front broadcasts along it.
 */
export function broadcastLayouts(
  layouts: readonly Layout[],
  ask: Decisions,
  options: Demands = {},
): Result<{ readonly shape: Ints; readonly front: boolean }> {
  const first = layouts.find((layout) => layout.front);
  if (first === undefined) {
    const shape = broadcast(
      layouts.map((layout) => layout.shape),
      ask,
      options,
    );
    return isFault(shape) ? shape : { shape, front: false };
  }
  const ndim = first.shape.length;
  const aligned = layouts.every((layout) =>
    layout.front
      ? layout.shape.length === ndim && equalNow(at(layout.shape, 0), at(first.shape, 0), ask) === true
      : layout.shape.length < ndim,
  );
  if (!aligned) return unsure('leading dims that are not known meet others');
  const tail = broadcast(
    layouts.map((layout) => (layout.front ? layout.shape.slice(1) : layout.shape)),
    ask,
    options,
  );
  if (isFault(tail)) return tail;
  // The tail cannot be longer than the known dims, so the front stays in its place.
  return { shape: [at(first.shape, 0), ...padded(tail, ndim - 1)], front: true };
}

const padded = (shape: Ints, ndim: number): Ints => [...new Array<SymInt>(ndim - shape.length).fill(ONE), ...shape];
