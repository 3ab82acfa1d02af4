import { RAISES } from '../evaluator/torch-results.ts';
import type { FunctionTrace, TraceEvent } from '../evaluator/trace.ts';
import type { OpResult } from '../ops/outcome.ts';
import { written } from '../rules/sizes.ts';
import type { SymInt } from '../symbols/index.ts';
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

export type Sharing = 'same' | 'view' | 'copy' | 'unknown';

/**
 * The rows of a file. Analyses of a function that look alike from outside, to whom the same tensors are passed, are one set
 * of rows: what some know and none contradicts. Those that the generic analysis belongs to have no context.
 */
export function factRows(traces: readonly FunctionTrace[]): readonly FactRow[] {
  const functions = grouped(traces, (trace) => `${trace.function} ${trace.base}`);
  const numbers = { next: 0 };
  return [...functions.values()].flatMap((all) => {
    const generic = all.find((trace) => trace.context === null)?.signature ?? '';
    const kinds = grouped(withoutLesser(all), (trace) => trace.signature ?? '');
    const rows = [...kinds].flatMap(([signature, alike]) =>
      rowsOfKind(alike, signature === generic ? null : signature),
    );
    return withStorages(rows, numbers);
  });
}

/** Storages by the order in which a file shows them. An analysis numbers them anew for each function. */
function withStorages(rows: readonly FactRow[], numbers: { next: number }): readonly FactRow[] {
  const shown = new Map<string, string>();
  const name = (storage: string): string => {
    const known = shown.get(storage) ?? `s${numbers.next++}`;
    shown.set(storage, known);
    return known;
  };
  return rows.map((row) =>
    row.tensors ? { ...row, tensors: row.tensors.map((fact) => ({ ...fact, storage: name(fact.storage) })) } : row,
  );
}

/** An analysis with symbols for parameters, not of a call. */
const isRoot = ({ context, signature }: FunctionTrace): boolean => context === null || context !== signature;

/** A generic analysis that leaves open what layers are built with says less than one that takes their defaults. */
function withoutLesser(traces: readonly FunctionTrace[]): readonly FunctionTrace[] {
  const isDefault = ({ context, signature }: FunctionTrace) => context !== null && context !== signature;
  return traces.filter(
    (trace) =>
      trace.context !== null || !traces.some((other) => isDefault(other) && other.signature === trace.signature),
  );
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
  const [roots, calls] = [traces.filter(isRoot), traces.filter((trace) => !isRoot(trace))].map((some) =>
    agreedSites(some),
  );
  const expressions = [...grouped([...(roots ?? []), ...(calls ?? [])], placeOf).values()].flatMap(
    ([site, more]): readonly FactRow[] => {
      if (!site) return [];
      const tensors = more ? completed(site.tensors, more.tensors) : site.tensors;
      return [{ function: first.function, ...context, kind: 'expression', ...site, tensors }];
    },
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

/** Each expression once, with what none of the analyses contradicts. */
function agreedSites(traces: readonly FunctionTrace[]): readonly SiteRow[] {
  return [...grouped(traces.flatMap(sitesOf), placeOf).values()].flatMap((same): readonly SiteRow[] => {
    const [site] = same;
    return site ? [{ ...site, tensors: uncontradicted(same.map((row) => row.tensors)) }] : [];
  });
}

const placeOf = ({ start, end }: SiteRow): string => `${start} ${end}`;

function sitesOf(trace: FunctionTrace): readonly SiteRow[] {
  const { configuredFrom } = trace;
  const visits = trace.events.flatMap((event): readonly SiteRow[] => {
    const { start, end } = event.node;
    if (configuredFrom !== null && end >= configuredFrom) return [];
    const tensors = tensorsOf(trace, event);
    return tensors.length === 0 && !isUnknown(event)
      ? []
      : [{ start: trace.base + start, end: trace.base + end, tensors }];
  });
  return [...grouped(visits, placeOf).values()].flatMap((same): readonly SiteRow[] => {
    const [site] = same;
    // Of an expression that yields something unknown on some visit, nothing is claimed.
    const known = same.every(({ tensors }) => tensors.length > 0);
    return site && known ? [{ ...site, tensors: agreeing(same.map((row) => row.tensors)) }] : [];
  });
}

const isUnknown = (event: TraceEvent): boolean =>
  (event.event === 'value' &&
    event.bound === null &&
    event.value.kind === 'unknown' &&
    event.value.reason !== RAISES) ||
  (event.event === 'op' && isFault(event.result) && event.result.fault === 'unsure');

/** What came out of an event, with what it shares. */
export function tensorsOf(trace: FunctionTrace, event: TraceEvent): TensorFact[] {
  if (event.event === 'op')
    return event.outputs.map(({ path, tensor }) => tensorFact(trace, path, tensor, sharingOf(event.result, path)));
  if (event.event !== 'value' || event.bound !== null) return [];
  return event.outputs.map(({ path, tensor }) => tensorFact(trace, path, tensor, sharingAmong(tensor, event.inputs)));
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

export function tensorFact(trace: FunctionTrace, path: string, tensor: Tensor, sharing: Sharing): TensorFact {
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
  const { facts } = trace;
  const layout = resolve(tensor.layout, facts);
  const text = (value: SymInt): string => written(trace, value);
  if (layout.front) return { shape: null, stride: null, offset: null };
  return {
    shape: layout.shape.map(text),
    stride: layout.stride?.map(text) ?? null,
    offset: layout.offset && text(layout.offset),
  };
}

/** What agrees between all visits of one expression; the rest is not known. */
const agreeing = (all: readonly (readonly TensorFact[])[]): readonly TensorFact[] =>
  combine(all, (texts) => (texts.every((text) => text === texts[0]) ? (texts[0] ?? null) : null));

/** What some analyses know and none contradicts. */
const uncontradicted = (all: readonly (readonly TensorFact[])[]): readonly TensorFact[] =>
  combine(all, (texts) => {
    const known = new Set(texts.filter((text) => text !== null));
    const [only] = known;
    return known.size === 1 && only !== undefined ? only : null;
  });

/** What an analysis of every call says, and where it says nothing, what those of the calls that were seen agree in. */
function completed(all: readonly TensorFact[], seen: readonly TensorFact[]): readonly TensorFact[] {
  return combine([all, seen], ([mine, other]) => mine ?? other ?? null);
}

type Choose = <T extends string>(texts: readonly (T | null)[]) => T | null;

/** One fact for each path out of several statements; null and 'unknown' say nothing. */
function combine(all: readonly (readonly TensorFact[])[], choose: Choose): readonly TensorFact[] {
  if (all.length === 1) return all[0] ?? [];
  return [...grouped(all.flat(), (fact) => fact.path)].flatMap(([path, facts]): readonly TensorFact[] => {
    const [first] = facts;
    if (!first) return [];
    const shape = combineSizes(
      facts.map((fact) => fact.shape),
      choose,
    );
    const stride =
      shape === null
        ? null
        : combineSizes(
            facts.map((fact) => fact.stride),
            choose,
          );
    const sharing = choose(facts.map((fact) => (fact.sharing === 'unknown' ? null : fact.sharing))) ?? 'unknown';
    const offset = choose(facts.map((fact) => fact.offset));
    const dtype = choose(facts.map((fact) => fact.dtype));
    const assumes = [...new Set(facts.flatMap((fact) => fact.assumes))];
    return [{ path, shape, stride, offset, dtype, storage: first.storage, sharing, assumes }];
  });
}

function combineSizes(all: readonly Sizes[], choose: Choose): Sizes {
  const rank = choose(all.map((sizes) => (sizes === null ? null : `${sizes.length}`)));
  if (rank === null) return null;
  const known = all.filter((sizes) => sizes !== null).filter((sizes) => `${sizes.length}` === rank);
  return Array.from({ length: Number(rank) }, (_, d) => choose(known.map((sizes) => sizes[d] ?? null)));
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
