import { ceilDiv, floorDiv, maximum, minimum, mod, modulo } from './laws.ts';
import { type Atom, add, int, mul, ofAtom, type SymInt } from './polynomial.ts';

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
  if (a.constant !== null) return a;
  let changed = false;
  let result: SymInt = int(a.offset);
  for (const term of a.terms) {
    let factors: SymInt = int(term.coefficient);
    for (const atom of term.atoms) {
      const by = replace(atom);
      changed ||= by !== null;
      factors = mul(factors, by ?? ofAtom(atom));
    }
    result = add(result, factors);
  }
  return changed ? result : a;
}

/** The operation on mapped operands; null where they are unchanged or there are none. */
export function mapOperands(atom: Atom, map: (operand: SymInt) => SymInt): SymInt | null {
  if (atom.kind === 'symbol' || atom.kind === 'big') return null;
  if ('items' in atom) {
    const items = atom.items.map(map);
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

function collect(a: SymInt, found: Set<string>): void {
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
