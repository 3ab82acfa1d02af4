import type { FunctionTrace, OpEvent } from '../evaluator/trace.ts';
import { type DType, floatingLimits, type Tensor } from '../tensor/index.ts';
import { lastName, producerOf, viewChain } from './flow.ts';

/** A run of numbers, `torch.arange(first, end, step)`. */
interface Run {
  readonly first: number;
  readonly step: number;
  readonly count: number;
}

/** The first number of a run that a dtype does not hold, and what it becomes. */
export interface Rounded {
  readonly number: number;
  readonly becomes: number;
}

/** What `arange` counts in a dtype of few digits, or what is cast to one: the first number that is lost, or null. */
export function roundedPosition(trace: FunctionTrace, event: OpEvent): Rounded | null {
  const [output] = event.outputs;
  const dtype = output?.tensor.dtype ?? null;
  if (output === undefined || dtype === null || !COARSE.has(dtype)) return null;
  const run = lastName(event.op) === 'arange' ? runOf(event, output.tensor) : castRun(trace, event);
  return run === null ? null : firstLost(run, dtype);
}

const COARSE: ReadonlySet<DType> = new Set(['float16', 'bfloat16']);
const CASTS: ReadonlySet<string> = new Set(['half', 'bfloat16', 'to', 'type', 'type_as']);

function castRun(trace: FunctionTrace, event: OpEvent): Run | null {
  const [input] = event.inputs;
  if (input === undefined || !CASTS.has(event.op) || (input.dtype !== null && COARSE.has(input.dtype))) return null;
  const counted = viewChain(trace, input).at(-1)?.of ?? input;
  const producer = producerOf(trace, counted);
  return producer !== null && lastName(producer.op) === 'arange' ? runOf(producer, counted) : null;
}

function runOf(event: OpEvent, { layout }: Tensor): Run | null {
  const numbers = event.arguments.flatMap((value) =>
    value.kind === 'int' ? [value.value.constant] : value.kind === 'float' ? [value.value] : [],
  );
  const count = layout.shape[0]?.constant ?? null;
  if (count === null || numbers.length === 0 || numbers.some((number) => number === null)) return null;
  const [first, , step] = numbers;
  return { first: numbers.length === 1 ? 0 : (first ?? 0), step: step ?? 1, count };
}

/** Longer runs are looked at as far as this; what is lost is lost early. */
const MOST = 200_000;

function firstLost({ first, step, count }: Run, dtype: DType): Rounded | null {
  const limits = floatingLimits(dtype);
  if (limits === null || !Number.isInteger(first) || !Number.isInteger(step)) return null;
  for (let i = 0; i < Math.min(count, MOST); i++) {
    const number = first + i * step;
    const becomes = rounded(number, limits.eps, limits.max);
    if (becomes !== number) return { number, becomes };
  }
  return null;
}

/** To the nearest number of that precision, to the even one between two. */
function rounded(number: number, eps: number, max: number): number {
  if (number === 0) return 0;
  const unit = 2 ** Math.floor(Math.log2(Math.abs(number))) * eps;
  const steps = number / unit;
  const down = Math.floor(steps);
  const nearest = steps - down < 0.5 || (steps - down === 0.5 && down % 2 === 0) ? down : down + 1;
  const value = nearest * unit;
  return Math.abs(value) > max ? Math.sign(number) * Number.POSITIVE_INFINITY : value;
}
