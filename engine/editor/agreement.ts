import { spoken } from '../rules/sizes.ts';
import { abbreviate, type SymInt, same, simplify, substitute, symbol } from '../symbols/index.ts';
import { areSizes, isSaid, type Numbers, type Said, type Size, type Statement } from './statements.ts';

/** How several statements about one thing become one. Of a text null says nothing, and what differs is not told. */
export interface Choice {
  text<T extends string>(texts: readonly (T | null)[]): T | null;
  size(sizes: readonly Size[]): Size;
  rank(ranks: readonly (number | 'differs' | null)[]): number | 'differs' | null;
}

/** What agrees between all visits of one expression in one analysis; the rest is not known. */
export const agreeing: Choice = {
  text: (texts) => (texts.every((text) => text === texts[0]) ? (texts[0] ?? null) : null),
  size(sizes) {
    const said = sizes.filter(isSaid);
    if (said.length < sizes.length) return sizes.includes('differs') ? 'differs' : null;
    return said.every(({ text }) => text === said[0]?.text) ? (said[0] ?? null) : 'differs';
  },
  rank: (ranks) => (ranks.includes(null) ? null : uncontradicted.rank(ranks)),
};

/** What some analyses know and none contradicts. */
export const uncontradicted: Choice = {
  text: (texts) => theOnly(texts.filter((text) => text !== null)),
  size(sizes) {
    const said = sizes.filter(isSaid);
    if (said.length === 0) return sizes.includes('differs') ? 'differs' : null;
    return sizes.includes('differs') ? 'differs' : (inCommon(said) ?? 'differs');
  },
  rank(ranks) {
    const known = ranks.filter((rank) => rank !== null);
    return known.length === 0 ? null : (theOnly(known) ?? 'differs');
  },
};

/** What an analysis of every call says, and where it says nothing, what those of the calls that were seen agree in. */
export const completed: Choice = {
  text: ([mine, other]) => mine ?? other ?? null,
  size: ([mine, other]) => (isSaid(mine) ? mine : (other ?? null)),
  rank: ([mine, other]) =>
    typeof mine === 'number' && typeof other === 'number' && mine !== other
      ? 'differs'
      : typeof mine === 'number'
        ? mine
        : (other ?? null),
};

/** The one thing that all are. */
function theOnly<T>(all: readonly T[]): T | null {
  const [only, ...others] = new Set(all);
  return only === undefined || others.length > 0 ? null : only;
}

/** One statement for each path out of several. */
export function combine(all: readonly (readonly Statement[])[], choice: Choice): readonly Statement[] {
  const [only, ...others] = all;
  if (others.length === 0) return only ?? [];
  const paths = new Set(all.flatMap((some) => some.map(({ path }) => path)));
  return [...paths].flatMap((path): readonly Statement[] => {
    const some = all.flatMap((one) => one.filter((statement) => statement.path === path));
    const [first] = some;
    if (!first) return [];
    const shape = combineNumbers(
      some.map((one) => one.shape),
      choice,
    );
    // Who disagree about sizes do not mean the same strides, nor does who has a number of its own for one of them.
    const stride =
      areSizes(shape) && !shape.includes('differs')
        ? combineNumbers(
            some.map((one) => (hasItsOwn(one.shape, shape) ? null : one.stride)),
            choice,
          )
        : null;
    const sharing = choice.text(some.map((one) => (one.sharing === 'unknown' ? null : one.sharing))) ?? 'unknown';
    const offset = choice.size(some.map((one) => one.offset));
    const dtype = choice.text(some.map((one) => one.dtype));
    const assumes = [...new Set(some.flatMap((one) => one.assumes))];
    return [{ path, shape, stride, offset, dtype, storage: first.storage, sharing, assumes }];
  });
}

/** Whether a size is a constant here that is none in what is said of all. */
const hasItsOwn = (mine: Numbers, all: readonly Size[]): boolean =>
  areSizes(mine) &&
  mine.some((size, d) => {
    const said = all[d];
    return isSaid(size) && isSaid(said) && size.value.constant !== null && said.value.constant === null;
  });

function combineNumbers(all: readonly Numbers[], choice: Choice): Numbers {
  const rank = choice.rank(all.map((numbers) => (areSizes(numbers) ? numbers.length : numbers)));
  if (typeof rank !== 'number') return rank;
  const known = all.flatMap((numbers) => (areSizes(numbers) && numbers.length === rank ? [numbers] : []));
  return Array.from({ length: rank }, (_, d) => choice.size(known.map((numbers) => numbers[d] ?? null)));
}

/**
 * What holds in each of several analyses, which know the numbers that the source names by other symbols: the words of one
 * that are true in all of them, or a name that stands for the number in each. Null where they have nothing in common.
 */
function inCommon(all: readonly Said[]): Said | null {
  const [first] = all;
  if (!first || all.every(({ text }) => text === first.text)) return first ?? null;
  const words = all.find((one) => {
    const said = inWords(one);
    return all.every((other) => other === one || isTrue(said, other));
  });
  return words ?? nameInCommon(first, all);
}

/** The number with the names of the source for symbols. */
const inWords = ({ trace, value }: Said): SymInt =>
  substitute(abbreviate(value, trace.phrases), (id) => symbol(trace.nameOf(id)));

function isTrue(words: SymInt, other: Said): boolean {
  const { trace, value } = other;
  const there = substitute(words, (name) => trace.numbers.get(name));
  return same(there, value) || same(simplify(there, trace.facts), value) || same(words, inWords(other));
}

function nameInCommon(first: Said, all: readonly Said[]): Said | null {
  for (const [name, value] of first.trace.numbers)
    if (same(value, first.value) && all.every((one) => isNumber(name, one)))
      return { ...first, text: spoken(first.trace, name) };
  return null;
}

function isNumber(name: string, { trace, value }: Said): boolean {
  const number = trace.numbers.get(name);
  return number !== undefined && same(number, value);
}
