import type { FunctionTrace, OpEvent } from '../evaluator/trace.ts';
import type { Guard } from '../symbols/index.ts';
import type { Node, Tuple } from '../syntax/ast.ts';
import { type Cause, isFault, resolve, type Tensor } from '../tensor/index.ts';
import { failureIsExpected } from './control.ts';
import { opEvents, producerOf } from './flow.ts';
import { formatIn } from './formats.ts';
import type { CheckedFile } from './rule.ts';
import { is } from './tree.ts';
import { RULE_OF_CAUSE } from './wording.ts';

export interface Failure {
  readonly event: OpEvent;
  readonly cause: Cause;
}

/** The operations that PyTorch will reject for a cause that is this rule's, save where a failure is what is wanted. */
export function failuresOf(rule: string, trace: FunctionTrace, file: CheckedFile): readonly Failure[] {
  if (trace.happens === 'guarded') return [];
  return opEvents(trace).flatMap((event) => {
    const { result } = event;
    if (!isFault(result) || result.fault !== 'raises' || ruleOf(event, result.cause) !== rule) return [];
    if (isGuess(trace, event, result.cause) || failureIsExpected(file, trace, event.node)) return [];
    if (NEEDS_RANK.has(result.cause.is) && event.inputs.some(({ layout }) => resolve(layout, trace.facts).front))
      return [];
    if (mayBeSqueezed(trace, event, result.cause) || mayBeSeveral(trace, event, result.cause)) return [];
    if (NEEDS_RANK.has(result.cause.is) && isSpelledOut(trace, event)) return [];
    if (DISPATCHED.has(rule) && goesThroughElsewhere(trace, file, event)) return [];
    return [{ event, cause: result.cause }];
  });
}

/** A rank that only the memory format minds is a matter of the format. */
function ruleOf(event: OpEvent, cause: Cause): string {
  const ofFormat = cause.is === 'rank-differs' && cause.what === 'self' && formatIn(event) !== null;
  return ofFormat ? 'channels-last' : RULE_OF_CAUSE[cause.is];
}

/** What proves nothing about a tensor some of whose dims are not known. */
const NEEDS_RANK: ReadonlySet<string> = new Set(['rank-differs', 'dim-out-of-range', 'numel-differs']);

/**
 * Whether a dim that `squeeze` kept, since a generic size is not 1, is one too many: whoever squeezes expects a size of 1.
 * Where there are too few dims, more squeezing would not help.
 */
function mayBeSqueezed(trace: FunctionTrace, event: OpEvent, cause: Cause): boolean {
  if (cause.is !== 'rank-differs' || /at least|or more/.test(cause.expected)) return false;
  const least = Number.parseInt(cause.expected.replace(/\D*/, ''), 10);
  return (
    cause.got > least &&
    opsBehind(trace, event).some(({ op, guards }) => op === 'squeeze' && guards.some(comparesWithOne))
  );
}

/**
 * An argument or attribute that an annotation, or one of the calls, says to be a number may be a tuple in another: this
 * code expects one.
 */
function mayBeSeveral(trace: FunctionTrace, event: OpEvent, cause: Cause): boolean {
  if (cause.is !== 'rank-differs') return false;
  return opsBehind(trace, event).some(({ op, node, arguments: [data] }) => {
    const given = OF_DATA.test(op) && data?.kind === 'int' && is(node, 'Call') ? node.args[0] : undefined;
    return (
      given?.kind === 'Attribute' || (given?.kind === 'Name' && trace.parameters.some(({ name }) => name === given.id))
    );
  });
}

const OF_DATA = /^(torch\.)?(tensor|as_tensor|asarray)$/;

/**
 * Whether the rank was taken from an index: `x[:, :, 0]` has an entry for each dim that its author had in mind, and `x` may
 * have more.
 */
function isSpelledOut(trace: FunctionTrace, event: OpEvent): boolean {
  const behind = new Set(opsBehind(trace, event).flatMap(({ inputs }) => inputs.map(({ storage }) => storage.id)));
  return opEvents(trace).some(({ node, inputs: [of] }) => {
    if (of?.storage.origin.is !== 'parameter' || !behind.has(of.storage.id)) return false;
    return is(node, 'Subscript') && is(node.slice, 'Tuple') && dimsIn(node.slice) === of.layout.shape.length;
  });
}

const dimsIn = ({ elts }: Tuple): number =>
  elts.filter((each) => each.kind !== 'Constant' || each.literal !== 'none').length;

/** The operations that the event's inputs came out of, and so on back; the event itself is the first. */
function opsBehind(trace: FunctionTrace, event: OpEvent): readonly OpEvent[] {
  const reached = new Set<OpEvent>([event]);
  for (const { inputs } of reached)
    for (const input of inputs) {
      const producer = producerOf(trace, input);
      if (producer !== null) reached.add(producer);
    }
  return [...reached];
}

const comparesWithOne = ({ relation, left, right }: Guard): boolean =>
  relation === 'equal' && (left.constant === 1 || right.constant === 1);

/**
 * Where one function serves several shapes, told apart by a flag, not every call that can be put together from the
 * branches really happens; one that is made whenever the file is run does. A shape that fits in one analysis of the function is no proof of an error in another; a layout
 * is, since nobody tells layouts apart.
 */
const DISPATCHED: ReadonlySet<string> = new Set(['shape-mismatch', 'invalid-argument']);

function goesThroughElsewhere(trace: FunctionTrace, file: CheckedFile, event: OpEvent): boolean {
  if (trace.happens === 'always' && !event.conditional) return false;
  return file.traces.some(
    (other) => other !== trace && other.function === trace.function && goesThrough(opEvents(other), event.node),
  );
}

/** A query such as `size` that is answered leaves no event: there what it is an argument of goes through. */
function goesThrough(events: readonly OpEvent[], { start, end }: Node): boolean {
  const inside = ({ node }: OpEvent) => node.start <= start && end <= node.end;
  const here = events.filter(inside);
  const same = here.filter(({ node }) => node.start === start && node.end === end);
  return (same.length > 0 ? same : here).some(({ result }) => !isFault(result));
}

/**
 * Of calls that fit no signature those are reported where a plain Python value stands in the place of another: objects may
 * be converted, and what was thought to be a tensor, from its use, may be an array. The latter holds of any other odd
 * argument, too, where the tensor came from outside.
 */
function isGuess(trace: FunctionTrace, event: OpEvent, cause: Cause): boolean {
  const origin = event.inputs[0]?.storage.origin.is;
  // The rank of what nobody knows is hearsay: a comment said it, or another use.
  if (NEEDS_RANK.has(cause.is) && event.inputs.some((input) => input.storage.origin.is === 'unknown')) return true;
  if (cause.is !== 'argument') return false;
  if (cause.signature === true && !isPlainMisfit(event, cause.got)) return true;
  return origin === 'unknown' || (origin === 'parameter' && trace.context === null);
}

/** `==` of a tensor and a string is False, `type` takes the names of types, and layers look at their arguments later if at all. */
const isPlainMisfit = ({ op, inputs }: OpEvent, got: string): boolean =>
  PLAIN.test(got) && inputs.every(isTensorForSure) && !/^(eq|ne|==|!=|type|nn\..*)$/.test(op);

const PLAIN = /^a (str|float|complex|dtype)$/;

const isTensorForSure = ({ storage: { origin } }: Tensor): boolean =>
  origin.is === 'fresh' || origin.is === 'module-parameter' || origin.is === 'buffer';
