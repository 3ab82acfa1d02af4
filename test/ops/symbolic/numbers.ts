import type { Outcome } from '../../../engine/ops/index.ts';
import { evaluateInt, type Guard, int, type SymInt, symbolsOf } from '../../../engine/symbols/index.ts';
import type { Tensor } from '../../../engine/tensor/index.ts';
import type { Value } from '../../../engine/values/value.ts';
import type { Choices } from './choices.ts';
import type { Given } from './subject.ts';

/** Numbers for the symbols of a draw. A symbol that is not among them is one that the engine made up. */
export type Numbers = ReadonlyMap<string, number>;

/** Null where a symbol of the engine's own is in it, or a division by 0. */
export function numberOf(value: SymInt, numbers: Numbers): number | null {
  if (value.constant !== null) return value.constant;
  for (const id of symbolsOf(value)) if (!numbers.has(id)) return null;
  const number = evaluateInt(value, (id) => numbers.get(id) ?? 0);
  return Number.isNaN(number) ? null : number;
}

const SMALL = [1, 2, 3, 5, 7, 0] as const;

/** Other numbers for some of the symbols: small ones, primes, 1 and 0, the number of another symbol. */
export function anyNumbers(base: Numbers, choices: Choices): Numbers {
  const numbers = new Map(base);
  const ids = [...base.keys()];
  for (const id of ids) {
    if (!choices.rarely(3)) continue;
    const other = numbers.get(choices.among(ids) ?? id) ?? 1;
    const own = base.get(id) ?? 1;
    numbers.set(id, choices.pick(2 * own, other, own + 1, ...SMALL));
  }
  return numbers;
}

/** The numbers, some changed so that what was demanded holds, if that is easily done. */
export function meeting(demands: Outcome['demands'], numbers: Numbers): Numbers {
  const met = new Map(numbers);
  for (let round = 0; round < 3; round++) {
    let changed = false;
    for (const [left, right] of demands) {
      const [a, b] = [numberOf(left, met), numberOf(right, met)];
      if (a === null || b === null || a === b) continue;
      const solved = solve(left, a, b, met) ?? solve(right, b, a, met);
      if (solved === null) continue;
      met.set(solved.id, solved.value);
      changed = true;
    }
    if (!changed) break;
  }
  return met;
}

/** A symbol of `side` that makes it `wanted` instead of `value`, if one in which it is linear does. */
function solve(side: SymInt, value: number, wanted: number, numbers: Numbers): { id: string; value: number } | null {
  for (const id of symbolsOf(side)) {
    const now = numbers.get(id) ?? 0;
    const next = numberOf(side, new Map(numbers).set(id, now + 1));
    const slope = next === null ? 0 : next - value;
    const steps = (wanted - value) / slope;
    if (!Number.isInteger(steps) || now + steps < 0) continue;
    const found = now + steps;
    if (numberOf(side, new Map(numbers).set(id, found)) === wanted) return { id, value: found };
  }
  return null;
}

/** Whether nothing that was said of the outcome leaves these numbers out. */
export function isClaimedFor({ guards, demands }: Outcome, numbers: Numbers): boolean {
  return (
    guards.every((guard) => holds(guard, numbers) === false) &&
    demands.every(([left, right]) => {
      const [a, b] = [numberOf(left, numbers), numberOf(right, numbers)];
      return a !== null && a === b && !hasZero(left, numbers) && !hasZero(right, numbers);
    })
  );
}

function holds({ relation, left, right }: Guard, numbers: Numbers): boolean | null {
  const [a, b] = [numberOf(left, numbers), numberOf(right, numbers)];
  if (a === null || b === null) return null;
  return (relation === 'equal' ? a === b : a < b) || [left, right].some((side) => hasZero(side, numbers));
}

/** What turns on a symbol takes it to be a size, and no size to be 0. */
const hasZero = (value: SymInt, numbers: Numbers): boolean => [...symbolsOf(value)].some((id) => numbers.get(id) === 0);

/** The call with numbers in place of symbols; null where a size would be below 0, or a stride 0 that is no 0 by itself. */
export function numbered(given: Given, numbers: Numbers): Given | null {
  let possible = true;
  const put = (value: SymInt): SymInt => (value.constant === null ? int(numberOf(value, numbers) ?? -1) : value);
  const size = (value: SymInt): SymInt => {
    const number = put(value);
    if (value.constant === null && (number.constant ?? 0) < 0) possible = false;
    return number;
  };
  const tensor = (of: Tensor): Tensor => {
    const { stride, offset, front } = of.layout;
    const shape = of.layout.shape.map(size);
    const empty = shape.some(({ constant }) => constant === 0);
    const step = (value: SymInt): SymInt => {
      const number = put(value);
      if (value.constant === null && number.constant === 0 && !empty) possible = false;
      return number;
    };
    return {
      ...of,
      layout: { shape, stride: stride?.map(step) ?? null, offset: offset && put(offset), front },
      storage: { ...of.storage, nbytes: of.storage.nbytes && put(of.storage.nbytes) },
    };
  };
  const valued = (value: Value): Value => {
    switch (value.kind) {
      case 'tensor':
        return tensor(value);
      case 'int':
        return { kind: 'int', value: size(value.value) };
      case 'tuple':
        return { ...value, items: value.items.map(valued) };
      case 'slice':
        return { kind: 'slice', start: valued(value.start), stop: valued(value.stop), step: valued(value.step) };
      default:
        return value;
    }
  };
  const args = given.args.map(valued);
  const keywords = new Map([...given.keywords].map(([name, value]) => [name, valued(value)] as const));
  return possible ? { args, keywords } : null;
}
