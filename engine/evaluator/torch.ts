import { findOp, getAttribute, getItem, type OpContext, callOp, type Op, rankDemanded, setItem } from '../ops/index.ts';
import type { OpResult, Outcome } from '../ops/outcome.ts';
import { decide, int, type SymInt, symbol, symbolsOf, always, neg } from '../symbols/index.ts';
import type { Expression, Node } from '../syntax/ast.ts';
import { isFault, unsure } from '../tensor/fault.ts';
import { contiguousStride, isContiguous, isFloat, storageNbytes } from '../tensor/index.ts';
import type { Layout } from '../tensor/layout.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { type Unknown, unknown, type Value } from '../values/value.ts';
import { type Renamed, replaceLayout } from './abstraction.ts';
import { mayAgree, uncertain } from './dtypes.ts';
import { isSequence } from './heap.ts';
import { optionsOf } from './join.ts';
import { recordOp } from './record.ts';
import {
  type Activation, allocate, bindRank, currentTensor, freshSymbol, heapRead, hintOf, learnSame, newStorage, nextId, opContext, packedSymbol,
  rebindTensor, rebindUnknown, reboundUnknown, type Run, splitFront, unknownRank, unknownTensor,
} from './run.ts';

/** Where a torch call stands: its node, how the source spells it, and the expression of `self`. */
export interface Spelling {
  readonly node: Node;
  readonly spelled: string;
  readonly self: Expression | null;
}

type Invoke = (context: OpContext, args: readonly Value[]) => Outcome;

/** An op by its qualified name; unknown where it is not modelled. */
export function callTorch(
  run: Run, act: Activation, name: string, args: readonly Value[], keywords: ReadonlyMap<string, Value>, at: Spelling,
): Value {
  const op = findOp(name);
  if (op === null) return unknown(`\`${name}\` is not modelled`);
  run.packed = false;
  const takes = tensorParameters(op);
  const ready = spreadFronts(run, args).map((value, i) => forOp(run, value, takes.positions.has(i) && !isOpenList(value, takes.lists.has(i))));
  const named = new Map([...keywords].map(([key, value]) => [key, forOp(run, value, takes.names.has(key) && !isOpenList(value, takes.lists.has(key)))]));
  const like = ready[1];
  const packed = run.packed || (SIZED_LIKE.has(op.canonical) && like?.kind === 'tensor' && like.layout.front);
  for (const { argument, ndim } of rankDemanded(op, ready, named)) demandRank(run, argument, ndim);
  const current = (value: Value): Value => deepCurrent(run, value);
  const spread = wholeSequence(run, args[0]);
  const pieces = openPieces(run, op.canonical, ready, named);
  if (pieces) return pieces;
  const outcome = invoke(run, op.canonical, [...ready, ...named.values()], (context) =>
    callOp(op, ready.map(current), new Map([...named].map(([k, v]) => [k, current(v)])), context));
  const opened = spread ? openEnded(run, outcome, op.canonical, named, ready) : outcome;
  const plain = inferred(run, ready[0], opened);
  return finish(run, act, op.canonical, packed ? withFront(plain) : plain, [...ready, ...named.values()], at);
}

/** Where an op takes nothing but a tensor, by position and by name. */
function tensorParameters(op: Op): TensorParameters {
  const known = taken.get(op);
  if (known) return known;
  const found = findTensorParameters(op);
  taken.set(op, found);
  return found;
}

const taken = new WeakMap<Op, TensorParameters>();
type TensorParameters = ReturnType<typeof findTensorParameters>;

function findTensorParameters(op: Op): { readonly positions: ReadonlySet<number>; readonly names: ReadonlySet<string>; readonly lists: ReadonlySet<number | string> } {
  const parameters = op.overloads[0]?.signature.parameters ?? [];
  const tensors = parameters.map((parameter, i) => ({ parameter, i })).filter(({ parameter }) => parameter.types.every((type) => type === 'Tensor' || type === 'Tensor[]') && !parameter.optional);
  const lists = tensors.filter(({ parameter }) => parameter.types.includes('Tensor[]') && !parameter.types.includes('Tensor'));
  return {
    positions: new Set(tensors.map(({ i }) => i)), names: new Set(tensors.map(({ parameter }) => parameter.name)),
    lists: new Set(lists.flatMap(({ parameter, i }) => [i, parameter.name])),
  };
}

/** What is given for a list of tensors and is not known is no tensor. */
const isOpenList = (value: Value, list: boolean): boolean => list && value.kind === 'unknown';

/** Ops that take their sizes from another tensor. */
const SIZED_LIKE = new Set(['view_as', 'reshape_as', 'expand_as']);

/** The size that -1 stands for in a view of a tensor of which nothing is known is a size of its own. */
function inferred(run: Run, of: Value | undefined, outcome: Outcome): Outcome {
  const { result } = outcome;
  if (of?.kind !== 'tensor' || of.storage.origin.is !== 'unknown' || !of.layout.front || isFault(result) || !('layout' in result)) return outcome;
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

/** An op whose result only the evaluator needs: iteration over a tensor. */
export function callTorchQuietly(run: Run, name: string, args: readonly Value[]): Value {
  run.muted++;
  const value = callTorch(run, run.stack[run.stack.length - 1] ?? act0(), name, args, new Map(), { node: { start: 0, end: 0 }, spelled: '', self: null });
  run.muted--;
  return value;
}
function act0(): never {
  throw new Error('no call is under way');
}

/** `x[key]` of a tensor. */
export function tensorItem(run: Run, act: Activation, tensor: Tensor, key: Value, at: Spelling): Value {
  const ready = keyForOp(run, key);
  const outcome = invoke(run, 'getitem', [tensor, ready], (context) => getItem(currentTensor(run, tensor), deepCurrent(run, ready), context));
  return finish(run, act, 'getitem', ofUnknownRank(run, currentTensor(run, tensor), ready, outcome), [tensor, ready], at);
}

/** Basic indexing of a tensor of unknown rank is a view whatever the rank; of a contiguous one by integers alone, a contiguous one. */
function ofUnknownRank(run: Run, tensor: Tensor, key: Value, outcome: Outcome): Outcome {
  const { result } = outcome;
  const keys = key.kind === 'tuple' ? key.items : [key];
  if (!tensor.layout.front || !isFault(result) || result.fault !== 'unsure' || !keys.every(isBasicKey)) return outcome;
  const packed = keys.every(({ kind }) => kind === 'int') && isContiguous(tensor.layout, decide(run.layer.facts)) === true;
  const layout = { ...unknownRank(run, 'item', 0, packed), offset: null };
  return { ...outcome, result: { is: 'view', of: tensor, layout, dtype: tensor.dtype } };
}

const isBasicKey = ({ kind }: Value): boolean => kind === 'int' || kind === 'slice' || kind === 'none' || kind === 'ellipsis';

/** A list is one index of many elements, where a tuple is one index for each of several dims. */
function keyForOp(run: Run, key: Value): Value {
  const ready = forOp(run, key, false);
  return key.kind === 'ref' && ready.kind === 'tuple' ? { kind: 'tuple', items: [ready] } : ready;
}

/** `x[key] = value` of a tensor. */
export function setTensorItem(run: Run, act: Activation, tensor: Tensor, key: Value, value: Value, at: Spelling): void {
  const ready = keyForOp(run, key);
  const stored = forOp(run, value, false);
  const outcome = invoke(run, 'setitem', [tensor, ready, stored], (context) =>
    setItem(currentTensor(run, tensor), deepCurrent(run, ready), deepCurrent(run, stored), context));
  finish(run, act, 'setitem', outcome, [tensor, ready, stored], at);
}

/** An attribute of a tensor that is a value (`T`, `data`, `shape`), or null where the name is no such attribute. */
export function tensorAttribute(run: Run, act: Activation, tensor: Tensor, name: string, at: Spelling): Value | null {
  const now = currentTensor(run, tensor);
  if (now.layout.front && name === 'shape') return sizeOf(now);
  const context = opContext(run);
  if (getAttribute(now, name, context) === null) return null;
  const outcome = invoke(run, name, [tensor], (again) => getAttribute(currentTensor(run, tensor), name, again) ?? { result: unsure(''), guards: [], writes: [], demands: [] });
  return finish(run, act, name, outcome, [tensor], at);
}

/** The sizes of a tensor, an unknown number of leading ones packed. */
export function sizeOf(tensor: Tensor): Value {
  const { shape, front } = tensor.layout;
  const items = (front ? shape.slice(1) : shape).map((value): Value => ({ kind: 'int', value }));
  const [first] = shape;
  return front && first ? { kind: 'tuple', items, front: first } : { kind: 'tuple', items };
}

/** Any outcome that the ops room computes from tensors: a binary operator, a comparison, a module's forward. */
export function runOutcome(run: Run, act: Activation, name: string, inputs: readonly Value[], at: Spelling, compute: (context: OpContext, args: readonly Value[]) => Outcome): Value {
  const ready = inputs.map((value) => forOp(run, value, false));
  const outcome = invoke(run, name, ready, (context) => compute(context, ready.map((value) => deepCurrent(run, value))));
  return finish(run, act, name, outcome, ready, at);
}

// ---- arguments -----------------------------------------------------------------------------------------

/** A value as ops take it: lists as tuples, undecided None dropped, and an unknown that must be a tensor made one. */
export function forOp(run: Run, value: Value, tensor: boolean): Value {
  switch (value.kind) {
    case 'tensor':
      return currentTensor(run, value);
    case 'unknown': {
      const known = reboundUnknown(run, value);
      if (known) return forOp(run, known, tensor);
      return tensor ? asTensor(run, value) : value;
    }
    case 'either': {
      const options = optionsOf(value).filter((o) => o.kind !== 'none');
      const [only] = options;
      return options.length === 1 && only ? forOp(run, only, tensor) : tensor ? unknownTensor(run, 'x', { is: 'unknown' }) : unknown('it differs by branch');
    }
    case 'tuple': {
      const items = spreadFronts(run, value.items).map((item) => forOp(run, item, tensor));
      if (!value.front) return { kind: 'tuple', items };
      run.packed = true;
      return { kind: 'tuple', items: [{ kind: 'int', value: value.front }, ...items] };
    }
    case 'slice':
      return { kind: 'slice', start: bound(run, value.start), stop: bound(run, value.stop), step: forOp(run, value.step, false) };
    case 'ref': {
      const object = heapRead(run, value.ref);
      if (object?.object === 'instance') {
        const wrapped = object.attributes.get('data');
        return wrapped?.kind === 'tensor' && object.torchClass === 'torch.nn.Parameter' ? currentTensor(run, wrapped) : unknown('it is an object');
      }
      if (!isSequence(object)) return value;
      const items = object.rest ? [...object.items, object.rest, object.rest] : object.items;
      return { kind: 'tuple', items: items.map((item) => forOp(run, item, tensor)) };
    }
    default:
      return value;
  }
}

/** A slice bound. `-k` counts from the end, unless `k` is 0: where it may be, nothing is said. */
function bound(run: Run, value: Value): Value {
  const ready = forOp(run, value, false);
  if (ready.kind !== 'int' || ready.value.constant !== null) return ready;
  const counted = neg(ready.value);
  const [id, ...others] = symbolsOf(counted);
  const plain = id !== undefined && others.length === 0 && counted.key === symbol(id).key;
  return plain && always('less', counted, int(0), run.layer.facts) === undefined ? unknown('it may be 0') : ready;
}

/** An unknown number of leading sizes among arguments stands as the one packed size. */
function spreadFronts(run: Run, values: readonly Value[]): readonly Value[] {
  return values.flatMap((value): readonly Value[] => {
    if (value.kind !== 'tuple' || !value.front) return [value];
    run.packed = true;
    return [{ kind: 'int', value: value.front }, ...value.items];
  });
}

/** An unknown that is used as a tensor is one from here on, of unknown rank. */
export function asTensor(run: Run, value: Unknown): Tensor {
  const name = value.symbol === undefined ? 'x' : hintOf(value.symbol);
  const parameter = value.symbol === undefined ? undefined : run.parameters.get(value.symbol);
  const tensor = parameter === undefined ? unknownTensor(run, name, { is: 'unknown' }) : parameterTensor(run, parameter, unknownRank(run, parameter, 1, true));
  rebindUnknown(run, value, tensor);
  return tensor;
}

/** A tensor parameter of a root: assumed contiguous, and said so. */
export function parameterTensor(run: Run, name: string, layout: Layout): Tensor {
  return {
    kind: 'tensor', id: nextId(run), layout, dtype: null, device: null, requiresGrad: null,
    storage: newStorage(run, null, { is: 'parameter', name }), assumes: [name], elements: null,
  };
}

/** A value as an op takes it now. */
export function deepCurrent(run: Run, value: Value): Value {
  if (value.kind === 'tensor') {
    const now = currentTensor(run, value);
    return run.dtypesOpen && now.dtype !== null && isFloat(now.dtype) ? { ...now, dtype: null } : now;
  }
  if (value.kind === 'tuple') return { ...value, items: value.items.map((item) => deepCurrent(run, item)) };
  return value;
}

export function demandRank(run: Run, tensor: Tensor, ndim: number): void {
  const now = currentTensor(run, tensor);
  if (!now.layout.front) return;
  const missing = ndim - (now.layout.shape.length - 1);
  const front = now.layout.shape[0];
  const id = front && packedSymbol(front);
  if (missing < 0 || !id) return;
  const hint = hintOf(id).slice(1);
  bindRank(run, now, Array.from({ length: missing }, (_, i) => freshSymbol(run, `${hint}_${i}`)));
}

/** Runs an op; where dtypes clash that are not certain, it is asked again without them. */
function invoke(run: Run, op: string, args: readonly Value[], compute: Invoke): Outcome {
  const outcome = acrossRanks(run, args, compute);
  const { result } = outcome;
  if (run.autocast === true && !isFault(result)) return { ...outcome, result: uncertain(result) };
  if (!isFault(result) || result.fault !== 'raises' || !mayAgree(run, op, result.cause, tensorsOf(args))) return outcome;
  run.dtypesOpen = true;
  const again = acrossRanks(run, args, compute);
  run.dtypesOpen = false;
  return again;
}

/** Runs an op; where an unknown rank is in its way, one more trailing dim is told apart and it is asked again. */
function acrossRanks(run: Run, args: readonly Value[], compute: Invoke): Outcome {
  const before = run.layer.facts;
  let outcome = compute(opContext(run), args);
  for (let round = 0; round < 3 && isFault(outcome.result) && outcome.result.fault === 'unsure'; round++) {
    let more = false;
    for (const value of args) if (value.kind === 'tensor' && splitFront(run, value)) more = true;
    if (!more) break;
    outcome = compute(opContext(run), args);
  }
  if (isFault(outcome.result) && outcome.result.fault === 'unsure') run.layer.facts = before;
  return outcome;
}

// ---- results -------------------------------------------------------------------------------------------

function finish(run: Run, act: Activation, op: string, outcome: Outcome, inputs: readonly Value[], at: Spelling): Value {
  for (const [left, right] of outcome.demands) learnSame(run, left, right);
  const value = isFault(outcome.result)
    ? unknown(outcome.result.fault === 'unsure' ? outcome.result.reason : 'the call raises')
    : materialize(run, outcome.result, { op, assumes: assumedBy(inputs), device: tensorsOf(inputs)[0]?.device ?? null });
  for (const write of outcome.writes)
    if (write.becomes) rebindTensor(run, { ...currentTensor(run, write.target), ...write.becomes });
  if (!isValueOnly(outcome.result) || outcome.writes.length > 0) recordOp(run, act, at.node, op, at.spelled, at.self, tensorsOf(inputs), outcome, value);
  return value;
}

const isValueOnly = (result: Outcome['result']): boolean => !isFault(result) && result.is === 'value';

const tensorsOf = (values: readonly Value[]): Tensor[] =>
  values.flatMap((value) => (value.kind === 'tensor' ? [value] : value.kind === 'tuple' ? tensorsOf(value.items) : []));

const assumedBy = (values: readonly Value[]): readonly string[] => {
  const tensors = tensorsOf(values);
  const [only] = tensors;
  return tensors.length === 1 && only ? only.assumes : [...new Set(tensors.flatMap((tensor) => tensor.assumes))];
};

/** What a new tensor takes over from the call that makes it. */
interface Made {
  readonly op: string;
  readonly assumes: readonly string[];
  /** That of the first tensor that went in. */
  readonly device: string | null;
}

function materialize(run: Run, result: OpResult, made: Made): Value {
  switch (result.is) {
    case 'same':
      return currentTensor(run, result.of);
    case 'view':
      return { ...result.of, id: nextId(run), layout: result.layout, dtype: result.dtype, elements: null };
    case 'fresh': {
      const { layout, dtype } = result;
      const nbytes = dtype ? storageNbytes(layout, dtype) : null;
      return {
        kind: 'tensor', id: nextId(run), layout, dtype, device: result.device === undefined ? made.device : result.device,
        requiresGrad: result.requiresGrad ?? null, storage: newStorage(run, nbytes, { is: 'fresh', op: made.op }),
        assumes: made.assumes, elements: result.elements ?? null,
      };
    }
    case 'either':
      return {
        ...result.of, id: nextId(run), layout: result.layout, dtype: result.dtype, elements: null,
        storage: newStorage(run, null, { is: 'unknown' }),
      };
    case 'value':
      return result.value;
    case 'tuple':
      return { kind: 'tuple', items: result.items.map((item) => materialize(run, item, made)) };
    case 'list':
      return {
        kind: 'ref',
        ref: allocate(run, { object: 'list', items: result.items.map((item) => materialize(run, item, made)), rest: null, length: null }),
      };
  }
}

// ---- an unknown number of tensors ----------------------------------------------------------------------

const wholeSequence = (run: Run, value: Value | undefined): boolean => {
  const object = value?.kind === 'ref' ? heapRead(run, value.ref) : undefined;
  return isSequence(object) && object.rest !== null;
};

/** `cat` and `stack` of an unknown number of tensors: computed for a few, with the counted size left open. */
function openEnded(run: Run, outcome: Outcome, op: string, named: ReadonlyMap<string, Value>, args: readonly Value[]): Outcome {
  const { result } = outcome;
  if (isFault(result) || result.is !== 'fresh') return { ...outcome, result: unsure('the number of tensors is not known') };
  const given = named.get('dim') ?? args[1];
  const wanted = given === undefined ? 0 : given.kind === 'int' ? given.value.constant : null;
  const { layout } = result;
  const ndim = layout.shape.length;
  if (wanted === null || layout.front || !isContiguousLayout(layout.shape, layout.stride)) return { ...outcome, result: unsure('the number of tensors is not known') };
  const dim = wanted < 0 ? wanted + ndim : wanted;
  const shape = layout.shape.map((size, d) => (d === dim ? (wholeOf(run, args[0], d) ?? freshSymbol(run, `${op}_${d}`)) : size));
  return { ...outcome, guards: [], demands: [], result: { is: 'fresh', layout: { shape, stride: rowMajor(shape), offset: int(0), front: false }, dtype: result.dtype } };
}

/** `chunk` into an unknown number of pieces: one piece stands for all, and they are known to make up the whole. */
function openPieces(run: Run, op: string, args: readonly Value[], named: ReadonlyMap<string, Value>): Value | null {
  const [tensor, count] = [args[0], args[1] ?? named.get('chunks')];
  if (op !== 'chunk' || tensor?.kind !== 'tensor' || count?.kind === 'int') return null;
  const given = args[2] ?? named.get('dim');
  const wanted = given === undefined ? 0 : given.kind === 'int' ? given.value.constant : null;
  const { layout } = currentTensor(run, tensor);
  const dim = wanted === null ? -1 : wanted < 0 ? wanted + layout.shape.length : wanted;
  const whole = layout.shape[dim];
  if (layout.front || !whole) return null;
  const piece = freshSymbol(run, 'piece');
  for (const id of symbolsOf(piece)) run.pieces.set(id, whole);
  const shape = layout.shape.map((size, d) => (d === dim ? piece : size));
  const one: Value = { ...currentTensor(run, tensor), id: nextId(run), layout: { ...layout, shape, offset: null }, elements: null };
  return { kind: 'ref', ref: allocate(run, { object: 'list', items: [], rest: one, length: null }) };
}

/** The size that the pieces of a list, put together again, make up. */
function wholeOf(run: Run, pieces: Value | undefined, dim: number): SymInt | null {
  const [one] = pieces?.kind === 'tuple' ? pieces.items : [];
  const size = one?.kind === 'tensor' ? currentTensor(run, one).layout.shape[dim] : undefined;
  const [id, ...others] = size ? symbolsOf(size) : [];
  return size && id !== undefined && others.length === 0 && size.key === symbol(id).key ? (run.pieces.get(id) ?? null) : null;
}

const rowMajor = (shape: readonly SymInt[]): readonly SymInt[] => contiguousStride(shape);
const isContiguousLayout = (shape: readonly SymInt[], stride: readonly SymInt[] | null): boolean => {
  const wanted = contiguousStride(shape);
  return stride?.every((x, d) => x.key === wanted[d]?.key) ?? false;
};
