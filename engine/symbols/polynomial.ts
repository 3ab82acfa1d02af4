import { keyOf } from './key.ts';
import { compare, compareAtoms, compareTerms, RANK } from './order.ts';
import { newShared } from './shared.ts';

/**
 * An integer that we may not know: a polynomial with integer coefficients over atoms, in canonical form.
 *
 * 1. An atom is a symbol or an operation that a polynomial cannot express (`//`, `%`, `ceil_div`, `max`, `min`).
 * 2. Terms are sorted by `compareTerms`, coefficients are not 0, the constant stands apart in `offset`.
 *    Hence two polynomials are the same function wherever their terms and offsets are equal one by one.
 */
export type SymInt = Polynomial;

export type Atom =
  | {
      readonly kind: 'symbol';
      readonly id: string;
      readonly created: number;
      readonly hash: number;
    }
  /** An integer beyond the safe range. It is opaque: nothing is computed with it. */
  | { readonly kind: 'big'; readonly value: bigint }
  | Quotient
  | Remainder
  | Extremum;

export interface Quotient {
  readonly kind: 'floorDiv' | 'ceilDiv';
  readonly left: SymInt;
  readonly right: SymInt;
}

export interface Remainder {
  readonly kind: 'mod';
  readonly left: SymInt;
  readonly right: SymInt;
}

export interface Extremum {
  readonly kind: 'max' | 'min';
  readonly items: readonly SymInt[];
}

/** `coefficient * atoms[0] * atoms[1] * …`; a power repeats its atom, and there is at least one. */
export interface Term {
  readonly coefficient: number;
  readonly atoms: readonly Atom[];
}

class Polynomial {
  /** The value, where it is a known one. */
  readonly constant: number | null;
  /** The terms with atoms. */
  readonly terms: readonly Term[];
  /** The term without atoms. */
  readonly offset: number;
  /** How many operations there are, those inside others counted too. */
  readonly operations: number;
  /** Equal for structurally equal polynomials, and seldom for others. */
  readonly hash: number;
  #key: string | undefined;

  constructor(terms: readonly Term[], offset: number) {
    this.constant = terms.length === 0 ? offset : null;
    this.terms = terms;
    this.offset = offset;
    let operations = 0;
    let hash = offset | 0;
    for (const term of terms) {
      hash = mixed(hash, term.coefficient | 0);
      for (const atom of term.atoms) {
        if (atom.kind === 'symbol') hash = mixed(hash, atom.hash);
        else {
          operations += operationsIn(atom);
          hash = mixed(hash, hashOf(atom));
        }
      }
    }
    this.operations = operations;
    this.hash = hash;
    Object.freeze(this);
  }

  /** Equal keys mean structurally equal polynomials. Built on demand: most polynomials never need one. */
  get key(): string {
    this.#key ??= this.terms.length === 0 ? String(this.offset) : keyOf(this);
    return this.#key;
  }
}

/** A program that multiplies sums in a loop must not fill memory with their terms. */
const MOST_PRODUCTS = 1024;
const MOST_DEGREE = 64;

/** Nor one that nests operations, or adds up unrelated sizes. */
const MOST_OPERATIONS = 256;
const MOST_TERMS = 1024;

const NO_TERMS: readonly Term[] = Object.freeze([]);
const SMALL: readonly SymInt[] = Array.from({ length: 1025 }, (_, n) => new Polynomial(NO_TERMS, n));

/** Larger numbers recently made: strides come again and again. Many share their last bits, so all bits tell the slot. */
const RECENT: SymInt[] = new Array(4096).fill(SMALL[0]);

function number(n: number): SymInt {
  const slot = Math.imul(n, 0x9e3779b1) >>> 20;
  const recent = RECENT[slot];
  if (recent !== undefined && recent.offset === n) return recent;
  const made = new Polynomial(NO_TERMS, n === 0 ? 0 : n);
  RECENT[slot] = made;
  return made;
}

export const ZERO: SymInt = int(0);
export const ONE: SymInt = int(1);

export function int(n: number): SymInt {
  const small = n >= 0 && n < SMALL.length ? SMALL[n] : undefined;
  if (small !== undefined) return small;
  if (Number.isSafeInteger(n)) return number(n);
  if (!Number.isFinite(n)) return symbol('?');
  const whole = Math.trunc(n);
  return Number.isSafeInteger(whole) ? int(whole) : big(BigInt(whole));
}

const symbols = newShared<string, SymInt>();

/** An unknown integer, at least 0 unless facts bound it otherwise. The number after `#` tells the order of creation. */
export function symbol(id: string): SymInt {
  const known = symbols.get(id);
  if (known !== undefined) return known;
  const made = ofAtom(Object.freeze({ kind: 'symbol', id, created: createdAt(id), hash: hashOfText(id) }));
  symbols.set(id, made);
  return made;
}

const mixed = (hash: number, by: number): number => (Math.imul(hash ^ by, 0x9e3779b1) ^ (hash >>> 15)) | 0;

function hashOf(atom: Atom): number {
  switch (atom.kind) {
    case 'symbol':
      return atom.hash;
    case 'big':
      return Number(atom.value & 0x7fffffffn);
    case 'max':
    case 'min':
      return atom.items.reduce<number>((hash, item) => mixed(hash, item.hash), RANK[atom.kind]);
    default:
      return mixed(mixed(RANK[atom.kind], atom.left.hash), atom.right.hash);
  }
}

function hashOfText(text: string): number {
  let hash = 0;
  for (let i = 0; i < text.length; i++) hash = mixed(hash, text.charCodeAt(i));
  return hash;
}

const interned = newShared<number, SymInt>();

/** One and the same polynomial for all that are structurally equal, mostly: what is remembered of it is found by identity. */
export function intern(a: SymInt): SymInt {
  if (a.terms.length === 0) return a;
  const known = interned.get(a.hash);
  if (known !== undefined && same(known, a)) return known;
  interned.set(a.hash, a);
  return a;
}

/** Operations are counted with those inside them, so that `value // by` always outweighs `value`. */
export function operationsIn(atom: Atom): number {
  if ('items' in atom) return atom.items.reduce((all, item) => all + item.operations, 1);
  return 'left' in atom ? 1 + atom.left.operations + atom.right.operations : 0;
}

export function ofAtom(atom: Atom): SymInt {
  return new Polynomial([{ coefficient: 1, atoms: [atom] }], 0);
}

export function add(first: SymInt = ZERO, second: SymInt = ZERO, ...others: readonly SymInt[]): SymInt {
  let total = plus(first, second, 1);
  for (const other of others) total = plus(total, other, 1);
  return total;
}

export const sub = (a: SymInt, b: SymInt): SymInt => plus(a, b, -1);
export const neg = (a: SymInt): SymInt => plus(ZERO, a, -1);

export function sum(values: Iterable<SymInt>): SymInt {
  let total = ZERO;
  for (const value of values) total = plus(total, value, 1);
  return total;
}

export function product(values: Iterable<SymInt>): SymInt {
  let total = ONE;
  for (const value of values) total = times(total, value);
  return total;
}

export function mul(first: SymInt = ONE, second: SymInt = ONE, ...others: readonly SymInt[]): SymInt {
  let total = times(first, second);
  for (const other of others) total = times(total, other);
  return total;
}

export function same(a: SymInt, b: SymInt): boolean {
  if (a === b) return true;
  if (a.constant !== null || b.constant !== null) return a.constant === b.constant;
  return a.hash === b.hash && compare(a, b) === 0;
}

/** The polynomial of these terms, in any order and with repetitions. */
export function polynomial(terms: readonly Term[], offset: number): SymInt {
  if (terms.length === 0) return int(offset);
  if (terms.length === 1) return new Polynomial(terms[0]?.coefficient === 0 ? NO_TERMS : terms, offset);
  const sorted = [...terms].sort(compareTerms);
  const merged: Term[] = [];
  let last: Term | undefined;
  for (const term of sorted) {
    if (last !== undefined && compareTerms(last, term) === 0) {
      last = addedTo(last, term.coefficient);
      merged[merged.length - 1] = last;
    } else {
      last = term;
      merged.push(term);
    }
  }
  const kept = merged.filter((term) => term.coefficient !== 0);
  return kept.length === 0 ? int(offset) : new Polynomial(kept, offset);
}

/** The sum of two polynomials whose terms are sorted already. */
function merged(a: readonly Term[], b: readonly Term[], sign: 1 | -1, offset: number): SymInt {
  const terms: Term[] = [];
  let sorted = true;
  let j = 0;
  for (const x of a) {
    let y = b[j];
    let order = y === undefined ? -1 : compareTerms(x, y);
    while (y !== undefined && order > 0) {
      terms.push(signed(y, sign));
      y = b[++j];
      order = y === undefined ? -1 : compareTerms(x, y);
    }
    if (order < 0 || y === undefined) {
      terms.push(x);
      continue;
    }
    j++;
    const both = addedTo(x, sign * y.coefficient);
    if (both.coefficient !== 0) terms.push(both);
    // A coefficient beyond the safe range has become an atom, by which the term may stand elsewhere.
    sorted &&= both.atoms === x.atoms;
  }
  for (let y = b[j]; y !== undefined; y = b[++j]) terms.push(signed(y, sign));
  if (!sorted) return polynomial(terms, offset);
  return terms.length === 0 ? int(offset) : within(new Polynomial(terms, offset));
}

const signed = (term: Term, sign: 1 | -1): Term =>
  sign === 1 ? term : { coefficient: -term.coefficient, atoms: term.atoms };

function addedTo(term: Term, coefficient: number): Term {
  const total = term.coefficient + coefficient;
  if (Number.isSafeInteger(total)) return { coefficient: total, atoms: term.atoms };
  return opaque(BigInt(term.coefficient) + BigInt(coefficient), term.atoms);
}

function plus(a: SymInt, b: SymInt, sign: 1 | -1): SymInt {
  if (a === b && sign === -1) return ZERO;
  const offset = a.offset + sign * b.offset;
  if (!Number.isSafeInteger(offset)) return beyond(a, b, sign);
  if (b.terms.length === 0) {
    if (b.offset === 0) return a;
    return a.terms.length === 0 ? int(offset) : new Polynomial(a.terms, offset);
  }
  if (a.terms.length === 0 && sign === 1) return offset === b.offset ? b : new Polynomial(b.terms, offset);
  return merged(a.terms, b.terms, sign, offset === 0 ? 0 : offset);
}

/** A sum whose constants leave the safe range: the constants become one opaque atom. */
function beyond(a: SymInt, b: SymInt, sign: 1 | -1): SymInt {
  const value = BigInt(a.offset) + BigInt(sign) * BigInt(b.offset);
  const rest = plus(new Polynomial(a.terms, 0), new Polynomial(b.terms, 0), sign);
  return plus(rest, big(value), 1);
}

function times(a: SymInt, b: SymInt): SymInt {
  if (a.constant !== null && b.constant !== null) {
    const value = a.constant * b.constant;
    return Number.isSafeInteger(value) ? int(value) : big(BigInt(a.constant) * BigInt(b.constant));
  }
  if (a.terms.length === 0) return scale(b, a.offset);
  if (b.terms.length === 0) return scale(a, b.offset);
  if (a.terms.length * b.terms.length > MOST_PRODUCTS || degree(a) + degree(b) > MOST_DEGREE)
    return opaqueProduct(a, b);
  const [lone, other] = [a.terms[0], b.terms[0]];
  if (a.terms.length === 1 && b.terms.length === 1 && a.offset === 0 && b.offset === 0 && lone && other)
    return within(
      new Polynomial([scaled(lone.coefficient, other.coefficient, mergeAtoms(lone.atoms, other.atoms))], 0),
    );
  const terms: Term[] = [];
  const [left, right] = [withOffset(a), withOffset(b)];
  for (const x of left) {
    for (const y of right) {
      if (x.atoms.length === 0 && y.atoms.length === 0) continue;
      terms.push(scaled(x.coefficient, y.coefficient, mergeAtoms(x.atoms, y.atoms)));
    }
  }
  const made = within(polynomial(terms, 0));
  return a.offset === 0 || b.offset === 0 ? made : plus(made, scale(int(a.offset), b.offset), 1);
}

const degree = (a: SymInt): number => a.terms[0]?.atoms.length ?? 0;

/** A product too long to be written out is a symbol of its own, the same for the same factors. */
function opaqueProduct(a: SymInt, b: SymInt): SymInt {
  return a.key < b.key ? opaqueSymbol(`${a.key} ${b.key}`) : opaqueSymbol(`${b.key} ${a.key}`);
}

/** The polynomial itself, or a symbol of its own in place of one beyond measure. */
export function within(a: SymInt): SymInt {
  return a.operations > MOST_OPERATIONS || a.terms.length > MOST_TERMS ? opaqueSymbol(a.key) : a;
}

/** Of an opaque symbol nothing is known, not even its sign. */
export const isOpaque = (id: string): boolean => id.startsWith('?');

function opaqueSymbol(text: string): SymInt {
  let hash = 0n;
  for (let i = 0; i < text.length; i++)
    hash = (hash * 1_099_511_628_211n + BigInt(text.charCodeAt(i))) & 0xffff_ffff_ffff_ffffn;
  return symbol(`?${hash.toString(36)}`);
}

function scale(a: SymInt, by: number): SymInt {
  if (by === 1) return a;
  if (by === 0) return ZERO;
  const offset = a.offset * by;
  const constant = Number.isSafeInteger(offset) ? null : big(BigInt(a.offset) * BigInt(by));
  if (a.terms.length === 0) return constant ?? int(offset);
  const terms = a.terms.map((t) => scaled(t.coefficient, by, t.atoms));
  const made = polynomial(terms, constant === null ? (offset === 0 ? 0 : offset) : 0);
  return constant === null ? made : plus(made, constant, 1);
}

/** All terms, the constant one included (without atoms) where it is not 0. */
export function withOffset(a: SymInt): readonly Term[] {
  return a.offset === 0 ? a.terms : [...a.terms, { coefficient: a.offset, atoms: [] }];
}

/** `m * n * atoms`. */
function scaled(m: number, n: number, atoms: readonly Atom[]): Term {
  const coefficient = m * n;
  return Number.isSafeInteger(coefficient) ? { coefficient, atoms } : opaque(BigInt(m) * BigInt(n), atoms);
}

const opaque = (coefficient: bigint, atoms: readonly Atom[]): Term => ({
  coefficient: 1,
  atoms: mergeAtoms([{ kind: 'big', value: coefficient }], atoms),
});

function big(value: bigint): SymInt {
  const n = Number(value);
  return Number.isSafeInteger(n) ? int(n) : ofAtom(Object.freeze({ kind: 'big', value }));
}

function mergeAtoms(a: readonly Atom[], b: readonly Atom[]): readonly Atom[] {
  if (a.length === 0) return b;
  if (b.length === 0) return a;
  const all: Atom[] = [];
  let j = 0;
  for (const atom of a) {
    for (let other = b[j]; other !== undefined && compareAtoms(other, atom) < 0; other = b[++j]) all.push(other);
    all.push(atom);
  }
  for (let other = b[j]; other !== undefined; other = b[++j]) all.push(other);
  return all;
}

function createdAt(id: string): number {
  let created = 0;
  let scale = 1;
  for (let i = id.length - 1; i >= 0; i--) {
    const digit = id.charCodeAt(i) - ZERO_DIGIT;
    if (digit < 0 || digit > 9) return scale > 1 && id[i] === '#' ? created : -1;
    created += digit * scale;
    scale *= 10;
  }
  return -1;
}

const ZERO_DIGIT = '0'.charCodeAt(0);
