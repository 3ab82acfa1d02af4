import { type Recording, recordedEither, recordedFresh, recordedView } from '../../ops/autograd.ts';
import { isRowMajor } from '../../ops/index.ts';
import type { OpResult, Outcome } from '../../ops/outcome.ts';
import { int, type SymInt, symbol, symbolsOf } from '../../symbols/index.ts';
import { isFault, unsure } from '../../tensor/fault.ts';
import { contiguousStride, type DType, type Layout, storageNbytes } from '../../tensor/index.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { unknown, type Value } from '../../values/value.ts';
import { recordOp } from '../record.ts';
import { isSequence } from '../state/heap.ts';
import { listOf } from '../state/objects.ts';
import {
  type Activation,
  currentTensor,
  freshSymbol,
  heapRead,
  learnSame,
  newStorage,
  nextId,
  type Run,
  rebindTensor,
  unknownRank,
} from '../state/run.ts';
import { recordingOf, recordWrite, refusedByAutograd } from './autograd.ts';
import type { Spelling } from './torch.ts';

/** Why nothing comes out of a call that raises. */
export const RAISES = 'the call raises';

export const isRaising = (value: Value): boolean => value.kind === 'unknown' && value.reason === RAISES;

export function finish(
  run: Run,
  act: Activation,
  op: string,
  outcome: Outcome,
  inputs: readonly Value[],
  at: Spelling,
): Value {
  const operands = at.parameters ? [...inputs, ...at.parameters] : inputs;
  const judged = refusedByAutograd(run, outcome, operands);
  for (const [left, right] of judged.demands) learnSame(run, left, right);
  const value = isFault(judged.result)
    ? unknown(judged.result.fault === 'unsure' ? judged.result.reason : RAISES)
    : materialize(run, judged.result, {
        op,
        assumes: isRowMajor(op) ? [] : assumedBy(inputs),
        device: tensorsOf(inputs)[0]?.device ?? null,
        recording: recordingOf(run, op, operands),
      });
  if (isFault(judged.result) && judged.result.fault === 'unsure' && RELAYING.test(op)) forget(run, inputs[0]);
  for (const write of judged.writes)
    if (write.becomes) rebindTensor(run, { ...currentTensor(run, write.target), ...write.becomes });
    else recordWrite(run, write.target, recordingOf(run, op, operands));
  if (!isValueOnly(judged.result) || judged.writes.length > 0)
    recordOp(run, act, at.node, op, at.spelled, at.self, tensorsOf(inputs), judged, value, inputs);
  return value;
}

/** In-place ops that give the tensor another layout: where it cannot be told which, nothing is known of it any more. */
const RELAYING = /^(set|resize|resize_as|t|transpose|squeeze|unsqueeze|as_strided)_$/;

function forget(run: Run, value: Value | undefined): void {
  if (value?.kind !== 'tensor') return;
  const now = currentTensor(run, value);
  rebindTensor(run, {
    ...now,
    layout: unknownRank(run, 'x', 1, false),
    storage: newStorage(run, null, { is: 'unknown' }),
  });
}

const isValueOnly = (result: Outcome['result']): boolean => !isFault(result) && result.is === 'value';

export const tensorsOf = (values: readonly Value[]): Tensor[] =>
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
  readonly recording: Recording;
  /** Of one new tensor that all results are views of. */
  readonly storage?: Tensor['storage'];
}

const newWhole = (run: Run, whole: Layout, dtype: DType | null, op: string): Tensor['storage'] =>
  newStorage(run, dtype && storageNbytes(whole, dtype), { is: 'fresh', op });

function materialize(run: Run, result: OpResult, made: Made): Value {
  switch (result.is) {
    case 'same':
      return currentTensor(run, result.of);
    case 'view':
      return {
        ...result.of,
        ...recordedView(result, made.recording),
        id: nextId(run),
        layout: result.layout,
        dtype: result.dtype,
        elements: null,
      };
    case 'fresh': {
      const { layout, dtype } = result;
      const nbytes = dtype ? storageNbytes(layout, dtype) : null;
      return {
        kind: 'tensor',
        id: nextId(run),
        layout,
        dtype,
        device: result.device === undefined ? made.device : result.device,
        ...recordedFresh(result, made.recording),
        storage: made.storage ?? newStorage(run, nbytes, { is: 'fresh', op: made.op }),
        // A layout that is not known rests on nothing.
        assumes: layout.stride === null ? [] : made.assumes,
        elements: result.elements ?? null,
      };
    }
    case 'either':
      return {
        ...result.of,
        ...recordedEither(result),
        id: nextId(run),
        layout: result.layout,
        dtype: result.dtype,
        elements: null,
        storage: newStorage(run, null, { is: 'unknown' }),
      };
    case 'value':
      return result.value;
    case 'tuple': {
      const { items, whole } = result;
      const [first] = items;
      const shared =
        whole && first?.is === 'fresh' ? { ...made, storage: newWhole(run, whole, first.dtype, made.op) } : made;
      return { kind: 'tuple', items: items.map((item) => materialize(run, item, shared)) };
    }
    case 'list':
      return listOf(
        run,
        result.items.map((item) => materialize(run, item, made)),
        null,
      );
  }
}

export const wholeSequence = (run: Run, value: Value | undefined): boolean => {
  const object = value?.kind === 'ref' ? heapRead(run, value.ref) : undefined;
  return isSequence(object) && object.rest !== null;
};

/** `cat`, `stack` and the like of an unknown number of tensors: computed for a few, with the counted sizes left open. */
export function openEnded(
  run: Run,
  outcome: Outcome,
  op: string,
  named: ReadonlyMap<string, Value>,
  args: readonly Value[],
): Outcome {
  const { result } = outcome;
  if (isFault(result) || result.is !== 'fresh')
    return { ...outcome, result: unsure('the number of tensors is not known') };
  const { layout } = result;
  const counted = layout.front ? null : countedDims(op, named, args, layout.shape.length);
  if (counted === null || !isContiguousLayout(layout.shape, layout.stride))
    return { ...outcome, result: unsure('the number of tensors is not known') };
  const shape = layout.shape.map((size, d) =>
    counted.includes(d) ? (wholeOf(run, args[0], d) ?? freshSymbol(run, `${op}_${d}`)) : size,
  );
  return {
    ...outcome,
    guards: [],
    demands: [],
    result: {
      is: 'fresh',
      layout: { shape, stride: contiguousStride(shape), offset: int(0), front: false },
      dtype: result.dtype,
    },
  };
}

/** The dims whose sizes follow from how many tensors there are, and which; null where that is not told. */
function countedDims(
  op: string,
  named: ReadonlyMap<string, Value>,
  args: readonly Value[],
  ndim: number,
): readonly number[] | null {
  const given = named.get('dim') ?? args[1];
  switch (op) {
    case 'cat':
    case 'stack': {
      const dim = given === undefined ? 0 : given.kind === 'int' ? given.value.constant : null;
      return dim === null ? null : [dim < 0 ? dim + ndim : dim];
    }
    case 'hstack':
      return [ndim === 1 ? 0 : 1];
    case 'column_stack':
      return [1];
    case 'dstack':
      return [2];
    case 'pad_sequence':
      return [0, 1];
    default:
      return ndim === 0 ? [] : ALONG_ROWS.has(op) ? [0] : null;
  }
}

/** What makes a row of each item. */
const ALONG_ROWS = new Set([
  'vstack',
  'default_collate',
  'parameters_to_vector',
  'tensor',
  'as_tensor',
  'Tensor',
  'FloatTensor',
  'DoubleTensor',
  'HalfTensor',
  'LongTensor',
  'IntTensor',
  'BoolTensor',
  'ByteTensor',
]);

/** `chunk` into an unknown number of pieces: one piece stands for all, and they are known to make up the whole. */
export function openPieces(
  run: Run,
  op: string,
  args: readonly Value[],
  named: ReadonlyMap<string, Value>,
): Value | null {
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
  const one: Value = {
    ...currentTensor(run, tensor),
    id: nextId(run),
    layout: { ...layout, shape, offset: null },
    elements: null,
  };
  return listOf(run, [], one);
}

/** The size that the pieces of a list, put together again, make up. */
function wholeOf(run: Run, pieces: Value | undefined, dim: number): SymInt | null {
  const [one] = pieces?.kind === 'tuple' ? pieces.items : [];
  const size = one?.kind === 'tensor' ? currentTensor(run, one).layout.shape[dim] : undefined;
  const [id, ...others] = size ? symbolsOf(size) : [];
  return size && id !== undefined && others.length === 0 && size.key === symbol(id).key
    ? (run.pieces.get(id) ?? null)
    : null;
}

const isContiguousLayout = (shape: readonly SymInt[], stride: readonly SymInt[] | null): boolean => {
  const wanted = contiguousStride(shape);
  return stride?.every((x, d) => x.key === wanted[d]?.key) ?? false;
};
