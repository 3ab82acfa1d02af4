import { failed } from '../ops/call.ts';
import { raises, unsure } from '../tensor/index.ts';
import type { Value } from '../values/value.ts';
import { call, type ModuleEntry, module, withInputs } from './module.ts';

const OLD = 'size_average: any = None, reduce: any = None, ';
const MEAN = "reduction: any = 'mean'";

/** Losses of an input and a target: class, constructor arguments, function. */
const PAIRS: readonly (readonly [string, string, string])[] = [
  ['MSELoss', `${OLD}${MEAN}`, 'mse_loss'],
  ['L1Loss', `${OLD}${MEAN}`, 'l1_loss'],
  ['SmoothL1Loss', `${OLD}${MEAN}, beta: any = 1.0`, 'smooth_l1_loss'],
  ['HuberLoss', `${MEAN}, delta: any = 1.0`, 'huber_loss'],
  ['KLDivLoss', `${OLD}${MEAN}, log_target: any = False`, 'kl_div'],
  ['BCELoss', `weight: any = None, ${OLD}${MEAN}`, 'binary_cross_entropy'],
  [
    'BCEWithLogitsLoss',
    `weight: any = None, ${OLD}${MEAN}, pos_weight: any = None`,
    'binary_cross_entropy_with_logits',
  ],
  [
    'CrossEntropyLoss',
    `weight: any = None, size_average: any = None, ignore_index: any = -100, reduce: any = None, ${MEAN}, label_smoothing: any = 0.0`,
    'cross_entropy',
  ],
  [
    'NLLLoss',
    `weight: any = None, size_average: any = None, ignore_index: any = -100, reduce: any = None, ${MEAN}`,
    'nll_loss',
  ],
  [
    'NLLLoss2d',
    `weight: any = None, size_average: any = None, ignore_index: any = -100, reduce: any = None, ${MEAN}`,
    'nll_loss',
  ],
  [
    'PoissonNLLLoss',
    `log_input: any = True, full: any = False, size_average: any = None, eps: any = 1e-8, reduce: any = None, ${MEAN}`,
    'poisson_nll_loss',
  ],
  ['SoftMarginLoss', `${OLD}${MEAN}`, 'soft_margin_loss'],
  ['HingeEmbeddingLoss', `margin: any = 1.0, ${OLD}${MEAN}`, 'hinge_embedding_loss'],
  ['MultiLabelSoftMarginLoss', `weight: any = None, ${OLD}${MEAN}`, 'multilabel_soft_margin_loss'],
  ['MultiLabelMarginLoss', `${OLD}${MEAN}`, 'multilabel_margin_loss'],
  ['MultiMarginLoss', `p: any = 1, margin: any = 1.0, weight: any = None, ${OLD}${MEAN}`, 'multi_margin_loss'],
];

/** Reductions that leave one number, whatever the terms are. */
const REDUCING = new Set(['mean', 'sum']);
const textOf = (value: Value): string => (value.kind === 'str' ? value.value : '');

/** The flags that decided before there was `reduction` are passed on where they are given: they still decide. */
const reductionOf = (self: (name: string) => Value): Readonly<Record<string, Value>> => {
  const flags = ['size_average', 'reduce'].map((name): readonly [string, Value] => [name, self(name)]);
  return { reduction: self('reduction'), ...Object.fromEntries(flags.filter(([, value]) => value.kind === 'bool')) };
};

const pairs = PAIRS.map(([name, parameters, f]) =>
  module(`${name}(${parameters}) -> any`, {
    forward: withInputs('forward(input: Tensor, target: Tensor) -> any', (self, { input, target }, context) =>
      call(`F.${f}`, [input, target], reductionOf(self), context),
    ),
  }),
);

export const losses: readonly ModuleEntry[] = [
  ...pairs,
  module(`GaussianNLLLoss(*, full: any = False, eps: any = 1e-6, ${MEAN}) -> any`, {
    forward: withInputs('forward(input: Tensor, target: Tensor, var: any) -> any', (self, inputs, context) =>
      call('F.gaussian_nll_loss', [inputs.input, inputs.target, inputs.var], reductionOf(self), context),
    ),
  }),
  module(
    `TripletMarginLoss(margin: any = 1.0, p: any = 2.0, eps: any = 1e-6, swap: any = False, ${OLD}${MEAN}) -> any`,
    {
      forward: withInputs(
        'forward(anchor: Tensor, positive: Tensor, negative: Tensor) -> any',
        (self, inputs, context) =>
          call('F.triplet_margin_loss', [inputs.anchor, inputs.positive, inputs.negative], reductionOf(self), context),
      ),
    },
  ),
  /** Any other distance is the program's own. */
  module(
    `TripletMarginWithDistanceLoss(*, distance_function: any = None, margin: any = 1.0, swap: any = False, ${MEAN}) -> any`,
    {
      raises: ({ margin }) =>
        margin.kind === 'float' && margin.value !== null && margin.value <= 0
          ? raises({ is: 'argument', name: 'margin', got: `${margin.value}`, expects: 'a margin above 0' })
          : null,
      forward: withInputs(
        'forward(anchor: Tensor, positive: Tensor, negative: Tensor) -> any',
        (self, { anchor, positive, negative }, context) =>
          self('distance_function').kind === 'none' || REDUCING.has(textOf(self('reduction')))
            ? call('F.triplet_margin_loss', [anchor, positive, negative], reductionOf(self), context)
            : failed(unsure('what the distance function makes is not known')),
      ),
    },
  ),
  module(`MarginRankingLoss(margin: any = 0.0, ${OLD}${MEAN}) -> any`, {
    forward: withInputs('forward(input1: Tensor, input2: Tensor, target: Tensor) -> any', (self, inputs, context) =>
      call('F.margin_ranking_loss', [inputs.input1, inputs.input2, inputs.target], reductionOf(self), context),
    ),
  }),
  module(`CosineEmbeddingLoss(margin: any = 0.0, ${OLD}${MEAN}) -> any`, {
    forward: withInputs('forward(input1: Tensor, input2: Tensor, target: Tensor) -> any', (self, inputs, context) =>
      call('F.cosine_embedding_loss', [inputs.input1, inputs.input2, inputs.target], reductionOf(self), context),
    ),
  }),
  module(`CTCLoss(blank: any = 0, ${MEAN}, zero_infinity: any = False) -> any`, {
    forward: withInputs(
      'forward(log_probs: Tensor, targets: Tensor, input_lengths: any, target_lengths: any) -> any',
      (self, inputs, context) =>
        call(
          'F.ctc_loss',
          [inputs.log_probs, inputs.targets, inputs.input_lengths, inputs.target_lengths],
          reductionOf(self),
          context,
        ),
    ),
  }),
];
