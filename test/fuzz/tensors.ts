/** Source text of fresh tensors in every kind of layout. */
import type { Chance } from './chance.ts';

export const DTYPES = [
  'float32',
  'float64',
  'float16',
  'bfloat16',
  'int64',
  'int32',
  'uint8',
  'bool',
  'complex64',
] as const;

export const tuple = (sizes: readonly number[]): string => `(${sizes.join(', ')}${sizes.length === 1 ? ',' : ''})`;

/** Sizes 0 and 1 branch most of PyTorch's rules. */
export const anySize = (chance: Chance): number => chance.pick([0, 1, 1, 1, 2, 2, 2, 3, 3, 4, 5, 6]);

export const anyShape = (chance: Chance): number[] =>
  Array.from({ length: chance.pick([0, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 5]) }, () => anySize(chance));

/** A tensor of that shape, whose layout the chance decides. */
export function freshTensor(chance: Chance, shape: readonly number[], dtype: string): string {
  const n = shape.length;
  const layouts: ((() => string) | null)[] = [
    () => filled(chance, shape, dtype),
    () => filled(chance, shape, dtype),
    () => filled(chance, shape, dtype),
    n > 1 ? () => permuted(chance, shape, dtype) : null,
    n > 1 ? () => permuted(chance, shape, dtype) : null,
    n > 0 ? () => sliced(chance, shape, dtype) : null,
    n > 0 ? () => expanded(chance, shape, dtype) : null,
    n === 4 ? () => formatted(chance, shape, dtype, 'channels_last') : null,
    n === 4 ? () => formatted(chance, shape, dtype, 'channels_last') : null,
    n === 5 ? () => formatted(chance, shape, dtype, 'channels_last_3d') : null,
    n > 0 ? () => strided(chance, shape, dtype) : null,
  ];
  return chance.oneOf(layouts.filter((layout) => layout !== null))?.() ?? filled(chance, shape, dtype);
}

/** Numbers that most functions accept. */
function filled(chance: Chance, shape: readonly number[], dtype: string): string {
  const maker =
    dtype === 'int64' ? chance.pick(['ones', 'zeros']) : dtype === 'float32' ? chance.pick(['ones', 'rand']) : 'ones';
  return `torch.${maker}(${tuple(shape)}${dtype === 'float32' ? '' : `, dtype=torch.${dtype}`})`;
}

function permuted(chance: Chance, shape: readonly number[], dtype: string): string {
  const order = chance.shuffled(shape.map((_, dim) => dim));
  const base = shape.map((_, dim) => shape[order.indexOf(dim)] ?? 1);
  return `${filled(chance, base, dtype)}.permute(${order.join(', ')})`;
}

function sliced(chance: Chance, shape: readonly number[], dtype: string): string {
  const dim = chance.below(shape.length);
  const [start, step] = [chance.below(3), chance.pick([1, 2, 2, 3])];
  const base = shape.map((size, d) => (d === dim ? start + size * step : size));
  const part = `${start === 0 ? '' : start}:${step === 1 ? '' : `:${step}`}`;
  return `${filled(chance, base, dtype)}[${':, '.repeat(dim)}${part}]`;
}

function expanded(chance: Chance, shape: readonly number[], dtype: string): string {
  const base = shape.map((size) => (chance.happens(0.5) ? 1 : size));
  return `${filled(chance, base, dtype)}.expand(${tuple(shape)})`;
}

const formatted = (chance: Chance, shape: readonly number[], dtype: string, format: string): string =>
  `${filled(chance, shape, dtype)}.contiguous(memory_format=torch.${format})`;

/** Any strides, so that elements may overlap and dims of size 1 may have strides that nobody expects. */
function strided(chance: Chance, shape: readonly number[], dtype: string): string {
  const stride = shape.map(() => chance.pick([0, 1, 1, 2, 3, 4, 6, 12]));
  const offset = chance.pick([0, 0, 1, 5]);
  const last = shape.reduce((sum, size, d) => sum + Math.max(size - 1, 0) * (stride[d] ?? 1), offset);
  const at = offset === 0 ? '' : `, ${offset}`;
  return `${filled(chance, [last + 1], dtype)}.as_strided(${tuple(shape)}, ${tuple(stride)}${at})`;
}
