import type { OpResult, Outcome, Write } from '../../../engine/ops/index.ts';
import { product, type SymInt } from '../../../engine/symbols/index.ts';
import { isFault, type Layout } from '../../../engine/tensor/index.ts';
import type { Value } from '../../../engine/values/value.ts';
import { type Numbers, numberOf } from './numbers.ts';

/**
 * Where a claim and an answer part, in words; null where they agree. What the claim leaves open agrees with anything.
 * `empty`: a tensor has no elements. Of such nothing but shapes is claimed.
 */
export function difference(claim: Outcome, answer: Outcome, numbers: Numbers, empty: boolean): string | null {
  if (isFault(claim.result)) return null;
  if (isFault(answer.result)) return null;
  return (
    resultDiffers(claim.result, answer.result, { numbers, empty, claim, answer }) ??
    (empty || isOpen(claim.result) ? null : writesDiffer(claim.writes, answer.writes, numbers))
  );
}

/** Where it cannot be told whether the input is changed, nothing is said of a write. */
const isOpen = (result: OpResult): boolean =>
  result.is === 'either' || ('items' in result && result.items.some(isOpen));

interface Sides {
  readonly numbers: Numbers;
  readonly empty: boolean;
  readonly claim: Outcome;
  readonly answer: Outcome;
}

function resultDiffers(claim: OpResult, answer: OpResult, sides: Sides): string | null {
  const { numbers, empty } = sides;
  if (claim.is === 'value') {
    if (claim.value.kind === 'unknown') return null;
    if (answer.is !== 'value') return 'no value';
    return empty && claim.value.kind === 'bool' ? null : valueDiffers(claim.value, answer.value, numbers);
  }
  if ('items' in claim) {
    if (!('items' in answer) || answer.is !== claim.is) return `a ${claim.is}`;
    if (answer.items.length !== claim.items.length) return 'how many results';
    return first(claim.items, (item, i) => {
      const other = answer.items[i];
      return other === undefined ? null : within(`[${i}]`, resultDiffers(item, other, sides));
    });
  }
  if (answer.is === 'value' || 'items' in answer) return `a ${answer.is}`;
  const sharing = empty || claim.is === 'either' || answer.is === 'either' ? null : sharingDiffers(claim, answer);
  return (
    sharing ??
    layoutDiffers(layoutOf(claim, sides.claim), layoutOf(answer, sides.answer), numbers, empty) ??
    (empty ? null : (dtypeDiffers(claim, answer) ?? elementsDiffer(claim, answer)))
  );
}

type One = Exclude<OpResult, { is: 'value' | 'tuple' | 'list' }>;

function sharingDiffers(claim: One, answer: One): string | null {
  if (claim.is !== answer.is) return `${claim.is} and not ${answer.is}`;
  return 'of' in claim && 'of' in answer && claim.of.id !== answer.of.id ? 'of another tensor' : null;
}

function layoutOf(result: One, { writes }: Outcome): Layout {
  if (result.is !== 'same') return result.layout;
  return writes.find(({ target }) => target.id === result.of.id)?.becomes?.layout ?? result.of.layout;
}

function dtypeDiffers(claim: One, answer: One): string | null {
  const [told, known] = [claim, answer].map((one) => (one.is === 'same' ? one.of.dtype : one.dtype));
  return told === null || told === known ? null : `${told} and not ${known}`;
}

function elementsDiffer(claim: One, answer: One): string | null {
  if (claim.is !== 'fresh' || claim.elements === undefined) return null;
  const elements = answer.is === 'fresh' ? answer.elements : undefined;
  return String(elements) === String(claim.elements) ? null : 'other elements';
}

/** `empty`: strides are not compared, nor where the layout begins. */
function layoutDiffers(claim: Layout, answer: Layout, numbers: Numbers, empty: boolean): string | null {
  const front = claim.front ? answer.shape.length - claim.shape.length + 1 : 0;
  const [told, known] = claim.front ? [behind(claim, 1), behind(answer, front)] : [claim, answer];
  if (front < 0 || known.shape.length !== told.shape.length) return 'other rank';
  const differs = intsDiffer('size', told.shape, known.shape, numbers);
  if (differs !== null) return differs;
  if (claim.front) {
    const size = intsDiffer('front', claim.shape.slice(0, 1), [product(answer.shape.slice(0, front))], numbers);
    if (size !== null) return size;
  }
  if (empty) return null;
  return (
    intsDiffer('stride', told.stride, known.stride, numbers) ??
    (claim.front && front > 0 ? packingDiffers(claim, answer, front, numbers) : null) ??
    intsDiffer('offset', claim.offset && [claim.offset], answer.offset && [answer.offset], numbers)
  );
}

/** A stride of dims that are packed in one says that they lie one around the other without gaps; of size 1 they may lie anyhow. */
function packingDiffers(claim: Layout, answer: Layout, count: number, numbers: Numbers): string | null {
  const [step] = claim.stride ?? [];
  let run = step === undefined ? null : numberOf(step, numbers);
  for (let d = count - 1; d >= 0 && run !== null; d--) {
    const [size, stride] = [answer.shape[d]?.constant ?? null, answer.stride?.[d]?.constant ?? null];
    if (size !== 1 && stride !== run) return `stride ${d} of the front: ${run} and not ${stride}`;
    run = size === null ? null : run * size;
  }
  return null;
}

const behind = (layout: Layout, count: number): Layout => ({
  ...layout,
  shape: layout.shape.slice(count),
  stride: layout.stride?.slice(count) ?? null,
});

function intsDiffer(
  what: string,
  claim: readonly SymInt[] | null,
  answer: readonly SymInt[] | null,
  numbers: Numbers,
): string | null {
  if (claim === null) return null;
  return first(claim, (value, i) => {
    const told = numberOf(value, numbers);
    const known = answer?.[i]?.constant ?? null;
    return told === null || told === known ? null : `${what} ${i}: ${told} and not ${known}`;
  });
}

function valueDiffers(claim: Value, answer: Value, numbers: Numbers): string | null {
  if (claim.kind === 'unknown' || answer.kind === 'unknown') return null;
  if (claim.kind !== answer.kind) return `a ${claim.kind} and not a ${answer.kind}`;
  if (claim.kind === 'int' && answer.kind === 'int') return intsDiffer('value', [claim.value], [answer.value], numbers);
  if (claim.kind === 'tuple' && answer.kind === 'tuple') {
    if (claim.front !== undefined) return null;
    return claim.items.length !== answer.items.length
      ? 'other length'
      : first(claim.items, (item, i) => {
          const other = answer.items[i];
          return other === undefined ? null : valueDiffers(item, other, numbers);
        });
  }
  return JSON.stringify(claim) === JSON.stringify(answer) ? null : 'another value';
}

/** A write of unknown overlap may not happen at all. */
function writesDiffer(claimed: readonly Write[], answer: readonly Write[], numbers: Numbers): string | null {
  const claim = claimed.filter(
    ({ overlap, target }) => overlap !== 'unknown' || answer.some((write) => write.target.id === target.id),
  );
  if (claim.length !== answer.length) return `${claim.length} writes and not ${answer.length}`;
  return first(claim, (write, i) => {
    const other = answer[i];
    if (other === undefined) return null;
    if (write.target.id !== other.target.id) return 'a write of another tensor';
    if ((write.becomes === null) !== (other.becomes === null)) return 'a write that changes the layout';
    if (write.overlap !== 'unknown' && write.overlap !== other.overlap)
      return `a write with ${write.overlap} and not ${other.overlap} overlap`;
    const region = layoutDiffers(write.region, other.region, numbers, false);
    const becomes =
      write.becomes && other.becomes && layoutDiffers(write.becomes.layout, other.becomes.layout, numbers, false);
    return within('written', region ?? becomes);
  });
}

const within = (where: string, what: string | null): string | null => (what === null ? null : `${where} ${what}`);

function first<T>(items: readonly T[], differs: (item: T, index: number) => string | null): string | null {
  for (const [i, item] of items.entries()) {
    const found = differs(item, i);
    if (found !== null) return found;
  }
  return null;
}
