import { type Facts, type SymInt, symbolsOf } from '../../symbols/index.ts';
import { type Unknown, unknown } from '../../values/value.ts';
import { freshSymbol, hintOf, isShared, type Run, rebindUnknown, reboundUnknown } from './run.ts';

/** What a symbol is made of: another symbol by its id, an object by its reference, or an integer. */
export type Part = string | number | SymInt;

/** How a symbol came about: the same of the same parts is the same symbol, whenever it is asked for. */
export interface Derivation {
  readonly what: string;
  readonly of: readonly Part[];
}

/** The symbols that were made of parts. */
export interface Derived {
  readonly made: Map<string, SymInt>;
  readonly derivations: Map<string, Derivation>;
  /** The symbols that are parts of an unknown, by its symbol, or of an object. */
  readonly parts: Map<string | number, readonly string[]>;
  /** Whether they belong to the program's top level, as far as it was asked. */
  readonly ofProgram: Map<string, boolean>;
}

const keyOf = (what: string, of: readonly Part[]): string => {
  let key = what;
  for (const part of of)
    key += typeof part === 'string' ? ` ${part}` : typeof part === 'number' ? ` @${part}` : ` ${part.key}`;
  return key;
};

/** The symbol that belongs to these parts, the same each time it is asked for. */
export function symbolFor(run: Run, what: string, of: readonly Part[], hint: string): SymInt {
  const key = keyOf(what, of);
  const found = run.symbols.made.get(key);
  if (found) return found;
  const made = freshSymbol(run, hint);
  run.symbols.made.set(key, made);
  const [id] = symbolsOf(made);
  if (id !== undefined) {
    run.symbols.derivations.set(id, { what, of });
    const [whole] = of;
    if (typeof whole === 'string' || typeof whole === 'number')
      run.symbols.parts.set(whole, [...(run.symbols.parts.get(whole) ?? []), id]);
  }
  return made;
}

/** That symbol, if it was ever asked for. */
export const askedFor = (run: Run, what: string, of: readonly Part[]): SymInt | undefined =>
  run.symbols.made.get(keyOf(what, of));

/** The size at an index from the left of a tensor whose rank is not known. */
export const sizeAt = (run: Run, front: string, index: number, hint: string): SymInt =>
  symbolFor(run, `[${index}]`, [front], hint);

/** An attribute or item of an unknown: `config.hidden_size`; with `at`, the item at a number that is not known. */
export function partOfUnknown(run: Run, of: Unknown, part: string, at: SymInt | null = null): Unknown {
  if (of.symbol === undefined) return of;
  const made = partNamed(run, at ? [of.symbol, at] : [of.symbol], part, `${hintOf(of.symbol)}${part}`);
  if (made.symbol !== undefined && run.plain.has(of.symbol)) run.plain.add(made.symbol);
  // What was put in its place is not what it was.
  const now = reboundUnknown(run, made);
  return now?.kind === 'unknown' ? now : made;
}

/** Something is put in the place of a part of an unknown, and of others that `isSame` says may be the same part. */
export function replacePart(run: Run, of: Unknown, part: Unknown, isSame: (what: string) => boolean): void {
  if (of.symbol === undefined) return;
  const replaced = (run.symbols.parts.get(of.symbol) ?? []).filter(
    (id) => id === part.symbol || isSame(run.symbols.derivations.get(id)?.what ?? ''),
  );
  for (const symbol of replaced)
    rebindUnknown(run, { kind: 'unknown', reason: '', symbol }, unknown(`\`${hintOf(symbol)}\` was replaced`));
}

/** What an object holds, but nobody was seen to put there: `self.training`. */
export const partOfObject = (run: Run, ref: number, name: string, part: string): Unknown =>
  partNamed(run, [ref], part, `${name}${part}`);

function partNamed(run: Run, of: readonly Part[], part: string, name: string): Unknown {
  const [id] = symbolsOf(symbolFor(run, part, of, name));
  return { kind: 'unknown', reason: `\`${name}\` is not known`, symbol: id ?? name };
}

/** The symbol made of these parts under other names. */
export function derivedAgain(run: Run, { what, of }: Derivation, hint: string, rename: Renaming): string {
  const parts = of.map((part): Part => {
    if (typeof part === 'string') return rename.symbol(part);
    return typeof part === 'number' ? rename.ref(part) : rename.int(part);
  });
  const [id] = symbolsOf(symbolFor(run, what, parts, hint));
  return id ?? '';
}

/** Other names for what an analysis numbers. */
export interface Renaming {
  symbol(id: string): string;
  ref(ref: number): number;
  int(value: SymInt): SymInt;
}

/** The number in a symbol's id, which tells when it was made; null where it has none. */
export function serialOf(id: string): number | null {
  const digits = /#(-?\d+)$/.exec(id)?.[1];
  return digits === undefined ? null : Number(digits);
}

/** Whether a symbol, or all that it is made of, belongs to the program's top level. */
export function isOfProgram(run: Run, id: string): boolean {
  const known = run.symbols.ofProgram.get(id);
  if (known !== undefined) return known;
  const number = serialOf(id);
  const of = run.symbols.derivations.get(id)?.of;
  const answer = of ? of.every((part) => isPartOfProgram(run, part)) : number !== null && isShared(run, number);
  run.symbols.ofProgram.set(id, answer);
  return answer;
}

function isPartOfProgram(run: Run, part: Part): boolean {
  if (typeof part === 'number') return isShared(run, part);
  if (typeof part === 'string') return isOfProgram(run, part);
  return [...symbolsOf(part)].every((id) => isOfProgram(run, id));
}

const telling = new WeakMap<Facts, boolean>();

/** Whether the function under analysis has found out something about a symbol of the program's top level. */
export function tellsOfProgram(run: Run): boolean {
  if (run.memory.programTold) return true;
  const { facts } = run.layer;
  const known = telling.get(facts);
  if (known !== undefined) return known;
  const tells = [facts.equal, facts.ranges, facts.factors].some((map) =>
    [...map.keys()].some((id) => isOfProgram(run, id) && run.symbols.derivations.get(id)?.of.length !== 0),
  );
  telling.set(facts, tells);
  return tells;
}
