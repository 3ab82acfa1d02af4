import { add, floorDiv, int, mul, ONE, type SymInt, same, sub } from '../../symbols/index.ts';
import {
  complexOf,
  contiguousStride,
  type DType,
  isComplex,
  isContiguous,
  isFault,
  isIntegralOrBool,
  type Layout,
  preserve,
  type Result,
  type Tensor,
  wrapDims,
} from '../../tensor/index.ts';
import type { Value } from '../../values/value.ts';
import type { Call } from '../context.ts';
import { cat } from '../layouts/concatenation.ts';
import { fresh, unstrided } from '../layouts/format.ts';
import { isEmpty } from '../layouts/inquiry.ts';
import { type Entry, op } from '../op.ts';

type Kind = 'complex' | 'real-in' | 'real-out';

/** The size of the last transformed dim: half of it stands for all of a real signal. */
function lastSize(size: SymInt, kind: Kind, asked: SymInt | null): SymInt {
  const length = asked ?? (kind === 'real-out' ? mul(int(2), sub(size, ONE)) : size);
  return kind === 'real-in' ? add(floorDiv(length, int(2)), ONE) : length;
}

/**
 * A transform over `dims`. Where the last dims of a contiguous input are transformed the result is contiguous; elsewhere
 * MKL and pocketfft, of which builds have one or the other, order the dims differently.
 */
function transformed(
  layout: Layout,
  dims: readonly number[],
  sizes: readonly (SymInt | null)[],
  kind: Kind,
  call: Call,
): Result<Layout> {
  const wrapped = wrapDims(layout, dims);
  if (isFault(wrapped)) return wrapped;
  const last = wrapped.at(-1);
  const shape = layout.shape.map((size, d) => {
    const at = wrapped.indexOf(d);
    if (at < 0) return size;
    return d === last ? lastSize(size, kind, sizes[at] ?? null) : (sizes[at] ?? size);
  });
  const first = layout.shape.length - wrapped.length;
  const trailing = wrapped.every((d, i) => d === first + i);
  const dense = trailing && isContiguous(layout, call.ask) === true && rowMajor(layout);
  return dense ? fresh(shape, layout.front) : unstrided(shape, layout.front);
}

/** Row-major to the last stride, those of dims of size 1 included. */
const rowMajor = ({ shape, stride }: Layout): boolean =>
  stride !== null && contiguousStride(shape).every((step, d) => same(step, stride[d] ?? step));

const single = (dtype: DType | null): DType | null => (dtype !== null && isIntegralOrBool(dtype) ? 'float32' : dtype);

function resultDType(kind: Kind, { dtype }: Tensor): DType | null {
  const floating = single(dtype);
  if (floating === null) return null;
  if (kind !== 'real-out') return isComplex(floating) ? floating : complexOf(floating);
  if (!isComplex(floating)) return floating;
  return floating === 'complex128' ? 'float64' : floating === 'complex32' ? 'float16' : 'float32';
}

const sizeOf = (value: Value): SymInt | null => (value.kind === 'int' ? value.value : null);
const sizesOf = (value: Value, count: number): readonly (SymInt | null)[] =>
  value.kind === 'tuple' ? value.items.map(sizeOf) : Array.from({ length: count }, () => null);

const NAMES: readonly (readonly [string, Kind])[] = [
  ['fft', 'complex'],
  ['ifft', 'complex'],
  ['rfft', 'real-in'],
  ['irfft', 'real-out'],
  ['hfft', 'real-out'],
  ['ihfft', 'real-in'],
];

const alongOne = NAMES.map(([name, kind]) =>
  op(`fft.${name}(input: Tensor, n: any = None, dim: int = -1, norm: any = None) -> Tensor`, {
    shape: ({ input, n, dim }, call) => transformed(input.layout, [dim], [sizeOf(n)], kind, call),
    dtype: ({ input }) => resultDType(kind, input),
    samples: ['(2, 3, 4)', '(2, 3, 4)  8', '(2, 3)  dim=2  !'],
  }),
);

const alongTwo = (['fft2', 'ifft2', 'rfft2', 'irfft2'] as const).map((name) => {
  const kind: Kind = name.startsWith('r') ? 'real-in' : name.startsWith('ir') ? 'real-out' : 'complex';
  return op(`fft.${name}(input: Tensor, s: any = None, dim: int[]? = None, norm: any = None) -> Tensor`, {
    shape: ({ input, s, dim }, call) => {
      const dims = dim ?? [-2, -1];
      return transformed(input.layout, dims, sizesOf(s, dims.length), kind, call);
    },
    dtype: ({ input }) => resultDType(kind, input),
    samples: ['(2, 3, 4)'],
  });
});

const alongMany = (['fftn', 'ifftn', 'rfftn', 'irfftn'] as const).map((name) => {
  const kind: Kind = name.startsWith('r') ? 'real-in' : name.startsWith('ir') ? 'real-out' : 'complex';
  return op(`fft.${name}(input: Tensor, s: any = None, dim: int[]? = None, norm: any = None) -> Tensor`, {
    shape: ({ input, s, dim }, call) => {
      const count = s.kind === 'tuple' ? s.items.length : input.layout.shape.length;
      const dims = dim ?? Array.from({ length: count }, (_, i) => i - count);
      return transformed(input.layout, dims, sizesOf(s, dims.length), kind, call);
    },
    dtype: ({ input }) => resultDType(kind, input),
    samples: ['(2, 3, 4)'],
  });
});

/** A shift is a roll: along several dims contiguous, along one a cat of two narrows. */
const shifts = (['fftshift', 'ifftshift'] as const).map((name) =>
  op(`fft.${name}(input: Tensor, dim: int[1]? = None) -> Tensor`, {
    shape: ({ input, dim }, call) => {
      const count = dim === null ? input.layout.shape.length : dim.length;
      if (count !== 1) return fresh(input.layout.shape, input.layout.front);
      return isEmpty(input.layout.shape[0] ?? ONE, call)
        ? preserve(input.layout, call.ask)
        : cat([input.layout], -1, call);
    },
    samples: ['(2, 3)', '(2, 3)/(1, 2)  1'],
  }),
);

export const fourier: readonly Entry[] = [...alongOne, ...alongTwo, ...alongMany, ...shifts];
