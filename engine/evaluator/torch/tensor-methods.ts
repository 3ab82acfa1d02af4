import type { Tensor } from '../../tensor/tensor.ts';
import { boolValue, unknown, type Value } from '../../values/value.ts';
import type { Arguments, Place } from '../calls/calls.ts';
import { itemOf } from '../expressions/items.ts';
import { integer } from '../expressions/operators.ts';
import { type Activation, currentTensor, type Run } from '../state/run.ts';
import { requireGrad } from './autograd.ts';
import { callTorch, ndimOf, sizeOf } from './torch.ts';

/** `x.name(…)` of a tensor: what depends on an unknown rank is answered here, all else is an op. */
export function callTensorMethod(
  run: Run,
  act: Activation,
  tensor: Tensor,
  name: string,
  args: Arguments,
  place: Place,
): Value {
  const method = name.slice('torch.Tensor.'.length);
  const now = currentTensor(run, tensor);
  const [first] = args.items;
  if (method === 'size') {
    const dim = first ?? args.keywords.get('dim');
    if (dim === undefined) return sizeOf(now);
    if (now.layout.front && integer(run, dim))
      return itemOf(run, act, sizeOf(now), dim, place.node, place.self ?? { kind: 'BadExpression', start: 0, end: 0 });
  }
  if (now.layout.front && (method === 'dim' || method === 'ndimension')) return ndimOf(run, now);
  if (method === 'requires_grad_') {
    const flag = args.open
      ? unknown('it is passed by `**`')
      : (first ?? args.keywords.get('requires_grad') ?? boolValue(true));
    return requireGrad(run, act, now, flag, place);
  }
  if (args.rest || (args.open && !now.layout.front)) return openCall(run, now, method);
  if (args.open) return unknown('arguments are passed by `*` or `**`');
  return callTorch(run, act, name, spread(args.items, [now]), args.keywords, place);
}

/** Sizes with an unknown front, passed as `x.view(*x.shape[:-1], h, d)` or `x.view(x.shape[:-1] + (h, d))`. */
function spread(items: readonly Value[], before: readonly Value[]): readonly Value[] {
  return [...before, ...items];
}

function openCall(run: Run, tensor: Tensor, method: string): Value {
  void run;
  void tensor;
  return unknown(`the arguments of \`${method}\` are passed by \`*\``);
}
