import { add, floorDiv, int, mul, ONE, type SymInt } from '../../symbols/index.ts';
import {
  chain,
  contiguous,
  type DType,
  isIntegralOrBool,
  type Layout,
  layoutOf,
  numel,
  type Result,
  raises,
  type Tensor,
  unsure,
} from '../../tensor/index.ts';
import type { MemoryFormat, Unknown, Value } from '../../values/value.ts';
import { overflowsFilled } from '../constants.ts';
import type { Call } from '../context.ts';
import { type Entry, op } from '../op.ts';
import type { OpResult } from '../outcome.ts';
import { FEW, numberOf, rangeOf } from '../ranges.ts';
import type { Scalar } from '../signature.ts';
import { copied } from './copies.ts';

export const OPTIONS =
  'dtype: ScalarType? = None, layout: any = None, device: any = None, pin_memory: any = None, requires_grad: any = False';

interface Options {
  readonly dtype: DType | Unknown | null;
  readonly device: Value;
  readonly requires_grad: Value;
}

/** A new tensor with what the call says of dtype, device and grad; `otherwise` is the dtype it gets by itself. */
export function created(
  layout: Layout,
  options: Options,
  otherwise: DType | null,
  elements?: readonly number[],
): OpResult {
  const { dtype, device, requires_grad } = options;
  const own = dtype === null ? otherwise : typeof dtype === 'string' ? dtype : null;
  return {
    is: 'fresh',
    layout,
    dtype: own,
    ...(elements === undefined ? {} : { elements }),
    ...(device.kind === 'none' ? {} : { device: deviceName(device) }),
    requiresGrad: requires_grad.kind === 'bool' ? requires_grad.value : requires_grad.kind === 'none' ? false : null,
  };
}

/** A small integer tensor of one number keeps its elements. */
function filled(result: OpResult, value: number | null): OpResult {
  if (result.is !== 'fresh' || result.dtype === null || !isIntegralOrBool(result.dtype)) return result;
  const count = numel(result.layout).constant;
  if (value === null || !Number.isInteger(value) || count === null || count > FEW) return result;
  return { ...result, elements: Array.from({ length: count }, () => value) };
}

/** A new tensor that belongs to no other: on the CPU unless the call says where. */
const alone = (result: OpResult): OpResult =>
  result.is === 'fresh' && !('device' in result) ? { ...result, device: 'cpu' } : result;

function deviceName(device: Value): string | null {
  if (device.kind === 'str' || device.kind === 'device') return device.value;
  return null;
}

function sized(size: readonly SymInt[], format: MemoryFormat | null, call: Call): Result<Layout> {
  const negative = size.find(({ constant }) => constant !== null && constant < 0);
  if (negative !== undefined)
    return raises({ is: 'argument', name: 'size', got: `${negative.constant}`, expects: 'sizes of at least 0' });
  if (format === 'preserve_format')
    return raises({ is: 'argument', name: 'memory_format', got: format, expects: 'a format of its own' });
  return format === null ? contiguous(size) : copied(contiguous(size), format, call);
}

/** `TensorImpl::set_sizes_and_strides`: a negative stride stands for that of a packed tensor, but no storage goes below 0. */
function strided(size: readonly SymInt[], stride: readonly SymInt[]): Result<Layout> {
  if (size.length !== stride.length)
    return raises({ is: 'rank-differs', what: 'stride', expected: `${size.length}`, got: stride.length });
  const empty = size.some(({ constant }) => constant === 0);
  const steps = [...stride];
  for (let d = size.length - 1; d >= 0; d--) {
    const [step, length] = [steps[d]?.constant ?? 0, size[d]?.constant];
    if (step >= 0) continue;
    if (!empty && length !== 1) {
      return length === null || size.length > 1
        ? unsure('the strides may reach below the storage')
        : raises({ is: 'argument', name: 'stride', got: `${step}`, expects: 'a stride of at least 0' });
    }
    steps[d] = contiguousStep(size[d + 1], steps[d + 1]);
  }
  return layoutOf(size, steps);
}

const contiguousStep = (size: SymInt = ONE, stride: SymInt = ONE): SymInt =>
  size.constant === 0 ? stride : mul(size, stride);

export const typeOfNumber = (value: Scalar | Value): DType | null => {
  switch (value.kind) {
    case 'bool':
      return 'bool';
    case 'int':
      return 'int64';
    case 'float':
      return 'float32';
    case 'complex':
      return 'complex64';
    default:
      return null;
  }
};

/** Complex as soon as one end is; a tensor or what is not known may be. */
function between(...ends: readonly Value[]): DType | null {
  if (ends.some(({ kind }) => kind === 'complex')) return 'complex64';
  return ends.every(({ kind }) => kind === 'int' || kind === 'float' || kind === 'bool') ? 'float32' : null;
}

/** A tensor filled with a number that its dtype must hold. */
const holding = (value: Value, result: OpResult, call: Call): Result<OpResult> =>
  result.is === 'fresh'
    ? (overflowsFilled('fill_value', value, result.dtype, numel(result.layout), call) ?? result)
    : result;

/** Tensors of a given size. */
export const factories: readonly Entry[] = [
  ...(['zeros', 'ones', 'empty', 'rand', 'randn'] as const).map((name) =>
    op(
      `torch.${name}(size: SymInt[], *, ${OPTIONS}, memory_format: MemoryFormat? = None, generator: any = None, names: any = None) -> Tensor`,
      {
        maybe: ({ size, memory_format, ...options }, call) =>
          chain(sized(size, memory_format, call), (layout) =>
            filled(alone(created(layout, options, 'float32')), name === 'zeros' ? 0 : name === 'ones' ? 1 : null),
          ),
        out: name.startsWith('rand') ? 'unchecked' : 'silent',
        samples: ['(2, 3)', '()', '(2, 0, 3)  dtype=torch.float64', '(-1,)  !'],
      },
    ),
  ),
  op(`torch.full(size: SymInt[], fill_value: Scalar, *, ${OPTIONS}, names: any = None) -> Tensor`, {
    maybe: ({ size, fill_value, ...options }, call) =>
      chain(sized(size, null, call), (layout) =>
        holding(
          fill_value,
          filled(alone(created(layout, options, typeOfNumber(fill_value))), numberOf(fill_value)),
          call,
        ),
      ),
    out: 'silent',
    samples: [
      '(2, 3)  1',
      '(2, 3)  0.5',
      '(2,)  True',
      '(2,)  1  dtype=torch.float16',
      '(2,)  70000  dtype=torch.float16  !',
      '(2,)  1e39  !',
      '(2,)  inf',
      '(1,)  70000.0  dtype=torch.float16',
    ],
  }),
  op(`torch.empty_strided(size: SymInt[], stride: SymInt[], *, ${OPTIONS}) -> Tensor`, {
    maybe: ({ size, stride, ...options }) =>
      chain(strided(size, stride), (layout) => alone(created(layout, options, 'float32'))),
    samples: ['(2, 3)  (1, 2)', '(2, 1, 3)  (3, -1, 1)', '(2,)  (-1,)  !'],
  }),
  op(`torch.randint(high: any, size: SymInt[], *, ${OPTIONS}, generator: any = None) -> Tensor`, {
    maybe: ({ size, ...options }, call) =>
      chain(sized(size, null, call), (layout) => alone(created(layout, options, 'int64'))),
    out: 'unchecked',
    samples: ['5  (2, 3)'],
  }),
  op(`torch.randint(low: any, high: any, size: SymInt[], *, ${OPTIONS}, generator: any = None) -> Tensor`, {
    maybe: ({ size, ...options }, call) =>
      chain(sized(size, null, call), (layout) => alone(created(layout, options, 'int64'))),
    out: 'unchecked',
    samples: ['0  5  (2, 3)'],
  }),
  op(`torch.randperm(n: SymInt, *, ${OPTIONS}, generator: any = None) -> Tensor`, {
    maybe: ({ n, ...options }) => alone(created(contiguous([n]), options, 'int64')),
    out: 'silent',
    samples: ['5'],
  }),
  op(`torch.eye(n: SymInt, m: SymInt? = None, *, ${OPTIONS}) -> Tensor`, {
    maybe: ({ n, m, ...options }) => alone(created(contiguous([n, m ?? n]), options, 'float32')),
    out: 'silent',
    samples: ['3', '2  4'],
  }),
  op(`torch.linspace(start: any, end: any, steps: SymInt, *, ${OPTIONS}) -> Tensor`, {
    maybe: ({ start, end, steps, ...options }) => alone(created(contiguous([steps]), options, between(start, end))),
    out: 'unchecked',
    samples: ['0  1  5', '0  1  5  dtype=torch.int64', '1j  2  5'],
  }),
  op(`torch.logspace(start: any, end: any, steps: SymInt, base: any = 10, *, ${OPTIONS}) -> Tensor`, {
    maybe: ({ start, end, steps, ...options }) => alone(created(contiguous([steps]), options, between(start, end))),
    out: 'unchecked',
    samples: ['0  1  5'],
  }),
  op(`torch.arange(end: Scalar, *, ${OPTIONS}) -> Tensor`, {
    maybe: ({ end, ...options }, call) =>
      ranged({ kind: 'int', value: int(0) }, end, { kind: 'int', value: ONE }, options, call),
    out: 'unchecked',
    samples: ['5', '2.5', '0', '-1  !', '5  dtype=torch.float32'],
  }),
  op(`torch.arange(start: Scalar, end: Scalar, step: Scalar = 1, *, ${OPTIONS}) -> Tensor`, {
    maybe: ({ start, end, step, ...options }, call) => ranged(start, end, step, options, call),
    out: 'unchecked',
    samples: ['1  6', '1  6  2', '6  1  -2', '0  1  0.3', '5  1  !', '1  5  0  !'],
  }),
  ...(['tril_indices', 'triu_indices'] as const).map((name) =>
    op(
      `torch.${name}(row: SymInt, col: SymInt, offset: SymInt = 0, *, dtype: ScalarType? = None, device: any = None, layout: any = None, requires_grad: any = False) -> Tensor`,
      {
        maybe: ({ row, col, offset, ...options }, { context }) =>
          alone(
            created(
              contiguous([int(2), triangle(name, row, col, offset) ?? context.fresh('entries')]),
              options,
              'int64',
            ),
          ),
        samples: ['3  3', '3  4  1', '4  2  -1'],
      },
    ),
  ),
  ...(['hann_window', 'hamming_window', 'bartlett_window', 'blackman_window', 'kaiser_window'] as const).map((name) =>
    op(`torch.${name}(window_length: SymInt, periodic: any = True, *, ${OPTIONS}) -> Tensor`, {
      maybe: ({ window_length, ...options }) => alone(created(contiguous([window_length]), options, 'float32')),
      samples: ['5', '5  False  dtype=torch.float64'],
    }),
  ),
  op(`torch.scalar_tensor(s: Scalar, *, ${OPTIONS}) -> Tensor`, {
    maybe: ({ s: _, ...options }) => alone(created(contiguous([]), options, 'float32')),
    samples: ['1'],
  }),
];

function ranged(start: Scalar, end: Scalar, step: Scalar, options: Options, call: Call): Result<OpResult> {
  return chain(rangeOf(start, end, step, call), ({ length, elements }) => {
    const integral = [start, end, step].every(({ kind }) => kind === 'int' || kind === 'bool');
    const known = [start, end, step].every(({ kind }) => kind !== 'unknown');
    const dtype = integral ? 'int64' : known ? 'float32' : null;
    const kept = elements !== null && (options.dtype === null || options.dtype === 'int64') ? elements : undefined;
    return alone(created(contiguous([length]), options, dtype, kept));
  });
}

/** The number of entries of a triangle; for symbols only that of a whole square one. */
function triangle(name: 'tril_indices' | 'triu_indices', row: SymInt, col: SymInt, offset: SymInt): SymInt | null {
  const [rows, cols, shift] = [row.constant, col.constant, offset.constant];
  if (rows === null || cols === null || shift === null)
    return row.key === col.key && shift === 0 ? floorDiv(mul(row, add(row, ONE)), int(2)) : null;
  let count = 0;
  for (let r = 0; r < rows; r += 1) {
    const below = Math.min(Math.max(r + shift + 1, 0), cols);
    const above = Math.min(Math.max(r + shift, 0), cols);
    count += name === 'tril_indices' ? below : cols - above;
  }
  return int(count);
}

/** Tensors like another one: `preserve_format` for `*_like`, contiguous for `new_*`. */
export const likes: readonly Entry[] = [
  ...(['zeros_like', 'ones_like', 'empty_like', 'rand_like', 'randn_like'] as const).map((name) =>
    op(
      `torch.${name}(self: Tensor, *, ${OPTIONS}, memory_format: MemoryFormat? = None, generator: any = None) -> Tensor`,
      {
        maybe: ({ self, memory_format, ...options }, call) => like(self, memory_format, options, call),
        samples: ['(2, 3)/(1, 2)', '(2, 3)/(0, 1)', name.startsWith('rand') ? '(2, 3)' : '(2, 3)  dtype=torch.int32'],
      },
    ),
  ),
  op(`torch.full_like(self: Tensor, fill_value: any, *, ${OPTIONS}, memory_format: MemoryFormat? = None) -> Tensor`, {
    maybe: ({ self, fill_value, memory_format, ...options }, call) =>
      chain(like(self, memory_format, options, call), (result) => holding(fill_value, result, call)),
    samples: ['(2, 3)/(1, 2)  1', '(2, 3)  1  dtype=torch.float64', '(2,):float16  -1e9  !', '(2,):int64  -inf  !'],
  }),
  op(`torch.randint_like(self: Tensor, high: any, *, ${OPTIONS}, memory_format: MemoryFormat? = None) -> Tensor`, {
    maybe: ({ self, memory_format, ...options }, call) => like(self, memory_format, options, call),
    samples: ['(2, 3)/(1, 2)  5'],
  }),
  op(
    `torch.randint_like(self: Tensor, low: any, high: any, *, ${OPTIONS}, memory_format: MemoryFormat? = None) -> Tensor`,
    {
      maybe: ({ self, memory_format, ...options }, call) => like(self, memory_format, options, call),
      samples: ['(2, 3)/(1, 2)  1  5'],
    },
  ),
  ...(['new_zeros', 'new_ones', 'new_empty'] as const).map((name) =>
    op(`Tensor.${name}(self: Tensor, size: SymInt[], *, ${OPTIONS}) -> Tensor`, {
      maybe: ({ self, size, ...options }, call) =>
        chain(sized(size, null, call), (layout) => created(layout, options, self.dtype)),
      samples: ['(2,):float64  (2, 3)', '(2,)  (2, 3)  dtype=torch.int64'],
    }),
  ),
  op(`Tensor.new_full(self: Tensor, size: SymInt[], fill_value: any, *, ${OPTIONS}) -> Tensor`, {
    maybe: ({ self, size, fill_value, ...options }, call) =>
      chain(sized(size, null, call), (layout) => holding(fill_value, created(layout, options, self.dtype), call)),
    samples: ['(2,):float64  (2, 3)  1', '(2,):int8  (2, 3)  300  !'],
  }),
  op(`Tensor.new_empty_strided(self: Tensor, size: SymInt[], stride: SymInt[], *, ${OPTIONS}) -> Tensor`, {
    maybe: ({ self, size, stride, ...options }) =>
      chain(strided(size, stride), (layout) => created(layout, options, self.dtype)),
    samples: ['(2,)  (2, 3)  (1, 2)', '(2,)  (2, 3)  (1,)  !'],
  }),
];

function like(self: Tensor, format: MemoryFormat | null, options: Options, call: Call): Result<OpResult> {
  return chain(copied(self.layout, format, call), (layout) => created(layout, options, self.dtype));
}

/** Random tensors from parameters: contiguous. */
export const randoms: readonly Entry[] = [
  op('bernoulli(self: Tensor, p: any = None, *, generator: any = None) -> Tensor', {
    also: ['torch.poisson'],
    shape: ({ self }, call) => copied(self.layout, 'contiguous_format', call),
    samples: ['(2, 3)/(1, 2)'],
  }),
  op(
    'torch.normal(mean: any, std: any, size: SymInt[], *, dtype: ScalarType? = None, device: any = None, layout: any = None, pin_memory: any = None, requires_grad: any = False, generator: any = None) -> Tensor',
    {
      maybe: ({ size, ...options }, call) =>
        chain(sized(size, null, call), (layout) => alone(created(layout, options, 'float32'))),
      samples: ['0.0  1.0  (2, 3)'],
    },
  ),
  op('torch.normal(mean: Tensor, std: any = 1, *, generator: any = None) -> Tensor', {
    shape: ({ mean }, call) => copied(mean.layout, 'contiguous_format', call),
    samples: ['(2, 3)/(1, 2)', '(2, 3)/(1, 2)  2.0'],
  }),
];
