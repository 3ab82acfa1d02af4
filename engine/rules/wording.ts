import type { FunctionTrace, OpEvent } from '../evaluator/trace.ts';
import type { Cause, Layout } from '../tensor/index.ts';
import { factor, MOST_WRITTEN, written, writtenShape } from './sizes.ts';

/** Which rule speaks of a cause. */
export const RULE_OF_CAUSE: Readonly<Record<Cause['is'], string>> = {
  'dims-do-not-merge': 'incompatible-view',
  'last-stride': 'incompatible-view',
  'out-of-storage': 'incompatible-view',
  'numel-differs': 'shape-mismatch',
  'size-differs': 'shape-mismatch',
  'rank-differs': 'shape-mismatch',
  'dim-out-of-range': 'invalid-argument',
  'index-out-of-range': 'shape-mismatch',
  'dtype-differs': 'invalid-argument',
  'cannot-cast': 'invalid-argument',
  argument: 'invalid-argument',
  'number-overflows': 'dtype-range',
  'internal-overlap': 'stride-zero-write',
  'partial-overlap': 'overlapping-write',
  'grad-write': 'inplace-on-saved',
};

/** Completes "… will raise: ". `input` is the layout of the tensor that the op was called on. */
export function causeText(trace: FunctionTrace, cause: Cause, input: Layout | null): string {
  switch (cause.is) {
    case 'dims-do-not-merge':
      return mergeText(trace, cause, input);
    case 'last-stride':
      return `the last stride is ${written(trace, cause.stride)}, not ${written(trace, cause.expected)}`;
    case 'out-of-storage':
      return `it reaches ${written(trace, cause.needs)} elements into a storage of ${written(trace, cause.has)}`;
    case 'numel-differs':
      return `${written(trace, cause.from)} elements do not make ${writtenShape(trace, cause.to)}`;
    case 'size-differs':
      return `${cause.what}: ${written(trace, cause.left)} is not ${written(trace, cause.right)}${cause.broadcast ? ', and neither is 1' : ''}`;
    case 'rank-differs':
      return `${cause.what === 'self' || cause.what === 'permute' ? 'the tensor' : cause.what} has ${count(cause.got, 'dim')}, expected ${cause.expected}`;
    case 'dim-out-of-range':
      return `there is no dim ${cause.dim} in a tensor of ${count(cause.ndim, 'dim')}`;
    case 'index-out-of-range':
      return `index ${written(trace, cause.index)} is out of range for dim ${cause.dim} of size ${written(trace, cause.size)}`;
    case 'dtype-differs':
      return `${cause.what}: ${cause.left} does not go with ${cause.right}`;
    case 'cannot-cast':
      return `the result is ${cause.from}, which cannot be stored as ${cause.to}`;
    case 'internal-overlap':
      return `dim ${cause.dim} has stride 0: its ${written(trace, cause.size)} elements are one memory cell`;
    case 'partial-overlap':
      return `${cause.input} overlaps the memory that is written`;
    case 'grad-write':
      return GRAD_WRITES[cause.of];
    case 'number-overflows':
      return `${cause.dtype} does not hold ${cause.number}`;
    case 'argument':
      return `${cause.name} is ${cause.got}, expected ${cause.expects}`;
  }
}

/** What autograd has against a write. */
export const GRAD_WRITES: Readonly<Record<Extract<Cause, { is: 'grad-write' }>['of'], string>> = {
  leaf: 'it writes a leaf that requires grad',
  'of-leaf': 'it writes a view of a leaf that requires grad',
  'one-of-many': 'it writes one of several views that one call made, which autograd cannot follow',
  'without-grad': 'it writes a view that was made without grad, which autograd cannot follow',
};

/** "dims 1 and 2 do not merge (stride 64 is not 12 * 512)", "… (dim 2 is expanded: its stride is 0)". */
export function mergeText(
  trace: FunctionTrace,
  cause: Extract<Cause, { is: 'dims-do-not-merge' }>,
  input: Layout | null,
): string {
  const inner = input?.stride?.[cause.dim + 1];
  const size = input?.shape[cause.dim + 1];
  const expected =
    inner === undefined || size === undefined || inner.constant === 1
      ? written(trace, cause.expected)
      : `${factor(trace, size)} * ${factor(trace, inner)}`;
  const dims = `dims ${cause.dim} and ${cause.dim + 1} do not merge`;
  const expanded = [cause.stride, inner].findIndex((each) => each?.constant === 0);
  if (expanded !== -1) return `${dims} (dim ${cause.dim + expanded} is expanded: its stride is 0)`;
  const stride = written(trace, cause.stride);
  return stride.length + expected.length > 2 * MOST_WRITTEN ? dims : `${dims} (stride ${stride} is not ${expected})`;
}

/** What is called, as the reader finds it at the site: `view`, `+=`, `nn.Flatten`. */
export function calleeText(event: OpEvent): string {
  if (event.op === 'setitem') return 'the assignment';
  if (event.op === 'getitem') return 'the index';
  return /^\w/.test(event.spelled) ? event.spelled : `\`${event.spelled}\``;
}

export function count(n: number, noun: string): string {
  return `${n} ${noun}${n === 1 ? '' : 's'}`;
}

export function dimsText(dims: readonly number[]): string {
  if (dims.length === 1) return `dim ${dims[0]}`;
  return `dims ${dims.slice(0, -1).join(', ')} and ${dims[dims.length - 1]}`;
}
