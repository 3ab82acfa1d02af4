import type { Layout } from '../../tensor/index.ts';
import type { Value } from '../../values/value.ts';
import { kindOf } from '../memo/description.ts';
import { changed, type HeapObject, isSequence, joinObjects, type Layer, read, staysKnown } from '../state/heap.ts';
import { joinValues, optionsOf, recordedAlike, type SymbolAt, sameValue } from '../state/join.ts';
import { freshSymbol, type Run } from '../state/run.ts';
import { like } from '../torch/nn.ts';

/** What a round left that was not there before: something slight is no news to a further turn, but it may tell more of it. */
export type Growth = 'none' | 'slight' | 'news';

/** What the rounds of one loop call what differs from turn to turn, the same in each of them. */
export interface Differing {
  readonly symbolAt: SymbolAt;
  /** The layouts of tensors whose rank differs. */
  readonly layouts: Map<string, Layout>;
}

export function differing(run: Run): Differing {
  const made = new Map<string, ReturnType<SymbolAt>>();
  const symbolAt: SymbolAt = (where, hint) => {
    const found = made.get(where) ?? freshSymbol(run, hint);
    made.set(where, found);
    return found;
  };
  return { symbolAt, layouts: new Map() };
}

/** Takes into `base` what a round changed. */
export function widen(run: Run, base: Layer, layer: Layer, by: Differing, matters: (where: string) => boolean): Growth {
  let news = false;
  let slight = false;
  const join = (a: Value | undefined, b: Value | undefined, where: string): Value | undefined => {
    if (a === undefined) {
      news ||= matters(where);
      return b;
    }
    if (b === undefined) return a;
    if (like(a, b)) {
      const both = a.kind === 'tensor' && b.kind === 'tensor' ? recordedAlike(a, b) : a;
      slight ||= both !== a;
      return both;
    }
    const joined = joinValues(run, a, b, where, by.symbolAt) ?? b;
    const both = withoutTwins(run, layer, a, ofDifferingRank(joined, where, by));
    if (like(both, a)) return a;
    news ||= matters(where);
    return both;
  };
  for (const [ref, object] of changed(layer, base)) {
    const before = read(base, ref);
    if (before === undefined) {
      if (!staysKnown(object)) continue;
      news ||= object.object === 'rebound';
      base.own.set(ref, object);
    } else {
      const grown = sizeOfObject(object) !== sizeOfObject(before);
      base.own.set(ref, joinObjects(before, object, join, `${ref}`));
      if (grown && isSequence(before) && !before.rest) news = true;
    }
  }
  return news ? 'news' : slight ? 'slight' : 'none';
}

const sizeOfObject = (object: HeapObject): number =>
  isSequence(object) ? object.items.length + (object.rest ? 1000 : 0) : 0;

/** Each round may come to a tensor of another rank, and in all of them it is one of a rank that is not known. */
function ofDifferingRank(value: Value, where: string, { layouts }: Differing): Value {
  if (value.kind !== 'tensor' || !value.layout.front || value.layout.shape.length > 1) return value;
  const layout = layouts.get(where) ?? value.layout;
  layouts.set(where, layout);
  return { ...value, layout };
}

/** What each turn makes anew, of the same parts, is one more of a kind: a further turn learns nothing of it. */
function withoutTwins(run: Run, layer: Layer, before: Value, value: Value): Value {
  if (value.kind === 'tuple' && before.kind === 'tuple' && value.items.length === before.items.length)
    return {
      ...value,
      items: value.items.map((item, i) => withoutTwins(run, layer, before.items[i] ?? item, item)),
    };
  if (value.kind !== 'either' || !value.options.some(({ kind }) => kind === 'ref')) return value;
  const known = optionsOf(before);
  const kind = (option: Value): string | null => {
    const { layer: own } = run;
    run.layer = layer;
    const text = kindOf(run, option);
    run.layer = own;
    return text;
  };
  const kinds = new Set(known.map(kind));
  const options = value.options.filter((option) => {
    if (known.some((one) => sameValue(one, option))) return true;
    const own = kind(option);
    const isTwin = own !== null && kinds.has(own);
    kinds.add(own);
    return !isTwin;
  });
  const [only] = options;
  return options.length === 1 && only ? only : { kind: 'either', options };
}
