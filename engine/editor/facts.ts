import { RAISES } from '../evaluator/torch/torch-results.ts';
import type { FunctionTrace, TraceEvent } from '../evaluator/trace.ts';
import { isFault } from '../tensor/fault.ts';
import { agreeing, type Choice, combine, completed, uncontradicted } from './agreement.ts';
import { fits } from './fitting.ts';
import { type Sizes, type Statement, statement, statementsOf, type TensorFact, writtenDown } from './statements.ts';

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

/**
 * The rows of a file. Analyses of a function that look alike from outside, to whom the same tensors are passed, are one set
 * of rows: what some know and none contradicts. Those that the generic analysis belongs to have no context.
 */
export function factRows(traces: readonly FunctionTrace[], others: readonly FunctionTrace[]): readonly FactRow[] {
  const functions = grouped(traces, (trace) => `${trace.function} ${trace.base}`);
  const numbers = { next: 0 };
  return [...functions.values()].flatMap((all) => {
    const generic = all.find((trace) => trace.context === null)?.signature ?? '';
    const kinds = grouped(withoutLesser(all), (trace) => trace.signature ?? '');
    const [first] = all;
    const untold = others.filter((trace) => trace.function === first?.function && trace.base === first.base);
    const rows = [...kinds].map(([signature, alike]) => {
      const open = all.filter((trace) => !isRoot(trace) && trace.signature !== signature && isOpenIn(trace, alike[0]));
      return rowsOfKind(alike, [...untold, ...open], signature === generic ? null : signature);
    });
    const otherwise = ranksOf(all.filter((trace) => !isRoot(trace) && trace.signature !== generic));
    const ofEveryCall = settledPlaces(rows.find(([row]) => row && row.context === undefined) ?? []);
    const told = rows
      .map((kind) => (kind[0]?.context === undefined ? kind.map((row) => inSameRank(row, otherwise)) : kind))
      .filter((kind) => kind[0]?.context === undefined || isToldApart(settledPlaces(kind), ofEveryCall))
      .toSorted((a, b) => shapesAsked(a) - shapesAsked(b) || strided(b) - strided(a));
    return withStorages(told.flat(), numbers);
  });
}

/** By the place of an expression, of how many dims its tensors are in calls that are told apart. */
type Ranks = ReadonlyMap<string, ReadonlySet<string>>;

function ranksOf(traces: readonly FunctionTrace[]): Ranks {
  const ranks = new Map<string, Set<string>>();
  for (const site of traces.flatMap(sitesOf))
    ranks.set(placeOf(site), (ranks.get(placeOf(site)) ?? new Set()).add(rankOf(site.tensors.map(writtenDown))));
  return ranks;
}

const rankOf = (tensors: readonly { readonly shape: readonly unknown[] | null }[]): string =>
  tensors.map(({ shape }) => shape?.length ?? '?').join();

/** What is said of every call, without the sizes where calls that are told apart come to other ranks. */
function inSameRank(row: FactRow, otherwise: Ranks): FactRow {
  const others = otherwise.get(placeOf(row));
  if (
    !row.tensors ||
    others === undefined ||
    [...others].every((rank) => rank === rankOf(row.tensors ?? []) || rank.includes('?'))
  )
    return row;
  return { ...row, tensors: row.tensors.map((tensor) => ({ ...tensor, shape: null, stride: null })) };
}

/** A kind of call is told apart for what it adds, unless far more that is known of every call would be lost where its calls differ. */
function isToldApart(places: ReadonlySet<string>, ofEveryCall: ReadonlySet<string>): boolean {
  const common = [...places].filter((place) => ofEveryCall.has(place)).length;
  const added = places.size - common;
  return added > 0 && added * WORTH >= ofEveryCall.size - common;
}

const WORTH = 3;

/** Where expressions stand of which all is known. */
const settledPlaces = (rows: readonly FactRow[]): Set<string> =>
  new Set(
    rows
      .filter(
        ({ tensors }) =>
          tensors && tensors.length > 0 && tensors.every(({ shape, stride }) => isSettled(shape) && isSettled(stride)),
      )
      .map(placeOf),
  );

const isSettled = (sizes: Sizes): boolean => sizes?.every((size) => size !== null) ?? false;

/** How many parameters have to be of some shape for these rows to speak: of kinds that fit, the one that asks for least comes first. */
const shapesAsked = (rows: readonly FactRow[]): number =>
  rows.filter(({ kind, shape }) => kind === 'parameter' && shape !== null).length;

const strided = (rows: readonly FactRow[]): number =>
  rows.filter(({ tensors }) => tensors?.every(({ stride }) => stride !== null) === true).length;

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

/** Whether strides are not known of what is passed here, which may be those of another kind of call. */
function isOpenIn({ parameters }: FunctionTrace, kind: FunctionTrace | undefined): boolean {
  const layouts = new Map(
    parameters.flatMap(({ name, value }) => (value.kind === 'tensor' ? [[name, value.layout] as const] : [])),
  );
  return (kind?.parameters ?? []).some(
    ({ name, value }) => value.kind === 'tensor' && value.layout.stride !== null && layouts.get(name)?.stride === null,
  );
}

interface SiteRow {
  readonly start: number;
  readonly end: number;
  readonly tensors: readonly Statement[];
}

function rowsOfKind(
  traces: readonly FunctionTrace[],
  untold: readonly FunctionTrace[],
  label: string | null,
): readonly FactRow[] {
  const [first] = traces;
  if (!first) return [];
  const context = label === null ? {} : { context: label };
  const parameters = parametersOf(traces).map(
    ({ name, node, shape, stride }): FactRow => ({
      function: first.function,
      ...context,
      kind: 'parameter',
      name,
      start: first.base + node.start,
      end: first.base + node.end,
      shape,
      stride,
    }),
  );
  const roots = agreedSites(traces.filter(isRoot), uncontradicted);
  const called = traces.filter((trace) => !isRoot(trace));
  const [one] = called;
  const fitting = one && label !== null ? untold.filter((other) => fits(one, other)) : [];
  const seen = new Set(called.flatMap(sitesOf).map(placeOf));
  const calls = agreedSites([...called, ...fitting], uncontradicted).filter((site) => seen.has(placeOf(site)));
  const expressions = [...grouped([...roots, ...calls], placeOf).values()].flatMap(
    ([site, more]): readonly FactRow[] => {
      if (!site) return [];
      const tensors = more ? combine([site.tensors, more.tensors], completed) : site.tensors;
      return [{ function: first.function, ...context, kind: 'expression', ...site, tensors: tensors.map(writtenDown) }];
    },
  );
  return [...parameters, ...expressions.toSorted((a, b) => a.start - b.start || a.end - b.end)];
}

/** The parameters that are tensors, as what is passed to each of the analyses agrees. */
function parametersOf(traces: readonly FunctionTrace[]) {
  const passed = traces.flatMap((trace) =>
    trace.parameters.flatMap(({ name, node, value }) =>
      value.kind === 'tensor' ? [{ name, node, statement: statement(trace, '', value, 'unknown') }] : [],
    ),
  );
  return [...grouped(passed, ({ name }) => name).values()].flatMap((same) => {
    const [first] = same;
    const [tensor] = combine(
      same.map((one) => [one.statement]),
      uncontradicted,
    );
    return first && tensor ? [{ ...first, ...writtenDown(tensor) }] : [];
  });
}

/** Each expression once, with what its analyses have in common. */
function agreedSites(traces: readonly FunctionTrace[], choice: Choice): readonly SiteRow[] {
  return [...grouped(traces.flatMap(sitesOf), placeOf).values()].flatMap((same) => joined(same, choice));
}

function joined(same: readonly SiteRow[], choice: Choice): readonly SiteRow[] {
  const [site] = same;
  const tensors = combine(
    same.map((row) => row.tensors),
    choice,
  );
  return site && tensors.length > 0 ? [{ ...site, tensors }] : [];
}

const placeOf = ({ start, end }: { readonly start: number; readonly end: number }): string => `${start} ${end}`;

/** By the names of the trace, which it has for itself and keeps wherever an edit moves the function. */
const sites = new WeakMap<FunctionTrace['nameOf'], readonly SiteRow[]>();

function sitesOf(trace: FunctionTrace): readonly SiteRow[] {
  const { nameOf, base } = trace;
  const known = sites.get(nameOf) ?? sitesIn(trace);
  sites.set(nameOf, known);
  return known.map((site) => ({ ...site, start: base + site.start, end: base + site.end }));
}

/** Placed in the frame of the function. Of an expression that yields something unknown on some visit, nothing is claimed. */
function sitesIn(trace: FunctionTrace): readonly SiteRow[] {
  const { configuredFrom } = trace;
  const visits = trace.events.flatMap((event): readonly SiteRow[] => {
    const { start, end } = event.node;
    if (configuredFrom !== null && end >= configuredFrom) return [];
    const tensors = statementsOf(trace, event);
    return tensors.length === 0 && !isUnknown(event) ? [] : [{ start, end, tensors }];
  });
  return [...grouped(visits, placeOf).values()].flatMap((same): readonly SiteRow[] => {
    const [site] = same;
    const known = same.every(({ tensors }) => tensors.length > 0);
    return known || !site ? joined(same, agreeing) : [{ ...site, tensors: [] }];
  });
}

const isUnknown = (event: TraceEvent): boolean =>
  (event.event === 'value' &&
    event.bound === null &&
    event.value.kind === 'unknown' &&
    event.value.reason !== RAISES) ||
  (event.event === 'op' && isFault(event.result) && event.result.fault === 'unsure');

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
