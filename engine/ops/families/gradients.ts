import { int } from '../../symbols/index.ts';
import { isFault, type Layout, unsure } from '../../tensor/index.ts';
import { NONE, tupleOf, type Value } from '../../values/value.ts';
import type { Call } from '../context.ts';
import { dtypeOfKind } from '../elementwise.ts';
import { stack } from '../layouts/concatenation.ts';
import { fresh as dense, unstrided } from '../layouts/format.ts';
import { type Entry, fresh, isTensor, op } from '../op.ts';
import type { OpResult } from '../outcome.ts';
import { truthOf } from './dropouts.ts';
import { promotedDType } from './joins.ts';

const itemsOf = (value: Value): readonly Value[] => (value.kind === 'tuple' ? value.items : [value]);

/** The dtype that the norms of all tensors have, as far as they are known. */
function dtypeOf(parameters: Value) {
  const tensors = itemsOf(parameters).filter(isTensor);
  const norms = tensors.map((tensor) => ({ ...tensor, dtype: dtypeOfKind('real', tensor.dtype) }));
  return norms.length === 0 ? null : promotedDType(norms);
}

/** Norms over all gradients are one number: a 0.0 where nothing has a gradient, so of that dtype or of the gradients'. */
const norms = [
  'clip_grad_norm_(parameters: any, max_norm: any, norm_type: any = 2.0, error_if_nonfinite: any = False, foreach: any = None',
  'get_total_norm(tensors: any, norm_type: any = 2.0, error_if_nonfinite: any = False, foreach: any = None',
].map((start) =>
  op(`torch.nn.utils.${start}) -> any`, {
    maybe: (args) => {
      const [parameters] = Object.values<Value>(args);
      const dtype = parameters === undefined ? null : dtypeOf(parameters);
      return fresh(dense([]), dtype === 'float32' || start.startsWith('get') ? dtype : null);
    },
    samples: start.startsWith('get') ? ['{(2, 3) (4,)}', '{(2, 3):complex64 (4,)}'] : ['(2, 3)  1.0'],
  }),
);

/** What a list of samples becomes: tensors are stacked, numbers become a tensor, tuples are collated by position. */
function collated(batch: Value, call: Call): OpResult | null {
  const items = itemsOf(batch);
  const [first] = items;
  if (first === undefined || items.some(({ kind }) => kind !== first.kind)) return null;
  if (first.kind === 'tensor') {
    const tensors = items.filter(isTensor);
    const layout = stack(
      tensors.map((tensor) => tensor.layout),
      0,
      call,
    );
    return isFault(layout) ? null : fresh(layout, promotedDType(tensors));
  }
  const dtype = NUMBERS[first.kind];
  if (dtype !== undefined) return fresh(dense([int(items.length)]), dtype);
  if (first.kind !== 'tuple') return null;
  const columns = first.items.map((_, i) => collated(tupleOf(items.map((item) => itemsOf(item)[i] ?? NONE)), call));
  const known = columns.filter((column) => column !== null);
  return known.length === columns.length ? { is: 'list', items: known } : null;
}

const NUMBERS: Readonly<Partial<Record<Value['kind'], 'float64' | 'int64' | 'bool'>>> = {
  float: 'float64',
  int: 'int64',
  bool: 'bool',
};

/** How a gradient lies in memory depends on the way that was taken backwards. */
const gradient = ({ shape, front }: Layout): Layout =>
  shape.length === 0 && !front ? dense([]) : unstrided(shape, front);

export const gradients: readonly Entry[] = [
  ...norms,
  op(
    'torch.autograd.grad(outputs: any, inputs: any, grad_outputs: any = None, retain_graph: any = None, create_graph: any = False, allow_unused: any = None, is_grads_batched: any = False, materialize_grads: any = False) -> any',
    {
      maybe: ({ inputs, allow_unused, is_grads_batched }) => {
        const tensors = itemsOf(inputs);
        if (!tensors.every(isTensor) || truthOf(is_grads_batched) !== false) return unsure('the inputs are not known');
        if (truthOf(allow_unused) !== false) return unsure('a gradient may be None');
        return { is: 'tuple', items: tensors.map(({ layout, dtype }) => fresh(gradient(layout), dtype)) };
      },
      samples: [],
    },
  ),
  op('torch.utils.data.default_collate(batch: any) -> any', {
    also: ['torch.utils.data.dataloader.default_collate', 'torch.utils.data._utils.collate.default_collate'],
    maybe: ({ batch }, call) => collated(batch, call) ?? unsure('the samples are not known'),
    samples: [
      '{(2, 3) (2, 3)}',
      '{(2, 3)/(1, 2) (2, 3)}',
      '{(2, 3):int64 (2, 3)}',
      '[1, 2]',
      '[1.0, 2.0]',
      '[[1, 2], [3, 4]]',
    ],
  }),
];
