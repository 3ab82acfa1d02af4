import { ONE } from '../../symbols/index.ts';
import {
  broadcastLayouts,
  chain,
  type DType,
  elementwise,
  expand,
  isFault,
  type Layout,
  preserve,
  type Result,
  raises,
  SCALAR,
  type Tensor,
} from '../../tensor/index.ts';
import type { Value } from '../../values/value.ts';
import type { Call } from '../context.ts';
import { commonDType, dtypeOfKind } from '../elementwise.ts';
import { common, fresh } from '../layouts/format.ts';
import { agree } from '../layouts/inquiry.ts';
import { type Entry, op } from '../op.ts';
import { truthOf } from './dropouts.ts';

type Unreduced = (input: Layout, target: Layout, call: Call) => Result<Layout>;

/** A loss is 0-dim unless `reduction='none'` leaves its terms. */
export function loss(reduction: string, terms: () => Result<Layout>): Result<Layout> {
  if (!['none', 'mean', 'sum', 'batchmean'].includes(reduction))
    return raises({ is: 'argument', name: 'reduction', got: `'${reduction}'`, expects: 'none, mean or sum' });
  const layout = terms();
  if (isFault(layout)) return layout.fault === 'unsure' && reduction !== 'none' ? fresh([]) : layout;
  return reduction === 'none' ? layout : fresh([]);
}

export const both: Unreduced = (input, target, { ask, demand }) => elementwise([input, target], ask, { demand });
/** abs of a difference: the layout of the difference, seen alone. */
const difference: Unreduced = (input, target, call) => {
  const between = both(input, target, call);
  return isFault(between) ? between : elementwise([between], call.ask);
};
const likeTarget: Unreduced = (input, target, call) => {
  const shape = broadcastLayouts([input, target], call.ask, { demand: call.demand });
  return isFault(shape) ? shape : preserve(target, call.ask);
};
const likeInput: Unreduced = (input, target, call) => {
  const shape = broadcastLayouts([input, target], call.ask, { demand: call.demand });
  if (isFault(shape)) return shape;
  const wide = input.front ? input : expand(input, shape.shape, call.ask);
  return isFault(wide) ? wide : preserve(wide, call.ask);
};
/** `xlogy(target, target) - target * input`: the target comes first. */
const divergence: Unreduced = (input, target, call) => {
  const { ask, demand } = call;
  const entropy = elementwise([target, target], ask);
  const cross = elementwise([target, input], ask, { demand });
  if (isFault(entropy)) return entropy;
  return isFault(cross) ? cross : elementwise([entropy, cross], ask, { demand });
};
/** `where(target != 1, clamp(margin - input), zeros) + where(target != -1, input, zeros)`. */
const hinge: Unreduced = (input, target, { ask, demand }) => {
  const zeros = preserve(input, ask);
  const condition = elementwise([target, SCALAR], ask);
  const margin = elementwise([input, SCALAR], ask);
  if (isFault(zeros)) return zeros;
  if (isFault(condition)) return condition;
  if (isFault(margin)) return margin;
  const far = elementwise([condition, margin, zeros], ask, { demand });
  const near = elementwise([condition, input, zeros], ask, { demand });
  if (isFault(far)) return far;
  return isFault(near) ? near : elementwise([far, near], ask, { demand });
};

/** `exp(input) - target * input`, or `input - target * log(input + eps)` where the input is no logarithm. */
export function counts(input: Layout, target: Layout, logged: Value, call: Call): Result<Layout> {
  const terms = (rate: Layout) => chain(both(target, input, call), (product) => both(rate, product, call));
  const ofLogarithm = chain(elementwise([input], call.ask), terms);
  const logarithm = truthOf(logged);
  if (logarithm === true) return ofLogarithm;
  const ofRate = chain(elementwise([input], call.ask), (log) =>
    chain(both(target, log, call), (product) => both(input, product, call)),
  );
  if (logarithm === false) return ofRate;
  return chain(ofLogarithm, (one) => chain(ofRate, (other) => common(one, other)));
}

interface InputAndTarget {
  readonly input: Tensor;
  readonly target: Tensor;
}

export const joint = ({ input, target }: InputAndTarget) => commonDType([input, target]);

/** What is computed of tensors and Python floats. */
export const floated = (...tensors: readonly Tensor[]) => dtypeOfKind('float', commonDType(tensors));

/** Those whose terms are not of the common dtype. */
export const TERM_DTYPES: Readonly<Record<string, (args: InputAndTarget) => DType | null>> = {
  hinge_embedding_loss: ({ input }) => input.dtype,
  huber_loss: ({ input }) => input.dtype,
  soft_margin_loss: ({ input }) => input.dtype,
  binary_cross_entropy_with_logits: ({ target }) => target.dtype,
  l1_loss: (args) => dtypeOfKind('real', joint(args)),
};

/** Losses of two tensors of one shape: name, further arguments, the layout of their terms. */
export const PAIRS: readonly (readonly [string, string, Unreduced])[] = [
  ['mse_loss', "size_average: any = None, reduce: any = None, reduction: str = 'mean', weight: any = None", both],
  ['l1_loss', "size_average: any = None, reduce: any = None, reduction: str = 'mean', weight: any = None", difference],
  ['smooth_l1_loss', "size_average: any = None, reduce: any = None, reduction: str = 'mean', beta: any = 1.0", both],
  ['huber_loss', "reduction: str = 'mean', delta: any = 1.0, weight: any = None", likeInput],
  ['soft_margin_loss', "size_average: any = None, reduce: any = None, reduction: str = 'mean'", both],
  [
    'kl_div',
    "size_average: any = None, reduce: any = None, reduction: str = 'mean', log_target: any = False",
    divergence,
  ],
  [
    'binary_cross_entropy',
    "weight: any = None, size_average: any = None, reduce: any = None, reduction: str = 'mean'",
    likeInput,
  ],
  [
    'binary_cross_entropy_with_logits',
    "weight: any = None, size_average: any = None, reduce: any = None, reduction: str = 'mean', pos_weight: any = None",
    likeTarget,
  ],
  [
    'hinge_embedding_loss',
    "margin: any = 1.0, size_average: any = None, reduce: any = None, reduction: str = 'mean'",
    hinge,
  ],
];

export type Pair = "f(input: Tensor, target: Tensor, reduction: str = 'mean') -> Tensor";

/** `torch.broadcast_tensors` comes first, and a cast after that fills what was spread. */
const BROADCASTS = new Set(['mse_loss', 'l1_loss', 'smooth_l1_loss', 'huber_loss']);

function spreadTerms(input: Tensor, target: Tensor, terms: Unreduced, call: Call): Result<Layout> {
  const dtype = joint({ input, target });
  const kept = termsAs(input, target, (tensor) => dtype !== null && tensor.dtype !== dtype, terms, call);
  if (dtype !== null) return kept;
  // Where a dtype is not known either may be cast, or none.
  return [[input], [target], [input, target]].reduce(
    (all, casts) =>
      chain(all, (one) =>
        chain(
          termsAs(input, target, (tensor) => casts.includes(tensor), terms, call),
          (other) => common(one, other),
        ),
      ),
    kept,
  );
}

function termsAs(
  input: Tensor,
  target: Tensor,
  isCast: (tensor: Tensor) => boolean,
  terms: Unreduced,
  call: Call,
): Result<Layout> {
  const { ask, demand } = call;
  return chain(broadcastLayouts([input.layout, target.layout], ask, { demand }), ({ shape, front }) => {
    const spread = (tensor: Tensor) =>
      chain(expand(tensor.layout, shape, ask, { demand, front }), (wide) =>
        isCast(tensor) ? preserve(wide, ask) : wide,
      );
    return chain(spread(input), (left) => chain(spread(target), (right) => terms(left, right, call)));
  });
}

/** These take no broadcasting. */
const EXACT = new Set(['binary_cross_entropy', 'binary_cross_entropy_with_logits']);

/** Losses of an input and a target of the same sizes. */
const ofPairs = PAIRS.map(([name, more, terms]) =>
  op(`F.${name}(input: Tensor, target: Tensor, ${more}) -> Tensor` as Pair, {
    raises: ({ input, target }, call) => (EXACT.has(name) ? sameSizes(input.layout, target.layout, call) : null),
    shape: ({ input, target, reduction }, call) =>
      loss(reduction, () =>
        BROADCASTS.has(name) ? spreadTerms(input, target, terms, call) : terms(input.layout, target.layout, call),
      ),
    dtype: TERM_DTYPES[name] ?? joint,
    samples: [
      '(2, 3)  (2, 3)',
      "(2, 3)/(1, 2)  (2, 3)/(1, 2)  reduction='none'",
      "(1, 3)/(1, 1)  (1, 3)/(9, 1)  reduction='none'",
      ...(BROADCASTS.has(name) ? ["(1,)  (2, 2)/(1, 2):float64  reduction='none'"] : []),
      ...(EXACT.has(name) ? [] : ["(2, 3)  (2, 3):float64  reduction='none'"]),
      "(2, 3)  (2, 3)  reduction='sum'",
    ],
  }),
);

export const pairLosses: readonly Entry[] = [
  ...ofPairs,
  op(
    "F.poisson_nll_loss(input: Tensor, target: Tensor, log_input: any = True, full: any = False, size_average: any = None, eps: any = 1e-8, reduce: any = None, reduction: str = 'mean') -> Tensor",
    {
      shape: ({ input, target, log_input, reduction }, call) =>
        loss(reduction, () => counts(input.layout, target.layout, log_input, call)),
      dtype: ({ input, target }) => floated(input, target),
      samples: [
        '(2, 3)  (2, 3)',
        "(2, 3)/(1, 2)  (2, 3)  reduction='none'",
        "(1, 3)/(1, 1)  (1, 3)/(9, 1)  reduction='none'",
        "(1, 3)/(9, 1)  (1, 3)  False  reduction='none'",
        "(2, 3)  (2, 3):float64  reduction='none'",
        "(2, 3)  (2, 3)  reduction='sum'",
      ],
    },
  ),
];

export function sameSizes(input: Layout, target: Layout, call: Call) {
  if (input.front || target.front) return null;
  if (input.shape.length !== target.shape.length)
    return raises({ is: 'rank-differs', what: 'target', expected: `${input.shape.length}`, got: target.shape.length });
  for (const [d, size] of input.shape.entries()) {
    const differs = agree(size, target.shape[d] ?? ONE, `dim ${d} of target`, call);
    if (differs !== null) return differs;
  }
  return null;
}
