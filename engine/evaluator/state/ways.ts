import type { OpResult, Outcome } from '../../ops/outcome.ts';
import { isFault, type Layout } from '../../tensor/index.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import type { Value } from '../../values/value.ts';
import { sameInts } from './join.ts';
import { currentTensor, type Run } from './run.ts';

type Strides = NonNullable<Layout['stride']>;

/** More are not carried along: each is another run of every op that takes the tensor. */
const MOST_WAYS = 3;

/** The strides that a layout may have, where they are few. */
export const waysOf = ({ stride, ways }: Layout): readonly Strides[] | null => (stride ? [stride] : (ways ?? null));

/** Either of two layouts of one shape: strides that agree are known, and of others those that there may be. */
export function joinWays(a: Layout, b: Layout): Pick<Layout, 'stride' | 'ways'> {
  const [ofA, ofB] = [waysOf(a), waysOf(b)];
  if (!ofA || !ofB) return { stride: null };
  const ways: Strides[] = [];
  for (const way of [...ofA, ...ofB]) if (!ways.some((other) => sameInts(other, way))) ways.push(way);
  const [only, second] = ways;
  if (only && !second) return { stride: only };
  return ways.length > MOST_WAYS || a.front ? { stride: null } : { stride: null, ways };
}

/**
 * An op on tensors whose strides are one of a few is asked for each of them: a reshape that is a view of the one and a
 * copy of the other may give the same strides. A way that cannot be gone on is left out.
 */
export function alongWays(run: Run, args: readonly Value[], outcome: Outcome, compute: () => Outcome): Outcome {
  const { result } = outcome;
  if (run.way.size > 0 || isFault(result) || !isOpen(result)) return outcome;
  const open = opened(run, args);
  const [first, ...others] = open;
  const ways = first ? waysOf(first.layout) : null;
  if (!first || !ways || others.length > 0) return outcome;
  const outcomes: Outcome[] = [];
  for (const way of ways) {
    run.way.set(first.id, way);
    outcomes.push(compute());
    run.way.delete(first.id);
  }
  const results = outcomes.flatMap((each) => (isFault(each.result) ? [] : [each.result]));
  const [start, ...rest] = results;
  if (!start) return outcome;
  const joined = rest.reduce<OpResult | null>((all, each) => all && joinResults(all, each), start);
  if (joined === null) return outcome;
  const guards = outcomes.flatMap((each) => (isFault(each.result) ? [] : each.guards));
  return { ...outcome, result: asAsked(joined, result), guards: [...outcome.guards, ...guards] };
}

function opened(run: Run, args: readonly Value[]): readonly Tensor[] {
  const found = new Map<number, Tensor>();
  const look = (value: Value): void => {
    if (value.kind === 'tuple') for (const item of value.items) look(item);
    if (value.kind !== 'tensor') return;
    const now = currentTensor(run, value);
    if (now.layout.stride === null && now.layout.ways) found.set(now.id, now);
  };
  for (const value of args) look(value);
  return [...found.values()];
}

function isOpen(result: OpResult): boolean {
  if (result.is === 'tuple' || result.is === 'list') return result.items.some(isOpen);
  return 'layout' in result && result.layout.stride === null && result.layout.ways === undefined;
}

function joinResults(a: OpResult, b: OpResult): OpResult | null {
  if ((a.is === 'tuple' || a.is === 'list') && a.is === b.is && a.items.length === b.items.length) {
    const items = a.items.map((item, i) => joinResults(item, b.items[i] ?? item));
    return items.every((item) => item !== null) ? { ...a, items } : null;
  }
  const [x, y] = [placed(a), placed(b)];
  if (!x || !y || x.layout.front || y.layout.front || !sameInts(x.layout.shape, y.layout.shape)) return null;
  const offset = sameInts(offsetOf(x.layout), offsetOf(y.layout)) ? x.layout.offset : null;
  const layout: Layout = { shape: x.layout.shape, offset, front: false, ...joinWays(x.layout, y.layout) };
  if (a.is === 'fresh' && b.is === 'fresh') return { ...a, layout };
  const of = x.of ?? y.of;
  if (!of) return null;
  return { is: x.is === y.is && x.is !== 'fresh' ? x.is : 'either', of, layout, dtype: x.dtype };
}

const offsetOf = ({ offset }: Layout) => (offset ? [offset] : null);

interface Placed {
  readonly is: 'view' | 'fresh' | 'either';
  readonly layout: Layout;
  readonly dtype: Tensor['dtype'];
  readonly of: Tensor | null;
}

/** A result as a layout over some storage; `same` is a view of what went in. */
function placed(result: OpResult): Placed | null {
  switch (result.is) {
    case 'same':
      return { is: 'view', layout: result.of.layout, dtype: result.of.dtype, of: result.of };
    case 'view':
    case 'either':
      return result;
    case 'fresh':
      return { is: 'fresh', layout: result.layout, dtype: result.dtype, of: null };
    default:
      return null;
  }
}

/** The storage is that of the tensor that went in, not of its stand-in on one of the ways. */
function asAsked(joined: OpResult, asked: OpResult): OpResult {
  if ((joined.is === 'tuple' || joined.is === 'list') && joined.is === asked.is)
    return { ...joined, items: joined.items.map((item, i) => asAsked(item, asked.items[i] ?? item)) };
  return 'of' in joined && 'of' in asked ? { ...joined, of: asked.of } : joined;
}
