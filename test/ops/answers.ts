import { callOp, findOp, type OpContext, type OpResult, type Outcome } from '../../engine/ops/index.ts';
import { type SampleArgument, sampleValue } from '../../engine/ops/sample.ts';
import { NO_FACTS, type SymInt, symbol } from '../../engine/symbols/index.ts';
import { isFault, type Layout, type Tensor } from '../../engine/tensor/index.ts';
import type { Value } from '../../engine/values/value.ts';
import type { Question } from './questions.ts';

/** What PyTorch or the engine makes of a sample. */
export type Answer = readonly ['!', string] | { readonly result: unknown; readonly inputs: readonly unknown[] };

/** Data alone decides: the recording stands for one case of many. */
export const ANY = '?';

export const contextOf = (torch: OpContext['torch']): OpContext => ({
  facts: NO_FACTS,
  fresh: (hint) => symbol(hint),
  training: true,
  grad: true,
  torch,
});

export const known = (value: SymInt | null | undefined) => value?.constant ?? ANY;

const laid = (layout: Layout, dtype: string | null) => ({
  shape: layout.shape.map(known),
  stride: layout.stride?.map(known) ?? ANY,
  offset: known(layout.offset),
  dtype: dtype ?? ANY,
});

/** An engine result in the words of the recorder. */
function described(result: OpResult, inputs: readonly Tensor[], outcome: Outcome): unknown {
  const place = (of: Tensor) => inputs.findIndex((input) => input.id === of.id);
  switch (result.is) {
    case 'same': {
      const became = outcome.writes.find((write) => write.target.id === result.of.id)?.becomes;
      const same = place(result.of);
      const of = became ? inputs.findIndex((input) => input.storage.id === became.storage.id) : same;
      return { ...laid(became?.layout ?? result.of.layout, result.of.dtype), same, of };
    }
    case 'view':
      return { ...laid(result.layout, result.dtype), of: place(result.of) };
    case 'fresh':
      return laid(result.layout, result.dtype);
    case 'either':
      return `either: ${JSON.stringify(laid(result.layout, result.dtype))}`;
    case 'value':
      return valued(result.value);
    default:
      return result.items.map((item) => described(item, inputs, outcome));
  }
}

/** A Python value in the words of the recorder. */
export function valued(value: Value): unknown {
  switch (value.kind) {
    case 'int':
      return known(value.value);
    case 'bool':
    case 'str':
      return value.value;
    case 'none':
      return null;
    case 'dtype':
      return `torch.${value.value}`;
    case 'tuple':
      return value.items.map(valued);
    default:
      return ANY;
  }
}

/** Replaces what the engine leaves open in `expected` too. */
export function open(expected: unknown, actual: unknown): unknown {
  if (actual === ANY) return ANY;
  if (Array.isArray(expected) && Array.isArray(actual)) return expected.map((item, i) => open(item, actual[i]));
  if (!isRecord(expected) || !isRecord(actual)) return expected;
  return Object.fromEntries(Object.entries(expected).map(([key, item]) => [key, open(item, actual[key])]));
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** What the engine says; why it says nothing, where it does. */
export function answered({ name, sample }: Question, torch: OpContext['torch']): Answer | string {
  let count = 0;
  const inputs: Tensor[] = [];
  const made = (argument: SampleArgument): Value => {
    const value = sampleValue(argument, () => count++);
    for (const item of value.kind === 'tuple' ? value.items : [value]) if (item.kind === 'tensor') inputs.push(item);
    return value;
  };
  const op = findOp(name);
  if (op === null) return 'no such op';
  const args = sample.args.map(made);
  const keywords = new Map(Object.entries(sample.keywords).map(([key, argument]) => [key, made(argument)] as const));
  const outcome = callOp(op, args, keywords, contextOf(torch));
  const { result } = outcome;
  if (isFault(result)) return result.fault === 'raises' ? ['!', ''] : `unsure: ${result.reason}`;
  const after = inputs.map((input) => {
    const became = outcome.writes.find((write) => write.target.id === input.id)?.becomes;
    return laid(became?.layout ?? input.layout, input.dtype);
  });
  return { result: described(result, inputs, outcome), inputs: after };
}
