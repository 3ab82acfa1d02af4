import { type Atom, type SymInt, type Term, withOffset } from './polynomial.ts';

/** `a` in Python syntax: `B*T*C`, `h//2 + 1`, `max(a, b)`, `ceil_div(a, b)`. Terms that are added come first, a constant last. */
export function formatInt(a: SymInt, nameOf: (id: string) => string): string {
  if (a.constant !== null) return String(a.constant);
  const added = a.terms.filter((term) => term.coefficient > 0);
  const taken = a.terms.filter((term) => term.coefficient < 0);
  const constant = withOffset(a).slice(a.terms.length);
  // Only a constant that has nothing added before it comes first: `1 - n`.
  const order = added.length === 0 && a.offset > 0 ? [...constant, ...taken] : [...added, ...taken, ...constant];
  let text = '';
  for (const term of order) {
    const magnitude = formatTerm(term, nameOf, text === '' && term.coefficient < 0);
    if (text === '') text = term.coefficient < 0 ? `-${magnitude}` : magnitude;
    else text += term.coefficient < 0 ? ` - ${magnitude}` : ` + ${magnitude}`;
  }
  return text;
}

/** The term without its sign. After a unary minus a lone quotient needs parentheses: `-h//2` would round the other way. */
function formatTerm(term: Term, nameOf: (id: string) => string, negated: boolean): string {
  const size = Math.abs(term.coefficient);
  if (term.atoms.length === 0) return String(size);
  const alone = term.atoms.length === 1 && size === 1 && !negated;
  const factors = term.atoms.map((atom) => (alone ? formatAtom(atom, nameOf) : enclosed(atom, nameOf)));
  return (size === 1 ? factors : [String(size), ...factors]).join('*');
}

function enclosed(atom: Atom, nameOf: (id: string) => string): string {
  const text = formatAtom(atom, nameOf);
  return atom.kind === 'floorDiv' || atom.kind === 'mod' || text.startsWith('-') ? `(${text})` : text;
}

function formatAtom(atom: Atom, nameOf: (id: string) => string): string {
  switch (atom.kind) {
    case 'symbol':
      return nameOf(atom.id);
    case 'big':
      return String(atom.value);
    case 'floorDiv':
      return `${operand(atom.left, nameOf, true)}//${operand(atom.right, nameOf, false)}`;
    case 'mod':
      return `${operand(atom.left, nameOf, true)}%${operand(atom.right, nameOf, false)}`;
    case 'ceilDiv':
      return `ceil_div(${formatInt(atom.left, nameOf)}, ${formatInt(atom.right, nameOf)})`;
    case 'max':
    case 'min': {
      const items = atom.items.map((item) => formatInt(item, nameOf));
      return items.reduce((all, item) => `${atom.kind}(${all}, ${item})`);
    }
  }
}

/** On the left of `//` and `%` a product of symbols may stand bare: `B*T//2` is `(B*T)//2`. */
function operand(a: SymInt, nameOf: (id: string) => string, productsBare: boolean): string {
  const text = formatInt(a, nameOf);
  if (a.constant !== null) return a.constant < 0 ? `(${text})` : text;
  const [term, another] = a.terms;
  const oneTerm = term !== undefined && another === undefined && a.offset === 0 && term.coefficient > 0;
  const oneAtom = oneTerm && term.atoms.length === 1 && term.coefficient === 1;
  const simple = oneTerm && term.atoms.every((atom) => atom.kind !== 'floorDiv' && atom.kind !== 'mod');
  return simple && (oneAtom || productsBare) ? text : `(${text})`;
}
