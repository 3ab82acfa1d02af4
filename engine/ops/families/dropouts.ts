import { ONE, type Truth } from '../../symbols/index.ts';
import {
  chain,
  elementwise,
  type Fault,
  isFault,
  type Layout,
  preserve,
  type Result,
  raises,
  type Tensor,
  unsqueeze,
  unsure,
} from '../../tensor/index.ts';
import type { Value } from '../../values/value.ts';
import { type Call, since } from '../context.ts';
import { common, fresh as dense, unstrided } from '../layouts/format.ts';
import { isEmpty } from '../layouts/inquiry.ts';
import { denseLike } from '../layouts/reduction.ts';
import { type Entry, either, fresh, op, same, viewOf } from '../op.ts';
import type { OpResult, Write } from '../outcome.ts';
import { one, possible, writeAll } from '../writing.ts';

/** A Python value as a condition, as far as it is known. */
export function truthOf(value: Value): Truth {
  if (value.kind === 'bool') return value.value;
  if (value.kind === 'none') return false;
  if (value.kind === 'int') return value.value.constant === null ? undefined : value.value.constant !== 0;
  if (value.kind === 'float') return value.value === null ? undefined : value.value !== 0;
  return undefined;
}

interface Dropout {
  readonly input: Tensor;
  readonly p: Value;
  readonly training: Value;
  readonly inplace: Value;
}

/** "dropout probability has to be between 0 and 1": asked for also where nothing is dropped. */
export function notAProbability(p: Value): Fault | null {
  const known = p.kind === 'float' ? p.value : p.kind === 'int' ? p.value.constant : null;
  return known !== null && (known < 0 || known > 1)
    ? raises({ is: 'argument', name: 'p', got: `${known}`, expects: 'a probability, from 0 to 1' })
    : null;
}

/** Whether elements are dropped at all: not outside training, nor with p = 0. */
function drops({ p, training }: Pick<Dropout, 'p' | 'training'>): Truth {
  const trains = truthOf(training);
  const positive = truthOf(p);
  if (trains === false || positive === false) return false;
  return trains === undefined || positive === undefined ? undefined : true;
}

/** A result that is the input itself where nothing is dropped. */
export function dropped(args: Dropout, layout: Result<Layout>): Result<OpResult> {
  if (truthOf(args.inplace) === true) return same(args.input);
  const does = drops(args);
  const empty = args.input.layout.shape.some((size) => size.constant === 0);
  if (does === false || empty) return same(args.input);
  if (isFault(layout)) return layout;
  if (does === true && truthOf(args.inplace) === false) return fresh(layout, args.input.dtype);
  return either(args.input, common(args.input.layout, layout));
}

/** `x * noise`, the noise being in the layout of the input since 2.0. */
function noisy(input: Layout, call: Call): Result<Layout> {
  const noise = since(call, 2, 0) ? preserve(input, call.ask) : denseLike(input);
  return isFault(noise) ? noise : elementwise([input, noise], call.ask);
}

/** One number of noise for every channel. */
function noisyByChannel(input: Layout, call: Call): Result<Layout> {
  if (input.front || input.shape.length < 2) return unstrided(input.shape, input.front);
  return elementwise([input, dense(input.shape.map((size, d) => (d < 2 ? size : ONE)))], call.ask);
}

export const writes = (args: Dropout, call: Call) =>
  truthOf(args.inplace) === true ? written(args, args.input, call) : [];

/** Where nothing is dropped nothing is written. */
function written(args: Pick<Dropout, 'p' | 'training'>, input: Tensor, call: Call): Result<readonly Write[]> {
  const does = drops(args);
  if (does === false) return [];
  const write = writeAll(input, {}, 'unchecked', call);
  return does === undefined ? possible(write) : one(write);
}

const elementwiseDropouts = [
  ['dropout', 'True'],
  ['alpha_dropout', 'False'],
].map(([name, training]) =>
  op(`F.${name}(input: Tensor, p: any = 0.5, training: any = ${training}, inplace: any = False) -> any`, {
    raises: ({ p }) => notAProbability(p),
    maybe: (args, call) => dropped(args, noisy(args.input.layout, call)),
    writes,
    samples: [
      '(2, 3)',
      '(2, 3)/(1, 2)  0.5  True',
      '(2, 3)  0.5  False',
      '(2, 3)/(1, 2)  0.0',
      '(2, 3)  1.5  !',
      '(2, 3)  -1  !',
    ],
  }),
);

/** The rank that has a batch, where a lone sample gets a dim for it and loses it again. */
const BATCHED: Readonly<Record<string, number>> = { dropout1d: 3, dropout3d: 5 };

function droppedByChannel(name: string, args: Dropout, call: Call): Result<OpResult> {
  const { layout } = args.input;
  const rank = BATCHED[name];
  if (rank === undefined || truthOf(args.inplace) === true || (!layout.front && layout.shape.length === rank))
    return dropped(args, noisyByChannel(layout, call));
  if (layout.front) return unsure('whether there is a batch is not known');
  const noised = chain(unsqueeze(layout, 0), (one) => noisyByChannel(one, call));
  const result = dropped(
    args,
    chain(noised, ({ shape, stride, ...rest }) => ({
      ...rest,
      shape: shape.slice(1),
      stride: stride?.slice(1) ?? null,
    })),
  );
  // What is not dropped from comes back as a view of itself.
  return isFault(result) || result.is !== 'same' ? result : viewOf(args.input, layout);
}

const notChannels = (name: string, { shape, front }: Layout): Fault | null =>
  name === 'dropout1d' && !front && shape.length !== 2 && shape.length !== 3
    ? raises({ is: 'rank-differs', what: 'input', expected: '2 or 3', got: shape.length })
    : null;

const channelDropouts = [
  ['dropout1d', 'True'],
  ['dropout2d', 'True'],
  ['dropout3d', 'True'],
  ['feature_alpha_dropout', 'False'],
].map(([name = '', training]) =>
  op(`F.${name}(input: Tensor, p: any = 0.5, training: any = ${training}, inplace: any = False) -> any`, {
    raises: ({ input, p }) => notAProbability(p) ?? notChannels(name, input.layout),
    maybe: (args, call) => droppedByChannel(name, args, call),
    writes,
    samples: [
      '(2, 3, 4)',
      '(2, 3, 4)/(1, 8, 2)  0.5  True',
      '(2, 3, 4)  0.5  False',
      '(2, 3, 4)  0.5  True  True',
      '(2, 3, 4)  2.0  !',
      ...(name === 'dropout1d' ? ['(2, 3)/(1, 2)', '(2, 3)  0.5  False', '(2, 3, 4, 5)  !'] : ['(2, 3, 4, 5, 6)']),
    ],
  }),
);

export const dropouts: readonly Entry[] = [
  ...elementwiseDropouts,
  ...channelDropouts,
  op('torch.dropout(input: Tensor, p: any, train: any) -> any', {
    maybe: ({ input, p, train }, call) =>
      dropped({ input, p, training: train, inplace: { kind: 'bool', value: false } }, noisy(input.layout, call)),
    samples: ['(2, 3)  0.5  True', '(2, 3)  0.5  False'],
  }),
  op('torch.alpha_dropout(input: Tensor, p: any, train: any) -> any', {
    maybe: ({ input, p, train }, call) =>
      dropped({ input, p, training: train, inplace: { kind: 'bool', value: false } }, noisy(input.layout, call)),
    samples: ['(3, 4)/(1, 3)  0.5  True', '(2, 3)  0.5  False'],
  }),
  ...(['feature_dropout', 'feature_alpha_dropout'] as const).map((name) =>
    op(`torch.${name}(input: Tensor, p: any, train: any) -> any`, {
      maybe: ({ input, p, train }, call) =>
        dropped(
          { input, p, training: train, inplace: { kind: 'bool', value: false } },
          noisyByChannel(input.layout, call),
        ),
      samples: ['(2, 3, 4)  0.5  True', '(2, 3, 4)/(1, 8, 2)  0.5  True', '(2, 3, 4)  0.5  False'],
    }),
  ),
  ...(['dropout_', 'alpha_dropout_', 'feature_dropout_', 'feature_alpha_dropout_'] as const).map((name) =>
    op(`torch.${name}(input: Tensor, p: any, train: any) -> Tensor`, {
      maybe: ({ input }) => same(input),
      writes: ({ input, p, train }, call) => written({ p, training: train }, input, call),
      samples: ['(2, 3, 4)  0.5  True', '(2, 3, 4)  0.5  False'],
    }),
  ),
  op('torch.native_dropout(input: Tensor, p: any, train: any) -> Tensor[]', {
    maybe: ({ input, train }, call) => {
      const { layout, dtype } = input;
      const mask = preserve(layout, call.ask);
      const made = elementwise([layout], call.ask);
      if (isFault(mask)) return mask;
      if (isFault(made)) return made;
      // Without elements the input comes back, and the mask is like it.
      if (layout.shape.some((size) => isEmpty(size, call)))
        return { is: 'tuple', items: [same(input), fresh(mask, dtype)] };
      const sure = layout.shape.every((size) => size.constant !== null);
      const trains = truthOf(train);
      const kept = trains === undefined ? common(made, mask) : trains ? made : mask;
      return { is: 'tuple', items: [fresh(kept, dtype), fresh(mask, sure ? 'bool' : null)] };
    },
    samples: [
      '(3, 4)/(1, 3)  0.5  True',
      '(5, 1, 2)/(2, 12, 1)  0.5  True',
      '(5, 1, 2)/(2, 12, 1)  0.5  False',
      '(0, 3)  0.5  True',
    ],
  }),
];
