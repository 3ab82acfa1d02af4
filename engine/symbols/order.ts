import type { Atom, SymInt, Term } from './polynomial.ts';

/** Higher degree first, then graded-lexicographic: an admissible order, on which polynomial division rests. */
export function compareTerms(a: Term, b: Term): number {
  if (a.atoms === b.atoms) return 0;
  if (a.atoms.length !== b.atoms.length) return b.atoms.length - a.atoms.length;
  for (let i = 0; i < a.atoms.length; i++) {
    const x = a.atoms[i];
    const y = b.atoms[i];
    if (x === undefined || y === undefined) continue;
    const order = compareAtoms(x, y);
    if (order !== 0) return order;
  }
  return 0;
}

export const RANK = { symbol: 0, floorDiv: 1, mod: 2, ceilDiv: 3, max: 4, min: 5, big: 6 } as const;

/** Symbols first, the earlier created ones before the later, those of equal age by name. */
export function compareAtoms(a: Atom, b: Atom): number {
  if (a === b) return 0;
  if (a.kind === 'symbol' && b.kind === 'symbol') {
    return a.created !== b.created ? a.created - b.created : compareText(a.id, b.id);
  }
  if ('left' in a && 'left' in b && a.kind === b.kind) return compare(a.left, b.left) || compare(a.right, b.right);
  if ('items' in a && 'items' in b && a.kind === b.kind) return compareItems(a.items, b.items);
  if (a.kind === 'big' && b.kind === 'big') return a.value < b.value ? -1 : a.value > b.value ? 1 : 0;
  return RANK[a.kind] - RANK[b.kind];
}

/** A total order on polynomials without a meaning of its own; 0 where they are structurally equal. */
export function compare(a: SymInt, b: SymInt): number {
  if (a === b) return 0;
  if (a.terms.length !== b.terms.length) return a.terms.length - b.terms.length;
  for (let i = 0; i < a.terms.length; i++) {
    const x = a.terms[i];
    const y = b.terms[i];
    if (x === undefined || y === undefined) continue;
    const order = compareTerms(x, y) || x.coefficient - y.coefficient;
    if (order !== 0) return order;
  }
  return a.offset - b.offset;
}

function compareItems(a: readonly SymInt[], b: readonly SymInt[]): number {
  if (a.length !== b.length) return a.length - b.length;
  for (let i = 0; i < a.length; i++) {
    const x = a[i];
    const y = b[i];
    const order = x === undefined || y === undefined ? 0 : compare(x, y);
    if (order !== 0) return order;
  }
  return 0;
}

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
