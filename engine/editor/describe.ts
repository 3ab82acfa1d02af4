import type { FunctionTrace, TraceEvent } from '../evaluator/trace.ts';
import { eventsBefore, producerOf, sharesStorage, tensorsIn, viewChain } from '../rules/flow.ts';
import { lineOf, lineStarts } from '../rules/lines.ts';
import type { CheckedFile } from '../rules/rule.ts';
import { spelledOut, written } from '../rules/sizes.ts';
import { dottedName } from '../rules/tree.ts';
import { decide } from '../symbols/index.ts';
import type { Node } from '../syntax/ast.ts';
import { resolve, type Tensor } from '../tensor/index.ts';
import type { TensorCard } from './card.ts';
import { contiguityText } from './contiguity.ts';

const MOST_STEPS = 4;
const MOST_NAMES = 4;

/** Where the description is made: the trace, and the event up to which names count as bound. */
export interface Viewpoint {
  readonly file: CheckedFile;
  readonly trace: FunctionTrace;
  readonly event: TraceEvent | null;
}

export function describeTensor(at: Viewpoint, tensor: Tensor, path: string, name: string): TensorCard {
  const { trace } = at;
  const layout = resolve(tensor.layout, trace.facts);
  const ask = decide(trace.facts);
  const { front } = layout;
  const sizes = layout.shape.map((size) => written(trace, size));
  const steps = layout.stride?.map((step) => written(trace, step)) ?? null;
  return {
    path,
    shape: front ? ['...', ...sizes.slice(1)] : sizes,
    names: spelledOut(trace, layout.shape),
    dtype: tensor.dtype,
    device: tensor.device,
    stride: steps === null ? null : front ? ['...', ...steps.slice(1)] : steps,
    offset: layout.offset === null ? null : written(trace, layout.offset),
    contiguity: contiguityText(layout, ask),
    origin: originOf(at, tensor),
    storageBytes: tensor.storage.nbytes === null ? null : written(trace, tensor.storage.nbytes),
    sharedBy: namesSharing(at, tensor, name),
    steps: stepsTo(at, tensor),
    assumes: tensor.assumes,
  };
}

function originOf(at: Viewpoint, tensor: Tensor): TensorCard['origin'] {
  const chain = viewChain(at.trace, tensor);
  const first = chain[chain.length - 1];
  if (first !== undefined) {
    const base = first.event.self === null ? null : dottedName(first.event.self);
    const producer = producerOf(at.trace, first.of);
    const line = producer === null ? null : lineAt(at, producer.node);
    if (base !== null) return { how: 'view of', name: base, line };
    if (producer !== null) return { how: 'view of the result of', name: producer.spelled, line };
  }
  const { origin } = tensor.storage;
  switch (origin.is) {
    case 'parameter':
      return { how: first === undefined ? 'argument' : 'view of argument', name: origin.name, line: null };
    case 'attribute':
    case 'module-parameter':
    case 'buffer':
      return { how: origin.is.replace('-', ' '), name: origin.name, line: null };
    case 'fresh':
      return { how: 'fresh from', name: origin.op, line: null };
    case 'numpy':
      return { how: 'shares memory with', name: 'a NumPy array', line: null };
    case 'file':
      return { how: 'loaded from', name: 'a file', line: null };
    case 'unknown':
      return { how: '', name: '', line: null };
  }
}

/** The names that stand for other tensors of the same storage when the event happens. */
function namesSharing(at: Viewpoint, tensor: Tensor, own: string): readonly string[] {
  const bound = new Map<string, Tensor | null>();
  for (const { name, value } of at.trace.parameters) bound.set(name, tensorsIn(value)[0] ?? null);
  const events = at.event === null ? [] : [...eventsBefore(at.trace, at.event), at.event];
  for (const event of events) {
    if (event.event === 'read') bound.set(event.name, event.tensor);
    if (event.event === 'value' && event.bound !== null) bound.set(event.bound, tensorsIn(event.value)[0] ?? null);
  }
  const names = [...bound].flatMap(([name, other]) =>
    other !== null && name !== own && sharesStorage(other, tensor) ? [name] : [],
  );
  return names.slice(0, MOST_NAMES);
}

function stepsTo(at: Viewpoint, tensor: Tensor): TensorCard['steps'] {
  return viewChain(at.trace, tensor)
    .slice(0, MOST_STEPS)
    .toReversed()
    .map(({ event }) => ({ source: event.spelled, line: lineAt(at, event.node) }));
}

/** 1-based. */
function lineAt(at: Viewpoint, node: Node): number {
  return lineOf(lineStarts(at.file.text), at.trace.base + node.start) + 1;
}
