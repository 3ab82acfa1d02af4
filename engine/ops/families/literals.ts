import { int, type SymInt, symbol } from '../../symbols/index.ts';
import {
  chain,
  contiguous,
  type DType,
  type Fault,
  isIntegralOrBool,
  preserve,
  promote,
  type Result,
  raises,
  unsure,
} from '../../tensor/index.ts';
import type { Value } from '../../values/value.ts';
import { overflowsIntegers } from '../constants.ts';
import { type Entry, either, op } from '../op.ts';
import { FEW } from '../ranges.ts';
import { converted } from './copies.ts';
import { created, typeOfNumber } from './factories.ts';

/** The shape, dtype and integer elements of nested lists of numbers. */
export interface Nested {
  readonly shape: readonly number[];
  readonly dtype: DType | null;
  readonly elements: readonly number[] | null;
}

const OPTIONS = 'dtype: ScalarType? = None, device: any = None, requires_grad: any = False, pin_memory: any = None';

/** The old constructors: sizes one by one, or data in a list. */
const CONSTRUCTORS: Readonly<Record<string, DType>> = {
  Tensor: 'float32',
  FloatTensor: 'float32',
  DoubleTensor: 'float64',
  HalfTensor: 'float16',
  LongTensor: 'int64',
  IntTensor: 'int32',
  BoolTensor: 'bool',
  ByteTensor: 'uint8',
};

/** Tensors made from Python data. */
export const literals: readonly Entry[] = [
  op(`torch.tensor(data: any, *, ${OPTIONS}) -> Tensor`, {
    maybe: ({ data, ...options }, { ask }) => {
      if (data.kind === 'tensor')
        return chain(preserve(data.layout, ask), (layout) =>
          created(layout, options, data.dtype, kept(options.dtype, data.elements)),
        );
      return chain(readNested(data), (nested) => unheld(data, options.dtype) ?? fromNested(nested, options));
    },
    samples: [
      '[1, 2]',
      '[[1, 2, 3], [4, 5, 6]]',
      '[1, 2.5]',
      '[True, False]',
      '3',
      '2.5',
      '[]',
      '[1]  dtype=torch.float64',
      '[[1], [1, 2]]  !',
      '[1, 300]  dtype=torch.uint8  !',
      '-1  dtype=torch.uint8',
      '[1e9]  dtype=torch.int8  !',
      '-1e9  dtype=torch.float16',
    ],
  }),
  op(
    'torch.as_tensor(data: any, dtype: ScalarType? = None, device: any = None, copy: any = None, requires_grad: any = None) -> Tensor',
    {
      also: ['torch.asarray'],
      maybe: ({ data, dtype, device }, call) => {
        if (data.kind === 'tensor') return converted(data, { dtype, device, copy: false, format: null }, call);
        return chain(
          readNested(data),
          (nested) => unheld(data, dtype) ?? fromNested(nested, { dtype, device, requires_grad: { kind: 'none' } }),
        );
      },
      samples: ['[1, 2]', '2.5  dtype=torch.float64'],
    },
  ),
  op(`Tensor.new_tensor(self: Tensor, data: any, *, ${OPTIONS}) -> Tensor`, {
    maybe: ({ self, data, ...options }) =>
      chain(
        readNested(data),
        (nested) => unheld(data, options.dtype ?? self.dtype) ?? fromNested({ ...nested, dtype: self.dtype }, options),
      ),
    samples: ['(2,):float64  [1, 2]'],
  }),
  ...Object.entries(CONSTRUCTORS).map(([name, dtype]) =>
    op(
      `torch.${name}(first: any = None, second: any = None, third: any = None, fourth: any = None, fifth: any = None) -> Tensor`,
      {
        shape: ({ first, ...rest }) => {
          if (first.kind === 'tuple') return chain(readNested(first), ({ shape }) => shape.map(int));
          const sizes = [first, ...Object.values(rest)].filter(({ kind }) => kind !== 'none');
          // One argument may be data, several are sizes.
          const known = sizes.map((size) =>
            sizes.length > 1 ? sizeIn(size) : size.kind === 'int' ? size.value : null,
          );
          const unclear = sizes.find((_, i) => known[i] === null);
          if (unclear !== undefined)
            return unsure(unclear.kind === 'unknown' ? unclear.reason : `a ${unclear.kind} is not followed`);
          return sizes.length === 0 ? [int(0)] : known.filter((size) => size !== null);
        },
        dtype,
        samples: ['2  3', '[[1, 2, 3]]', ''],
      },
    ),
  ),
  op('torch.from_numpy(ndarray: any) -> Tensor', {
    maybe: ({ ndarray }) =>
      ndarray.kind === 'tensor'
        ? either(ndarray, ndarray.layout)
        : unsure(ndarray.kind === 'unknown' ? ndarray.reason : 'a NumPy array is not followed'),
    samples: [],
  }),
];

const sizeIn = (value: Value): SymInt | null =>
  value.kind === 'int'
    ? value.value
    : value.kind === 'unknown' && value.symbol !== undefined
      ? symbol(value.symbol)
      : null;

/** Numbers that an integer dtype does not hold; a floating one makes infinities of them. */
function unheld(data: Value, dtype: Parameters<typeof created>[1]['dtype']): Fault | null {
  if (typeof dtype !== 'string') return null;
  if (data.kind !== 'tuple') return overflowsIntegers('data', data, dtype);
  return data.items.map((item) => unheld(item, dtype)).find((fault) => fault !== null) ?? null;
}

function fromNested(nested: Nested, options: Parameters<typeof created>[1]) {
  return created(contiguous(nested.shape.map(int)), options, nested.dtype, kept(options.dtype, nested.elements));
}

/** Elements are followed for integers only. */
function kept(dtype: Parameters<typeof created>[1]['dtype'], elements: readonly number[] | null) {
  const integral = dtype === null || (typeof dtype === 'string' && isIntegralOrBool(dtype) && dtype !== 'bool');
  return integral && elements !== null ? elements : undefined;
}

/** Reads a number or nested lists of numbers; ragged lists raise. */
export function readNested(value: Value): Result<Nested> {
  if (value.kind === 'unknown') return unsure(value.reason);
  if (value.kind === 'range') return unsure('a range is not followed as data');
  if (value.kind === 'tensor' && value.layout.shape.length === 0)
    return { shape: [], dtype: value.dtype, elements: value.elements };
  if (value.kind !== 'tuple') {
    const dtype = typeOfNumber(value);
    return dtype === null
      ? unsure(`a ${value.kind} is not followed as data`)
      : { shape: [], dtype, elements: elementOf(value) };
  }
  return chain(readAll(value.items), joined);
}

function elementOf(value: Value): readonly number[] | null {
  if (value.kind === 'bool') return [Number(value.value)];
  return value.kind === 'int' && value.value.constant !== null ? [value.value.constant] : null;
}

function readAll(items: readonly Value[]): Result<readonly Nested[]> {
  const read: Nested[] = [];
  for (const item of items) {
    const nested = readNested(item);
    if ('fault' in nested) return nested;
    read.push(nested);
  }
  return read;
}

function joined(items: readonly Nested[]): Result<Nested> {
  const [first] = items;
  if (first === undefined) return { shape: [0], dtype: 'float32', elements: [] };
  if (items.some(({ shape }) => `${shape}` !== `${first.shape}`))
    return raises({ is: 'argument', name: 'data', got: 'lists of several lengths', expects: 'lists of one length' });
  const dtype = items.reduce<DType | null>(
    (whole, item) => whole && item.dtype && promote(whole, item.dtype),
    first.dtype,
  );
  const elements = items.flatMap((item) => item.elements ?? []);
  const all =
    items.every((item) => item.elements !== null) &&
    elements.length <= FEW &&
    dtype !== null &&
    isIntegralOrBool(dtype);
  return { shape: [items.length, ...first.shape], dtype, elements: all ? elements : null };
}
