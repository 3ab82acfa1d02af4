import type { FunctionTrace, TraceEvent } from '../evaluator/trace.ts';
import type { OpResult } from '../ops/outcome.ts';
import { formatInt, type SymInt, simplify } from '../symbols/index.ts';
import type { Node } from '../syntax/ast.ts';
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

/**
 * The rows of a file. Analyses of a function that look alike from outside, to whom the same tensors are passed, are one set
 * of rows: what some know and none contradicts. Those that the generic analysis belongs to have no context.
 */
export function factRows(traces: readonly FunctionTrace[]): readonly FactRow[] {
  const functions = grouped(traces, (trace) => `${trace.function} ${trace.base}`);
  return [...functions.values()].flatMap((all) => {
    const generic = all.find((trace) => trace.context === null)?.signature ?? '';
    const kinds = grouped(all, (trace) => trace.signature ?? '');
    return [...kinds].flatMap(([signature, alike]) => rowsOfKind(alike, signature === generic ? null : signature));
  });
}

interface SiteRow {
  readonly start: number;
  readonly end: number;
  readonly tensors: readonly TensorFact[];
}

function rowsOfKind(traces: readonly FunctionTrace[], label: string | null): readonly FactRow[] {
  const [first] = traces;
  if (!first) return [];
  const context = label === null ? {} : { context: label };
  const parameters = parametersOf(traces).map(({ trace, name, node, tensor }): FactRow => {
    const { shape, stride } = describe(trace, tensor);
    return {
      function: first.function,
      ...context,
      kind: 'parameter',
      name,
      start: first.base + node.start,
      end: first.base + node.end,
      shape,
      stride,
    };
  });
  const sites = new Map<string, SiteRow>();
  for (const trace of traces)
    for (const [key, site] of sitesOf(trace)) {
      const known = sites.get(key);
      sites.set(key, known ? { ...known, tensors: merge(known.tensors, site.tensors, UNCONTRADICTED) } : site);
    }
  const expressions = [...sites.values()].map(
    (site): FactRow => ({ function: first.function, ...context, kind: 'expression', ...site }),
  );
  return [...parameters, ...expressions.toSorted((a, b) => a.start - b.start || a.end - b.end)];
}

function parametersOf(traces: readonly FunctionTrace[]) {
  const found = new Map<
    string,
    { readonly trace: FunctionTrace; readonly name: string; readonly node: Node; readonly tensor: Tensor }
  >();
  for (const trace of traces)
    for (const { name, node, value } of trace.parameters)
      if (value.kind === 'tensor' && !found.has(name)) found.set(name, { trace, name, node, tensor: value });
  return [...found.values()];
}

function sitesOf(trace: FunctionTrace): ReadonlyMap<string, SiteRow> {
  const sites = new Map<string, SiteRow>();
  for (const event of trace.events) {
    const tensors = tensorsOf(trace, event);
    if (tensors.length === 0) continue;
    const start = trace.base + event.node.start;
    const end = trace.base + event.node.end;
    const key = `${start} ${end}`;
    const known = sites.get(key);
    sites.set(key, { start, end, tensors: known ? merge(known.tensors, tensors, AGREEING) : tensors });
  }
  return sites;
}

function tensorsOf(trace: FunctionTrace, event: TraceEvent): TensorFact[] {
  if (event.event === 'op')
    return event.outputs.map(({ path, tensor }) => fact(trace, path, tensor, sharingOf(event.result, path)));
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
  return {
    path,
    ...describe(trace, tensor),
    dtype: tensor.dtype,
    storage: `s${tensor.storage.id}`,
    sharing,
    assumes: tensor.assumes,
  };
}

function describe(trace: FunctionTrace, tensor: Tensor): { shape: Sizes; stride: Sizes; offset: string | null } {
  const { facts, nameOf } = trace;
  const layout = resolve(tensor.layout, facts);
  const text = (value: SymInt): string => formatInt(simplify(value, facts), nameOf);
  if (layout.front) return { shape: null, stride: null, offset: null };
  return {
    shape: layout.shape.map(text),
    stride: layout.stride?.map(text) ?? null,
    offset: layout.offset && text(layout.offset),
  };
}

/** How two statements of one thing are put together; null and 'unknown' say nothing. */
interface Merging {
  readonly text: <T extends string>(a: T | null, b: T | null) => T | null;
  /** Whether what only one of them says is kept. */
  readonly keepsOne: boolean;
}

/** What agrees between two visits of one expression; the rest is not known. */
const AGREEING: Merging = { text: (a, b) => (a === b ? a : null), keepsOne: false };

/** What one analysis knows and the other does not contradict. */
const UNCONTRADICTED: Merging = { text: (a, b) => (a === null ? b : b === null || a === b ? a : null), keepsOne: true };

function merge(a: readonly TensorFact[], b: readonly TensorFact[], by: Merging): readonly TensorFact[] {
  const sizes = (x: Sizes, y: Sizes): Sizes => {
    if (x === null || y === null) return by.keepsOne ? (x ?? y) : null;
    return x.length === y.length ? x.map((size, d) => by.text(size, y[d] ?? null)) : null;
  };
  const sharing = (x: Sharing, y: Sharing): Sharing =>
    by.text(x === 'unknown' ? null : x, y === 'unknown' ? null : y) ?? 'unknown';
  const more = b.filter((fact) => !a.some((one) => one.path === fact.path));
  return [...a, ...more].map((one) => {
    const other = b.find((fact) => fact.path === one.path);
    if (!other || other === one) return one;
    const shape = sizes(one.shape, other.shape);
    return {
      path: one.path,
      shape,
      stride: shape === null ? null : sizes(one.stride, other.stride),
      offset: by.text(one.offset, other.offset),
      dtype: by.text(one.dtype, other.dtype),
      storage: one.storage,
      sharing: sharing(one.sharing, other.sharing),
      assumes: [...new Set([...one.assumes, ...other.assumes])],
    };
  });
}

function grouped<T>(items: readonly T[], keyOf: (item: T) => string): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}
