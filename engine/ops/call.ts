import { type Decisions, decide, NO_FACTS, ONE, type SymInt } from '../symbols/index.ts';
import { type Fault, isFault, type Result, raises, resolve, type Tensor, unsure } from '../tensor/index.ts';
import { NONE, type Value } from '../values/value.ts';
import { underAutocast } from './autocast/apply.ts';
import { bind, type Mismatch } from './bind.ts';
import type { Call, OpContext } from './context.ts';
import { withoutKernel } from './kernels.ts';
import { type Bound, type Entry, isTensor } from './op.ts';
import { writeOut } from './out.ts';
import type { OpResult, Outcome, Write } from './outcome.ts';
import type { Op } from './registry/index.ts';
import { missing } from './since.ts';
import { NEWEST } from './versions.ts';

type Keywords = ReadonlyMap<string, Value>;

/** What calling the op does. For a method, `args[0]` is `self`; sizes and lists are tuples. */
export function callOp(op: Op, args: readonly Value[], keywords: Keywords, context: OpContext): Outcome {
  const absent = missing(op.name, context.torch);
  if (absent !== null) return failed(unsure(absent));
  const bound = bindOverload(op, args, keywords, context);
  if (isFault(bound)) return failed(bound);
  const { entry, out } = bound;
  const call = new UnderWay(context);
  const refused = withoutKernel(entry, bound.args, call);
  if (refused !== null) return end(call, refused, NO_WRITES);
  const writes = entry.writes(bound.args, call);
  const result = runEntry(entry, bound.args, out !== null, call);
  if (isFault(result)) return end(call, result, NO_WRITES);
  if (isFault(writes)) return end(call, writes, NO_WRITES);
  if (out === null) return end(call, result, writes);
  const written = writeOut(entry, result, out, bound.args, call);
  return end(call, written.result, written.writes);
}

/** Autocast does not look at ops that write: those in place, and those that are given an `out`. */
function runEntry(entry: Entry, args: Bound, writes: boolean, call: Call): Result<OpResult> {
  const { autocast } = call.context;
  if (autocast === undefined || autocast.length === 0 || writes) return entry.run(args, call);
  const [name] = entry.names;
  if (name === undefined) return entry.run(args, call);
  return underAutocast(name, args, (given) => entry.run(given, call), call);
}

/** The ranks that the call demands of its tensors, for those whose rank is not known. */
export function rankDemanded(
  op: Op,
  args: readonly Value[],
  keywords: Keywords,
): readonly { readonly argument: Tensor; readonly ndim: number }[] {
  const bound = bindOverload(op, args, keywords, NOWHERE);
  if (isFault(bound)) return [];
  const demanded: { argument: Tensor; ndim: number }[] = [];
  for (const [name, ndim] of Object.entries(bound.entry.ranks(bound.args))) {
    const argument = bound.args[name];
    if (ndim !== undefined && isTensor(argument) && argument.layout.front) demanded.push({ argument, ndim });
  }
  return demanded;
}

/** Where only ranks are asked for, no size matters. */
const NOWHERE: OpContext = {
  facts: NO_FACTS,
  fresh: () => ONE,
  training: undefined,
  grad: undefined,
  torch: NEWEST,
};

/** Runs a body with fresh decisions, and gathers the guards and demands that it leaves. */
export function performing(
  context: OpContext,
  body: (call: Call) => { readonly result: OpResult | Fault; readonly writes: readonly Write[] },
): Outcome {
  const call = new UnderWay(context);
  const { result, writes } = body(call);
  return end(call, result, writes);
}

/** A class, since every op makes one. */
class UnderWay implements Call {
  readonly context: OpContext;
  readonly ask: Decisions;
  readonly demands: (readonly [SymInt, SymInt])[] = [];
  readonly demand: Call['demand'] = (left, right) => this.demands.push([left, right]);

  constructor(context: OpContext) {
    this.context = context;
    this.ask = decide(context.facts);
  }
}

function end({ context, ask, demands }: UnderWay, result: OpResult | Fault, writes: readonly Write[]): Outcome {
  return { result: isFault(result) ? result : resolvedResult(result, context), guards: ask.guards, writes, demands };
}

const NO_WRITES: readonly Write[] = Object.freeze([]);

export const failed = (fault: Fault): Outcome => ({ result: fault, guards: [], writes: [], demands: [] });

interface BoundCall {
  readonly entry: Entry;
  readonly args: Bound;
  readonly out: Value | null;
}

/** The first overload that the arguments fit; without one, the complaint of the last. */
function bindOverload(op: Op, args: readonly Value[], keywords: Keywords, context: OpContext): Result<BoundCall> {
  const out = keywords.size === 0 ? NONE : (keywords.get('out') ?? NONE);
  const rest = out.kind === 'none' ? keywords : new Map([...keywords].filter(([keyword]) => keyword !== 'out'));
  let mismatch: Mismatch | null = null;
  let undecided: Fault | null = null;
  for (const entry of op.overloads) {
    const takesOut = entry.out !== null || out.kind === 'none';
    const binding = bind(entry.signature, op.self, args, takesOut ? rest : keywords, context);
    if (!('is' in binding)) undecided ??= binding;
    else if (binding.is === 'mismatch') mismatch = binding;
    else return { entry, args: resolved(binding.args, entry.tensors, context), out: out.kind === 'none' ? null : out };
  }
  if (undecided !== null) return undecided;
  if (mismatch === null) return unsure(`\`${op.name}\` has no overload`);
  const isNumber = args[0] !== undefined && NUMBERS.has(args[0].kind);
  return isNumber && TAKE_NUMBERS.test(op.name)
    ? unsure('a number stands in place of the tensor')
    : raises(mismatch.cause());
}

const NUMBERS: ReadonlySet<Value['kind']> = new Set(['int', 'float', 'bool', 'complex']);

/** `torch.add(0.5, x)`: PyTorch's `should_allow_numbers_as_tensors`, and overloads for a number in front (2.13). */
const TAKE_NUMBERS =
  /^(torch\.)?(special\.)?(add|sub|subtract|mul|multiply|div|divide|true_divide|floor_divide|remainder|float_power|xlogy|xlog1py|zeta)$/;

/** The arguments with what the facts say about their layouts. Tensors keep their identity. */
function resolved(args: Bound, tensors: readonly string[], context: OpContext): Bound {
  if (context.facts === NO_FACTS) return args;
  let changed: Record<string, unknown> | null = null;
  for (const name of tensors) {
    const value = args[name];
    const known = resolvedValue(value, context);
    if (known === value) continue;
    changed ??= { ...args };
    changed[name] = known;
  }
  return changed ?? args;
}

function resolvedValue(value: unknown, context: OpContext): unknown {
  if (isTensor(value)) return resolvedTensor(value, context);
  if (!Array.isArray(value)) return value;
  const items = value.map((item) => resolvedValue(item, context));
  return items.every((item, i) => item === value[i]) ? value : items;
}

export function resolvedTensor(tensor: Tensor, { facts }: OpContext): Tensor {
  const layout = resolve(tensor.layout, facts);
  return layout === tensor.layout ? tensor : { ...tensor, layout };
}

/** What an op computes from sizes is put in the words of the facts: `h * (C // h)` is `C` where h divides C. */
function resolvedResult(result: OpResult, context: OpContext): OpResult {
  if (context.facts === NO_FACTS) return result;
  switch (result.is) {
    case 'same':
    case 'value':
      return result;
    case 'tuple':
    case 'list':
      return { ...result, items: result.items.map((item) => resolvedResult(item, context)) };
    case 'view':
    case 'either':
    case 'fresh': {
      const layout = resolve(result.layout, context.facts);
      return layout === result.layout ? result : { ...result, layout };
    }
  }
}
