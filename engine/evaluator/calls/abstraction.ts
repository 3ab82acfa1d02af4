import { divideExactly, learnNamed, mul, type SymInt, same, symbol, symbolsOf } from '../../symbols/index.ts';
import { contiguousStride, isRowMajor } from '../../tensor/index.ts';
import type { Layout } from '../../tensor/layout.ts';
import type { Value } from '../../values/value.ts';
import { integer } from '../expressions/operators.ts';
import { sameInts } from '../state/join.ts';
import { currentTensor, freshSymbol, heapRead, packedSymbol, type Run, simple } from '../state/run.ts';

/** A size of an argument and the symbol that stands for it inside the callee. */
export interface Renamed {
  readonly size: SymInt;
  readonly symbol: SymInt;
}

/**
 * Arguments as the callee sees them: a size such as `(H // 16)*(W // 16) + 1`, made of integers that the callee has no
 * name for, is one symbol there. `restore` says afterwards what the symbols stand for.
 */
export function abstractArguments(
  run: Run,
  variables: Map<string, Value>,
  self: Value | null,
): { readonly restore: () => void } {
  let visible: ReadonlySet<string> | null = null;
  const renamed: Renamed[] = [];
  const rename = (size: SymInt): SymInt => {
    if (size.constant !== null || isPlain(size)) return size;
    visible ??= visibleSymbols(run, variables, self);
    for (const id of symbolsOf(size)) if (!visible.has(id)) return renameHidden(size);
    return size;
  };
  const renameHidden = (size: SymInt): SymInt => {
    const known = renamed.find((r) => same(r.size, size));
    if (known) return known.symbol;
    const made = { size, symbol: freshSymbol(run, 'n') };
    renamed.push(made);
    return made.symbol;
  };
  for (const [name, value] of variables) collectSizes(run, value, rename, name, 0);
  if (renamed.length === 0) return { restore: () => undefined };
  for (const [name, value] of variables) variables.set(name, replaceSizes(run, value, renamed, 0));
  return {
    restore: () => {
      for (const { size, symbol: made } of renamed)
        for (const id of symbolsOf(made)) run.layer.facts = learnNamed(run.layer.facts, id, size);
    },
  };
}

const isPlain = (size: SymInt): boolean => {
  const [only, ...others] = symbolsOf(size);
  return only !== undefined && others.length === 0 && same(size, symbol(only));
};

function visibleSymbols(run: Run, variables: ReadonlyMap<string, Value>, self: Value | null): Set<string> {
  const out = new Set<string>();
  const take = (value: Value): void => {
    const exact = value.kind === 'int' || value.kind === 'unknown' ? integer(run, value) : null;
    if (exact && isPlain(exact)) for (const id of symbolsOf(exact)) out.add(id);
  };
  for (const value of variables.values()) {
    take(value);
    if (value.kind === 'tensor')
      for (const size of currentTensor(run, value).layout.shape)
        if (isPlain(size)) for (const id of symbolsOf(size)) out.add(id);
  }
  const object = self?.kind === 'ref' ? heapRead(run, self.ref) : undefined;
  if (object?.object === 'instance') for (const value of object.attributes.values()) take(value);
  return out;
}

function collectSizes(run: Run, value: Value, rename: (size: SymInt) => SymInt, name: string, depth: number): void {
  if (value.kind === 'tensor')
    for (const size of currentTensor(run, value).layout.shape)
      if (packedSymbol(size) === null) rename(simple(run, size));
  if (value.kind === 'tuple' && depth < 2)
    for (const item of value.items) collectSizes(run, item, rename, name, depth + 1);
}

function replaceSizes(run: Run, value: Value, renamed: readonly Renamed[], depth: number): Value {
  if (value.kind === 'int') {
    const exact = simple(run, value.value);
    return { kind: 'int', value: renamed.find((r) => same(r.size, exact))?.symbol ?? value.value };
  }
  if (value.kind === 'tuple' && depth < 2)
    return { ...value, items: value.items.map((item) => replaceSizes(run, item, renamed, depth + 1)) };
  if (value.kind !== 'tensor') return value;
  const now = currentTensor(run, value);
  const layout = replaceLayout(now.layout, renamed);
  // the callee's object is the caller's: identity stays, so that what it writes is written
  return layout === now.layout ? now : { ...now, layout };
}

export function replaceLayout(layout: Layout, renamed: readonly Renamed[]): Layout {
  const shape = layout.shape.map((size) => renamed.find((r) => same(r.size, size))?.symbol ?? size);
  if (sameInts(shape, layout.shape)) return layout;
  const stride = isRowMajor(layout)
    ? contiguousStride(shape)
    : (layout.stride?.map((step) => replaceFactors(step, renamed)) ?? null);
  const ways = layout.ways?.map((way) => way.map((step) => replaceFactors(step, renamed)));
  return { ...layout, shape, stride, ...(ways ? { ways } : {}) };
}

/** `stride` is a product of sizes: each renamed one that divides it is replaced. */
function replaceFactors(stride: SymInt, renamed: readonly Renamed[]): SymInt {
  let rest = stride;
  let factor: SymInt | null = null;
  for (const { size, symbol: made } of renamed) {
    const quotient = rest.constant === null ? divideExactly(rest, size) : null;
    if (quotient) {
      rest = quotient;
      factor = factor ? mul(factor, made) : made;
    }
  }
  return factor ? mul(factor, rest) : stride;
}
