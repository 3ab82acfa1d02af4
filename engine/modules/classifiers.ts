import { failed, performing } from '../ops/call.ts';
import { fresh as dense } from '../ops/layouts/format.ts';
import { agree } from '../ops/layouts/inquiry.ts';
import { denseLike } from '../ops/layouts/reduction.ts';
import { fresh } from '../ops/op.ts';
import { add, always, type Facts, int, ONE, type SymInt, ZERO } from '../symbols/index.ts';
import { type Fault, raises, unsure } from '../tensor/index.ts';
import { intValue, tupleOf, type Value } from '../values/value.ts';
import { call, type ModuleEntry, module, withInputs } from './module.ts';

/** Each cutoff is above the one before it, and below the number of classes. */
function notCutoffs(cutoffs: Value, classes: SymInt, facts: Facts): Fault | null {
  const bounds = cutoffs.kind === 'tuple' ? [intValue(ZERO), ...cutoffs.items, intValue(classes)] : [];
  const rises = bounds.every((bound, i) => {
    const next = bounds[i + 1];
    return bound.kind !== 'int' || next?.kind !== 'int' || always('less', bound.value, next.value, facts) !== false;
  });
  return rises ? null : raises({ is: 'argument', name: 'cutoffs', got: 'others', expects: 'rising classes' });
}

/** What is known of a shortlist and its clusters. */
function clusters(cutoffs: Value, classes: SymInt): Readonly<Record<string, Value>> {
  const [first] = cutoffs.kind === 'tuple' ? cutoffs.items : [];
  if (cutoffs.kind !== 'tuple' || first?.kind !== 'int') return {};
  const count = int(cutoffs.items.length);
  return {
    cutoffs: tupleOf([...cutoffs.items, intValue(classes)]),
    shortlist_size: first,
    n_clusters: intValue(count),
    head_size: intValue(add(first.value, count)),
  };
}

/** Modules that end in classes and their loss. */
export const classifiers: readonly ModuleEntry[] = [
  module(
    'AdaptiveLogSoftmaxWithLoss(in_features: SymInt, n_classes: SymInt, cutoffs: any, div_value: any = 4.0, head_bias: any = False, device: any = None, dtype: any = None) -> any',
    {
      raises: ({ cutoffs, n_classes }, { facts }) => notCutoffs(cutoffs, n_classes, facts),
      attributes: ({ cutoffs, n_classes }) => clusters(cutoffs, n_classes),
      forward: withInputs('forward(input_: Tensor, target_: Tensor) -> any', (self, { input_, target_ }, context) =>
        performing(context, (inquiry) => {
          const features = self('in_features');
          const [input, target] = [input_.layout, target_.layout];
          if (features.kind !== 'int' || input.front || target.front)
            return { result: unsure('the rank of the input is not known'), writes: [] };
          const ndim = input.shape.length;
          if (ndim !== target.shape.length + 1 || ndim > 2)
            return { result: raises({ is: 'rank-differs', what: 'input', expected: '1 or 2', got: ndim }), writes: [] };
          const differs =
            agree(input.shape.at(-1) ?? ONE, features.value, `dim ${ndim - 1} of input`, inquiry) ??
            (ndim === 2 ? agree(input.shape[0] ?? ONE, target.shape[0] ?? ONE, 'dim 0 of target', inquiry) : null);
          if (differs !== null) return { result: differs, writes: [] };
          const items = [denseLike(target), dense([])].map((layout) => fresh(layout, input_.dtype));
          return { result: { is: 'tuple', items, fields: ['output', 'loss'] }, writes: [] };
        }),
      ),
    },
  ),
  /** `cross_entropy` of a linear layer whose features are the classes, and further dims behind them. */
  module(
    "LinearCrossEntropyLoss(in_features: SymInt, num_classes: SymInt, *, out_features: any = (), bias: any = False, device: any = None, dtype: any = None, reduction: any = 'mean', weight: any = None, ignore_index: any = None, label_smoothing: any = 0.0, options: any = None) -> any",
    {
      forward: withInputs('forward(input: Tensor, target: Tensor) -> any', (self, { input, target }, context) => {
        const [features, classes, more] = [self('in_features'), self('num_classes'), self('out_features')];
        if (features.kind !== 'int' || classes.kind !== 'int' || more.kind !== 'tuple' || input.layout.front)
          return failed(unsure('how the LinearCrossEntropyLoss was made is not known'));
        const { shape } = input.layout;
        const beyond = more.items.flatMap((item) => (item.kind === 'int' ? [item.value] : []));
        const logits = { ...input, layout: dense([...shape.slice(0, -1), classes.value, ...beyond]) };
        const loss = call('F.cross_entropy', [logits, target], { reduction: self('reduction') }, context);
        const linear = performing(context, (inquiry) => {
          const differs = agree(shape.at(-1) ?? ONE, features.value, `dim ${shape.length - 1} of input`, inquiry);
          return { result: differs ?? fresh(logits.layout, input.dtype), writes: [] };
        });
        if ('fault' in linear.result) return linear;
        return { ...loss, demands: [...linear.demands, ...loss.demands] };
      }),
    },
  ),
];
