import {
  chain,
  type DType,
  type Fault,
  isFault,
  isInFormat,
  type Layout,
  layoutOf,
  type MemoryFormat,
  preserve,
  type Result,
  raises,
  strideFor,
  suggestMemoryFormat,
  type Tensor,
  unsure,
} from '../../tensor/index.ts';
import { type Unknown, unknown, type Value } from '../../values/value.ts';
import type { Call } from '../context.ts';
import { common, commonPacked, fresh as dense } from '../layouts/format.ts';
import { type Entry, either, fresh, op, same } from '../op.ts';
import type { OpResult } from '../outcome.ts';

/** The layout of a copy of `layout` in a memory format; null is `preserve_format`. */
export function copied(layout: Layout, format: MemoryFormat | null, { ask }: Call): Result<Layout> {
  if (format === null || format === 'preserve_format') return preserve(layout, ask);
  if (format === 'contiguous_format') return dense(layout.shape, layout.front);
  return rankOf(layout, format) ?? layoutOf(layout.shape, strideFor(layout.shape, format));
}

/** The rank that a memory format demands of the tensor that is to take it. */
const demanded = (args: { readonly memory_format: MemoryFormat | null }): { readonly self?: number } => {
  if (args.memory_format === 'channels_last') return { self: 4 };
  return args.memory_format === 'channels_last_3d' ? { self: 5 } : {};
};

function rankOf(layout: Layout, format: 'channels_last' | 'channels_last_3d'): Fault | null {
  const rank = format === 'channels_last' ? 4 : 5;
  if (layout.front) return unsure('the rank of the input is not known');
  return layout.shape.length === rank
    ? null
    : raises({ is: 'rank-differs', what: 'self', expected: `${rank}`, got: layout.shape.length });
}

/** `contiguous()` of a tensor that is so already is the very same object. */
export function contiguousIn(self: Tensor, format: MemoryFormat, call: Call): Result<OpResult> {
  const already = isInFormat(self.layout, format, call.ask);
  if (already === true) return same(self);
  if (format === 'preserve_format' && already === undefined) return unsure('it may be contiguous already');
  if (format === 'preserve_format')
    return raises({ is: 'argument', name: 'memory_format', got: 'preserve_format', expects: 'another memory format' });
  return chain(copied(self.layout, format, call), (layout) =>
    already === false ? fresh(layout, self.dtype) : either(self, commonPacked(self.layout, layout, call.ask)),
  );
}

interface Conversion {
  readonly dtype: DType | Unknown | null;
  readonly device: Value | null;
  readonly copy: boolean;
  readonly format: MemoryFormat | null;
}

/**
 * `to`: the tensor itself where nothing changes. With a memory format it compares the *suggested* format, so that
 * `to(memory_format=contiguous_format)` of a transposed tensor is that tensor.
 */
export function converted(self: Tensor, conversion: Conversion, call: Call): Result<OpResult> {
  const { copy, format } = conversion;
  const dtype = conversion.dtype ?? self.dtype;
  const layout = copied(self.layout, format, call);
  if (isFault(layout)) return layout;
  const device = deviceOf(conversion.device);
  const target = typeof dtype === 'string' ? dtype : null;
  const moved: OpResult = { is: 'fresh', layout, dtype: target, ...(device === undefined ? {} : { device }) };
  const answers = [
    !copy,
    conversion.dtype === null ? true : target === null || self.dtype === null ? undefined : target === self.dtype,
    sameDevice(self.device, device),
    hasFormat(self.layout, format, call),
  ];
  if (answers.includes(false)) return moved;
  return answers.includes(undefined) ? either(self, common(self.layout, layout), target) : same(self);
}

const dtypeOf = (other: Tensor): DType | Unknown => other.dtype ?? unknown('the dtype of `other` is not known');

/** The device of an argument: undefined where there is none, null where it is not known. */
function deviceOf(value: Value | null): string | null | undefined {
  if (value === null || value.kind === 'none') return undefined;
  if (value.kind === 'str' || value.kind === 'device') return value.value;
  if (value.kind === 'tensor') return value.device;
  return value.kind === 'int' ? (value.value.constant === null ? null : `cuda:${value.value.constant}`) : null;
}

function sameDevice(own: string | null, wanted: string | null | undefined): boolean | undefined {
  if (wanted === undefined) return true;
  return own === null || wanted === null ? undefined : own === wanted;
}

function hasFormat(layout: Layout, format: MemoryFormat | null, { ask }: Call): boolean | undefined {
  if (format === null || format === 'preserve_format') return true;
  const suggested = suggestMemoryFormat(layout, ask);
  return suggested === undefined ? undefined : suggested === format;
}

const CASTS: Readonly<Record<string, DType>> = {
  float: 'float32',
  double: 'float64',
  half: 'float16',
  bfloat16: 'bfloat16',
  long: 'int64',
  int: 'int32',
  short: 'int16',
  char: 'int8',
  byte: 'uint8',
  bool: 'bool',
  chalf: 'complex32',
  cfloat: 'complex64',
  cdouble: 'complex128',
};

/** Ops that copy, or return the tensor itself where there is nothing to do. */
export const copies: readonly Entry[] = [
  op('Tensor.contiguous(self: Tensor, memory_format: MemoryFormat = contiguous_format) -> Tensor', {
    ndim: demanded,
    maybe: ({ self, memory_format }, call) => contiguousIn(self, memory_format, call),
    samples: [
      '(2, 3)',
      '(2, 3)/(1, 2)',
      '(2, 3, 4, 5)  memory_format=channels_last',
      '(2, 3, 4, 5)/(60, 1, 15, 3)  memory_format=channels_last',
      '(2, 3)  memory_format=channels_last  !',
    ],
  }),
  op('clone(self: Tensor, *, memory_format: MemoryFormat? = None) -> Tensor', {
    ndim: demanded,
    shape: ({ self, memory_format }, call) => copied(self.layout, memory_format, call),
    samples: ['(2, 3)/(1, 2)', '(2, 3)/(0, 1)', '(2, 6)/(12, 2)', '(2, 3)/(1, 2)  memory_format=contiguous_format'],
  }),
  op(
    'Tensor.to(self: Tensor, dtype: ScalarType, non_blocking: any = False, copy: bool = False, *, memory_format: MemoryFormat? = None) -> Tensor',
    {
      ndim: demanded,
      maybe: ({ self, dtype, copy, memory_format }, call) =>
        converted(self, { dtype, device: null, copy, format: memory_format }, call),
      samples: ['(2, 3)/(1, 2)  torch.float64', '(2, 3)  torch.float32', '(2, 3)/(1, 2)  torch.float32  copy=True'],
    },
  ),
  op(
    'Tensor.to(self: Tensor, other: Tensor, non_blocking: any = False, copy: bool = False, *, memory_format: MemoryFormat? = None) -> Tensor',
    {
      ndim: demanded,
      maybe: ({ self, other, copy, memory_format }, call) =>
        converted(self, { dtype: dtypeOf(other), device: other, copy, format: memory_format }, call),
      samples: ['(2, 3)/(1, 2)  (2,):float64', '(2, 3)  (2,)'],
    },
  ),
  op(
    'Tensor.to(self: Tensor, device: any = None, dtype: ScalarType? = None, non_blocking: any = False, copy: bool = False, *, memory_format: MemoryFormat? = None) -> Tensor',
    {
      ndim: demanded,
      maybe: ({ self, device, dtype, copy, memory_format }, call) =>
        converted(self, { dtype, device, copy, format: memory_format }, call),
      samples: [
        "(2, 3)  'cpu'",
        '(2, 3, 4, 5)  memory_format=channels_last',
        '(2, 3)/(1, 2)  memory_format=contiguous_format',
      ],
    },
  ),
  ...Object.entries(CASTS).map(([name, dtype]) =>
    op(`Tensor.${name}(self: Tensor, memory_format: MemoryFormat? = None) -> Tensor`, {
      ndim: demanded,
      maybe: ({ self, memory_format }, call) =>
        converted(self, { dtype, device: null, copy: false, format: memory_format }, call),
      samples: ['(2, 3)/(1, 2)', '(2, 3)/(1, 2):int64'],
    }),
  ),
  op('Tensor.type(self: Tensor, dtype: ScalarType, non_blocking: any = False) -> Tensor', {
    maybe: ({ self, dtype }, call) => converted(self, { dtype, device: null, copy: false, format: null }, call),
    samples: ['(2, 3)/(1, 2)  torch.float64', '(2, 3)  torch.float32'],
  }),
  op('Tensor.type_as(self: Tensor, other: Tensor) -> Tensor', {
    maybe: ({ self, other }, call) =>
      converted(self, { dtype: dtypeOf(other), device: other, copy: false, format: null }, call),
    samples: ['(2, 3)/(1, 2)  (1,):float64', '(2, 3)  (1,)'],
  }),
  op('Tensor.cpu(self: Tensor, memory_format: MemoryFormat? = None) -> Tensor', {
    maybe: ({ self, memory_format }, call) =>
      converted(self, { dtype: null, device: { kind: 'str', value: 'cpu' }, copy: false, format: memory_format }, call),
    samples: ['(2, 3)'],
  }),
  op(
    'Tensor.cuda(self: Tensor, device: any = None, non_blocking: any = False, memory_format: MemoryFormat? = None) -> Tensor',
    {
      maybe: ({ self, memory_format }, call) =>
        converted(
          self,
          { dtype: null, device: { kind: 'str', value: 'cuda' }, copy: false, format: memory_format },
          call,
        ),
      samples: [],
    },
  ),
];
