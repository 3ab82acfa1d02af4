import { evaluateSize } from './arithmetic.ts';
import type { Claim, TensorClaim } from './assertion.ts';

/** What someone (PyTorch in a recording, or the engine) says about a line. Sizes are Python expressions; null is "unknown". */
export interface SeenLine {
  readonly line: number;
  /** The value of the line's expression, where that is a tensor. */
  readonly value: SeenTensor | null;
  /** What the line bound, where it bound several names. */
  readonly bound: ReadonlyMap<string, SeenTensor>;
  /** The distinct storages alive after the line. */
  readonly live: { readonly bytes: string | null; readonly storages: number } | null;
}

export interface SeenTensor {
  readonly shape: readonly (string | null)[] | null;
  readonly stride: readonly (string | null)[] | null;
  readonly offset: string | null;
  readonly dtype: string | null;
  /** The byte at which a 0-dim tensor lies in its storage. */
  readonly byte: string | null;
  /** Earlier names of the very object, and of others that share its storage. */
  readonly same: readonly string[];
  readonly views: readonly string[];
}

/** What stands on the line instead of the claim, in the claim's own words, or null where the claim is right. */
export function contradiction(claim: Claim, seen: SeenLine, sizes: ReadonlyMap<string, number>): string | null {
  const equal = (said: string, is: string | null): boolean =>
    said === '?' ||
    (is !== null && evaluateSize(said, sizes) !== null && evaluateSize(said, sizes) === evaluateSize(is, sizes));
  switch (claim.is) {
    case 'reveal': {
      const tensor = claim.name === null ? seen.value : (seen.bound.get(claim.name) ?? null);
      if (tensor === null) return 'no tensor';
      return agrees(claim.tensor, tensor, equal) ? null : formatTensor(tensor, claim.tensor);
    }
    case 'live': {
      const { live } = seen;
      if (live === null) return 'unknown';
      const right = equal(claim.bytes, live.bytes) && equal(claim.storages, String(live.storages));
      return right ? null : `${live.bytes ?? '?'} bytes in ${live.storages} storage${live.storages === 1 ? '' : 's'}`;
    }
    case 'element': {
      const { value } = seen;
      if (value === null) return 'no tensor';
      const right = equal(claim.element, value.offset) && equal(claim.byte, value.byte);
      return right ? null : `${value.offset ?? '?'}, byte ${value.byte ?? '?'}`;
    }
    case 'finding':
      return null;
  }
}

function agrees(claim: TensorClaim, seen: SeenTensor, equal: (said: string, is: string | null) => boolean): boolean {
  const all = (said: readonly string[], is: readonly (string | null)[] | null): boolean =>
    is !== null && said.length === is.length && said.every((size, dim) => equal(size, is[dim] ?? null));
  if (!all(claim.shape, seen.shape)) return false;
  if (claim.stride !== null && !(all(claim.stride, seen.stride) && equal(claim.offset, seen.offset))) return false;
  if (claim.dtype !== null && claim.dtype !== seen.dtype) return false;
  if (claim.shares === null) return seen.same.length + seen.views.length === 0;
  return (claim.shares.how === 'same' ? seen.same : seen.views).includes(claim.shares.name);
}

function formatTensor(seen: SeenTensor, claim: TensorClaim): string {
  const list = (sizes: readonly (string | null)[] | null): string =>
    sizes?.map((size) => size ?? '?').join(', ') ?? '…';
  let text = `Tensor[${list(seen.shape)}]`;
  if (claim.stride !== null) text += ` strides (${list(seen.stride)})`;
  if (claim.stride !== null && seen.offset !== '0') text += ` offset ${seen.offset ?? '?'}`;
  if (claim.dtype !== null) text += ` ${seen.dtype ?? 'of unknown dtype'}`;
  if (seen.same.length > 0) text += ` same as ${seen.same.join(', ')}`;
  if (seen.views.length > 0) text += `${seen.same.length > 0 ? ',' : ''} view of ${seen.views.join(', ')}`;
  return text;
}
