import { int, mul } from '../symbols/index.ts';
import { chain, isFault, itemsize, numel, type Result, type Tensor } from '../tensor/index.ts';
import { boolValue, intValue, unknown, type Value } from '../values/value.ts';
import { performing, resolvedTensor } from './call.ts';
import type { OpContext } from './context.ts';
import { rankOf, sizes } from './families/queries.ts';
import { conjugated } from './families/transposes.ts';
import { ATTRIBUTE_VIEWS, part } from './families/views.ts';
import { same, viewOf } from './op.ts';
import type { OpResult, Outcome } from './outcome.ts';

type Attribute = (tensor: Tensor) => Result<Value>;

const flag =
  (value: boolean): Attribute =>
  () =>
    boolValue(value);

const VALUES: ReadonlyMap<string, Attribute> = new Map<string, Attribute>([
  ['shape', ({ layout }) => sizes(layout)],
  ['ndim', ({ layout }) => chain(rankOf(layout), (rank) => intValue(int(rank)))],
  ['dtype', ({ dtype }) => (dtype === null ? unknown('the dtype is not known') : { kind: 'dtype', value: dtype })],
  ['device', ({ device }) => ({ kind: 'device', value: device })],
  ['itemsize', ({ dtype }) => (dtype === null ? unknown('the dtype is not known') : intValue(int(itemsize(dtype))))],
  [
    'nbytes',
    ({ dtype, layout }) =>
      dtype === null ? unknown('the dtype is not known') : intValue(mul(numel(layout), int(itemsize(dtype)))),
  ],
  [
    'is_cuda',
    ({ device }) => (device === null ? unknown('the device is not known') : boolValue(device.startsWith('cuda'))),
  ],
  ['is_cpu', ({ device }) => (device === null ? unknown('the device is not known') : boolValue(device === 'cpu'))],
  [
    'requires_grad',
    ({ requiresGrad }) => (requiresGrad === null ? unknown('it depends on the inputs') : boolValue(requiresGrad)),
  ],
  ['is_sparse', flag(false)],
  ['is_quantized', flag(false)],
  ['is_nested', flag(false)],
  ['is_meta', ({ device }) => (device === null ? unknown('the device is not known') : boolValue(device === 'meta'))],
  ['layout', () => ({ kind: 'torch', name: 'torch.strided' })],
  ['grad', () => unknown('the gradient is not followed')],
  ['grad_fn', () => unknown('the graph is not followed')],
  ['is_leaf', () => unknown('the graph is not followed')],
  ['names', () => unknown('named dims are not followed')],
]);

/** Every attribute that `getAttribute` knows. */
export const attributeNames: readonly string[] = [...VALUES.keys(), ...Object.keys(ATTRIBUTE_VIEWS), 'real', 'imag'];

/** An attribute of a tensor that is no method; null where it has none of this name. */
export function getAttribute(tensor: Tensor, name: string, context: OpContext): Outcome | null {
  const view = Object.hasOwn(ATTRIBUTE_VIEWS, name) ? ATTRIBUTE_VIEWS[name] : undefined;
  const value = VALUES.get(name);
  if (view === undefined && value === undefined && name !== 'real' && name !== 'imag') return null;
  return performing(context, () => {
    const self = resolvedTensor(tensor, context);
    if (name === 'real' || name === 'imag') return { result: part(self, name), writes: [] };
    // These give a tensor without dims back as it is, with a warning.
    if (/^(H|mH|mT)$/.test(name) && !self.layout.front && self.layout.shape.length === 0)
      return { result: name === 'mT' ? same(self) : conjugated(self), writes: [] };
    if (view !== undefined) return { result: chain(view(self.layout), (layout) => viewOf(self, layout)), writes: [] };
    return { result: asResult(value?.(self) ?? unknown('it is not followed')), writes: [] };
  });
}

const asResult = (value: Result<Value>): Result<OpResult> => (isFault(value) ? value : { is: 'value', value });
