import { ONE, type SymInt } from '../../symbols/index.ts';
import { broadcast, type DType, type Fault, isFault, type Layout, type Result, raises } from '../../tensor/index.ts';
import { type Call, since } from '../context.ts';
import { fresh, unstrided } from './format.ts';
import { agree } from './inquiry.ts';

/** Products do not promote: two known dtypes must be one. */
export function oneDType(what: string, left: DType | null | undefined, right: DType | null | undefined): Fault | null {
  if (left === null || left === undefined || right === null || right === undefined || left === right) return null;
  return raises({ is: 'dtype-differs', what, left, right });
}

/** The rank must be exactly `ndim`; an unknown one is taken to be. */
export function ofRank(layout: Layout, ndim: number, what: string): Fault | null {
  if (layout.front || layout.shape.length === ndim) return null;
  return raises({ is: 'rank-differs', what, expected: `${ndim}`, got: layout.shape.length });
}

/** `mm` and `bmm`: contiguous, with `batch` leading dims that must agree. */
export function matrixProduct(left: Layout, right: Layout, batch: 0 | 1, call: Call): Result<Layout> {
  const ndim = batch + 2;
  const names = batch === 0 ? ['mat1', 'mat2'] : ['batch1', 'batch2'];
  const [first = '', second = ''] = names;
  const wrong = ofRank(left, ndim, first) ?? ofRank(right, ndim, second);
  if (wrong !== null) return wrong;
  const [rows, inner] = trailing(left, 2, call);
  const [inner2, columns] = trailing(right, 2, call);
  const differs =
    (batch === 1 ? agree(leading(left, call), leading(right, call), `dim 0 of ${second}`, call) : null) ??
    agree(inner, inner2, `dim ${batch} of ${second}`, call);
  if (differs !== null) return differs;
  return fresh(batch === 1 ? [leading(left, call), rows, columns] : [rows, columns]);
}

/** The last `count` sizes; those hidden in an unknown front are fresh symbols. */
function trailing(layout: Layout, count: 2, call: Call): readonly [SymInt, SymInt] {
  const known = layout.front ? layout.shape.slice(1) : layout.shape;
  const size = (back: number) => known[known.length - back] ?? call.context.fresh('size');
  return count === 2 ? [size(2), size(1)] : [ONE, ONE];
}

const leading = (layout: Layout, call: Call): SymInt =>
  layout.front ? call.context.fresh('batch') : (layout.shape[0] ?? ONE);

/**
 * `matmul`: 1-D operands are widened to matrices and lose that dim again, batch dims broadcast, the result is contiguous
 * (before 2.x not where a matrix meets a batch that folds, which needs grad and strides to tell). Batch dims may stand
 * behind an unknown front.
 */
export function matmul(left: Layout, right: Layout, call: Call): Result<Layout> {
  for (const [operand, what] of [
    [left, 'self'],
    [right, 'other'],
  ] as const)
    if (!operand.front && operand.shape.length === 0)
      return raises({ is: 'rank-differs', what, expected: '1 or more', got: 0 });
  const vectorLeft = !left.front && left.shape.length === 1;
  const vectorRight = !right.front && right.shape.length === 1;
  const a = opened(left, vectorRight ? 1 : 2, !right.front && right.shape.length <= 2, call);
  const b = opened(right, vectorLeft ? 1 : 2, false, call);
  const inner = a.shape.at(-1) ?? ONE;
  const inner2 = vectorRight ? (b.shape[0] ?? ONE) : (b.shape.at(-2) ?? ONE);
  const differs = agree(inner, inner2, `dim ${vectorRight ? 0 : b.shape.length - 2} of other`, call);
  if (differs !== null) return differs;
  const rows = vectorLeft ? [] : a.shape.slice(-2, -1);
  const columns = vectorRight ? [] : b.shape.slice(-1);
  // A packed front that has no further dim behind it but the inner one stands for the rows as well.
  if (a.front && a.shape.length === 2 && !b.front && b.shape.length <= 2)
    return fresh([a.shape[0] ?? ONE, ...columns], true);
  const batchA = a.shape.slice(0, vectorLeft ? 0 : -2);
  const batchB = b.shape.slice(0, vectorRight ? 0 : -2);
  if (!a.front && !b.front) {
    const batch = broadcast([batchA, batchB], call.ask, { demand: call.demand });
    if (isFault(batch)) return batch;
    const turned = batchA.length === 0 && batchB.length > 0 && !vectorLeft && !vectorRight;
    return (turned && !since(call, 2, 6) ? unstrided : fresh)([...batch, ...rows, ...columns]);
  }
  const batch = packedBatch(a.front, batchA, b.front, batchB, call);
  return fresh([...batch, ...rows, ...columns], true);
}

/**
 * `layout` with at least `count` dims in sight: those that hide in its front get fresh symbols. One dim behind the front is
 * enough where the other operand is no more than a matrix, `rows` by rows: the front then holds the rows.
 */
function opened(layout: Layout, count: number, rows: boolean, call: Call): Layout {
  const { shape, front, offset } = layout;
  const missing = (rows ? 2 : count + 1) - shape.length;
  if (!front || missing <= 0) return layout;
  const hidden = Array.from({ length: missing }, () => call.context.fresh('size'));
  return { shape: [call.context.fresh('batch'), ...hidden, ...shape.slice(1)], stride: null, offset, front: true };
}

function packedBatch(
  frontA: boolean,
  a: readonly SymInt[],
  frontB: boolean,
  b: readonly SymInt[],
  call: Call,
): readonly SymInt[] {
  if (b.length === 0) return a;
  if (a.length === 0) return b;
  if (frontA && frontB && a.length === b.length && a.every((size, d) => size === b[d])) return a;
  return [call.context.fresh('batch')];
}

/** `linear`: contiguous, only the last size changes; the dims before it may stand behind an unknown front. */
export function linear(input: Layout, weight: Layout, bias: Layout | null, call: Call): Result<Layout> {
  if (!input.front && input.shape.length === 0)
    return raises({ is: 'rank-differs', what: 'input', expected: '1 or more', got: 0 });
  if (!weight.front && weight.shape.length === 1) return matmul(input, weight, call);
  const wrong = ofRank(weight, 2, 'weight');
  if (wrong !== null) return wrong;
  const [out, features] = trailing(weight, 2, call);
  const hidden = input.front && input.shape.length === 1;
  const before = hidden ? [call.context.fresh('batch')] : input.shape.slice(0, -1);
  const last = hidden ? features : (input.shape.at(-1) ?? ONE);
  const differs =
    agree(last, features, `dim ${input.shape.length - 1} of input`, call) ??
    (bias === null || bias.front || bias.shape.length !== 1
      ? null
      : agree(bias.shape[0] ?? ONE, out, 'dim 0 of bias', call));
  if (differs !== null) return differs;
  return fresh([...before, out], input.front);
}
