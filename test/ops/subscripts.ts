import { int } from '../../engine/symbols/index.ts';
import { contiguous, type Tensor } from '../../engine/tensor/index.ts';
import { boolValue, intValue, NONE, tupleOf, type Value } from '../../engine/values/value.ts';

/**
 * Subscripts of tensors: a shape, strides or null, and the key as Python writes it, with `I(0, 2)` for an index tensor and
 * `M(1, 0)` for a mask. A third part assigns: a number, or the shape of a tensor.
 */
export interface Subscript {
  readonly shape: readonly number[];
  readonly stride: readonly number[] | null;
  readonly key: string;
  readonly value: readonly number[] | number | null;
}

const read = (shape: readonly number[], ...keys: string[]): Subscript[] =>
  keys.map((key) => ({ shape, stride: null, key, value: null }));

const strided = (shape: readonly number[], stride: readonly number[], ...keys: string[]): Subscript[] =>
  keys.map((key) => ({ shape, stride, key, value: null }));

const assign = (
  shape: readonly number[],
  stride: readonly number[] | null,
  key: string,
  ...values: (readonly number[] | number)[]
): Subscript[] => values.map((value) => ({ shape, stride, key, value }));

export const SUBSCRIPTS: readonly Subscript[] = [
  ...read(
    [2, 3, 4],
    '0',
    '-1',
    '2',
    ':',
    '...',
    'None',
    '1:',
    ':, ::2',
    '..., 0',
    '0, ..., 1',
    ':, None, 1',
    '5:',
    '1:1',
  ),
  ...read(
    [2, 3, 4],
    '0, 0, 0, 0',
    '::-1',
    ':, 0:3:0',
    '..., None',
    'None, ..., None',
    'True',
    'False',
    ':, True',
    '1.5',
  ),
  ...read([2, 3, 4], 'I(0, 1)', '[0, 1]', '[[0, 1], [1, 0]]', ':, I(0, 2)', '0, :, I(1, 2)', 'I(0, 1), :, I(1, 2)'),
  ...read(
    [2, 3, 4],
    'I(0, 1), I(1, 2)',
    'I(5)',
    'I(-2)',
    'I(-3)',
    'M(1, 0)',
    'M(1, 0, 1)',
    ':, M(1, 0, 1)',
    '[True, False]',
  ),
  ...read(
    [2, 3, 4],
    '..., I(0, 3)',
    '..., I(0), None',
    ':, [0, 1], None',
    'I(0, 1), None, I(1, 2)',
    'I()',
    'None, I(0)',
    '1, M(1, 0, 0)',
  ),
  ...read([], '0', '...', 'None', ':', 'True', 'M()'),
  ...read([2, 0], 'I(5)', ':, I(0)', '[]', '1'),
  ...strided([2, 3, 4], [1, 2, 6], 'I(0, 1)', ':, I(0, 1)', '..., I(0, 2)', '1, :, I(0, 1)', '1:, 0'),
  ...strided([3, 4], [1, 0], '0', ':, 0', 'I(0, 2)', 'None'),
  ...assign([2, 3, 4], null, ':, 0', 1, [2, 4], [4], [1, 4], [1, 1, 2, 4], [3, 4], []),
  ...assign([2, 3, 4], null, '0', 1, [3, 4], [2, 3, 4]),
  ...assign([2, 3, 4], null, 'I(0, 1)', 1, [2, 3, 4], [4], [5], [1, 2, 3, 4]),
  ...assign([2, 3, 4], null, 'M(1, 0), 0', 1, [1, 4], [2, 4]),
  ...assign([3, 4], [1, 0], '0', 1, [4]),
  ...assign([3, 4], [1, 0], ':, 1', 1, [3]),
  ...assign([3, 4], [1, 0], 'I(0)', 1),
  ...assign([2, 3], null, '7', 1),
];

/** The name under which a subscript is recorded. */
export const subscriptKey = ({ shape, stride, key, value }: Subscript): string =>
  `(${shape})${stride === null ? '' : `/(${stride})`}[${key}]${value === null ? '' : ` = ${typeof value === 'number' ? value : `(${value})`}`}`;

/** The value of a key; a list comes as a tuple of one part, as the engine takes it. */
export function keyValue(text: string): Value {
  const parts = splitTop(text).map(partValue);
  const [only] = parts;
  return parts.length === 1 && only !== undefined && only.kind !== 'tuple' ? only : tupleOf(parts);
}

function partValue(text: string): Value {
  if (text === 'None') return NONE;
  if (text === '...') return { kind: 'ellipsis' };
  if (text === 'True' || text === 'False') return boolValue(text === 'True');
  if (text.includes('.')) return { kind: 'float', value: Number(text) };
  if (text.startsWith('I(')) return indexTensor(numbers(text), 'int64');
  if (text.startsWith('M(')) return indexTensor(numbers(text), 'bool', text === 'M()');
  if (text.startsWith('[')) return tupleOf(splitTop(text.slice(1, -1)).map(partValue));
  if (!text.includes(':')) return intValue(int(Number(text)));
  const [start = '', stop = '', step = ''] = text.split(':');
  const bound = (part: string): Value => (part === '' ? NONE : intValue(int(Number(part))));
  return { kind: 'slice', start: bound(start), stop: bound(stop), step: bound(step) };
}

const numbers = (text: string): number[] => (text.match(/-?\d+/g) ?? []).map(Number);

function indexTensor(elements: readonly number[], dtype: 'int64' | 'bool', scalar = false): Tensor {
  return {
    kind: 'tensor',
    id: 1000,
    layout: contiguous(scalar ? [] : [int(elements.length)]),
    dtype,
    device: 'cpu',
    requiresGrad: false,
    storage: { id: 1000, nbytes: null, origin: { is: 'fresh', op: 'tensor' } },
    assumes: [],
    elements: scalar ? [1] : elements,
  };
}

function splitTop(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let part = '';
  for (const letter of text) {
    if ('([{'.includes(letter)) depth += 1;
    if (')]}'.includes(letter)) depth -= 1;
    if (letter === ',' && depth === 0) {
      parts.push(part.trim());
      part = '';
    } else part += letter;
  }
  if (part.trim() !== '') parts.push(part.trim());
  return parts;
}
