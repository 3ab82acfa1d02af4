import type { Facts } from './facts.ts';
import { formatInt } from './format.ts';
import { learnAtLeast, learnAtMost, learnDivisible, learnEqual, learnFactors } from './learn.ts';
import { type SymInt, same, symbol, ZERO } from './polynomial.ts';
import { mentions, substitute, symbolsOf } from './substitute.ts';

/** One thing that was found out, in a form that can be told again of other symbols. */
export type Lesson =
  | { readonly is: 'equal' | 'divisible'; readonly left: SymInt; readonly right: SymInt }
  | { readonly is: 'within'; readonly value: SymInt; readonly low: number; readonly high: number }
  | { readonly is: 'factors'; readonly id: string; readonly dims: readonly SymInt[] };

/** What `after` says that `before` does not. */
export function lessonsSince(before: Facts, after: Facts): readonly Lesson[] {
  if (before === after) return [];
  const lessons: Lesson[] = [];
  for (const [id, dims] of after.factors)
    if (before.factors.get(id) !== dims) lessons.push({ is: 'factors', id, dims });
  for (const [id, value] of after.equal) {
    const known = before.equal.get(id);
    if (known === undefined || !same(known, value)) lessons.push({ is: 'equal', left: symbol(id), right: value });
  }
  for (const [id, range] of after.ranges)
    if (before.ranges.get(id) !== range) lessons.push({ is: 'within', value: symbol(id), ...range });
  for (const { value, by } of newOf(before.divisible, after.divisible))
    lessons.push({ is: 'divisible', left: value, right: by });
  for (const zero of newOf(before.zeros, after.zeros)) lessons.push({ is: 'equal', left: zero, right: ZERO });
  for (const value of newOf(before.nonNegative, after.nonNegative))
    lessons.push({ is: 'within', value, low: 0, high: Infinity });
  return lessons;
}

const newOf = <Item>(before: readonly Item[], after: readonly Item[]): readonly Item[] =>
  before === after ? [] : after.filter((item) => !before.includes(item));

/** The symbols that a lesson is about: an equation tells of the symbol on its left, whatever the right side is made of. */
export function subjectsOf(lesson: Lesson): ReadonlySet<string> {
  switch (lesson.is) {
    case 'equal':
      return symbolsOf(lesson.left);
    case 'divisible':
      return new Set([...symbolsOf(lesson.left), ...symbolsOf(lesson.right)]);
    case 'within':
      return symbolsOf(lesson.value);
    case 'factors':
      return new Set([lesson.id]);
  }
}

/** All symbols of a lesson. */
export function symbolsIn(lesson: Lesson): ReadonlySet<string> {
  switch (lesson.is) {
    case 'equal':
      return new Set([...symbolsOf(lesson.left), ...symbolsOf(lesson.right)]);
    case 'factors':
      return new Set([lesson.id, ...lesson.dims.flatMap((dim) => [...symbolsOf(dim)])]);
    default:
      return subjectsOf(lesson);
  }
}

/** The facts together with a lesson in which every symbol stands under the name that `rename` gives it. */
export function learnAgain(facts: Facts, lesson: Lesson, rename: (id: string) => string): Facts {
  const renamed = (value: SymInt): SymInt => substitute(value, (id) => symbol(rename(id)));
  switch (lesson.is) {
    case 'equal':
      return learnEqual(facts, renamed(lesson.left), renamed(lesson.right));
    case 'divisible':
      return learnDivisible(facts, renamed(lesson.left), renamed(lesson.right));
    case 'within': {
      const value = renamed(lesson.value);
      const above = lesson.low === -Infinity ? facts : learnAtLeast(facts, value, lesson.low);
      return lesson.high === Infinity ? above : learnAtMost(above, value, lesson.high);
    }
    case 'factors':
      return learnFactors(facts, rename(lesson.id), lesson.dims.map(renamed));
  }
}

/** Whether a symbol is said to be something else, to lie within bounds or to be a product. */
export const isTold = (facts: Facts, id: string): boolean =>
  facts.equal.has(id) || facts.ranges.has(id) || facts.factors.has(id);

/** What is said of one symbol alone. */
export function textOfSymbol(facts: Facts, id: string, name: (id: string) => string): string {
  const value = facts.equal.get(id);
  const range = facts.ranges.get(id);
  const dims = facts.factors.get(id);
  return (
    (value === undefined ? '' : `=${formatInt(value, name)}`) +
    (range === undefined ? '' : `~${range.low},${range.high}`) +
    (dims === undefined ? '' : `:${dims.map((dim) => formatInt(dim, name)).join(',')}`)
  );
}

/**
 * What is said of several symbols at once, as far as it concerns some of them: polynomials that are 0, that are not
 * negative, and that divide each other. `name` may make more symbols a concern.
 */
export function textOfRelations(facts: Facts, concerns: (id: string) => boolean, name: (id: string) => string): string {
  const { zeros, nonNegative, divisible } = facts;
  if (zeros.length + nonNegative.length + divisible.length === 0) return '';
  const concerned = { has: concerns };
  let text = '';
  const open = new Set<readonly SymInt[]>();
  for (const zero of zeros) open.add([zero, ZERO]);
  for (const { value, by } of divisible) open.add([value, by]);
  for (const bound of nonNegative) open.add([bound]);
  for (let more = true; more; ) {
    more = false;
    for (const relation of open) {
      if (!relation.some((value) => mentions(value, concerned))) continue;
      text += `;${relation.map((value) => formatInt(value, name)).join('%')}`;
      open.delete(relation);
      more = true;
    }
  }
  return text;
}
