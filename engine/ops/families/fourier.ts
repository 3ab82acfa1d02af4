import { add, floorDiv, int, mul, ONE, type SymInt, sub } from '../../symbols/index.ts';
import {
  chain,
  complexOf,
  type DType,
  isComplex,
  isContiguous,
  isFault,
  isIntegralOrBool,
  isRowMajor,
  type Layout,
  type Result,
  type Tensor,
  unsure,
  wrapDims,
} from '../../tensor/index.ts';
import type { Value } from '../../values/value.ts';
import type { Call } from '../context.ts';
import { integerOf } from '../convert.ts';
import { cat } from '../layouts/concatenation.ts';
import { fresh, unstrided } from '../layouts/format.ts';
import { type Entry, op } from '../op.ts';
import { created, OPTIONS } from './factories.ts';
import { rolled } from './rearrangements.ts';

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
  const dense = trailing && isContiguous(layout, call.ask) === true && isRowMajor(layout);
  return dense ? fresh(shape, layout.front) : unstrided(shape, layout.front);
}

const single = (dtype: DType | null): DType | null => (dtype !== null && isIntegralOrBool(dtype) ? 'float32' : dtype);

function resultDType(kind: Kind, { dtype }: Tensor): DType | null {
  const floating = single(dtype);
  if (floating === null) return null;
  if (kind !== 'real-out') return isComplex(floating) ? floating : complexOf(floating);
  if (!isComplex(floating)) return floating;
  return floating === 'complex128' ? 'float64' : floating === 'complex32' ? 'float16' : 'float32';
}

const sizeOf = (value: Value, { context }: Call): SymInt | null =>
  value.kind === 'none' ? null : integerOf(value, 'n', context);

const sizesOf = (value: Value, count: number, call: Call): readonly (SymInt | null)[] =>
  value.kind === 'tuple'
    ? value.items.map((item) => sizeOf(item, call))
    : Array.from({ length: count }, () => sizeOf(value, call));

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
    shape: ({ input, n, dim }, call) => transformed(input.layout, [dim], [sizeOf(n, call)], kind, call),
    dtype: ({ input }) => resultDType(kind, input),
    samples: ['(2, 3, 4)', '(2, 3, 4)  8', '(2, 3)  dim=2  !'],
  }),
);

/** `r` and `ih` take a real signal, `ir` and `h` give one. */
const kindOf = (name: string): Kind =>
  /^(r|ih)/.test(name) ? 'real-in' : /^(ir|h)/.test(name) ? 'real-out' : 'complex';

/** `ihfft` of several dims transforms the last one first, and the others in its result: its strides are not told. */
const inverted = (name: string, result: Result<Layout>): Result<Layout> =>
  name.startsWith('ih') ? chain(result, (layout) => ({ ...layout, stride: null })) : result;

const alongTwo = (['fft2', 'ifft2', 'rfft2', 'irfft2', 'hfft2', 'ihfft2'] as const).map((name) => {
  const kind = kindOf(name);
  return op(`fft.${name}(input: Tensor, s: any = None, dim: int[]? = None, norm: any = None) -> Tensor`, {
    shape: ({ input, s, dim }, call) => {
      const dims = dim ?? [-2, -1];
      return inverted(name, transformed(input.layout, dims, sizesOf(s, dims.length, call), kind, call));
    },
    dtype: ({ input }) => resultDType(kind, input),
    samples: ['(2, 3, 4)'],
  });
});

const alongMany = (['fftn', 'ifftn', 'rfftn', 'irfftn', 'hfftn', 'ihfftn'] as const).map((name) => {
  const kind = kindOf(name);
  return op(`fft.${name}(input: Tensor, s: any = None, dim: int[]? = None, norm: any = None) -> Tensor`, {
    shape: ({ input, s, dim }, call) => {
      const count = s.kind === 'tuple' ? s.items.length : input.layout.shape.length;
      const dims = dim ?? Array.from({ length: count }, (_, i) => i - count);
      return inverted(name, transformed(input.layout, dims, sizesOf(s, dims.length, call), kind, call));
    },
    dtype: ({ input }) => resultDType(kind, input),
    samples: ['(2, 3, 4)'],
  });
});

/** A shift is a roll by half of each dim. */
const shifts = (['fftshift', 'ifftshift'] as const).map((name) =>
  op(`fft.${name}(input: Tensor, dim: int[1]? = None) -> Tensor`, {
    shape: ({ input, dim }, call) => {
      const { shape, front } = input.layout;
      if (front)
        return dim?.length === 1 ? cat([input.layout], -1, call) : unsure('the rank of the input is not known');
      const dims = dim ?? shape.map((_, d) => d);
      const halves = dims.map((d) => floorDiv(shape.at(d) ?? ONE, int(2)));
      return rolled(input.layout, halves, dims, call);
    },
    samples: ['(2, 3)', '(2, 3)/(1, 2)  1', '(2, 3, 4, 5)/(60, 1, 15, 3)  (2, 3)', '(2, 0)/(1, 2)'],
  }),
);

/** The division of C, which rounds towards 0. */
const halved = (n: SymInt): SymInt => (n.constant === null ? floorDiv(n, int(2)) : int(Math.trunc(n.constant / 2)));

/** The frequencies of the bins, of which half stand for all of a real signal. */
const frequencies = (['fftfreq', 'rfftfreq'] as const).map((name) =>
  op(`fft.${name}(n: SymInt, d: any = 1.0, *, ${OPTIONS}) -> Tensor`, {
    maybe: ({ n, ...options }) => created(fresh([name === 'fftfreq' ? n : add(halved(n), ONE)]), options, 'float32'),
    samples: ['5', '6', '5  dtype=torch.float64'],
  }),
);

export const fourier: readonly Entry[] = [...alongOne, ...alongTwo, ...alongMany, ...shifts, ...frequencies];
