import { type Layout, type Result, type Tensor, unsure } from '../../tensor/index.ts';
import type { Call } from '../context.ts';
import { denseLike } from '../layouts/reduction.ts';
import { type Entry, op } from '../op.ts';
import { length, similarity } from './distances.ts';
import { embedded, margin, perSample, ranking } from './losses.ts';
import { both, counts, floated, joint, loss, PAIRS, TERM_DTYPES } from './pair-losses.ts';

/** `at::Reduction`: the functions of `torch` take it as a number, and reduce nothing unless they are told to. */
const REDUCTIONS = ['none', 'mean', 'sum'] as const;

function reducedBy(reduction: number, terms: () => Result<Layout>): Result<Layout> {
  const name = REDUCTIONS[reduction];
  return name === undefined ? unsure('another reduction is let through by some') : loss(name, terms);
}

const pairTerms = (name: string, input: Tensor, target: Tensor, call: Call): Result<Layout> => {
  const terms = PAIRS.find(([pair]) => pair === name)?.[2] ?? both;
  return terms(input.layout, target.layout, call);
};

const OF_TWO = {
  binary_cross_entropy_with_logits: 'weight: any = None, pos_weight: any = None, reduction: int = 0',
  kl_div: 'reduction: int = 0, *, log_target: any = False',
  hinge_embedding_loss: 'margin: any = 1.0, reduction: int = 0',
} as const;

const MORE: Readonly<Record<string, string>> = {
  binary_cross_entropy_with_logits: '  None  None',
  hinge_embedding_loss: '  1.0',
};

type Form = 'f(input: Tensor, target: Tensor, reduction: int = 0) -> Tensor';

export const nativeLosses: readonly Entry[] = [
  ...Object.entries(OF_TWO).map(([name, more]) =>
    op(`torch.${name}(input: Tensor, target: Tensor, ${more}) -> Tensor` as Form, {
      shape: ({ input, target, reduction }, call) => reducedBy(reduction, () => pairTerms(name, input, target, call)),
      dtype: TERM_DTYPES[name] ?? joint,
      samples: [`(3, 4)/(1, 3)  (3, 4)/(1, 3)${MORE[name] ?? ''}  0`, `(3, 4)  (3, 4)${MORE[name] ?? ''}  1`],
    }),
  ),
  op(
    'torch.poisson_nll_loss(input: Tensor, target: Tensor, log_input: any, full: any, eps: any, reduction: int) -> Tensor',
    {
      shape: ({ input, target, log_input, reduction }, call) =>
        reducedBy(reduction, () => counts(input.layout, target.layout, log_input, call)),
      dtype: ({ input, target }) => floated(input, target),
      samples: [
        '(3, 4)/(1, 3)  (3, 4)/(1, 3)  True  False  1e-8  0',
        '(1, 3)/(9, 1)  (1, 3)  False  False  1e-8  0',
        '(3, 4)  (3, 4)  True  False  1e-8  1',
      ],
    },
  ),
  op(
    'torch.margin_ranking_loss(input1: Tensor, input2: Tensor, target: Tensor, margin: any = 0.0, reduction: int = 0) -> Tensor',
    {
      shape: ({ input1, input2, target, reduction }, call) =>
        reducedBy(reduction, () => ranking(input1.layout, input2.layout, target.layout, call)),
      dtype: ({ input1, input2, target }) => floated(input1, input2, target),
      samples: ['(3, 4)/(1, 3)  (3, 4)/(1, 3)  (3, 4)/(1, 3)  0.0  0', '(3,)  (3,)  (3,)'],
    },
  ),
  op(
    'torch.cosine_embedding_loss(input1: Tensor, input2: Tensor, target: Tensor, margin: any = 0.0, reduction: int = 0) -> Tensor',
    {
      shape: ({ input1, input2, target, reduction }, call) =>
        reducedBy(reduction, () => embedded(input1.layout, input2.layout, target.layout, call)),
      dtype: ({ input1, input2 }) => similarity(input1, input2),
      samples: ['(3, 4)  (3, 4)  (3,)  0.0  0', '(3, 4)  (3, 4)  (3,)'],
    },
  ),
  op(
    'torch.triplet_margin_loss(anchor: Tensor, positive: Tensor, negative: Tensor, margin: any = 1.0, p: any = 2.0, eps: any = 1e-6, swap: any = False, reduction: int = 0) -> Tensor',
    {
      shape: ({ anchor, positive, negative, reduction }, call) =>
        reducedBy(reduction, () => margin(anchor.layout, positive.layout, negative.layout, call)),
      dtype: ({ anchor, positive, negative }) => length(anchor, positive, negative),
      samples: ['(3, 4)  (3, 4)  (3, 4)  reduction=0', '(1, 2)  (1, 2)  (2, 1)  reduction=0', '(3, 4)  (3, 4)  (3, 4)'],
    },
  ),
  op(
    'torch.ctc_loss(log_probs: Tensor, targets: Tensor, input_lengths: any, target_lengths: any, blank: any = 0, reduction: int = 0, zero_infinity: any = False) -> Tensor',
    {
      shape: ({ log_probs, reduction }) => reducedBy(reduction, () => perSample(log_probs.layout)),
      samples: [],
    },
  ),
  op(
    "F.triplet_margin_with_distance_loss(anchor: Tensor, positive: Tensor, negative: Tensor, *, distance_function: any = None, margin: any = 1.0, swap: any = False, reduction: str = 'mean') -> Tensor",
    {
      shape: ({ anchor, positive, negative, reduction }, call) =>
        loss(reduction, () => margin(anchor.layout, positive.layout, negative.layout, call)),
      dtype: ({ anchor, positive, negative }) => length(anchor, positive, negative),
      samples: ["(3, 4)  (3, 4)  (3, 4)  reduction='none'", '(3, 4)  (3, 4)  (3, 4)'],
    },
  ),
  op(
    "F.linear_cross_entropy(input: Tensor, linear_weight: Tensor, target: Tensor, *, linear_bias: any = None, weight: any = None, reduction: str = 'mean', ignore_index: any = None, label_smoothing: any = 0.0, options: any = None) -> Tensor",
    {
      shape: ({ target, reduction }) => loss(reduction, () => denseLike(target.layout)),
      samples: ['(4, 3)  (5, 3)  [1, 2, 3, 4]:int64'],
    },
  ),
];
