import { factorsOf, int, learnFactors, loneSymbol, type SymInt, symbol, symbolsOf } from '../../symbols/index.ts';
import { contiguousStride, type Layout } from '../../tensor/index.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { intValue, type Unknown } from '../../values/value.ts';
import { askedFor, symbolFor } from './derived.ts';
import { currentTensor, factsOf, freshSymbol, hintOf, learnSame, nextId, type Run, rebindUnknown } from './run.ts';

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
  bindFront(run, id, dims);
}

function bindFront(run: Run, id: string, dims: readonly SymInt[]): void {
  run.layer.facts = learnFactors(run.layer.facts, id, [...dims]);
  if (dims.length > 0 && isPacked(dims[0])) return;
  for (const asked of run.symbols.parts.get(id) ?? []) {
    const tail = tailOf(run, asked);
    if (tail !== null) rebindUnknown(run, rankNamed(asked), intValue(int(dims.length + tail)));
  }
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

/** A rank is asked for by the packed dims, and how many are told apart behind them. */
const RANK = /^\.ndim \+ (\d+)$/;

const UNKNOWN_RANK = 'the rank is not known';

const rankNamed = (id: string): Unknown => ({ kind: 'unknown', reason: UNKNOWN_RANK, symbol: id });

function tailOf(run: Run, id: string): number | null {
  const what = RANK.exec(run.symbols.derivations.get(id)?.what ?? '');
  return what === null ? null : Number(what[1]);
}

/** How many dims there are, packed ones before a `tail` of others: one unknown, whenever it is asked for. */
export function unknownNdim(run: Run, front: SymInt | undefined, tail: number): Unknown {
  const id = front ? packedSymbol(front) : null;
  const [made] = id === null ? [] : symbolsOf(symbolFor(run, `.ndim + ${tail}`, [id], `${hintOf(id).slice(1)}.ndim`));
  if (made === undefined) return { kind: 'unknown', reason: UNKNOWN_RANK };
  run.plain.add(made);
  return rankNamed(made);
}

/** Learns that an unknown is a number, where it is how many dims a tensor has. */
export function learnNdim(run: Run, { symbol: asked }: Unknown, ndim: number): void {
  const tail = asked === undefined ? null : tailOf(run, asked);
  let [front] = asked === undefined ? [] : (run.symbols.derivations.get(asked)?.of ?? []);
  let missing = ndim - (tail ?? 0);
  if (tail === null || typeof front !== 'string') return;
  for (let parts = factorsOf(factsOf(run), front); parts !== null; parts = factorsOf(factsOf(run), front)) {
    const inner = parts[0] && packedSymbol(parts[0]);
    if (!inner) return;
    missing -= parts.length - 1;
    front = inner;
  }
  const hint = hintOf(front).slice(PACKED.length);
  if (missing >= 0)
    bindFront(
      run,
      front,
      Array.from({ length: missing }, (_, i) => freshSymbol(run, `${hint}_${i}`)),
    );
}
