import type { Op } from '../../ops/index.ts';
import { always, int, loneSymbol, neg, type SymInt, simplify, symbol, symbolsOf } from '../../symbols/index.ts';
import { isFloat } from '../../tensor/index.ts';
import type { Layout } from '../../tensor/layout.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { type Unknown, unknown, type Value } from '../../values/value.ts';
import { isSequence } from '../state/heap.ts';
import { optionsOf } from '../state/join.ts';
import {
  bindRank,
  currentTensor,
  freshSymbol,
  heapRead,
  hintOf,
  newStorage,
  nextId,
  packedSymbol,
  type Run,
  rebindUnknown,
  reboundUnknown,
  unknownRank,
  unknownTensor,
} from '../state/run.ts';
import { settled } from '../state/settled.ts';
import { withoutStaleGrad } from './autograd.ts';

/** Where an op takes nothing but a tensor, by position and by name. */
export function tensorParameters(op: Op): TensorParameters {
  const known = taken.get(op);
  if (known) return known;
  const found = findTensorParameters(op);
  taken.set(op, found);
  return found;
}

const taken = new WeakMap<Op, TensorParameters>();

type TensorParameters = ReturnType<typeof findTensorParameters>;

function findTensorParameters(op: Op): {
  readonly positions: ReadonlySet<number>;
  readonly names: ReadonlySet<string>;
  readonly lists: ReadonlySet<number | string>;
} {
  const parameters = op.overloads[0]?.signature.parameters ?? [];
  const tensors = parameters
    .map((parameter, i) => ({ parameter, i }))
    .filter(
      ({ parameter }) =>
        parameter.types.every((type) => type === 'Tensor' || type === 'Tensor[]') && !parameter.optional,
    );
  const lists = tensors.filter(
    ({ parameter }) => parameter.types.includes('Tensor[]') && !parameter.types.includes('Tensor'),
  );
  return {
    positions: new Set(tensors.map(({ i }) => i)),
    names: new Set(tensors.map(({ parameter }) => parameter.name)),
    lists: new Set(lists.flatMap(({ parameter, i }) => [i, parameter.name])),
  };
}

/** What is given for a list of tensors and is not known is no tensor. */
export const isOpenList = (value: Value, list: boolean): boolean => list && value.kind === 'unknown';

/** A list is one index of many elements, where a tuple is one index for each of several dims. */
export function keyForOp(run: Run, key: Value): Value {
  const ready = forOp(run, key, false);
  return key.kind === 'ref' && ready.kind === 'tuple' ? { kind: 'tuple', items: [ready] } : ready;
}

/** A value as ops take it: lists as tuples, undecided None dropped, and an unknown that must be a tensor made one. */
export function forOp(run: Run, value: Value, tensor: boolean): Value {
  switch (value.kind) {
    case 'tensor':
      return currentTensor(run, value);
    case 'unknown': {
      const known = reboundUnknown(run, value);
      if (known) return forOp(run, known, tensor);
      return tensor ? asTensor(run, value) : value;
    }
    case 'either': {
      const options = optionsOf(value).filter((o) => o.kind !== 'none');
      const [only] = options;
      return options.length === 1 && only
        ? forOp(run, only, tensor)
        : tensor
          ? unknownTensor(run, 'x', { is: 'unknown' })
          : unknown('it differs by branch');
    }
    case 'tuple': {
      const items = spreadFronts(run, value.items).map((item) => forOp(run, item, tensor));
      if (!value.front) return { kind: 'tuple', items };
      run.packed = true;
      return { kind: 'tuple', items: [{ kind: 'int', value: value.front }, ...items] };
    }
    case 'slice':
      return {
        kind: 'slice',
        start: bound(run, value.start),
        stop: bound(run, value.stop),
        step: forOp(run, value.step, false),
      };
    case 'ref': {
      const object = heapRead(run, value.ref);
      if (object?.object === 'instance') {
        const wrapped = object.attributes.get('data');
        return wrapped?.kind === 'tensor' && object.torchClass === 'torch.nn.Parameter'
          ? currentTensor(run, wrapped)
          : unknown('it is an object');
      }
      if (!isSequence(object)) return value;
      // Of an unknown number of tensors two stand for all; an unknown number of sizes is no shape.
      if (object.rest && !tensor && settled(run, object.rest).kind !== 'tensor')
        return unknown('how many items it has is not known');
      const items = object.rest ? [...object.items, object.rest, object.rest] : object.items;
      return { kind: 'tuple', items: items.map((item) => forOp(run, item, tensor)) };
    }
    default:
      return value;
  }
}

/** A slice bound. `-k` counts from the end, unless `k` is 0: where it may be, nothing is said. */
function bound(run: Run, value: Value): Value {
  const given = forOp(run, value, false);
  const ready = given.kind === 'unknown' ? computed(run, given) : given;
  if (ready.kind !== 'int' || ready.value.constant !== null) return ready;
  const counted = neg(ready.value);
  return loneSymbol(counted) !== null && always('less', counted, int(0), run.layer.facts) === undefined
    ? unknown('it may be 0')
    : ready;
}

/** What was computed from an unknown, as `2 * span`, is an integer where it has to be a bound: only the unknown itself may be None. */
function computed(run: Run, value: Unknown): Value {
  if (value.symbol === undefined) return value;
  const exact = simplify(symbol(value.symbol), run.layer.facts);
  return loneSymbol(exact) === null ? { kind: 'int', value: exact } : value;
}

/** An unknown number of leading sizes among arguments stands as the one packed size. */
export function spreadFronts(run: Run, values: readonly Value[]): readonly Value[] {
  return values.flatMap((value): readonly Value[] => {
    if (value.kind !== 'tuple' || !value.front) return [value];
    run.packed = true;
    return [{ kind: 'int', value: value.front }, ...value.items];
  });
}

/** An unknown that is used as a tensor is one from here on, of unknown rank. */
export function asTensor(run: Run, value: Unknown): Tensor {
  const name = value.symbol === undefined ? 'x' : hintOf(value.symbol);
  const parameter = value.symbol === undefined ? undefined : run.parameters.get(value.symbol);
  const tensor =
    parameter === undefined
      ? unknownTensor(run, name, { is: 'unknown' })
      : parameterTensor(run, parameter, unknownRank(run, parameter, 1, true));
  rebindUnknown(run, value, tensor);
  return tensor;
}

/** What was not known but became a size is an integer from here on: `torch.arange(0, d_model, 2) / d_model`. */
export function takeForSizes(run: Run, args: readonly Value[], shape: readonly SymInt[]): void {
  for (const value of args) {
    if (value.kind === 'tuple') takeForSizes(run, value.items, shape);
    if (value.kind !== 'unknown' || value.symbol === undefined) continue;
    const id = value.symbol;
    if (shape.some((size) => symbolsOf(size).has(id))) rebindUnknown(run, value, { kind: 'int', value: symbol(id) });
  }
}

/** A tensor parameter of a root: assumed contiguous, and said so. */
export function parameterTensor(run: Run, name: string, layout: Layout): Tensor {
  return {
    kind: 'tensor',
    id: nextId(run),
    layout,
    dtype: null,
    device: null,
    requiresGrad: null,
    storage: newStorage(run, null, { is: 'parameter', name }),
    assumes: [name],
    elements: null,
  };
}

/** A value as an op takes it now. */
export function deepCurrent(run: Run, value: Value): Value {
  if (value.kind === 'tensor') {
    const now = withoutStaleGrad(run, currentTensor(run, value));
    return run.dtypesOpen && now.dtype !== null && isFloat(now.dtype) ? { ...now, dtype: null } : now;
  }
  if (value.kind === 'tuple') return { ...value, items: value.items.map((item) => deepCurrent(run, item)) };
  return value;
}

export function demandRank(run: Run, tensor: Tensor, ndim: number): void {
  const now = currentTensor(run, tensor);
  if (!now.layout.front) return;
  const missing = ndim - (now.layout.shape.length - 1);
  const front = now.layout.shape[0];
  const id = front && packedSymbol(front);
  if (missing < 0 || !id) return;
  const hint = hintOf(id).slice(1);
  bindRank(
    run,
    now,
    Array.from({ length: missing }, (_, i) => freshSymbol(run, `${hint}_${i}`)),
  );
}
