import { floorDiv, int, mul, ONE, sub } from '../../symbols/index.ts';
import {
  broadcastLayouts,
  chain,
  type DType,
  elementwise,
  expand,
  type Fault,
  isFault,
  isFloat,
  type Layout,
  preserve,
  promote,
  type Result,
  raises,
  SCALAR,
  type Tensor,
  unsqueeze,
  unsure,
} from '../../tensor/index.ts';
import type { Value } from '../../values/value.ts';
import type { Call } from '../context.ts';
import { commonDType, dtypeOfKind } from '../elementwise.ts';
import { outOfRange } from '../indexing/conditions.ts';
import { fresh } from '../layouts/format.ts';
import { agree } from '../layouts/inquiry.ts';
import { denseLike, reduced } from '../layouts/reduction.ts';
import { type Entry, op } from '../op.ts';

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

/** `exp(input) - target * input`. */
const counts: Unreduced = (input, target, call) =>
  chain(elementwise([input], call.ask), (rate) =>
    chain(both(target, input, call), (product) => both(rate, product, call)),
  );

interface InputAndTarget {
  readonly input: Tensor;
  readonly target: Tensor;
}

export const joint = ({ input, target }: InputAndTarget) =>
  input.dtype === null || target.dtype === null ? null : promote(input.dtype, target.dtype);

/** What is computed of tensors and Python floats. */
export const floated = (...tensors: readonly Tensor[]) => dtypeOfKind('float', commonDType(tensors));

/** A distance between complex numbers is real. */
export const length = (...tensors: readonly Tensor[]) => dtypeOfKind('real', floated(...tensors));

/** A dot product over the lengths of both. */
export const similarity = (x1: Tensor, x2: Tensor) =>
  commonDType([x1, x2].map((x) => ({ ...x, dtype: dtypeOfKind('float', x.dtype) })));

/** Those whose terms are not of the common dtype. */
export const TERM_DTYPES: Readonly<Record<string, (args: InputAndTarget) => DType | null>> = {
  hinge_embedding_loss: ({ input }) => input.dtype,
  huber_loss: ({ input }) => input.dtype,
  soft_margin_loss: ({ input }) => input.dtype,
  l1_loss: (args) => dtypeOfKind('real', joint(args)),
  poisson_nll_loss: ({ input, target }) => floated(input, target),
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
  [
    'poisson_nll_loss',
    "log_input: any = True, full: any = False, size_average: any = None, eps: any = 1e-8, reduce: any = None, reduction: str = 'mean'",
    counts,
  ],
];

type Pair = "f(input: Tensor, target: Tensor, reduction: str = 'mean') -> Tensor";
type Classed = "f(input: Tensor, target: Tensor, ignore_index: any = -100, reduction: str = 'mean') -> Tensor";

/** These take no broadcasting. */
const EXACT = new Set(['binary_cross_entropy', 'binary_cross_entropy_with_logits']);

const pairs = PAIRS.map(([name, more, terms]) =>
  op(`F.${name}(input: Tensor, target: Tensor, ${more}) -> Tensor` as Pair, {
    raises: ({ input, target }, call) => (EXACT.has(name) ? sameSizes(input.layout, target.layout, call) : null),
    shape: ({ input, target, reduction }, call) => loss(reduction, () => terms(input.layout, target.layout, call)),
    dtype: TERM_DTYPES[name] ?? joint,
    samples: [
      '(2, 3)  (2, 3)',
      "(2, 3)/(1, 2)  (2, 3)/(1, 2)  reduction='none'",
      "(1, 3)/(1, 1)  (1, 3)/(9, 1)  reduction='none'",
      ...(EXACT.has(name) ? [] : ["(2, 3)  (2, 3):float64  reduction='none'"]),
      "(2, 3)  (2, 3)  reduction='sum'",
    ],
  }),
);

function sameSizes(input: Layout, target: Layout, call: Call) {
  if (input.front || target.front) return null;
  if (input.shape.length !== target.shape.length)
    return raises({ is: 'rank-differs', what: 'target', expected: `${input.shape.length}`, got: target.shape.length });
  for (const [d, size] of input.shape.entries()) {
    const differs = agree(size, target.shape[d] ?? ONE, `dim ${d} of target`, call);
    if (differs !== null) return differs;
  }
  return null;
}

/** Class indices have the sizes of the input but for the class dim. */
function classes(input: Layout, target: Layout, call: Call): Result<Layout> {
  if (input.front || target.front)
    return input.front && target.front && input.shape.length <= target.shape.length
      ? unsure('the rank of the input is not known')
      : fresh(target.shape, target.front);
  const rank = input.shape.length;
  const axis = rank === 1 ? 0 : 1;
  const rest = input.shape.filter((_, d) => d !== axis);
  // One sample without a batch: its class may stand in a dim of size 1.
  if (rank === 1 && target.shape.length === 1)
    return agree(target.shape[0] ?? ONE, ONE, 'dim 0 of target', call) ?? fresh([]);
  if (target.shape.length !== rank - 1)
    return raises({ is: 'rank-differs', what: 'target', expected: `${rank - 1}`, got: target.shape.length });
  for (const [d, size] of target.shape.entries()) {
    const differs = agree(rest[d] ?? ONE, size, `dim ${d} of target`, call);
    if (differs !== null) return differs;
  }
  return fresh(rest);
}

/** A target of the rank of the input holds probabilities of the classes, and is no index. */
function classesOrProbabilities(input: Tensor, target: Tensor, call: Call): Result<Layout> {
  const rank = input.layout.shape.length;
  const alike = !input.layout.front && !target.layout.front && target.layout.shape.length === rank;
  if (!alike || (target.dtype !== null && !isFloat(target.dtype))) return classes(input.layout, target.layout, call);
  const differs = target.dtype === null ? null : sameSizes(input.layout, target.layout, call);
  return differs ?? fresh(input.layout.shape.filter((_, d) => d !== (rank === 1 ? 0 : 1)));
}

/** `ctc_loss` of (time, batch, classes). */
export const perSample = ({ shape, front }: Layout): Result<Layout> =>
  front && shape.length < 3 ? unsure('the batch is not known') : fresh([shape.at(-2) ?? ONE]);

/** `nll_loss_nd` takes classes as int64, or as bytes. */
function notAnIndex(name: string, input: Tensor, target: Tensor) {
  const probabilities = name === 'cross_entropy' && target.layout.shape.length === input.layout.shape.length;
  if (target.dtype === null || target.layout.front || input.layout.front || probabilities) return null;
  if (target.dtype === 'int64' || target.dtype === 'uint8') return null;
  return raises({ is: 'argument', name: 'target', got: target.dtype, expects: 'int64 or uint8 classes' });
}

/** "Target 5 is out of bounds." */
function noClass(input: Tensor, target: Tensor, ignored: Value): Fault | null {
  const { shape, front } = input.layout;
  const size = front ? undefined : shape[shape.length === 1 ? 0 : 1];
  if (target.elements === null || ignored.kind !== 'int') return null;
  const without = target.elements.filter((element) => element !== ignored.value.constant);
  return outOfRange({ ...target, elements: without }, size, 1);
}

const classLosses = (['cross_entropy', 'nll_loss'] as const).map((name) =>
  op(
    `F.${name}(input: Tensor, target: Tensor, weight: any = None, size_average: any = None, ignore_index: any = -100, reduce: any = None, reduction: str = 'mean'${name === 'nll_loss' ? '' : ', label_smoothing: any = 0.0'}) -> Tensor` as Classed,
    {
      raises: ({ input, target, ignore_index }) =>
        notAnIndex(name, input, target) ?? noClass(input, target, ignore_index),
      shape: ({ input, target, reduction }, call) =>
        loss(reduction, () =>
          name === 'nll_loss'
            ? classes(input.layout, target.layout, call)
            : classesOrProbabilities(input, target, call),
        ),
      samples: [
        '(4, 5)  [0, 1, 2, 3]:int64',
        "(4, 5)  [0, 1, 2, 3]:int64  reduction='none'",
        '(4, 5)  [0, 1]:int64  !',
        '(2, 5)  [0, 5]:int64  !',
        '(2, 5)  [0, -1]:int64  !',
        '(2, 5)  [0, -100]:int64',
        '(2, 5)  [0, 7]:int64  ignore_index=7',
        '(4, 5)  [0, 1, 2, 3]:int32  !',
        '(4, 5)  (4,)  !',
        '(4, 5)  (4, 1):int64  !',
        '(4, 5)  (4, 5):int64  !',
        '(4, 5)  (4, 5, 6):int64  !',
        ...(name === 'nll_loss' ? [] : ['(4, 5)  (4, 5)', '(4, 5)  (4, 1)  !']),
      ],
    },
  ),
);

/** Distances over one dim, contiguous. */
export function distance(a: Layout, b: Layout, dim: number, keepdim: boolean, call: Call): Result<Layout> {
  const shape = broadcastLayouts([a, b], call.ask, { demand: call.demand });
  return isFault(shape) ? shape : reduced(fresh(shape.shape, shape.front), [dim], keepdim);
}

/** How much nearer the one is than the other. */
export function margin(anchor: Layout, positive: Layout, negative: Layout, call: Call): Result<Layout> {
  return chain(distance(anchor, positive, -1, false, call), (near) =>
    chain(distance(anchor, negative, -1, false, call), (far) => both(near, far, call)),
  );
}

/** `log(var) + (input - target) ** 2 / var`, where a variance of one dim less stands for a whole row. */
function likelihood(input: Layout, target: Layout, variance: Value, call: Call): Result<Layout> {
  const { ask, demand } = call;
  const between = both(input, target, call);
  if (isFault(between) || (variance.kind !== 'tensor' && variance.kind !== 'float')) return between;
  const given = variance.kind === 'tensor' ? variance.layout : input;
  const lone = given.shape.length === input.shape.length - 1;
  const wide = chain(preserve(given, ask), (kept) => (lone ? unsqueeze(kept, -1) : kept));
  if (isFault(wide)) return wide;
  return chain(elementwise([between, wide], ask, { demand }), (ratio) => elementwise([wide, ratio], ask, { demand }));
}

/** One class for each sample, or a list of classes for each. */
function notLabels(name: string, input: Tensor, target: Tensor, call: Call): Fault | null {
  const { layout, dtype } = target;
  if (dtype !== null && dtype !== 'int64')
    return raises({ is: 'argument', name: 'target', got: dtype, expects: 'int64 classes' });
  if (name === 'multilabel_margin_loss') return sameSizes(input.layout, layout, call);
  if (input.layout.front || layout.front || input.layout.shape.length !== 2) return null;
  return agree(input.layout.shape[0] ?? ONE, layout.shape[0] ?? ONE, 'dim 0 of target', call);
}

export const losses: readonly Entry[] = [
  ...pairs,
  ...classLosses,
  op(
    "F.triplet_margin_loss(anchor: Tensor, positive: Tensor, negative: Tensor, margin: any = 1.0, p: any = 2, eps: any = 1e-6, swap: any = False, size_average: any = None, reduce: any = None, reduction: str = 'mean') -> Tensor",
    {
      shape: ({ anchor, positive, negative, reduction }, call) =>
        loss(reduction, () => margin(anchor.layout, positive.layout, negative.layout, call)),
      dtype: ({ anchor, positive, negative }) => length(anchor, positive, negative),
      samples: ['(2, 3)  (2, 3)  (2, 3)', '(2, 3):int64  (2, 3)  (2, 3)', "(2, 3)  (2, 3)  (2, 3)  reduction='none'"],
    },
  ),
  op(
    "F.margin_ranking_loss(input1: Tensor, input2: Tensor, target: Tensor, margin: any = 0, size_average: any = None, reduce: any = None, reduction: str = 'mean') -> Tensor",
    {
      shape: ({ input1, input2, target, reduction }, call) =>
        loss(reduction, () =>
          chain(both(input1.layout, input2.layout, call), (between) =>
            chain(elementwise([target.layout], call.ask), (sign) => both(sign, between, call)),
          ),
        ),
      dtype: ({ input1, input2, target }) => floated(input1, input2, target),
      samples: [
        '(3,)  (3,)  (3,)',
        '(3,):bfloat16  (3,)  (3,)',
        "(2, 3)/(1, 2)  (2, 3)/(1, 2)  (2, 3)  reduction='none'",
      ],
    },
  ),
  op(
    "F.cosine_embedding_loss(input1: Tensor, input2: Tensor, target: Tensor, margin: any = 0, size_average: any = None, reduce: any = None, reduction: str = 'mean') -> Tensor",
    {
      raises: ({ input1, target }, call) =>
        input1.layout.front || input1.layout.shape.length !== 2 || target.layout.front
          ? null
          : agree(input1.layout.shape[0] ?? ONE, target.layout.shape[0] ?? ONE, 'dim 0 of target', call),
      shape: ({ target, reduction }) => loss(reduction, () => denseLike(target.layout)),
      dtype: ({ input1, input2 }) => similarity(input1, input2),
      samples: [
        '(2, 3)  (2, 3)  (2,)',
        '(2, 3):bfloat16  (2, 3):int64  (2,)',
        '(2, 3):float16  (2, 3):float16  (2,)',
        '(2, 3)  (2, 3)  (3,)  !',
      ],
    },
  ),
  op(
    "F.multilabel_soft_margin_loss(input: Tensor, target: Tensor, weight: any = None, size_average: any = None, reduce: any = None, reduction: str = 'mean') -> Tensor",
    {
      shape: ({ input, reduction }) => loss(reduction, () => reduced(input.layout, [-1], false)),
      dtype: joint,
      samples: ['(2, 3)  (2, 3)', '(2, 3)  (2, 3):float64'],
    },
  ),
  ...(['multi_margin_loss', 'multilabel_margin_loss'] as const).map((name) =>
    op(
      `F.${name}(input: Tensor, target: Tensor, ${name === 'multi_margin_loss' ? 'p: any = 1, margin: any = 1.0, weight: any = None, ' : ''}size_average: any = None, reduce: any = None, reduction: str = 'mean') -> Tensor` as Pair,
      {
        raises: ({ input, target }, call) => notLabels(name, input, target, call),
        shape: ({ input, reduction }) => loss(reduction, () => reduced(input.layout, [-1], false)),
        samples:
          name === 'multi_margin_loss'
            ? ['(2, 3)  [0, 1]:int64', "(2, 3)  [0, 1]:int64  reduction='none'", '(2, 3)  [0, 1, 2]:int64  !']
            : ['(2, 3)  (2, 3):int64', "(2, 3)  (2, 3):int64  reduction='none'", '(2, 3)  (2, 3)  !'],
      },
    ),
  ),
  op(
    "F.gaussian_nll_loss(input: Tensor, target: Tensor, var: any, full: any = False, eps: any = 1e-6, reduction: str = 'mean') -> Tensor",
    {
      shape: ({ input, target, var: variance, reduction }, call) =>
        loss(reduction, () => likelihood(input.layout, target.layout, variance, call)),
      dtype: ({ input, target, var: variance }) =>
        variance.kind === 'tensor' ? floated(input, target, variance) : floated(input, target),
      samples: [
        '(2, 3):int64  (2, 3)  (2, 3)',
        '(2, 3)  (2, 3)  (2, 3)',
        "(2, 3)/(1, 2)  (2, 3)/(1, 2)  (2, 3)  reduction='none'",
        "(2, 3)/(1, 2)  (2, 3)/(1, 2)  (2,)  reduction='none'",
        "(2, 3)/(1, 2)  (2, 3)/(1, 2)  0.5  reduction='none'",
      ],
    },
  ),
  op(
    "F.ctc_loss(log_probs: Tensor, targets: Tensor, input_lengths: any, target_lengths: any, blank: any = 0, reduction: str = 'mean', zero_infinity: any = False) -> Tensor",
    {
      shape: ({ log_probs, reduction }) => loss(reduction, () => perSample(log_probs.layout)),
      samples: [],
    },
  ),
  op('F.cosine_similarity(x1: Tensor, x2: Tensor, dim: int = 1, eps: any = 1e-8) -> Tensor', {
    also: ['torch.cosine_similarity'],
    shape: ({ x1, x2, dim }, call) => distance(x1.layout, x2.layout, dim, false, call),
    dtype: ({ x1, x2 }) => commonDType([x1, x2]),
    samples: ['(2, 3)  (2, 3)', '(2, 3):int64  (2, 3):float16', '(2, 3, 4)  (2, 3, 4)  -1'],
  }),
  op('F.pairwise_distance(x1: Tensor, x2: Tensor, p: any = 2.0, eps: any = 1e-6, keepdim: bool = False) -> Tensor', {
    also: ['torch.pairwise_distance'],
    shape: ({ x1, x2, keepdim }, call) => distance(x1.layout, x2.layout, -1, keepdim, call),
    dtype: ({ x1, x2 }) => length(x1, x2),
    samples: ['(2, 3)  (2, 3)', '(2, 3):complex64  (2, 3):float64', '(2, 3)  (2, 3)  keepdim=True'],
  }),
  op('torch.cdist(x1: Tensor, x2: Tensor, p: any = 2.0, compute_mode: any = None) -> Tensor', {
    raises: ({ x1, x2 }) => lineless(x1, 'x1') ?? lineless(x2, 'x2'),
    shape: ({ x1, x2 }, call) => {
      const differs = agree(x1.layout.shape.at(-1) ?? ONE, x2.layout.shape.at(-1) ?? ONE, 'the last dim of x2', call);
      if (differs !== null) return differs;
      if (x1.layout.front && x1.layout.shape.length > 2 && !x2.layout.front && x2.layout.shape.length === 2)
        return fresh([...x1.layout.shape.slice(0, -1), x2.layout.shape.at(-2) ?? ONE], true);
      if (x1.layout.front || x2.layout.front) return unsure('the rank of the input is not known');
      const batch = broadcastLayouts(
        [fresh(x1.layout.shape.slice(0, -2)), fresh(x2.layout.shape.slice(0, -2))],
        call.ask,
        { demand: call.demand },
      );
      if (isFault(batch)) return batch;
      return [...batch.shape, ...x1.layout.shape.slice(-2, -1), ...x2.layout.shape.slice(-2, -1)];
    },
    samples: [
      '(2, 3)  (4, 3)',
      '(5, 2, 3)  (5, 4, 3)',
      '(2, 3)  (4, 2)  !',
      '(3,)  (4, 3)  !',
      '(2, 3):int64  (4, 3)  !',
    ],
  }),
  op('torch.pdist(self: Tensor, p: any = 2.0) -> Tensor', {
    also: ['F.pdist'],
    ndim: { self: 2 },
    shape: ({ self }) => {
      const [rows = ONE] = self.layout.shape;
      return [floorDiv(mul(rows, sub(rows, ONE)), int(2))];
    },
    samples: ['(4, 3)'],
  }),
];

/** Sets of vectors of floating numbers. */
const lineless = ({ layout, dtype }: Tensor, what: string): Fault | null => {
  if (!layout.front && layout.shape.length < 2)
    return raises({ is: 'rank-differs', what, expected: '2 or more', got: layout.shape.length });
  return dtype === null || isFloat(dtype)
    ? null
    : raises({ is: 'argument', name: what, got: dtype, expects: 'a floating dtype' });
};
