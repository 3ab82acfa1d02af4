import { always, int, same, type Truth } from '../symbols/index.ts';
import {
  canCast,
  type DType,
  type Fault,
  internalOverlap,
  isFault,
  type Layout,
  pairOverlap,
  type Result,
  raises,
  type Tensor,
  unsure,
} from '../tensor/index.ts';
import type { Call } from './context.ts';
import type { Write } from './outcome.ts';

/**
 * How PyTorch guards a write.
 * - `elementwise`: TensorIterator raises where the target overlaps itself, or an input in part
 * - `apart`: `assert_no_overlap` raises even where an input is the target itself
 * - `unchecked`: only the target's own overlap is looked at
 * - `silent`: nothing is, as in `fill_(number)` and `masked_fill_`
 */
export type Guarded = 'elementwise' | 'apart' | 'unchecked' | 'silent';

/** The write of `region`, a part of `target`, from `inputs` named as in the signature. */
export function writeRegion(
  target: Tensor,
  region: Layout,
  inputs: Readonly<Record<string, Tensor | null>>,
  guarded: Guarded,
  call: Call,
): Result<Write> {
  const overlap = internalOverlap(region, call.ask);
  if (overlap === 'yes' && guarded !== 'silent') return raisesInternal(region, call);
  if (guarded === 'elementwise' || guarded === 'apart') {
    const clash = clashing({ ...target, layout: region }, region === target.layout, inputs, guarded, call);
    if (clash !== null) return clash;
  }
  return {
    target,
    becomes: null,
    region,
    overlap: overlap === undefined ? 'unknown' : overlap === 'yes' ? 'silent' : 'none',
  };
}

/** The write of all of `target`. */
export const writeAll = (
  target: Tensor,
  inputs: Readonly<Record<string, Tensor | null>>,
  guarded: Guarded,
  call: Call,
): Result<Write> => writeRegion(target, target.layout, inputs, guarded, call);

/** A result of dtype `from` cannot be written into a tensor of dtype `to`. */
export function cannotCast(from: DType | null, to: DType | null): Fault | null {
  return from !== null && to !== null && !canCast(from, to) ? raises({ is: 'cannot-cast', from, to }) : null;
}

export const one = (write: Result<Write>): Result<readonly Write[]> => (isFault(write) ? write : [write]);

/** A write that may not happen: then it is not known to raise either. */
export const possible = (write: Result<Write>): Result<readonly Write[]> =>
  isFault(write) ? unsure('the tensor may be written or not') : [{ ...write, overlap: 'unknown' }];

function raisesInternal(region: Layout, call: Call): Fault {
  const dim = region.shape.findIndex((size, d) => {
    const stride = region.stride?.[d];
    return stride !== undefined && call.ask.isZero(stride) === true && call.ask.isOne(size) !== true;
  });
  return raises({ is: 'internal-overlap', dim: Math.max(dim, 0), size: region.shape[Math.max(dim, 0)] ?? int(0) });
}

/** The identity of a region that is not the whole target is its own, so that `x[1:] = x` is not a write onto itself. */
function clashing(
  written: Tensor,
  whole: boolean,
  inputs: Readonly<Record<string, Tensor | null>>,
  guarded: 'elementwise' | 'apart',
  call: Call,
): Fault | null {
  for (const [input, tensor] of Object.entries(inputs)) {
    if (tensor === null || tensor.storage.id !== written.storage.id) continue;
    const overlap = pairOverlap(whole ? written : { ...written, id: -1 }, tensor, call.ask);
    if (overlap === 'partial' || (overlap === 'full' && guarded === 'apart'))
      return raises({ is: 'partial-overlap', input });
  }
  return null;
}

/** Structural equality of the memory that two tensors name: `copy_` of an alias onto itself does nothing. */
export function sameMemory(a: Tensor, b: Tensor, { ask }: Call): Truth {
  const [one, other] = [a.layout, b.layout];
  if (a.storage.id !== b.storage.id || one.shape.length !== other.shape.length) return false;
  if (a.dtype !== null && b.dtype !== null && a.dtype !== b.dtype) return false;
  const numbers = ({ shape, stride, offset }: Layout) => [...shape, offset, ...(stride ?? shape.map(() => null))];
  const others = numbers(other);
  const alike = numbers(one).map((number, i): Truth => {
    const counterpart = others[i] ?? null;
    if (number === null || counterpart === null) return undefined;
    return same(number, counterpart) ? true : always('equal', number, counterpart, ask.facts);
  });
  if (alike.includes(false)) return false;
  return alike.includes(undefined) || a.dtype !== b.dtype ? undefined : true;
}
