import type { FunctionTrace, OpEvent } from '../evaluator/trace.ts';
import { isFault, isFloat, type Tensor } from '../tensor/index.ts';
import { lastName } from './flow.ts';

/** Ops whose backward needs what came out of them. Measured, like the other two lists, by writing it before `backward()`. */
const RESULT =
  /^(sigmoid|exp|exp2|expm1|tanh|tan|softmax|log_softmax|Softmax|LogSoftmax|Sigmoid|Tanh|relu|ReLU|sqrt|rsqrt|reciprocal|cumprod|norm|std|logsumexp|amax|amin|prod)$/;

/** Ops whose backward needs what went into them. */
const SELF =
  /^(elu|ELU|gelu|GELU|silu|SiLU|softplus|leaky_relu|LeakyReLU|hardtanh|Hardtanh|relu6|ReLU6|hardsigmoid|hardswish|Hardswish|mish|Mish|selu|celu|log|sin|cos|abs|square|layer_norm|LayerNorm|clamp|logsigmoid|var|std|norm|logsumexp|prod|amax|amin|cumprod|normalize)$/;

/** Products: each factor is saved where the other one needs a gradient. */
const PRODUCTS = /^(mul|\*|div|\/|matmul|@|mm|bmm|linear)$/;

/** Layers of a weight, which needs a gradient: the input is saved. */
const LAYERS = /^(Linear|Conv[123]d|LayerNorm|BatchNorm[123]d)$/;

/** A tensor that backward will ask for, and the op that saved it. */
export interface Saved {
  readonly tensor: Tensor;
  readonly by: OpEvent;
  readonly as: 'output' | 'input';
}

/**
 * Follows which tensors a gradient flows through, in a function run with grad mode on: parameters of layers, tensors known to
 * require grad, and what is computed of them.
 */
export function savedBy(event: OpEvent, flowing: ReadonlySet<number>): readonly Saved[] {
  if (event.noGrad || isFault(event.result)) return [];
  const name = lastName(event.op);
  // In place, too, what comes out is what is saved: `relu_`, `nn.ReLU(inplace=True)`.
  const inPlace = event.result.is === 'same' && event.writes.some(({ becomes }) => becomes === null);
  if (inPlace && IN_PLACE.test(name)) return event.inputs.slice(0, 1).flatMap(afterWrite(event, flowing));
  if (event.result.is !== 'fresh') return [];
  const [self, other] = event.inputs;
  const saved: Saved[] = [];
  const flows = (tensor: Tensor | undefined): boolean => tensor !== undefined && flowing.has(tensor.id);
  if (self === undefined) return saved;
  if (RESULT.test(name) && flows(self))
    for (const { tensor } of event.outputs) saved.push({ tensor, by: event, as: 'output' });
  if (SELF.test(name) && flows(self)) saved.push({ tensor: self, by: event, as: 'input' });
  if (PRODUCTS.test(name) && other !== undefined) {
    if (flows(other)) saved.push({ tensor: self, by: event, as: 'input' });
    if (flows(self)) saved.push({ tensor: other, by: event, as: 'input' });
  }
  if (LAYERS.test(name)) saved.push({ tensor: self, by: event, as: 'input' });
  return saved;
}

const IN_PLACE = /^(relu_?|ReLU|sigmoid_|tanh_|exp_|sqrt_)$/;

const afterWrite =
  (by: OpEvent, flowing: ReadonlySet<number>) =>
  (tensor: Tensor): readonly Saved[] =>
    flowing.has(tensor.id) ? [{ tensor, by, as: 'output' }] : [];

/** Adds to `flowing` what a gradient flows through after the event. */
export function flowOn(event: OpEvent, flowing: Set<number>): void {
  for (const tensor of event.inputs) if (requires(tensor)) flowing.add(tensor.id);
  if (event.noGrad || CUTS.test(lastName(event.op)) || isFault(event.result)) return;
  if (!LAYERS.test(lastName(event.op)) && !event.inputs.some(({ id }) => flowing.has(id))) return;
  for (const { tensor } of event.outputs) if (tensor.dtype === null || isFloat(tensor.dtype)) flowing.add(tensor.id);
}

const requires = ({ requiresGrad, storage: { origin } }: Tensor): boolean =>
  requiresGrad === true || (requiresGrad === null && origin.is === 'module-parameter');

const CUTS = /^(detach|data|argmax|argmin|argsort|eq|ne|lt|le|gt|ge|==|!=|<|<=|>|>=|sign|round|floor|ceil)$/;

/** Where the event writes what an earlier op saved; only a write through `.data` is not seen by autograd. */
export function brokenBy(trace: FunctionTrace, event: OpEvent, saved: readonly Saved[]): Saved | null {
  if (event.noGrad || isFault(event.result)) return null;
  for (const { becomes, target } of event.writes) {
    if (becomes !== null || isThroughData(trace, target)) continue;
    const found = saved.findLast(({ tensor }) => tensor.storage.id === target.storage.id);
    if (found !== undefined) return found;
  }
  return null;
}

const isThroughData = (trace: FunctionTrace, target: Tensor): boolean =>
  trace.events.some(
    (event) =>
      event.event === 'op' && event.op === 'data' && event.outputs.some(({ tensor }) => tensor.id === target.id),
  );
