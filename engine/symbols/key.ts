import type { Atom, SymInt } from './polynomial.ts';

/** A text of the canonical form. */
export function keyOf(a: SymInt): string {
  let key = '';
  for (const term of a.terms) {
    key += term.coefficient;
    for (const atom of term.atoms) key += `*${atomKey(atom)}`;
    key += '+';
  }
  return key + a.offset;
}

/** An id is quoted, so that no id can be read as an operation. */
function atomKey(atom: Atom): string {
  switch (atom.kind) {
    case 'symbol':
      return JSON.stringify(atom.id);
    case 'big':
      return `${atom.value}n`;
    case 'floorDiv':
    case 'mod':
    case 'ceilDiv':
      return `${atom.kind}(${atom.left.key},${atom.right.key})`;
    case 'max':
    case 'min':
      return `${atom.kind}(${atom.items.map((item) => item.key).join(',')})`;
  }
}
