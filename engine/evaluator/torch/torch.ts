import { callOp, findOp, getAttribute, getItem, type OpContext, rankDemanded, setItem } from '../../ops/index.ts';
import type { Outcome } from '../../ops/outcome.ts';
import { decide, symbol, symbolsOf } from '../../symbols/index.ts';
import type { Expression, Node } from '../../syntax/ast.ts';
import { isFault, unsure } from '../../tensor/fault.ts';
import { isContiguous } from '../../tensor/index.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { unknown, type Value } from '../../values/value.ts';
import { type Renamed, replaceLayout } from '../calls/abstraction.ts';
import { withDefaults } from '../roots/defaults.ts';
import { unknownNdim } from '../state/ranks.ts';
import {
  type Activation,
  currentTensor,
  freshSymbol,
  opContext,
  packedSymbol,
  type Run,
  splitFront,
  unknownRank,
} from '../state/run.ts';
import { alongWays } from '../state/ways.ts';
import { mayAgree, uncertain } from './dtypes.ts';
import {
  deepCurrent,
  demandRank,
  forOp,
  isOpenList,
  keyForOp,
  spreadFronts,
  takeForSizes,
  tensorParameters,
} from './torch-arguments.ts';
import { finish, openEnded, openPieces, tensorsOf, wholeSequence } from './torch-results.ts';

/** Where a torch call stands: its node, how the source spells it, and the expression of `self`. */
export interface Spelling {
  readonly node: Node;
  readonly spelled: string;
  readonly self: Expression | null;
  /** What goes into the call beside its arguments: the parameters of a module. */
  readonly parameters?: readonly Value[];
}

type Invoke = (context: OpContext, args: readonly Value[]) => Outcome;

/** An op by its qualified name; unknown where it is not modelled. */
export function callTorch(
  run: Run,
  act: Activation,
  name: string,
  args: readonly Value[],
  keywords: ReadonlyMap<string, Value>,
  at: Spelling,
): Value {
  const op = findOp(name);
  if (op === null) return unknown(`\`${name}\` is not modelled`);
  run.packed = false;
  const takes = tensorParameters(op);
  const ready = spreadFronts(run, args).map((value, i) =>
    forOp(run, value, takes.positions.has(i) && !isOpenList(value, takes.lists.has(i))),
  );
  const named = new Map(
    [...keywords].map(([key, value]) => [
      key,
      forOp(run, value, takes.names.has(key) && !isOpenList(value, takes.lists.has(key))),
    ]),
  );
  const like = ready[1];
  const packed = run.packed || (SIZED_LIKE.has(op.canonical) && like?.kind === 'tensor' && like.layout.front);
  for (const { argument, ndim } of rankDemanded(op, ready, named)) demandRank(run, argument, ndim);
  const current = (value: Value): Value => deepCurrent(run, value);
  const spread = wholeSequence(run, args[0]);
  const pieces = openPieces(run, op.canonical, ready, named);
  if (pieces) return pieces;
  const { grad } = run;
  // Initialisers write under `no_grad`.
  if (name.startsWith('torch.nn.init.')) run.grad = false;
  const outcome = invoke(run, op.canonical, [...ready, ...named.values()], (context) =>
    callOp(op, ready.map(current), new Map([...named].map(([k, v]) => [k, current(v)])), context),
  );
  if (!isFault(outcome.result) && 'layout' in outcome.result) takeForSizes(run, ready, outcome.result.layout.shape);
  const opened = spread ? openEnded(run, outcome, op.canonical, named, ready) : outcome;
  const plain = inferred(run, ready[0], opened);
  const value = finish(
    run,
    act,
    op.canonical,
    packed ? withFront(ofAnyLength(plain)) : plain,
    [...ready, ...named.values()],
    at,
  );
  run.grad = grad;
  return value;
}

/** Ops that take their sizes from another tensor. */
const SIZED_LIKE = new Set(['view_as', 'reshape_as', 'expand_as']);

/** The size that -1 stands for in a view of a tensor of which nothing is known is a size of its own. */
function inferred(run: Run, of: Value | undefined, outcome: Outcome): Outcome {
  const { result } = outcome;
  if (
    of?.kind !== 'tensor' ||
    of.storage.origin.is !== 'unknown' ||
    !of.layout.front ||
    isFault(result) ||
    !('layout' in result)
  )
    return outcome;
  const { layout } = result;
  const renamed = layout.shape.flatMap((size): Renamed[] => {
    const packed = packedSymbol(size) === null && [...symbolsOf(size)].some((id) => packedSymbol(symbol(id)) !== null);
    return packed ? [{ size, symbol: freshSymbol(run, 'size') }] : [];
  });
  return renamed.length === 0 ? outcome : { ...outcome, result: { ...result, layout: replaceLayout(layout, renamed) } };
}

/** The first size that was asked for stands for an unknown number of dims. */
function withFront(outcome: Outcome): Outcome {
  const { result } = outcome;
  if (isFault(result) || !('layout' in result)) return outcome;
  const [first] = result.layout.shape;
  if (!first || packedSymbol(first) === null) return outcome;
  return { ...outcome, result: { ...result, layout: { ...result.layout, front: true } } };
}

/** How many sizes there are is not known: that they do not fit is not, either. */
function ofAnyLength(outcome: Outcome): Outcome {
  const { result } = outcome;
  const fits = !isFault(result) || result.fault === 'unsure' || result.cause.is === 'dims-do-not-merge';
  return fits ? outcome : { ...outcome, result: unsure('how many sizes there are is not known') };
}

/** An op whose result only the evaluator needs: iteration over a tensor. */
export function callTorchQuietly(run: Run, name: string, args: readonly Value[]): Value {
  run.muted++;
  const value = callTorch(run, run.stack[run.stack.length - 1] ?? act0(), name, args, new Map(), {
    node: { start: 0, end: 0 },
    spelled: '',
    self: null,
  });
  run.muted--;
  return value;
}

function act0(): never {
  throw new Error('no call is under way');
}

/** `x[key]` of a tensor. */
export function tensorItem(run: Run, act: Activation, tensor: Tensor, key: Value, at: Spelling): Value {
  const ready = keyForOp(run, key);
  const spelled = key.kind === 'tuple' && ready.kind === 'tuple' ? dimsSpelledOut(ready.items) : null;
  if (spelled !== null) demandRank(run, tensor, spelled);
  const outcome = invoke(run, 'getitem', [tensor, ready], (context) =>
    getItem(currentTensor(run, tensor), deepCurrent(run, ready), context),
  );
  return finish(
    run,
    act,
    'getitem',
    ofUnknownRank(run, currentTensor(run, tensor), ready, outcome),
    [tensor, ready],
    at,
  );
}

/**
 * How many dims an index spells out: a `:` at the end says nothing but that this is the last dim, and so does one between
 * new dims, `v[None, :, None]`. Null where the index leaves open what follows, as `x[None, :]` does.
 */
function dimsSpelledOut(items: readonly Value[]): number | null {
  const dims = items.filter(({ kind }) => kind !== 'none');
  const last = items.at(-1);
  const [first] = items;
  if (items.length < 2 || !items.every(({ kind }) => kind === 'int' || kind === 'slice' || kind === 'none'))
    return null;
  const between = dims.length === 1 && first?.kind === 'none' && last?.kind === 'none' && isWhole(dims[0]);
  return (isWhole(last) && dims.length > 1) || between ? dims.length : null;
}

const isWhole = (value: Value | undefined): boolean =>
  value?.kind === 'slice' && value.start.kind === 'none' && value.stop.kind === 'none' && value.step.kind === 'none';

/** Basic indexing of a tensor of unknown rank is a view whatever the rank; of a contiguous one by integers alone, a contiguous one. */
function ofUnknownRank(run: Run, tensor: Tensor, key: Value, outcome: Outcome): Outcome {
  const { result } = outcome;
  const keys = key.kind === 'tuple' ? key.items : [key];
  if (!tensor.layout.front || !isFault(result) || result.fault !== 'unsure' || !keys.every(isBasicKey)) return outcome;
  const packed =
    keys.every(({ kind }) => kind === 'int') && isContiguous(tensor.layout, decide(run.layer.facts)) === true;
  const layout = { ...unknownRank(run, 'item', 0, packed), offset: null };
  return { ...outcome, result: { is: 'view', of: tensor, layout, dtype: tensor.dtype } };
}

const isBasicKey = ({ kind }: Value): boolean =>
  kind === 'int' || kind === 'slice' || kind === 'none' || kind === 'ellipsis';

/** `x[key] = value` of a tensor. */
export function setTensorItem(run: Run, act: Activation, tensor: Tensor, key: Value, value: Value, at: Spelling): void {
  const ready = keyForOp(run, key);
  const stored = forOp(run, value, false);
  const outcome = invoke(run, 'setitem', [tensor, ready, stored], (context) =>
    setItem(currentTensor(run, tensor), deepCurrent(run, ready), deepCurrent(run, stored), context),
  );
  finish(run, act, 'setitem', outcome, [tensor, ready, stored], at);
}

/** An attribute of a tensor that is a value (`T`, `data`, `shape`), or null where the name is no such attribute. */
export function tensorAttribute(run: Run, act: Activation, tensor: Tensor, name: string, at: Spelling): Value | null {
  const now = currentTensor(run, tensor);
  if (now.layout.front && name === 'shape') return sizeOf(now);
  if (now.layout.front && name === 'ndim') return ndimOf(run, now);
  const context = opContext(run);
  if (getAttribute(now, name, context) === null) return null;
  const outcome = invoke(
    run,
    name,
    [tensor],
    (again) =>
      getAttribute(currentTensor(run, tensor), name, again) ?? {
        result: unsure(''),
        guards: [],
        writes: [],
        demands: [],
      },
  );
  return finish(run, act, name, outcome, [tensor], at);
}

/** The sizes of a tensor, an unknown number of leading ones packed. */
export function sizeOf(tensor: Tensor): Value {
  const { shape, front } = tensor.layout;
  const items = (front ? shape.slice(1) : shape).map((value): Value => ({ kind: 'int', value }));
  const [first] = shape;
  return front && first ? { kind: 'tuple', items, front: first } : { kind: 'tuple', items };
}

/** How many dims a tensor of unknown rank has. */
export const ndimOf = (run: Run, { layout: { shape } }: Tensor): Value => unknownNdim(run, shape[0], shape.length - 1);

/** Any outcome that the ops room computes from tensors: a binary operator, a comparison, a module's forward. */
export function runOutcome(
  run: Run,
  act: Activation,
  name: string,
  inputs: readonly Value[],
  at: Spelling,
  compute: (context: OpContext, args: readonly Value[]) => Outcome,
): Value {
  const ready = inputs.map((value) => forOp(run, value, false));
  const outcome = invoke(run, name, ready, (context) =>
    compute(
      context,
      ready.map((value) => deepCurrent(run, value)),
    ),
  );
  return finish(run, act, name, outcome, ready, at);
}

/** Modules whose results are computed as a whole, not op by op. */
const OWN_ARITHMETIC = /^nn\.(MultiheadAttention|Transformer|LSTM|GRU|RNN)/;

/** Runs an op; where dtypes clash that are not certain, it is asked again without them. */
function invoke(run: Run, op: string, args: readonly Value[], compute: Invoke): Outcome {
  const outcome = asked(run, op, args, compute);
  const { result } = outcome;
  if (OWN_ARITHMETIC.test(op) && run.autocast.some(({ on }) => on !== false) && !isFault(result))
    return { ...outcome, result: uncertain(result) };
  if (!isFault(result) || result.fault !== 'raises') return outcome;
  const tensors = tensorsOf(args);
  if (tensors.some(({ storage }) => run.replaceable.has(storage.id)))
    return { ...outcome, result: unsure('another method puts another tensor there') };
  // Code that runs is right where a docstring and it differ.
  if (tensors.some(({ storage: { origin } }) => origin.is === 'parameter' && origin.loose))
    return { ...outcome, result: unsure('the docstring says another shape') };
  if (!mayAgree(run, op, result.cause, tensors)) return outcome;
  run.dtypesOpen = true;
  const again = asked(run, op, args, compute);
  run.dtypesOpen = false;
  return again;
}

/** An operator between tensors. */
const broadcasts = (op: string, args: readonly Value[]): boolean =>
  /^\W+$/.test(op) && args.filter(({ kind }) => kind === 'tensor').length > 1;

/** Runs an op under the defaults of the program. */
function asked(run: Run, op: string, args: readonly Value[], compute: Invoke): Outcome {
  const plain = acrossRanks(run, op, args, compute);
  const outcome = alongWays(run, args, plain, () => compute(opContext(run), args));
  const { result } = outcome;
  return isFault(result) ? outcome : { ...outcome, result: withDefaults(run, result, args) };
}

/**
 * Runs an op; where an unknown rank is in its way, one more trailing dim is told apart and it is asked again. How many there
 * are is no news of an operand that may have been broadcast.
 */
function acrossRanks(run: Run, op: string, args: readonly Value[], compute: Invoke): Outcome {
  const before = run.layer.facts;
  let outcome = compute(opContext(run), args);
  for (let round = 0; round < 3 && isFault(outcome.result) && outcome.result.fault === 'unsure'; round++) {
    let more = false;
    for (const value of args) if (value.kind === 'tensor' && splitFront(run, value)) more = true;
    if (!more) break;
    outcome = compute(opContext(run), args);
  }
  if ((isFault(outcome.result) && outcome.result.fault === 'unsure') || broadcasts(op, args)) run.layer.facts = before;
  return outcome;
}
