import { int, learnFactors, loneSymbol, type SymInt, symbol } from '../../symbols/index.ts';
import { contiguousStride, type Layout } from '../../tensor/index.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { askedFor } from './derived.ts';
import { currentTensor, freshSymbol, hintOf, learnSame, nextId, type Run } from './run.ts';

/** Symbols that stand for an unknown number of packed leading dims begin so. */
const PACKED = '*';
const isPacked = (value: SymInt | undefined): boolean => value !== undefined && packedSymbol(value) !== null;

export function packedSymbol(value: SymInt): string | null {
  const id = loneSymbol(value);
  return id?.startsWith(PACKED) ? id : null;
}

/** A layout of unknown rank: packed leading dims before `tail` dims of fresh size. */
export function unknownRank(run: Run, hint: string, tail: number, isContiguous: boolean): Layout {
  const front = symbol(`${PACKED}${hint}#${nextId(run)}`);
  const sizes = Array.from({ length: tail }, (_, i) =>
    freshSymbol(run, `${hint}_${tail - i === 1 ? 'last' : tail - i}`),
  );
  const shape = [front, ...sizes];
  return {
    shape,
    stride: isContiguous ? contiguousStride(shape) : null,
    offset: isContiguous ? int(0) : null,
    front: true,
  };
}

/** Gives a tensor of unknown rank exactly these leading dims in front of its known ones. */
export function bindRank(run: Run, tensor: Tensor, dims: readonly SymInt[]): void {
  const front = currentTensor(run, tensor).layout.shape[0];
  const id = front && packedSymbol(front);
  if (!id) return;
  run.layer.facts = learnFactors(run.layer.facts, id, [...dims]);
  if (dims.length > 0 && isPacked(dims[0])) return;
  // `x.shape[1]`, asked for before the rank was known
  dims.forEach((dim, i) => {
    const asked = askedFor(run, `[${i}]`, [id]);
    if (asked) learnSame(run, asked, dim);
  });
}

/** Tells one more trailing dim of a tensor of unknown rank apart. */
export function splitFront(run: Run, tensor: Tensor): boolean {
  const { front, shape } = currentTensor(run, tensor).layout;
  const id = front && shape[0] ? packedSymbol(shape[0]) : null;
  if (id !== null) splitPacked(run, id, shape.length);
  return id !== null;
}

/** The same of the packed dims themselves: what is left of them, and the size, which is the `back`th from the end. */
export function splitPacked(run: Run, id: string, back: number): readonly [SymInt, SymInt] {
  const hint = hintOf(id).slice(PACKED.length);
  const parts = [symbol(`${PACKED}${hint}#${nextId(run)}`), freshSymbol(run, `${hint}_${back}`)] as const;
  run.layer.facts = learnFactors(run.layer.facts, id, parts);
  return parts;
}
