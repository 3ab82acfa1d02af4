import { type Facts, learnEqual, learnFactors, type SymInt } from '../../symbols/index.ts';
import { resolve } from '../../tensor/index.ts';
import type { Value } from '../../values/value.ts';
import type { Layer } from './heap.ts';
import { packedSymbol } from './ranks.ts';

/**
 * Where each of several ways found out that a tensor has so many dims, and called them differently, they are the same dims.
 * Tells the ways so; what is returned tells it to `base`, once they are joined.
 */
export function agreeOnRanks(base: Layer, ends: readonly Layer[]): () => void {
  const [first, ...others] = ends;
  if (first === undefined || others.length === 0) return () => {};
  const agreed: (readonly [string, readonly SymInt[]])[] = [];
  for (const id of first.facts.factors.keys()) {
    if (base.facts.factors.has(id) || !others.every(({ facts }) => facts.factors.has(id))) continue;
    const dims = dimsOf(first.facts, id);
    const told = others.map(({ facts }) => sameDims(facts, dimsOf(facts, id), dims));
    if (told.some((facts) => facts === null)) continue;
    others.forEach((end, i) => {
      end.facts = told[i] ?? end.facts;
    });
    agreed.push([id, dims]);
  }
  return () => {
    for (const [id, dims] of agreed) if (!base.facts.factors.has(id)) base.facts = learnFactors(base.facts, id, dims);
  };
}

/** A tensor of unknown rank as a way that is joined with others knows it. */
export const ranked = (value: Value | undefined, way: Layer | undefined): Value | undefined =>
  way && value?.kind === 'tensor' && value.layout.front
    ? { ...value, layout: resolve(value.layout, way.facts) }
    : value;

/** What a packed dim is made of, as far as it was told apart: the first of them may be packed itself. */
function dimsOf(facts: Facts, id: string): readonly SymInt[] {
  const [front, ...dims] = facts.factors.get(id) ?? [];
  if (front === undefined) return [];
  const inner = packedSymbol(front);
  return inner !== null && facts.factors.has(inner) ? [...dimsOf(facts, inner), ...dims] : [front, ...dims];
}

/** The facts of a way whose dims these are too; null where there are not as many. */
function sameDims(facts: Facts, mine: readonly SymInt[], dims: readonly SymInt[]): Facts | null {
  const isPacked = ([front]: readonly SymInt[]): boolean => front !== undefined && packedSymbol(front) !== null;
  if (mine.length !== dims.length || isPacked(mine) !== isPacked(dims)) return null;
  return mine.reduce((learned, dim, i) => learnEqual(learned, dim, dims[i] ?? dim), facts);
}
