import { type Facts, learnAtLeast, learnAtMost, type SymInt, same, simplify, symbolsOf } from '../../symbols/index.ts';
import { contiguousStride, isRowMajor, type Layout, numel } from '../../tensor/index.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { type Autocast, unknown, type Value } from '../../values/value.ts';
import { type Renamed, replaceLayout } from '../calls/abstraction.ts';
import { between } from '../calls/alternatives.ts';
import { isLayer } from '../torch/layers.ts';
import { factsOf, freshSymbol, learn, newStorage, nextId, type Run, unknownRank } from './run.ts';
import { joinWays } from './ways.ts';

/** Names the integer that is `a` on one way and `b` on the other: a fresh symbol, or in a loop the same one each round. */
export type SymbolAt = (where: string, hint: string, a: SymInt | null, b: SymInt | null) => SymInt;

const MOST_OPTIONS = 4;
/** A function or object picked by a name that is not known is one of those in the table. */
const MOST_CALLABLES = 40;
const isCallable = ({ kind }: Value): boolean =>
  kind === 'program' || kind === 'torch' || kind === 'ref' || kind === 'none';

/** What is known of a value that is `a` on one way and `b` on the other; an absent one is taken to be the present one. */
export function joinValues(
  run: Run,
  a: Value | undefined,
  b: Value | undefined,
  where: string,
  at: SymbolAt,
): Value | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  if (a === b || sameValue(a, b)) return a.kind === 'tensor' && b.kind === 'tensor' ? recordedAlike(a, b) : a;
  if (a.kind === 'tensor' && b.kind === 'tensor') return joinTensors(run, a, b, where, at);
  if (a.kind === 'int' && b.kind === 'int') return { kind: 'int', value: at(where, nameIn(where), a.value, b.value) };
  if (a.kind === 'float' && b.kind === 'float') return { kind: 'float', value: null };
  if (a.kind === 'bool' && b.kind === 'bool') return unknown('it differs by branch');
  if (a.kind === 'tuple' && b.kind === 'tuple' && a.items.length === b.items.length && !a.front && !b.front)
    return {
      kind: 'tuple',
      items: a.items.map((item, i) => joinValues(run, item, b.items[i], `${where}[${i}]`, at) ?? item),
      ...(a.fields && `${a.fields}` === `${b.fields}` ? { fields: a.fields } : {}),
    };
  if ((a.kind === 'unknown' || b.kind === 'unknown') && isPlain(run, a) && isPlain(run, b))
    return plainUnknown(run, a.kind === 'unknown' ? a : b, at(where, nameIn(where), null, null));
  if (isMade(a) && isMade(b)) return either(run, a, b, where, at);
  if (a.kind === 'unknown') return a.symbol ? unknown(a.reason) : a;
  if (b.kind === 'unknown') return b.symbol ? unknown(b.reason) : b;
  return either(run, a, b, where, at);
}

/** An object or layer, or None for one that is left out. */
const isMade = (value: Value): boolean =>
  optionsOf(value).every((option) => option.kind === 'ref' || option.kind === 'none' || isLayer(option));

/** A number, or what is no tensor at any rate. */
export const isPlain = (run: Run, value: Value): boolean =>
  value.kind === 'int' ||
  value.kind === 'float' ||
  value.kind === 'bool' ||
  value.kind === 'none' ||
  (value.kind === 'unknown' && value.symbol !== undefined && run.plain.has(value.symbol));

function plainUnknown(run: Run, of: Value, named: SymInt): Value {
  const [id] = symbolsOf(named);
  if (id === undefined) return unknown('it differs by branch');
  run.plain.add(id);
  return { kind: 'unknown', reason: of.kind === 'unknown' ? of.reason : 'it differs by branch', symbol: id };
}

const nameIn = (where: string): string => /([A-Za-z_]\w*)(?:\[[^\]]*\])*$/.exec(where)?.[1] ?? 'n';

function either(run: Run, a: Value, b: Value, where: string, at: SymbolAt): Value {
  const options: Value[] = [];
  for (const value of [...optionsOf(a), ...optionsOf(b)]) {
    const like = options.findIndex((o) => sameValue(o, value) || (o.kind === value.kind && o.kind === 'tensor'));
    const found = options[like];
    if (found === undefined) options.push(value);
    else options[like] = joinValues(run, found, value, where, at) ?? found;
  }
  const [only] = options;
  if (options.length === 1 && only) return only;
  return options.length > (options.every(isCallable) ? MOST_CALLABLES : MOST_OPTIONS)
    ? unknown('it differs by branch')
    : { kind: 'either', options };
}

export const optionsOf = (value: Value): readonly Value[] => (value.kind === 'either' ? value.options : [value]);

/** The same as far as an analysis can tell: identities of tensors that are alike do not count. */
export function sameValue(a: Value, b: Value): boolean {
  if (a === b) return true;
  switch (a.kind) {
    case 'tensor':
      return b.kind === 'tensor' && (a.id === b.id || a.storage.id === b.storage.id) && sameTensor(a, b);
    case 'int':
      return b.kind === 'int' && same(a.value, b.value);
    case 'float':
    case 'bool':
    case 'str':
    case 'dtype':
    case 'device':
    case 'memory-format':
      return b.kind === a.kind && a.value === b.value;
    case 'tuple':
      return (
        b.kind === 'tuple' &&
        sameAll(a.items, b.items) &&
        (a.front && b.front ? same(a.front, b.front) : a.front === b.front)
      );
    case 'either':
      return b.kind === 'either' && sameAll(a.options, b.options);
    case 'slice':
      return (
        b.kind === 'slice' && sameValue(a.start, b.start) && sameValue(a.stop, b.stop) && sameValue(a.step, b.step)
      );
    case 'autocast':
      return b.kind === 'autocast' && sameRegion(a.region, b.region);
    case 'range':
      return b.kind === 'range' && same(a.start, b.start) && same(a.stop, b.stop) && same(a.step, b.step);
    case 'ref':
      return b.kind === 'ref' && a.ref === b.ref;
    case 'torch':
      return b.kind === 'torch' && a.name === b.name;
    case 'program':
      return b.kind === 'program' && a.what === b.what && a.id === b.id;
    case 'unknown':
      return b.kind === 'unknown' && a.symbol === b.symbol;
    default:
      return a.kind === b.kind;
  }
}

const sameRegion = (a: Autocast, b: Autocast): boolean => a.device === b.device && a.on === b.on && a.dtype === b.dtype;

const sameAll = (a: readonly Value[], b: readonly Value[]): boolean =>
  a.length === b.length && a.every((item, i) => sameValue(item, b[i] ?? unknown('')));

export function sameTensor(a: Tensor, b: Tensor): boolean {
  return (
    a.dtype === b.dtype &&
    a.layout.front === b.layout.front &&
    sameInts(a.layout.shape, b.layout.shape) &&
    sameInts(a.layout.stride, b.layout.stride) &&
    sameWays(a.layout.ways, b.layout.ways) &&
    a.layout.offset?.key === b.layout.offset?.key
  );
}

const sameWays = (a: Layout['ways'], b: Layout['ways']): boolean =>
  a === b || (a?.length === b?.length && (a?.every((way, i) => sameInts(way, b?.[i] ?? null)) ?? false));

export function sameInts(a: readonly SymInt[] | null, b: readonly SymInt[] | null): boolean {
  if (a === null || b === null) return a === b;
  return a.length === b.length && a.every((x, i) => same(x, b[i] ?? x));
}

/** The tensor `a`, with what autograd knows of it and of `b`. */
export function recordedAlike(a: Tensor, b: Tensor): Tensor {
  const both = recordedBoth(a, b);
  return both.requiresGrad === a.requiresGrad && both.graph === (a.graph ?? null) ? a : { ...a, ...both };
}

function recordedBoth(a: Tensor, b: Tensor) {
  const agree = a.graph && b.graph && a.graph.leaf === b.graph.leaf && a.graph.view === b.graph.view;
  const requiresGrad = a.requiresGrad === b.requiresGrad ? a.requiresGrad : null;
  return { requiresGrad, graph: agree && requiresGrad !== null ? a.graph : null };
}

/** Layouts that agree stay known; a size that differs becomes a symbol, strides that differ become unknown. */
function joinTensors(run: Run, a: Tensor, b: Tensor, where: string, at: SymbolAt): Tensor {
  const storage = a.storage.id === b.storage.id ? a.storage : newStorage(run, sharedBytes(a, b), { is: 'unknown' });
  const common = {
    kind: 'tensor' as const,
    id: nextId(run),
    storage,
    dtype: a.dtype === b.dtype ? a.dtype : null,
    device: a.device === b.device ? a.device : null,
    ...recordedBoth(a, b),
    assumes: [...new Set([...a.assumes, ...b.assumes])],
    elements: null,
  };
  const [x, y] = [a.layout, b.layout];
  if (
    x.shape.length !== y.shape.length ||
    x.front !== y.front ||
    (x.front && !sameInts(x.shape.slice(0, 1), y.shape.slice(0, 1)))
  )
    return { ...common, layout: unknownRank(run, nameIn(where), 1, false) };
  const shape = x.shape.map((size, d) => {
    const other = y.shape[d] ?? size;
    return same(size, other) ? size : at(`${where}.${d}`, `${nameIn(where)}_${d}`, size, other);
  });
  const offset = x.offset && y.offset && same(x.offset, y.offset) ? x.offset : null;
  const strides = joinWays(inWordsOf(x, shape), inWordsOf(y, shape));
  return { ...common, layout: { shape, offset, front: x.front, ...strides } };
}

/** The layout with the sizes that it and the other one of a join have from here on, its strides in the words of those. */
function inWordsOf(layout: Layout, shape: readonly SymInt[]): Layout {
  const renamed = layout.shape.flatMap((size, d): Renamed[] => {
    const joined = shape[d] ?? size;
    return same(size, joined) ? [] : [{ size, symbol: joined }];
  });
  if (renamed.length === 0) return layout;
  if (isRowMajor(layout)) return { ...layout, shape, stride: contiguousStride(shape) };
  // One size that goes on as two numbers: which of them a stride is made of is not told.
  const isTorn = renamed.some((one) =>
    renamed.some((two) => same(one.size, two.size) && !same(one.symbol, two.symbol)),
  );
  return isTorn ? { shape, stride: null, offset: layout.offset, front: layout.front } : replaceLayout(layout, renamed);
}

const sharedBytes = (a: Tensor, b: Tensor): SymInt | null =>
  a.storage.nbytes &&
  b.storage.nbytes &&
  same(a.storage.nbytes, b.storage.nbytes) &&
  same(numel(a.layout), numel(b.layout))
    ? a.storage.nbytes
    : null;

/**
 * Joins on a branch name what differs by fresh symbols. Of two ways, with what was learned on each, a number that is the
 * other's on one of them is the other's on both, one told by a number `by` that differs is made of that; and whatever is `a` on one and `b` on the other is one number.
 */
export const branchSymbols = (run: Run, ways: readonly Facts[] = [], by: SymInt | null = null): SymbolAt => {
  const made = new Map<string, SymInt>();
  return (where, hint, a, b) => {
    const [first, second] = ways.length === 2 && a && b ? ways : [];
    if (first && second && a && b) {
      if (same(simplify(a, second), simplify(b, second))) return a;
      if (same(simplify(a, first), simplify(b, first))) return b;
      const told = by && between(by, [first, second], a, b);
      if (told) return told;
    }
    const key = first && a && b ? `${a.key} | ${b.key}` : where;
    const known = made.get(key);
    if (known) return known;
    const symbol = freshSymbol(run, hint);
    made.set(key, symbol);
    if (a && b) learnFlag(run, symbol, a, b);
    return symbol;
  };
};

/** A flag, or a place counted from the end, is no size: `-1 if multivariate else 0`. */
function learnFlag(run: Run, made: SymInt, a: SymInt, b: SymInt): void {
  if (a.constant === null || b.constant === null) return;
  const high = Math.max(a.constant, b.constant);
  if (high < 2) learn(run, learnAtMost(learnAtLeast(factsOf(run), made, Math.min(a.constant, b.constant)), made, high));
}
