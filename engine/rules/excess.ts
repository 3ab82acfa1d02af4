import type { FunctionTrace } from '../evaluator/trace.ts';
import { divideExactly, int, mul, type SymInt, simplify } from '../symbols/index.ts';
import { itemsize, resolve, type Tensor } from '../tensor/index.ts';
import { bytesText, elements, written } from './sizes.ts';

/** A view that takes a quarter of its storage or more is left in peace. */
const SPARSE = 4;

/** How much more a storage holds than the view that keeps it. In elements. */
export interface Excess {
  readonly part: SymInt;
  readonly whole: SymInt;
  readonly times: SymInt;
}

/** How many times the view's elements the storage holds, where that is more than a few or grows with a size. */
export function excessOf(trace: FunctionTrace, view: Tensor, base: Tensor): Excess | null {
  const part = elements(resolve(view.layout, trace.facts));
  const bytes = view.storage.nbytes;
  const packed = elements(resolve(base.layout, trace.facts));
  const byStorage =
    bytes === null || base.dtype === null
      ? null
      : divideExactly(simplify(bytes, trace.facts), int(itemsize(base.dtype)));
  const whole = byStorage ?? packed;
  const times = part.constant === 0 ? null : timesOver(trace, whole, part);
  return times === null ? null : { part, whole, times };
}

/** How many times the part fits into the whole, where that is more than a few or grows with a size; else null. */
export function timesOver(trace: FunctionTrace, whole: SymInt, part: SymInt): SymInt | null {
  if (whole.constant !== null && part.constant !== null) {
    const times = Math.floor(whole.constant / part.constant);
    return times > SPARSE ? int(times) : null;
  }
  const times = divideExactly(whole, part, trace.facts);
  return times === null || (times.constant !== null && times.constant <= SPARSE) ? null : times;
}

/** "B*D elements hold a storage of B*D*T elements (4*B*D*T bytes), unless T <= 4". */
export function excessText(trace: FunctionTrace, base: Tensor, { part, whole, times }: Excess): string {
  const unless = times.constant === null ? `, unless ${written(trace, times)} <= ${SPARSE}` : '';
  return `${written(trace, part)} elements hold a storage of ${written(trace, whole)} elements${inBytes(trace, base, whole)}${unless}`;
}

/** " (N bytes)" of that many elements of the base, where its dtype is known. */
export function inBytes(trace: FunctionTrace, base: Tensor, whole: SymInt): string {
  const bytes = retained(trace, base, whole);
  return bytes === null ? '' : ` (${bytes} bytes)`;
}

export function retained(trace: FunctionTrace, base: Tensor, whole: SymInt): string | null {
  return bytesText(trace, base.dtype === null ? null : mul(whole, int(itemsize(base.dtype))));
}
