import {
  chain,
  type DType,
  type Fault,
  isFault,
  preserve,
  type Result,
  raises,
  type Tensor,
} from '../../tensor/index.ts';
import type { Autocast } from '../../values/value.ts';
import type { Call } from '../context.ts';
import { type Bound, fresh, isTensor, tensorsIn } from '../op.ts';
import type { OpResult } from '../outcome.ts';
import { type Policy, policyOn } from './lists.ts';

/** The kinds of numbers that autocast casts. */
const isCast = (dtype: DType | null): boolean => dtype === 'float16' || dtype === 'bfloat16' || dtype === 'float32';

/**
 * Runs an op as autocast would have it: with its tensors cast before it, which are other tensors then. `run` is the op on
 * whatever arguments it is given. Where it cannot be told whether or to what they are cast, a floating result has no dtype.
 */
export function underAutocast(
  name: string,
  args: Bound,
  run: (args: Bound) => Result<OpResult>,
  call: Call,
): Result<OpResult> {
  const device = deviceOf(args);
  const region = regionOn(call.context.autocast ?? [], device);
  const policy = region.on === false ? null : policyOn(region.device, name, call.context.torch);
  if (policy === null) return run(args);
  if (region.on === undefined || policy === 'open')
    return chain(run(args), (result) => opened(result, policy, region.dtype));
  if (policy === 'refused')
    return raises({ is: 'argument', name: 'input', got: 'probabilities under autocast', expects: 'logits there' });
  const to = policy === 'low' ? region.dtype : policy === 'single' ? 'float32' : widest(args);
  const cast = mapTensors(args, (tensor) => castTo(tensor, to, call));
  if (isFault(cast)) return cast;
  const result = run(cast);
  if (isFault(result) || !('of' in result) || result.of.id >= 0) return result;
  // A view of what was cast is a view of new memory; a function made of others returns what it was given itself.
  return policy === 'low' && result.is === 'view' ? fresh(result.layout, result.dtype) : run(args);
}

/** The type of device that the tensors are on: they are all on one, but for numbers on the CPU. */
function deviceOf(args: Bound): string | null {
  const tensors = Object.values(tensorsIn(args)).filter((tensor) => tensor !== null);
  const known = tensors.filter(({ device }) => device !== null);
  const device = (known.find(({ layout }) => layout.front || layout.shape.length > 0) ?? known[0])?.device;
  return device === undefined || device === null ? null : (device.split(':')[0] ?? null);
}

/** What holds on a device: the innermost region that speaks of it, or that may. */
function regionOn(regions: readonly Autocast[], device: string | null): Autocast {
  for (const region of [...regions].reverse()) {
    if (region.device !== null && region.device === device) return region;
    if ((region.device === null || device === null) && region.on !== false)
      return { ...region, device: region.device ?? device, on: undefined };
  }
  return { device, on: false, dtype: null };
}

/** float32 as soon as one tensor has it; of one narrower dtype alone, that. */
function widest(args: Bound): DType | null {
  const dtypes = Object.values(tensorsIn(args)).flatMap((tensor) => (tensor === null ? [] : [tensor.dtype]));
  if (dtypes.includes('float32')) return 'float32';
  const [first = null, ...others] = dtypes.filter((dtype) => dtype === null || isCast(dtype));
  return others.every((dtype) => dtype === first) ? first : null;
}

/** Another tensor of another dtype; its identity is below 0, as no other is. A dtype that is not known may be any. */
function castTo(tensor: Tensor, to: DType | null, { ask }: Call): Result<Tensor> {
  const { dtype, storage, layout } = tensor;
  if (dtype === to || !isCast(dtype)) return tensor;
  return chain(preserve(layout, ask), (dense) => ({
    ...tensor,
    id: -1 - tensor.id,
    dtype: to,
    layout: dense,
    storage: { ...storage, id: -1 - storage.id, nbytes: null },
    elements: null,
  }));
}

function mapTensors(args: Bound, map: (tensor: Tensor) => Result<Tensor>): Result<Bound> {
  const mapped: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(args)) {
    const result = mapValue(value, map);
    if (isFault(result)) return result;
    mapped[name] = result;
  }
  return mapped;
}

/** Lists of tensors, and tuples where a signature takes anything, hold tensors too. */
function mapValue(value: unknown, map: (tensor: Tensor) => Result<Tensor>): unknown {
  if (isTensor(value)) return map(value);
  if (Array.isArray(value)) return all(value.map((item) => mapValue(item, map)));
  if (typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'tuple' && 'items' in value) {
    const items = mapValue(value.items, map);
    return isFault(items) ? items : { ...value, items };
  }
  return value;
}

const all = (values: readonly unknown[]): readonly unknown[] | Fault => values.find(isFault) ?? values;

/** A fresh floating result without its dtype, unless it is the one that autocast would give it too. */
function opened(result: OpResult, policy: Policy, low: DType | null): OpResult {
  if ('items' in result) return { ...result, items: result.items.map((item) => opened(item, policy, low)) };
  if (result.is !== 'fresh' || !isCast(result.dtype)) return result;
  const cast = policy === 'low' ? low : policy === 'open' ? null : 'float32';
  return result.dtype === cast ? result : { ...result, dtype: null };
}
