import type { FunctionTrace, OpEvent } from '../evaluator/trace.ts';
import { decide } from '../symbols/index.ts';
import { isContiguous, isFault, resolve, type Tensor } from '../tensor/index.ts';
import { lastName, producerOf, viewChain } from './flow.ts';

export interface RoundTrip {
  /** The copy into another order. */
  readonly first: OpEvent;
  /** What lay in the order that is restored, contiguous. */
  readonly original: Tensor;
}

/**
 * Whether a view turns the dims back into the order that an earlier `contiguous()` took them out of, with nothing between
 * that minds the order: whoever packs it makes the second of two copies for nothing.
 */
export function roundTrip(trace: FunctionTrace, view: Tensor): RoundTrip | null {
  const second = permutationOf(trace, view);
  const first = second === null ? null : packedBefore(trace, second.of);
  const there = first === null ? null : permutationOf(trace, first.inputs[0]);
  if (first === null || there === null || there.order.some((dim, i) => second?.order[dim] !== i)) return null;
  const original = there.of;
  return isContiguous(resolve(original.layout, trace.facts), decide(trace.facts)) === true ? { first, original } : null;
}

export interface Permutation {
  readonly of: Tensor;
  /** Dim `i` of the view is dim `order[i]` of what it is a view of. */
  readonly order: readonly number[];
}

/** The permutation that a view is, by its strides; null where it is none, or two dims cannot be told apart. */
export function permutationOf(trace: FunctionTrace, view: Tensor | undefined): Permutation | null {
  const step = view === undefined ? undefined : viewChain(trace, view)[0];
  if (view === undefined || step === undefined || !PERMUTES.has(lastName(step.event.op))) return null;
  const [mine, theirs] = [view, step.of].map(({ layout }) => resolve(layout, trace.facts));
  if (mine === undefined || theirs === undefined || mine.front || mine.stride === null || theirs.stride === null)
    return null;
  const keys = theirs.shape.map((size, dim) => `${size.key} ${theirs.stride?.[dim]?.key}`);
  if (new Set(keys).size < keys.length) return null;
  const order = mine.shape.map((size, dim) => keys.indexOf(`${size.key} ${mine.stride?.[dim]?.key}`));
  const isIdentity = order.every((dim, i) => dim === i);
  return order.includes(-1) || isIdentity || order.length !== keys.length ? null : { of: step.of, order };
}

/** The `contiguous()` that the tensor comes from by way of pointwise operations alone. */
function packedBefore(trace: FunctionTrace, tensor: Tensor): OpEvent | null {
  let at: Tensor | undefined = tensor;
  for (let steps = 0; at !== undefined && steps < MOST_STEPS; steps++) {
    const producer: OpEvent | null = producerOf(trace, at);
    if (producer === null || isFault(producer.result) || producer.result.is !== 'fresh') return null;
    if (producer.op === 'contiguous') return producer;
    if (!POINTWISE.test(lastName(producer.op)) || producer.inputs.length !== 1) return null;
    at = producer.inputs[0];
  }
  return null;
}

const MOST_STEPS = 8;

const PERMUTES: ReadonlySet<string> = new Set([
  'permute',
  'transpose',
  't',
  'T',
  'mT',
  'movedim',
  'swapaxes',
  'moveaxis',
]);

const POINTWISE =
  /^([-+*/%]|add|sub|mul|div|neg|exp|log|sqrt|rsqrt|pow|abs|clamp|relu|gelu|silu|sigmoid|tanh|dropout|ReLU|GELU|SiLU|Sigmoid|Tanh|Dropout|float|half|bfloat16|to)$/;
