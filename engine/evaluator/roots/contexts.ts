import { type Facts, formatInt, type SymInt, simplify } from '../../symbols/index.ts';
import { isRowMajor } from '../../tensor/index.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import type { Value } from '../../values/value.ts';
import type { Place } from '../calls/calls.ts';
import { parametersOf } from '../calls/functions.ts';
import { naming } from '../state/naming.ts';
import type { FunctionInfo } from '../state/program.ts';
import { type Activation, currentTensor, factsOf, heapRead, type Run, reboundUnknown } from '../state/run.ts';
import { firstOptionalCall } from '../torch/optional.ts';
import type { CallKind, FunctionTrace } from '../trace.ts';
import { configuration } from './configuration.ts';

interface Described {
  readonly name: string;
  readonly value: Value;
}

/** How many kinds of call are kept for one function beside its generic analysis. */
export const MOST_CONTEXTS = 6;

/** Keeps what one call saw as a trace: `place` is null for a generic analysis. */
export function recordContext(
  run: Run,
  caller: Activation | null,
  act: Activation,
  info: FunctionInfo,
  parameters: ReadonlyMap<string, Value>,
  result: Value,
  place: Place | null,
): void {
  if (run.muted > 0) return;
  const generic = place === null;
  const facts = act.facts ?? factsOf(run);
  const described = parametersOf(info.definition.args).map((parameter) => {
    const value = parameters.get(parameter.name) ?? { kind: 'none' as const };
    return { name: parameter.name, node: parameter, value: seen(run, value, facts) };
  });
  const signature = contextLabel(described, facts);
  const context = generic ? (run.label ?? null) : signature;
  const kind =
    generic || signature === null || closesOverFunctions(run, info)
      ? null
      : kindOfCall(run, act, info, signature, described);
  if (!generic && (kind === null || !mayBeKept(run, kind))) return;
  void caller;
  const trace: FunctionTrace = {
    path: info.file.path,
    function: info.qualname,
    definition: info.definition.kind === 'FunctionDef' ? info.definition : null,
    base: info.base,
    context,
    signature,
    plainCall: run.plainCall,
    configuredFrom: generic
      ? null
      : firstOptionalCall(
          run,
          info,
          described.some(({ value }) => isImages(value)),
        ),
    happens: generic ? 'perhaps' : howSurely(run),
    place: generic ? 'root' : 'call',
    parameters: described,
    events: act.events,
    facts,
    ...naming(run, act, parameters, described, facts),
    returned: result,
  };
  run.memory.told.push({ trace, kind });
}

const isImages = (value: Value): boolean =>
  value.kind === 'tensor' && !value.layout.front && value.layout.shape.length === 4;

/** Whether an inner function may call what it closes over: then what is passed to it does not tell what it does. */
function closesOverFunctions(run: Run, info: FunctionInfo): boolean {
  const isFunction = (value: Value): boolean =>
    value.kind === 'program' || value.kind === 'either' || (value.kind === 'tuple' && value.items.some(isFunction));
  return info.closure.some((ref) => {
    const frame = heapRead(run, ref);
    return frame?.object === 'frame' && [...frame.variables.values()].some((value) => isFunction(value));
  });
}

const howSurely = (run: Run): FunctionTrace['happens'] =>
  run.guarded
    ? 'guarded'
    : run.running && run.stack.every(({ conditional }) => conditional === 0)
      ? 'always'
      : 'perhaps';

function kindOfCall(
  run: Run,
  act: Activation,
  info: FunctionInfo,
  context: string,
  parameters: readonly Described[],
): CallKind {
  // What an inner function does depends on what it closes over.
  const apart = info.closure.length > 0 ? `${run.unit} ${info.id}` : '';
  const sizes = parameters.flatMap(({ value }) => (value.kind === 'tensor' ? value.layout.shape : []));
  const kind = `${configuration(run, sizes, act.self)}${apart}`;
  return { of: `${info.file.path} ${info.qualname}`, context, kind };
}

/** Whether a call of this kind would be kept if it were told now. */
function mayBeKept(run: Run, kind: CallKind): boolean {
  const kept = isNewKind(run.contexts, kind);
  if (!kept) note(run, kind, false);
  return kept;
}

export function asksToKeep(run: Run, kind: CallKind): boolean {
  const kept = admit(run.contexts, kind);
  note(run, kind, kept);
  return kept;
}

function note(run: Run, kind: CallKind, kept: boolean): void {
  const key = `${kind.of} ${kind.context} ${kind.kind}`;
  if (!run.reading.kinds.has(key)) run.reading.kinds.set(key, { kind, kept });
}

/** The kinds of call of one function that were kept: what its `self` was, by what the tensors were. */
export type Kinds = ReadonlyMap<string, ReadonlySet<string>>;

/** Of each kind of call a few are kept that differ in what `self` is, so that only what they agree in is claimed. */
function isNewKind(kept: ReadonlyMap<string, Kinds>, { of, context, kind }: CallKind): boolean {
  const known = kept.get(of);
  const alike = known?.get(context);
  if (!alike) return (known?.size ?? 0) < MOST_RECORDED;
  return alike.size < MOST_ALIKE && !alike.has(kind);
}

export function admit(kept: Map<string, Kinds>, one: CallKind): boolean {
  if (!isNewKind(kept, one)) return false;
  const { of, context, kind } = one;
  const known = kept.get(of);
  kept.set(of, new Map(known ?? []).set(context, new Set(known?.get(context) ?? []).add(kind)));
  return true;
}

const MOST_ALIKE = 12;
/** How many kinds of call are looked at to find those that tell most. */
const MOST_RECORDED = 24;

/** Analyses of which most is to be told, and others of calls, which no row is for. */
export interface Telling {
  readonly traces: readonly FunctionTrace[];
  readonly others: readonly FunctionTrace[];
}

/** Of each function's kinds of call those of which most is known; traces of generic analyses stay. */
export function telling(traces: readonly FunctionTrace[]): Telling {
  const kinds = new Map<string, Map<string, number>>();
  for (const trace of traces) {
    if (trace.place === 'root' || trace.context === null) continue;
    const key = `${trace.function} ${trace.base}`;
    const known = kinds.get(key) ?? new Map<string, number>();
    kinds.set(key, known.set(trace.context, Math.max(known.get(trace.context) ?? 0, knownTensors(trace))));
  }
  const kept = new Map(
    [...kinds].map(([key, known]) => [
      key,
      new Set(
        [...known]
          .toSorted((a, b) => b[1] - a[1])
          .slice(0, MOST_CONTEXTS)
          .map(([context]) => context),
      ),
    ]),
  );
  const isKept = (trace: FunctionTrace): boolean =>
    trace.place === 'root' ||
    trace.context === null ||
    kept.get(`${trace.function} ${trace.base}`)?.has(trace.context) === true;
  return { traces: traces.filter(isKept), others: traces.filter((trace) => !isKept(trace)) };
}

/** How many parameters are tensors of known rank. */
const knownTensors = ({ parameters }: FunctionTrace): number =>
  parameters.filter(({ value }) => value.kind === 'tensor' && !value.layout.front).length;

/** A parameter as it turned out: an unknown that was used as a tensor is one. */
function seen(run: Run, value: Value, facts: Facts): Value {
  void facts;
  if (value.kind === 'tensor') return currentTensor(run, value);
  if (value.kind === 'unknown') {
    const known = reboundUnknown(run, value);
    return known ? seen(run, known, facts) : value;
  }
  return value;
}

/** Sums and products without regard to the order in which their symbols were made. */
const inOrder = (text: string): string =>
  text.includes('(')
    ? text
    : text
        .split(' + ')
        .map((term) => term.split('*').sort().join('*'))
        .sort()
        .join(' + ');

/** A kind of call by what its tensors are, as far as their rank is known: sizes numbered in order of appearance. */
function contextLabel(parameters: readonly Described[], facts: Facts): string | null {
  const numbers = new Map<string, string>();
  const name = (id: string): string => {
    const found = numbers.get(id) ?? `n${numbers.size}`;
    numbers.set(id, found);
    return found;
  };
  const text = (value: SymInt): string => inOrder(formatInt(simplify(value, facts), name));
  const tensor = (t: Tensor): string => {
    const { shape, stride } = t.layout;
    const sizes = `[${shape.map(text).join(', ')}]`;
    if (stride === null) return sizes;
    return isRowMajor(t.layout) ? `${sizes} contiguous` : `${sizes} strides (${stride.map(text).join(', ')})`;
  };
  const parts = parameters.flatMap(({ name: parameter, value }) =>
    value.kind === 'tensor' && !value.layout.front ? [`${parameter}: ${tensor(value)}`] : [],
  );
  return parts.length > 0 ? parts.join('; ') : parameters.some(({ value }) => value.kind === 'tensor') ? '' : null;
}
