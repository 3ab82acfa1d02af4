import type { FunctionTrace, TraceEvent } from '../evaluator/trace.ts';
import { type Facts, formatInt, same, type SymInt, simplify } from '../symbols/index.ts';
import type { OpResult } from '../ops/outcome.ts';
import { isFault } from '../tensor/fault.ts';
import { resolve } from '../tensor/index.ts';
import type { Tensor } from '../tensor/tensor.ts';

/** One row of `stridelint facts`; `start` and `end` are offsets in UTF-16 units from the start of the file. */
export interface FactRow {
  readonly function: string;
  readonly context?: string;
  readonly kind: 'parameter' | 'expression';
  readonly name?: string;
  readonly start: number;
  readonly end: number;
  readonly shape?: Sizes;
  readonly stride?: Sizes;
  readonly tensors?: readonly TensorFact[];
}

/** Sizes or strides in Python syntax; null stands for one, or all, that are not known. */
export type Sizes = readonly (string | null)[] | null;

export interface TensorFact {
  readonly path: string;
  readonly shape: Sizes;
  readonly stride: Sizes;
  readonly offset: string | null;
  readonly dtype: string | null;
  readonly storage: string;
  readonly sharing: Sharing;
  readonly assumes: readonly string[];
}

type Sharing = 'same' | 'view' | 'copy' | 'unknown';

/** The rows of one analysis: its parameters, then its expressions in order of place. */
export function factRows(trace: FunctionTrace): readonly FactRow[] {
  const context = trace.context === null ? {} : { context: trace.context };
  const parameters = trace.parameters.flatMap(({ name, node, value }): FactRow[] => {
    if (value.kind !== 'tensor') return [];
    const { shape, stride } = describe(trace, value);
    return [{ function: trace.function, ...context, kind: 'parameter', name, start: trace.base + node.start, end: trace.base + node.end, shape, stride }];
  });
  const sites = new Map<string, { readonly start: number; readonly end: number; readonly seen: TensorFact[][] }>();
  for (const event of trace.events) {
    const tensors = tensorsOf(trace, event);
    if (tensors.length === 0) continue;
    const start = trace.base + event.node.start;
    const end = trace.base + event.node.end;
    const key = `${start} ${end}`;
    const site = sites.get(key) ?? { start, end, seen: [] };
    site.seen.push(tensors);
    sites.set(key, site);
  }
  const expressions = [...sites.values()].map(({ start, end, seen }): FactRow => ({
    function: trace.function, ...context, kind: 'expression', start, end, tensors: seen.reduce(merge),
  }));
  return [...parameters, ...expressions.toSorted((a, b) => a.start - b.start || a.end - b.end)];
}

function tensorsOf(trace: FunctionTrace, event: TraceEvent): TensorFact[] {
  if (event.event === 'op') return event.outputs.map(({ path, tensor }) => fact(trace, path, tensor, sharingOf(event.result, path)));
  if (event.event !== 'value' || event.bound !== null) return [];
  return event.outputs.map(({ path, tensor }) => fact(trace, path, tensor, sharingAmong(tensor, event.inputs)));
}

function sharingOf(result: OpResult | Parameters<typeof isFault>[0], path: string): Sharing {
  if (isFault(result) || !isResult(result)) return 'unknown';
  if (result.is === 'tuple' || result.is === 'list') {
    const [, index, rest] = /^\[(\d+)\](.*)$/.exec(path) ?? [];
    const item = index === undefined ? undefined : result.items[Number(index)];
    return item ? sharingOf(item, rest ?? '') : 'unknown';
  }
  return result.is === 'same' ? 'same' : result.is === 'view' ? 'view' : result.is === 'fresh' ? 'copy' : 'unknown';
}

const isResult = (value: unknown): value is OpResult => typeof value === 'object' && value !== null && 'is' in value;

/** Of a call into the program: whether what came out lies in a storage that went in. */
function sharingAmong(tensor: Tensor, inputs: readonly Tensor[]): Sharing {
  if (inputs.some((input) => input.id === tensor.id)) return 'same';
  if (inputs.some((input) => input.storage.id === tensor.storage.id)) return 'view';
  return tensor.storage.origin.is === 'fresh' ? 'copy' : 'unknown';
}

function fact(trace: FunctionTrace, path: string, tensor: Tensor, sharing: Sharing): TensorFact {
  return { path, ...describe(trace, tensor), dtype: tensor.dtype, storage: `s${tensor.storage.id}`, sharing, assumes: tensor.assumes };
}

function describe(trace: FunctionTrace, tensor: Tensor): { shape: Sizes; stride: Sizes; offset: string | null } {
  const { facts, nameOf } = trace;
  const layout = resolve(tensor.layout, facts);
  const text = (value: SymInt): string => formatInt(simplify(value, facts), nameOf);
  if (layout.front) return { shape: null, stride: null, offset: null };
  return { shape: layout.shape.map(text), stride: layout.stride?.map(text) ?? null, offset: layout.offset && text(layout.offset) };
}

/** What agrees between two visits of one expression; the rest is not known. */
function merge(a: TensorFact[], b: TensorFact[]): TensorFact[] {
  return a.flatMap((one) => {
    const other = b.find((fact) => fact.path === one.path);
    if (!other) return [one];
    return [{
      path: one.path, shape: mergeSizes(one.shape, other.shape), stride: mergeSizes(one.stride, other.stride), offset: one.offset === other.offset ? one.offset : null,
      dtype: one.dtype === other.dtype ? one.dtype : null, storage: other.storage, sharing: one.sharing === other.sharing ? one.sharing : 'unknown',
      assumes: [...new Set([...one.assumes, ...other.assumes])],
    }];
  });
}

function mergeSizes(a: Sizes, b: Sizes): Sizes {
  if (a === null || b === null || a.length !== b.length) return null;
  return a.map((size, d) => (size === b[d] ? size : null));
}

export const unusedFacts = (facts: Facts, a: SymInt): boolean => same(simplify(a, facts), a);
