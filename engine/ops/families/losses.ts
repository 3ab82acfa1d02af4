import { ONE } from '../../symbols/index.ts';
import {
  chain,
  elementwise,
  type Fault,
  isFault,
  isFloat,
  type Layout,
  preserve,
  type Result,
  raises,
  SCALAR,
  type Tensor,
  unsqueeze,
  unsure,
} from '../../tensor/index.ts';
import type { Value } from '../../values/value.ts';
import type { Call } from '../context.ts';
import { outOfRange } from '../indexing/conditions.ts';
import { fresh } from '../layouts/format.ts';
import { agree, isEmpty } from '../layouts/inquiry.ts';
import { ofRank } from '../layouts/product.ts';
import { reduced } from '../layouts/reduction.ts';
import { type Entry, op } from '../op.ts';
import { distance, length, similarity } from './distances.ts';
import { both, floated, joint, loss, type Pair, sameSizes } from './pair-losses.ts';

type Classed = "f(input: Tensor, target: Tensor, ignore_index: any = -100, reduction: str = 'mean') -> Tensor";

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

/** A target of another rank holds classes, whatever its dtype. */
const mayBeProbabilities = (input: Tensor, { dtype, layout }: Tensor): boolean =>
  dtype === null ? layout.shape.length === input.layout.shape.length : isFloat(dtype);

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
  if (target.elements === null || ignored.kind !== 'int' || ignored.value.constant === null) return null;
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
      dtype: ({ input, target }) =>
        name === 'cross_entropy' && mayBeProbabilities(input, target) ? joint({ input, target }) : input.dtype,
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
        ...(name === 'nll_loss' ? [] : ['(4, 5)  (4, 5)', '(4, 5)  (4, 5):float64', '(4, 5)  (4, 1)  !']),
      ],
    },
  ),
);

/** `-target * (input1 - input2) + margin`. */
export function ranking(input1: Layout, input2: Layout, target: Layout, call: Call): Result<Layout> {
  return chain(both(input1, input2, call), (between) =>
    chain(elementwise([target], call.ask), (sign) =>
      chain(both(sign, between, call), (product) => elementwise([product, SCALAR], call.ask)),
    ),
  );
}

/** The similarity of every pair, where the target says which way it counts: one for each row, or one for a lone pair. */
export function embedded(input1: Layout, input2: Layout, target: Layout, call: Call): Result<Layout> {
  if (target.front || input1.front || input2.front) return unsure('the rank of an operand is not known');
  const rank = target.shape.length + 1;
  const wrong =
    rank > 2 ? ofRank(target, 1, 'target') : (ofRank(input1, rank, 'input1') ?? ofRank(input2, rank, 'input2'));
  return wrong ?? chain(distance(input1, input2, -1, false, call), (similar) => both(similar, target, call));
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
  if (input.layout.shape.some((size) => isEmpty(size, call))) return null;
  if (dtype !== null && dtype !== 'int64')
    return raises({ is: 'argument', name: 'target', got: dtype, expects: 'int64 classes' });
  if (name === 'multilabel_margin_loss') return sameSizes(input.layout, layout, call);
  if (input.layout.front || layout.front || input.layout.shape.length !== 2) return null;
  return agree(input.layout.shape[0] ?? ONE, layout.shape[0] ?? ONE, 'dim 0 of target', call);
}

export const losses: readonly Entry[] = [
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
        loss(reduction, () => ranking(input1.layout, input2.layout, target.layout, call)),
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
      shape: ({ input1, input2, target, reduction }, call) =>
        loss(reduction, () => embedded(input1.layout, input2.layout, target.layout, call)),
      dtype: ({ input1, input2 }) => similarity(input1, input2),
      samples: [
        '(2, 3)  (2, 3)  (2,)',
        '(2, 3):bfloat16  (2, 3):int64  (2,)',
        '(2, 3):float16  (2, 3):float16  (2,)',
        '(2, 3)  (1, 3)  (1,)',
        '(2, 3)  (2, 3)  (3,)  !',
        '(2, 3)  (2, 3)  (2, 3)  !',
      ],
    },
  ),
  op(
    "F.multilabel_soft_margin_loss(input: Tensor, target: Tensor, weight: any = None, size_average: any = None, reduce: any = None, reduction: str = 'mean') -> Tensor",
    {
      shape: ({ input, target, reduction }, call) =>
        loss(reduction, () =>
          chain(both(input.layout, target.layout, call), (terms) =>
            reduced(terms, [input.layout.front ? -1 : Math.max(input.layout.shape.length - 1, 0)], false),
          ),
        ),
      dtype: joint,
      samples: ['(2, 3)  (2, 3)', '(2, 3)  (2, 3):float64', "(3,)  (2, 3)  reduction='none'"],
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
      samples: [
        '(5, 2, 3)  (2, 2):int64  [5, 5]:int64  [2, 2]:int64',
        "(5, 2, 3)  (2, 2):int64  [5, 5]:int64  [2, 2]:int64  reduction='none'",
      ],
    },
  ),
];
