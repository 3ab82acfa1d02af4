import { always, floorDiv, int, mod, ONE, ZERO } from '../../symbols/index.ts';
import {
  elementwise,
  type Fault,
  isFault,
  type Layout,
  narrow,
  preserve,
  type Result,
  raises,
  type Tensor,
  wrapDim,
} from '../../tensor/index.ts';
import type { Value } from '../../values/value.ts';
import { type Call, since } from '../context.ts';
import { dtypeOfKind, iterated } from '../elementwise.ts';
import { common, suggested } from '../layouts/format.ts';
import { agree } from '../layouts/inquiry.ts';
import { denseLike } from '../layouts/reduction.ts';
import { type Entry, either, fresh, op, same } from '../op.ts';
import type { OpResult } from '../outcome.ts';
import { one, writeAll } from '../writing.ts';
import { truthOf } from './dropouts.ts';

type Rule = (layout: Layout, call: Call) => Result<Layout>;

const unary: Rule = (layout, { ask }) => elementwise([layout], ask);
const kept: Rule = (layout, { ask }) => preserve(layout, ask);
const dense: Rule = (layout) => denseLike(layout);

interface InPlace {
  readonly input: Tensor;
  readonly inplace: Value;
}

const activated =
  (rule: Rule) =>
  ({ input, inplace }: InPlace, call: Call): Result<OpResult> => {
    const writes = truthOf(inplace);
    if (writes === true) return same(input);
    const layout = rule(input.layout, call);
    if (isFault(layout)) return layout;
    return writes === false ? fresh(layout, input.dtype) : either(input, common(input.layout, layout));
  };

/** Activations that can write their input: name, the arguments between input and `inplace`, layout rule. */
const WRITING: readonly (readonly [string, string, Rule])[] = [
  ['relu', '', unary],
  ['relu6', '', kept],
  ['elu', 'alpha: any = 1.0, ', unary],
  ['selu', '', unary],
  ['celu', 'alpha: any = 1.0, ', unary],
  ['leaky_relu', 'negative_slope: any = 0.01, ', unary],
  ['hardtanh', 'min_val: any = -1.0, max_val: any = 1.0, ', kept],
  ['silu', '', unary],
  ['mish', '', unary],
  ['hardswish', '', unary],
  ['hardsigmoid', '', unary],
  ['threshold', 'threshold: any, value: any, ', unary],
  ['rrelu', 'lower: any = 0.125, upper: any = 0.333, training: any = False, ', dense],
];

const SLOTS: Readonly<Record<string, string>> = { threshold: '  0.0  0.0' };

const writing = WRITING.flatMap(([name, between, rule]) => [
  op(
    `F.${name}(input: Tensor, ${between}inplace: any = False) -> any` as 'f(input: Tensor, inplace: any = False) -> any',
    {
      maybe: activated(rule),
      // `threshold` looks at no overlap, all others write through TensorIterator.
      writes: ({ input, inplace }, call) =>
        truthOf(inplace) === true ? one(writeAll(input, {}, name === 'threshold' ? 'silent' : 'unchecked', call)) : [],
      samples: [
        `(2, 3)/(1, 2)${SLOTS[name] ?? ''}`,
        `(2, 3, 4)/(24, 1, 6)${SLOTS[name] ?? ''}`,
        `(2, 3)${SLOTS[name] ?? ''}  inplace=True`,
      ],
    },
  ),
]);

/** Activations that only make new tensors. */
const MAKING: readonly (readonly [string, string, Rule])[] = [
  ['gelu', "approximate: any = 'none'", unary],
  ['softplus', 'beta: any = 1, threshold: any = 20', unary],
  ['logsigmoid', '', dense],
  ['softsign', '', unary],
  ['tanhshrink', '', unary],
  ['hardshrink', 'lambd: any = 0.5', unary],
  ['softshrink', 'lambd: any = 0.5', unary],
  ['sigmoid', '', unary],
  ['tanh', '', unary],
];

/** Made of functions that turn integers to floats; the others take none. */
const COMPUTED = new Set(['sigmoid', 'tanh', 'softsign', 'tanhshrink']);

const making = MAKING.map(([name, more, rule]) =>
  op(`F.${name}(input: Tensor${more === '' ? '' : `, ${more}`}) -> Tensor` as 'f(input: Tensor) -> Tensor', {
    ...(name === 'hardshrink' ? { also: ['hardshrink'] } : {}),
    shape: ({ input }, call) =>
      COMPUTED.has(name) ? iterated([input], dtypeOfKind('float', input.dtype), call) : rule(input.layout, call),
    dtype: ({ input }) => (COMPUTED.has(name) ? dtypeOfKind('float', input.dtype) : input.dtype),
    samples: [
      '(2, 3)/(1, 2)',
      '(2, 3, 4)/(24, 1, 6)',
      ...(COMPUTED.has(name) ? ['(2, 3):int64', '(1, 2)/(1, 2):int64'] : []),
    ],
  }),
);

const IN_PLACE: readonly (readonly [string, string])[] = [
  ['elu_', 'alpha: any = 1.0'],
  ['selu_', ''],
  ['celu_', 'alpha: any = 1.0'],
  ['leaky_relu_', 'negative_slope: any = 0.01'],
  ['hardtanh_', 'min_val: any = -1.0, max_val: any = 1.0'],
  ['threshold_', 'threshold: any, value: any'],
  ['rrelu_', 'lower: any = 0.125, upper: any = 0.333, training: any = False'],
  ['relu_', ''],
];

const inPlace = IN_PLACE.map(([name, more]) =>
  op(`F.${name}(input: Tensor${more === '' ? '' : `, ${more}`}) -> any` as 'f(input: Tensor) -> any', {
    also: name === 'threshold_' ? ['torch.threshold_'] : [],
    maybe: ({ input }) => same(input),
    writes: ({ input }, call) => one(writeAll(input, {}, name === 'threshold_' ? 'silent' : 'unchecked', call)),
    samples: [`(2, 3)/(1, 2)${name === 'threshold_' ? '  0.0  0.0' : ''}`],
  }),
);

/** The first half of a dim gated by the second. */
function gated(layout: Layout, dim: number, { ask, demand }: Call): Result<Layout> {
  const axis = wrapDim(layout, dim);
  if (isFault(axis)) return axis;
  const size = layout.shape[axis] ?? ONE;
  const odd = oddSize(size, axis, ask.facts);
  if (odd !== null) return odd;
  const half = floorDiv(size, int(2));
  const first = narrow(layout, dim, ZERO, half, ask);
  if (isFault(first)) return first;
  const second = narrow(layout, dim, half, half, ask);
  return isFault(second) ? second : elementwise([first, second], ask, { demand });
}

function oddSize(size: Parameters<typeof mod>[0], axis: number, facts: Call['ask']['facts']): Fault | null {
  if (always('equal', mod(size, int(2)), ZERO, facts) !== false) return null;
  return raises({
    is: 'argument',
    name: 'input',
    got: `size ${size.constant ?? 'odd'} at dim ${axis}`,
    expects: 'an even size',
  });
}

/** One slope for all, or one for each channel. */
function notSlopes(input: Layout, weight: Value, call: Call): Fault | null {
  if (weight.kind !== 'tensor' || weight.layout.front || input.front) return null;
  const [slopes = ONE] = weight.layout.shape;
  if (call.ask.isOne(slopes) !== false) return null;
  return agree(slopes, input.shape[1] ?? ONE, 'dim 0 of weight', call);
}

export const activations: readonly Entry[] = [
  ...writing,
  ...making,
  ...inPlace,
  op('F.glu(input: Tensor, dim: int = -1) -> Tensor', {
    shape: ({ input, dim }, call) => gated(input.layout, dim, call),
    samples: ['(2, 4)', '(2, 4, 3)/(1, 2, 8)  1', '(2, 3)  !'],
  }),
  op('F.prelu(input: Tensor, weight: any) -> Tensor', {
    also: ['prelu'],
    raises: ({ input, weight }, call) => notSlopes(input.layout, weight, call),
    shape: ({ input: { layout } }, call) =>
      since(call, 2, 6) ? kept(layout, call) : suggested(layout, layout.shape, call.ask),
    samples: [
      '(2, 3)/(1, 2)  (1,)',
      '(2, 3, 4, 5)/(60, 1, 15, 3)  (3,)',
      '(2, 3, 4)/(24, 1, 6)  (3,)',
      '(2, 4, 3)  (3,)  !',
    ],
  }),
  ...(['selu', 'celu', 'rrelu'] as const).map((name) =>
    op(`torch.${name}(input: Tensor) -> Tensor`, {
      shape: ({ input }, call) => (name === 'rrelu' ? dense : unary)(input.layout, call),
      samples: ['(2, 3)/(1, 2)'],
    }),
  ),
  ...(['selu_', 'celu_', 'rrelu_'] as const).map((name) =>
    op(`torch.${name}(input: Tensor) -> any`, {
      maybe: ({ input }) => same(input),
      writes: ({ input }, call) => one(writeAll(input, {}, 'unchecked', call)),
      samples: ['(2, 3)/(1, 2)'],
    }),
  ),
  op('torch.threshold(input: Tensor, threshold: any, value: any) -> Tensor', {
    shape: ({ input }, call) => unary(input.layout, call),
    samples: ['(2, 3)/(1, 2)  0.0  0.0'],
  }),
];
