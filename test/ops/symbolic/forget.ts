import { product, type SymInt, same, symbol, ZERO } from '../../../engine/symbols/index.ts';
import { contiguousStride, type Layout, type Tensor, withFront } from '../../../engine/tensor/index.ts';
import { unknown, type Value } from '../../../engine/values/value.ts';
import type { Choices } from './choices.ts';
import type { Given } from './subject.ts';

/** A call of which less is known than of the one it was made from, and the dims that each packed front stands for. */
export interface Told {
  readonly given: Given;
  readonly packed: ReadonlyMap<string, readonly SymInt[]>;
  /** A list of sizes begins with such a front: of a result that is none of its tensor's, it has to be asked where that went. */
  readonly listed: boolean;
}

/** Forgets nothing mostly; else strides, an offset, a dtype, leading dims, elements or an argument. */
export function forgetting(given: Given, choices: Choices): Told {
  const tensors = tensorsIn([...given.args, ...given.keywords.values()]);
  switch (choices.below(16)) {
    case 8:
    case 9:
      return toldBy(given, oneOf(tensors, choices, withoutStride));
    case 10:
      return toldBy(given, (tensor) => withoutStride(tensor));
    case 11:
      return toldBy(given, oneOf(tensors, choices, withoutDType));
    case 12:
      return toldBy(given, oneOf(tensors, choices, withoutOffset));
    case 13:
      return withoutArgument(given, choices);
    case 14:
    case 15:
      return withoutLeading(given, tensors, choices);
    default:
      return { given, packed: NOTHING, listed: false };
  }
}

const NOTHING: Told['packed'] = new Map();

type Change = (tensor: Tensor) => Tensor;

function oneOf(tensors: readonly Tensor[], choices: Choices, change: Change): Change {
  const chosen = choices.among(tensors);
  return (tensor) => (tensor.id === chosen?.id ? change(tensor) : tensor);
}

const withoutStride = (tensor: Tensor): Tensor => ({
  ...tensor,
  layout: { ...tensor.layout, stride: null },
  storage: { ...tensor.storage, nbytes: null },
});

const withoutOffset = (tensor: Tensor): Tensor => ({
  ...tensor,
  layout: { ...tensor.layout, offset: null },
  storage: { ...tensor.storage, nbytes: null },
});

const withoutDType = (tensor: Tensor): Tensor => ({
  ...tensor,
  dtype: null,
  elements: null,
  storage: { ...tensor.storage, nbytes: null },
});

const toldBy = (given: Given, change: Change): Told => ({
  given: onValues(given, (value) => onTensors(value, change)),
  packed: NOTHING,
  listed: false,
});

function withoutArgument(given: Given, choices: Choices): Told {
  const literals = [...given.args, ...given.keywords.values()].filter(({ kind }) => kind !== 'tensor');
  const forgotten = choices.among(literals);
  return {
    given: onValues(given, (value) => (value === forgotten ? unknown('it is read from a file') : value)),
    packed: NOTHING,
    listed: false,
  };
}

const FRONT = '*front';

/** The leading dims that one tensor starts with, of all tensors that start with them, and of all lists of sizes. */
function withoutLeading(given: Given, tensors: readonly Tensor[], choices: Choices): Told {
  const chosen = choices.among(tensors.filter(({ elements }) => elements === null));
  const layout = chosen?.layout;
  if (layout === undefined) return { given, packed: NOTHING, listed: false };
  const count = choices.below(layout.shape.length + 1);
  const dims = layout.shape.slice(0, count);
  const front = symbol(FRONT);
  const change: Change = (tensor) => {
    const packed = tensor.elements === null ? packedLeading(tensor.layout, dims, front) : null;
    return packed === null ? tensor : { ...tensor, layout: packed };
  };
  // Of two lists that go together, sizes and strides, both would have to be packed.
  const lists = [...given.args, ...given.keywords.values()].filter(({ kind }) => kind === 'tuple').length;
  let listed = false;
  const pack = (value: Value): Value => {
    if (value.kind !== 'tuple' || dims.length === 0 || lists > 1) return onTensors(value, change);
    const starts = dims.every((dim, d) => {
      const item = value.items[d];
      return item?.kind === 'int' && same(item.value, dim);
    });
    listed ||= starts;
    return starts
      ? { ...value, items: [{ kind: 'int', value: front }, ...value.items.slice(dims.length)] }
      : onTensors(value, change);
  };
  return { given: onValues(given, pack), packed: new Map([[FRONT, dims]]), listed };
}

/** The layout with its leading dims packed; null where they are others. Those that lie apart have no stride in common. */
function packedLeading(layout: Layout, dims: readonly SymInt[], front: SymInt): Layout | null {
  const { shape, stride } = layout;
  if (!dims.every((dim, d) => shape[d] !== undefined && same(dim, shape[d]))) return null;
  const rest = shape.slice(dims.length);
  const last = stride?.[dims.length - 1];
  const step = dims.length === 0 ? product(rest) : last;
  const packed = contiguousStride([...dims, ...(step === undefined ? [] : [step])]);
  const together = dims.every((_, d) => same(stride?.[d] ?? ZERO, packed[d] ?? ZERO));
  return withFront({
    ...layout,
    shape: [front, ...rest],
    stride: stride !== null && step !== undefined && together ? [step, ...stride.slice(dims.length)] : null,
  });
}

const onValues = ({ args, keywords }: Given, change: (value: Value) => Value): Given => ({
  args: args.map(change),
  keywords: new Map([...keywords].map(([name, value]) => [name, change(value)] as const)),
});

function onTensors(value: Value, change: Change): Value {
  if (value.kind === 'tensor') return change(value);
  return value.kind === 'tuple' ? { ...value, items: value.items.map((item) => onTensors(item, change)) } : value;
}

export function tensorsIn(values: readonly Value[]): readonly Tensor[] {
  return values.flatMap((value) =>
    value.kind === 'tensor' ? [value] : value.kind === 'tuple' ? tensorsIn(value.items) : [],
  );
}
