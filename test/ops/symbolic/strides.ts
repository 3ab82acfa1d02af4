import { int, mul, ONE, type SymInt, ZERO } from '../../../engine/symbols/index.ts';
import { channelsLastStride, contiguousStride } from '../../../engine/tensor/index.ts';
import type { Choices } from './choices.ts';
import type { Sizes } from './sizes.ts';

/** Strides that views leave: packed, permuted, cut, stepped, expanded, channels last. */
export function anyStride(shape: readonly SymInt[], sizes: Sizes, choices: Choices): readonly SymInt[] {
  switch (choices.below(16)) {
    case 7:
    case 8:
      return packedIn(inverted(shape.length), shape);
    case 9:
      return channelsLastStride(shape);
    case 10:
      return packedIn(shuffled(shape.length, choices), widened(shape, sizes, choices));
    case 11:
      return packedIn(inOrder(shape.length), widened(shape, sizes, choices));
    case 12: {
      const stepped = choices.below(shape.length);
      return contiguousStride(shape.map((size, d) => (d === stepped ? mul(size, int(2)) : size))).map((stride, d) =>
        d === stepped ? mul(stride, int(2)) : stride,
      );
    }
    case 13: {
      const repeated = choices.below(shape.length);
      return contiguousStride(shape.map((size, d) => (d === repeated ? ONE : size))).map((stride, d) =>
        d === repeated ? ZERO : stride,
      );
    }
    case 14:
      return shape.map(() => ONE);
    case 15:
    case 6:
    case 5:
      return packedIn(shuffled(shape.length, choices), shape);
    default:
      return contiguousStride(shape);
  }
}

/** The strides of a sample in terms of its sizes: in the order of the numbers, each a multiple of what lies inside. */
export function likeSample(
  shape: readonly SymInt[],
  numbers: readonly number[],
  stride: readonly number[],
): readonly SymInt[] {
  const strides: SymInt[] = stride.map(int);
  let run = ONE;
  let expected = 1;
  for (const d of [...numbers.keys()].sort((a, b) => (stride[a] ?? 0) - (stride[b] ?? 0))) {
    const number = stride[d] ?? 0;
    if (number === 0 || number % expected !== 0) continue;
    strides[d] = mul(int(number / expected), run);
    run = mul(strides[d] ?? ONE, shape[d] ?? ONE);
    expected = number * (numbers[d] ?? 1);
    if (expected === 0) break;
  }
  return strides;
}

/** One dim of what the tensor was cut from is larger. */
function widened(shape: readonly SymInt[], sizes: Sizes, choices: Choices): readonly SymInt[] {
  const wide = choices.below(shape.length);
  const factor = choices.rarely(2) ? int(3) : sizes.fresh(3);
  return shape.map((size, d) => (d === wide ? mul(size, factor) : size));
}

/** `order` names the dims from the outermost. */
function packedIn(order: readonly number[], shape: readonly SymInt[]): readonly SymInt[] {
  const packed = contiguousStride(order.map((d) => shape[d] ?? ONE));
  return shape.map((_, d) => packed[order.indexOf(d)] ?? ONE);
}

const inOrder = (count: number): number[] => Array.from({ length: count }, (_, d) => d);
const inverted = (count: number): number[] => inOrder(count).reverse();

function shuffled(count: number, choices: Choices): number[] {
  const left = inOrder(count);
  return inOrder(count).map(() => left.splice(choices.below(left.length), 1)[0] ?? 0);
}
