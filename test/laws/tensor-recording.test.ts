import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { decide, int, NO_FACTS, type SymInt } from '../../engine/symbols/index.ts';
import type { DType, DTypeOperand, Layout } from '../../engine/tensor/index.ts';
import * as tensor from '../../engine/tensor/index.ts';

/** The answers of PyTorch about known layouts, exact to the last stride; `test/oracle/tensor_samples.py` records them. */

type Recorded = [shape: number[], stride: number[], offset: number];
// biome-ignore lint/suspicious/noExplicitAny: the recording is foreign data of many shapes
type Sample = any[];
const recording: Record<string, Sample[]> = JSON.parse(
  readFileSync(new URL('./recordings/tensor.json', import.meta.url), 'utf8'),
);

const ask = decide(NO_FACTS);
const ints = (values: readonly number[]): SymInt[] => values.map(int);
const maybe = (value: number | null): SymInt | null => (value === null ? null : int(value));
const layout = ([shape, stride, offset]: Recorded): Layout => tensor.layoutOf(ints(shape), ints(stride), int(offset));
const numbers = (values: readonly SymInt[] | null) => values?.map((value) => value.constant) ?? null;
const shown = (l: Layout) => [numbers(l.shape), numbers(l.stride), l.offset?.constant ?? null];
const strided = (l: Layout) => [numbers(l.shape), numbers(l.stride)];

function answer<T>(result: tensor.Result<T>, form: (value: T) => unknown): unknown {
  if (!tensor.isFault(result)) return form(result);
  return result.fault === 'raises' ? '!' : `unsure: ${result.reason}`;
}
const one = (result: tensor.Result<Layout>) => answer(result, shown);
const many = (result: tensor.Result<readonly Layout[]>) => answer(result, (pieces) => pieces.map(shown));

const CALLS: Record<string, (...given: Sample) => unknown> = {
  contiguity: (x) => {
    const l = layout(x);
    const preserved = tensor.preserve(l, ask);
    return [
      tensor.isContiguous(l, ask),
      tensor.isChannelsLast(l, ask),
      answer(preserved, (p) => numbers(p.stride)),
      l.shape.length === 4 && l.shape.every((size) => size.constant !== 0) ? tensor.suggestMemoryFormat(l, ask) : null,
    ];
  },
  internalOverlap: (x) => ({ no: 0, yes: 1, hard: 2 })[tensor.internalOverlap(layout(x), ask) ?? 'no'],
  elementwise: (operands: Recorded[]) => answer(tensor.elementwise(operands.map(layout), ask), strided),
  view: (x, size) => one(tensor.view(layout(x), ints(size), ask)),
  reshape: (x, size) => answer(tensor.reshape(layout(x), ints(size), ask), (r) => [shown(r.layout), r.copies]),
  flatten: (x, start, end) => answer(tensor.flatten(layout(x), start, end, ask), (r) => [shown(r.layout), r.how]),
  expand: (x, size) => one(tensor.expand(layout(x), ints(size), ask)),
  transpose: (x, a, b) => one(tensor.transpose(layout(x), a, b)),
  unsqueeze: (x, dim) => one(tensor.unsqueeze(layout(x), dim)),
  squeeze: (x, dims) => one(tensor.squeeze(layout(x), dims, ask)),
  permute: (x, dims) => one(tensor.permute(layout(x), dims)),
  movedim: (x, source, destination) => one(tensor.movedim(layout(x), source, destination)),
  select: (x, dim, index) => one(tensor.select(layout(x), dim, int(index), ask)),
  slice: (x, dim, start, end, step) => one(tensor.slice(layout(x), dim, maybe(start), maybe(end), int(step), ask)),
  narrow: (x, dim, start, length) => one(tensor.narrow(layout(x), dim, int(start), int(length), ask)),
  diagonal: (x, offset, a, b) => one(tensor.diagonal(layout(x), int(offset), a, b, ask)),
  unfold: (x, dim, size, step) => one(tensor.unfold(layout(x), dim, int(size), int(step), ask)),
  chunk: (x, count, dim) => many(tensor.chunk(layout(x), count, dim, ask)),
  split: (x, size, dim) => many(tensor.split(layout(x), int(size), dim, ask)),
  tensorSplit: (x, sections, dim) => many(tensor.tensorSplit(layout(x), sections, dim, ask)),
  viewDtype: (x, from, to) => one(tensor.viewDtype(layout(x), from, to, ask)),
  viewAsComplex: (x) => one(tensor.viewAsComplex(layout(x), ask)),
  complex: (x) => {
    const l = layout(x);
    return [tensor.viewAsReal(l), tensor.complexPart(l, 'real'), tensor.complexPart(l, 'imag')].map(shown);
  },
  indexed: (x, indices: (Recorded | null)[]) =>
    answer(
      tensor.indexed(
        layout(x),
        indices.map((index) => (index === null ? null : layout(index))),
        ask,
      ),
      strided,
    ),
  broadcast: (shapes: number[][]) => answer(tensor.broadcast(shapes.map(ints), ask), numbers),
  storageNbytes: (shape, stride) =>
    tensor.storageNbytes(tensor.layoutOf(ints(shape), ints(stride)), 'float32')?.constant,
  pairOverlap: (x, y) => {
    const storage = { id: 1, nbytes: null, origin: { is: 'unknown' } } as const;
    const [a, b] = [x, y].map((l, id) => ({ id, layout: layout(l), dtype: 'float32', storage }) as const);
    return a && b && tensor.pairOverlap(a, b, ask) === 'partial' ? '!' : 'ok';
  },
  promote: (a: DType) => tensor.DTYPES.map((b) => tensor.promote(a, b) ?? '!'),
  canCast: (a: DType) => tensor.DTYPES.map((b) => tensor.canCast(a, b)),
  itemsize: (a: DType) => tensor.itemsize(a),
  resultType: (operands: [DTypeOperand['kind'], string][]) =>
    tensor.resultType(operands.map(([kind, dtype]) => ({ kind, dtype }) as DTypeOperand)) ?? '!',
};

describe(`what PyTorch ${recording.torch} answered`, () => {
  for (const [name, call] of Object.entries(CALLS)) {
    test(name, () => {
      const samples = recording[name] ?? [];
      expect(samples.length).toBeGreaterThan(0);
      for (const sample of samples) {
        const given = sample.slice(0, -1);
        expect({ given: JSON.stringify(given), answer: call(...given) }).toEqual({
          given: JSON.stringify(given),
          answer: sample.at(-1),
        });
      }
    });
  }

  test('every recorded function is checked', () => {
    expect(Object.keys(recording).filter((name) => name !== 'torch')).toEqual(Object.keys(CALLS));
  });
});
