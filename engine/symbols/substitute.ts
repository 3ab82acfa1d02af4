import { monomial } from './divide.ts';
import { ceilDiv, floorDiv, maximum, minimum, mod, modulo } from './laws.ts';
import { type Atom, add, mul, ofAtom, polynomial, type SymInt, type Term } from './polynomial.ts';

/** `a` with every symbol replaced for which `of` has a value, all at once. */
export function substitute(a: SymInt, of: (id: string) => SymInt | undefined): SymInt {
  return mapAtoms(a, (atom) => substituteAtom(atom, of));
}

function substituteAtom(atom: Atom, of: (id: string) => SymInt | undefined): SymInt | null {
  if (atom.kind === 'symbol') return of(atom.id) ?? null;
  return mapOperands(atom, (operand) => substitute(operand, of));
}

/** `a` with every atom replaced for which `replace` has a value; `a` itself where nothing is replaced. */
export function mapAtoms(a: SymInt, replace: (atom: Atom) => SymInt | null): SymInt {
  let result: SymInt | null = null;
  for (let i = 0; i < a.terms.length; i++) {
    const term = a.terms[i];
    if (term === undefined) continue;
    const mapped = mapTerm(term, replace);
    if (mapped !== null) result = add(result ?? polynomial(a.terms.slice(0, i), a.offset), mapped);
    else if (result !== null) result = add(result, polynomial([term], 0));
  }
  return result ?? a;
}

function mapTerm(term: Term, replace: (atom: Atom) => SymInt | null): SymInt | null {
  let factors: SymInt | null = null;
  for (let i = 0; i < term.atoms.length; i++) {
    const atom = term.atoms[i];
    if (atom === undefined) continue;
    const by = replace(atom);
    if (by !== null) factors = mul(factors ?? monomial(term.coefficient, term.atoms.slice(0, i)), by);
    else if (factors !== null) factors = mul(factors, ofAtom(atom));
  }
  return factors;
}

/** The operation on mapped operands; null where they are unchanged or there are none. */
export function mapOperands(atom: Atom, map: (operand: SymInt) => SymInt): SymInt | null {
  if (atom.kind === 'symbol' || atom.kind === 'big') return null;
  if ('items' in atom) {
    const items = atom.items.map((item) => map(item));
    if (items.every((item, i) => item === atom.items[i])) return null;
    return items.reduce(atom.kind === 'max' ? maximum : minimum);
  }
  const left = map(atom.left);
  const right = map(atom.right);
  return left === atom.left && right === atom.right ? null : operate(atom.kind, left, right);
}

export function operate(kind: 'floorDiv' | 'mod' | 'ceilDiv', left: SymInt, right: SymInt): SymInt {
  switch (kind) {
    case 'floorDiv':
      return floorDiv(left, right);
    case 'mod':
      return mod(left, right);
    case 'ceilDiv':
      return ceilDiv(left, right);
  }
}

const NO_SYMBOLS: ReadonlySet<string> = new Set();

/** Every symbol of `a`, also inside operations. */
export function symbolsOf(a: SymInt): ReadonlySet<string> {
  if (a.constant !== null) return NO_SYMBOLS;
  const found = new Set<string>();
  collect(a, found);
  return found;
}

/** True where a symbol of `a`, also one inside an operation, is among `ids`. */
export function mentions(a: SymInt, ids: { has(id: string): boolean }): boolean {
  for (const term of a.terms) {
    for (const atom of term.atoms) {
      if (atom.kind === 'symbol') {
        if (ids.has(atom.id)) return true;
      } else if ('items' in atom) {
        for (const item of atom.items) if (mentions(item, ids)) return true;
      } else if ('left' in atom && (mentions(atom.left, ids) || mentions(atom.right, ids))) return true;
    }
  }
  return false;
}

/** Adds every symbol of `a` to `found`. */
export function collect(a: SymInt, found: Set<string>): void {
  for (const term of a.terms) {
    for (const atom of term.atoms) {
      if (atom.kind === 'symbol') found.add(atom.id);
      else if ('items' in atom) for (const item of atom.items) collect(item, found);
      else if ('left' in atom) {
        collect(atom.left, found);
        collect(atom.right, found);
      }
    }
  }
}

/** The value of `a` where each symbol has a value; NaN after a division by 0. */
export function evaluateInt(a: SymInt, numberOf: (id: string) => number): number {
  let total = a.offset;
  for (const term of a.terms) {
    let factors = term.coefficient;
    for (const atom of term.atoms) factors *= evaluateAtom(atom, numberOf);
    total += factors;
  }
  return total === 0 ? 0 : total;
}

function evaluateAtom(atom: Atom, numberOf: (id: string) => number): number {
  switch (atom.kind) {
    case 'symbol':
      return numberOf(atom.id);
    case 'big':
      return Number(atom.value);
    case 'max':
      return Math.max(...atom.items.map((item) => evaluateInt(item, numberOf)));
    case 'min':
      return Math.min(...atom.items.map((item) => evaluateInt(item, numberOf)));
    default: {
      const left = evaluateInt(atom.left, numberOf);
      const right = evaluateInt(atom.right, numberOf);
      if (atom.kind === 'mod') return modulo(left, right);
      if (atom.kind === 'floorDiv') return (left - modulo(left, right)) / right;
      return -((-left - modulo(-left, right)) / right);
    }
  }
}
