import { readLiteral } from '../../../engine/ops/literal.ts';
import type { SampleArgument } from '../../../engine/ops/sample.ts';
import { int, type SymInt, same, ZERO } from '../../../engine/symbols/index.ts';
import { bytesNeeded, contiguousStride, layoutOf, type Tensor } from '../../../engine/tensor/index.ts';
import { intValue, NONE, type Value } from '../../../engine/values/value.ts';
import type { Choices } from './choices.ts';
import { type Sizes, sizesFor } from './sizes.ts';
import { anyStride, likeSample } from './strides.ts';
import type { Filling, Form, Given } from './subject.ts';

type Shaped = Extract<SampleArgument, { is: 'tensor' }>;

/** What the values of one call are made from. */
interface Scene {
  readonly sizes: Sizes;
  readonly choices: Choices;
  /** In the order in which they were made. Two may be one object, or share a storage. */
  readonly tensors: Tensor[];
}

/** The call of a form with symbols for its sizes and any strides; all of it is known but the numbers. */
export function filled(form: Form, choices: Choices): { readonly given: Given; readonly sizes: Sizes } {
  const sizes = sizesFor(
    form.flatMap(({ filling, types }) => (isSized(types) ? numbersIn(filling) : [])),
    choices,
  );
  const scene: Scene = { sizes, choices, tensors: [] };
  const values: Value[] = [];
  for (const { filling, types } of form) values.push(filledIn(filling, isSized(types), values, scene));
  const args: Value[] = [];
  const keywords = new Map<string, Value>();
  for (const [at, { keyword }] of form.entries()) {
    const value = values[at] ?? NONE;
    if (keyword === null) args.push(value);
    else keywords.set(keyword, value);
  }
  return { given: { args, keywords }, sizes };
}

/** Numbers of these parameters are sizes; `int` is a dim, and `any` mostly something that no size depends on. */
const isSized = (types: readonly string[]): boolean => types.some((type) => /^(Tensor|SymInt|named)/.test(type));

const NUMBERS = /\d+/g;

function numbersIn(filling: Filling): readonly number[] {
  switch (filling.is) {
    case 'tensor':
      return filling.elements === null ? filling.shape : [];
    case 'tensors':
      return filling.items.flatMap(numbersIn);
    case 'literal':
      return (/^['"]/.test(filling.text) ? [] : (filling.text.match(NUMBERS) ?? [])).map(Number);
    case 'value':
      return filling.value.kind === 'int' ? [filling.value.value.constant ?? 0] : [];
    case 'again':
      return [];
  }
}

function filledIn(filling: Filling, sized: boolean, earlier: readonly Value[], scene: Scene): Value {
  switch (filling.is) {
    case 'tensor':
      return tensorOf(filling, scene);
    case 'tensors':
      return { kind: 'tuple', items: filling.items.map((item) => filledIn(item, sized, earlier, scene)) };
    case 'literal':
      return sizedIn(readLiteral(filling.text) ?? NONE, sized, scene);
    case 'value':
      return sizedIn(filling.value, sized, scene);
    case 'again':
      return earlier[filling.slot] ?? NONE;
  }
}

function sizedIn(value: Value, sized: boolean, scene: Scene): Value {
  if (value.kind === 'tuple') return { ...value, items: value.items.map((item) => sizedIn(item, sized, scene)) };
  if (value.kind === 'slice') {
    const [start, stop, step] = [value.start, value.stop, value.step].map((bound) => sizedIn(bound, sized, scene));
    return { kind: 'slice', start: start ?? NONE, stop: stop ?? NONE, step: step ?? NONE };
  }
  if (value.kind === 'tensor') return scene.choices.rarely(3) ? unread(value, scene) : value;
  if (value.kind !== 'int' || value.value.constant === null) return value;
  return sized || scene.choices.rarely(12) ? intValue(scene.sizes.of(value.value.constant)) : value;
}

/** An index or a mask of which nobody knows the elements, nor how many they are. */
function unread(tensor: Tensor, { sizes }: Scene): Tensor {
  const shape = tensor.layout.shape.map((size) => sizes.of(size.constant ?? 1));
  return { ...tensor, elements: null, layout: layoutOf(shape, contiguousStride(shape)) };
}

function tensorOf(sample: Shaped, scene: Scene): Tensor {
  const { choices, sizes, tensors } = scene;
  // Elements that are known are as many as they are.
  const shape = sample.shape.map((size) => (sample.elements === null ? sizes.of(size) : int(size)));
  const stride =
    sample.elements !== null
      ? contiguousStride(shape)
      : sample.stride === null || choices.rarely(2)
        ? anyStride(shape, sizes, choices)
        : likeSample(shape, sample.shape, sample.stride);
  const layout = layoutOf(shape, stride, choices.rarely(8) ? sizes.fresh(choices.pick(5, 2)) : ZERO);
  const id = 2 * tensors.length;
  const other = choices.rarely(10) ? choices.among(tensors) : undefined;
  if (other !== undefined && sameInts(other.layout.shape, shape) && choices.rarely(2)) return other;
  const tensor: Tensor = {
    kind: 'tensor',
    id,
    layout,
    dtype: sample.dtype,
    device: 'cpu',
    requiresGrad: false,
    storage: other?.storage ?? {
      id: id + 1,
      nbytes: bytesNeeded(layout, sample.dtype),
      origin: { is: 'fresh', op: 'sample' },
    },
    assumes: [],
    elements: sample.elements,
  };
  tensors.push(tensor);
  return tensor;
}

const sameInts = (a: readonly SymInt[], b: readonly SymInt[]): boolean =>
  a.length === b.length && a.every((value, i) => same(value, b[i] ?? ZERO));
