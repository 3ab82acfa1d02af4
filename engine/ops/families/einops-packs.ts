import { product, type SymInt, sub, sum } from '../../symbols/index.ts';
import { type Fault, isFault, narrow, type Result, raises, reshape, type Tensor, unsure } from '../../tensor/index.ts';
import { intValue, tupleOf, type Value } from '../../values/value.ts';
import type { Call } from '../context.ts';
import { cat } from '../layouts/concatenation.ts';
import { type Entry, fresh, op, viewOf } from '../op.ts';
import type { OpResult } from '../outcome.ts';
import { promotedDType } from './joins.ts';

interface Around {
  /** How many axes stand before and after the star. */
  readonly before: number;
  readonly after: number;
}

/** `i j * k`: the star stands for the axes that are packed. */
function aroundStar(pattern: string): Result<Around> {
  const axes = pattern.trim().split(/\s+/);
  const before = axes.indexOf('*');
  if (before < 0 || new Set(axes).size !== axes.length)
    return raises({ is: 'argument', name: 'pattern', got: `'${pattern}'`, expects: 'one star among different axes' });
  return { before, after: axes.length - before - 1 };
}

function tooFew({ layout }: Tensor, { before, after }: Around): Fault | null {
  if (layout.front) return unsure('the rank of a tensor is not known');
  const got = layout.shape.length;
  return got >= before + after
    ? null
    : raises({ is: 'rank-differs', what: 'tensors', expected: `${before + after} or more`, got });
}

/** The packed axes of each tensor become one, and along that all are put together. */
function pack(tensors: readonly Tensor[], around: Around, call: Call): Result<OpResult> {
  const layouts = [];
  const shapes: Value[] = [];
  for (const tensor of tensors) {
    const wrong = tooFew(tensor, around);
    if (wrong !== null) return wrong;
    const { shape } = tensor.layout;
    const end = shape.length - around.after;
    const own = shape.slice(around.before, end);
    const flat = reshape(
      tensor.layout,
      [...shape.slice(0, around.before), product([...own]), ...shape.slice(end)],
      call.ask,
      call,
    );
    if (isFault(flat)) return flat;
    layouts.push(flat.layout);
    shapes.push(tupleOf(own.map(intValue)));
  }
  const whole = cat(layouts, around.before, call);
  if (isFault(whole)) return whole;
  const packed: readonly OpResult[] = shapes.map((value) => ({ is: 'value', value }));
  return { is: 'tuple', items: [fresh(whole, promotedDType(tensors)), { is: 'list', items: packed }] };
}

/** The sizes that a packed shape lists; null where one is not known or is -1. */
function sizesOf(shape: Value): readonly SymInt[] | null {
  if (shape.kind !== 'tuple') return null;
  const sizes = shape.items.flatMap((item) => (item.kind === 'int' && item.value.constant !== -1 ? [item.value] : []));
  return sizes.length === shape.items.length ? sizes : null;
}

/** Parts of the packed axis in their own shapes. One that is left open takes what the others leave. */
function unpack(tensor: Tensor, shapes: readonly Value[], { before, after }: Around, call: Call): Result<OpResult> {
  const { layout } = tensor;
  if (layout.front) return unsure('the rank of the tensor is not known');
  const axis = layout.shape[before];
  if (axis === undefined || layout.shape.length !== before + after + 1)
    return raises({ is: 'rank-differs', what: 'tensor', expected: `${before + after + 1}`, got: layout.shape.length });
  const sizes = shapes.map(sizesOf);
  const open = shapes.flatMap((shape, i) => (sizes[i] === null ? [shape] : []));
  const [lone] = open;
  if (open.length > 1 || (lone !== undefined && !isLone(lone))) return unsure('the packed shapes are not known');
  const rest = sub(axis, sum(sizes.flatMap((own) => (own === null ? [] : [product([...own])]))));
  const items: OpResult[] = [];
  let start = sub(axis, axis);
  for (const known of sizes) {
    const own = known ?? [rest];
    const length = product([...own]);
    const part = narrow(layout, before, start, length, call.ask);
    if (isFault(part)) return part;
    const shape = [...layout.shape.slice(0, before), ...own, ...layout.shape.slice(before + 1)];
    const made = reshape(part, shape, call.ask, call);
    if (isFault(made)) return made;
    items.push(made.copies ? fresh(made.layout, tensor.dtype) : viewOf(tensor, made.layout));
    start = sum([start, length]);
  }
  return { is: 'list', items };
}

/** `(-1,)`: all that is left, in one axis. */
const isLone = (shape: Value): boolean =>
  shape.kind === 'tuple' && shape.items.length === 1 && shape.items.every((item) => item.kind === 'int');

export const einopsPacks: readonly Entry[] = [
  op('einops.pack(tensors: Tensor[], pattern: str) -> any', {
    also: ['einops.packing.pack'],
    maybe: ({ tensors, pattern }, call) => {
      const around = aroundStar(pattern);
      return isFault(around) ? around : pack(tensors, around, call);
    },
    samples: [
      "{(2, 3, 5) (2, 3, 7, 5)}  'i j * k'",
      "{(2, 5)}  'b *'",
      "{(2, 3, 4)/(1, 2, 6) (2, 5)}  'b *'",
      "{(2, 3) (3, 3)}  'b *'  !",
      "{(2, 3)}  'a b c *'  !",
      "{(2, 3)}  'a b'  !",
    ],
  }),
  op('einops.unpack(tensor: Tensor, packed_shapes: any, pattern: str) -> any', {
    also: ['einops.packing.unpack'],
    maybe: ({ tensor, packed_shapes, pattern }, call) => {
      const around = aroundStar(pattern);
      if (isFault(around)) return around;
      if (packed_shapes.kind !== 'tuple') return unsure('the packed shapes are not known');
      return unpack(tensor, packed_shapes.items, around, call);
    },
    samples: [
      "(2, 8, 5)  [[], [7]]  'i * k'",
      "(2, 8, 5)  [[2, 2], [-1]]  'i * k'",
      "(5, 8)/(1, 5)  [[2, 2], [4]]  'i *'",
      "(2, 8)  [[], [7]]  'i * k'  !",
    ],
  }),
];
