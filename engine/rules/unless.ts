import type { FunctionTrace } from '../evaluator/trace.ts';
import {
  always,
  type Facts,
  type Guard,
  int,
  learnAtLeast,
  learnEqual,
  ofAtom,
  same,
  simplify,
  sub,
  symbol,
  symbolsOf,
} from '../symbols/index.ts';
import { factor, written } from './sizes.ts';

/** Whether what is claimed still holds where these facts do. */
export type Claim = (facts: Facts) => boolean;

export interface Exceptions {
  /** ", unless T == 1 or H == 1", or nothing where the claim holds for all sizes above 0. */
  readonly text: string;
  /** False where the special cases are too many, or too odd, to be named. */
  readonly named: boolean;
}

const MOST_NAMED = 3;

/**
 * For which sizes a claim made about generic ones may fail. Of the guards of a decision many do not matter to what was
 * decided in the end: each is tried, by asking the claim again where the guard holds. Sizes of 0 are left out; an
 * empty tensor costs nothing and raises nothing that a person would want to hear of.
 */
export function exceptions(trace: FunctionTrace, guards: readonly Guard[], claim: Claim): Exceptions {
  let facts = trace.facts;
  for (const id of new Set(guards.flatMap((guard) => [...symbolsOf(guard.left), ...symbolsOf(guard.right)]))) {
    facts = learnAtLeast(facts, symbol(id), 1);
  }
  const possible = guards
    .map(rooted)
    .filter((guard) => always(guard.relation, guard.left, guard.right, facts) !== false && !isEmptiness(guard));
  // Simple cases first: `T == 1` settles `T*d == d` as well.
  const simple = possible.filter(isOneSymbol).filter((guard) => !isClaimedWhere(guard, facts, claim));
  let others = facts;
  for (const { left, right } of simple) {
    const [atom, value] = left.constant === null ? [left, right] : [right, left];
    if (value.constant === 1) others = learnAtLeast(others, atom, 2);
  }
  const odd = possible.filter(
    (guard) =>
      !isOneSymbol(guard) &&
      always(guard.relation, simplify(guard.left, others), simplify(guard.right, others), others) !== false &&
      !isClaimedWhere(guard, others, claim),
  );
  const texts = [...new Set([...simple, ...odd].map((guard) => writtenGuard(trace, guard)))].filter(
    (text) => text !== '',
  );
  if (texts.length === 0) return { text: '', named: true };
  if (texts.length > MOST_NAMED || texts.some((text) => text.length > 40)) {
    return { text: ', for all but special sizes', named: false };
  }
  return { text: `, unless ${texts.join(' or ')}`, named: true };
}

export function writtenGuard(trace: FunctionTrace, guard: Guard): string {
  const [left, right] = [simplify(guard.left, trace.facts), simplify(guard.right, trace.facts)];
  if (guard.relation === 'less') return `${factor(trace, left)} < ${factor(trace, right)}`;
  // The constant stands on the right, as people write it.
  const [first, second] = left.constant === null ? [left, right] : [right, left];
  return `${written(trace, first)} == ${written(trace, second)}`;
}

/**
 * A case that does not tell one size by others, as that a quotient is 1, cannot be tried: the claim may fail there. That many
 * sizes are 1 at once is as good as no tensor, and that two long products agree is a coincidence.
 */
function isClaimedWhere(guard: Guard, facts: Facts, claim: Claim): boolean {
  const there = holds(facts, guard);
  const told = guard.relation === 'less' || there.equal.size > facts.equal.size;
  if (told) return claim(there);
  const [one, size] = guard.left.constant === 1 ? [guard.left, guard.right] : [guard.right, guard.left];
  return one.constant !== 1 || (size.terms.length === 1 && (size.terms[0]?.atoms.length ?? 0) > MOST_ONES);
}

const MOST_ONES = 2;

/** `k * k == 1` and `2 * k == 2` say that `k` is 1. */
function rooted(guard: Guard): Guard {
  const [count, size] = guard.left.constant === null ? [guard.right, guard.left] : [guard.left, guard.right];
  const [term, ...more] = size.terms;
  const [atom] = term?.atoms ?? [];
  const isPower = guard.relation === 'equal' && more.length === 0 && size.offset === 0;
  if (!isPower || term === undefined || term.coefficient !== count.constant || atom === undefined) return guard;
  const root = ofAtom(atom);
  return term.atoms.every((other) => same(ofAtom(other), root))
    ? { relation: 'equal', left: root, right: int(1) }
    : guard;
}

function holds(facts: Facts, guard: Guard): Facts {
  if (guard.relation === 'less') return learnAtLeast(facts, sub(guard.right, guard.left), 1);
  const difference = sub(guard.left, guard.right);
  if (difference.constant !== null) return facts;
  return learnEqual(facts, guard.left, guard.right);
}

function isOneSymbol(guard: Guard): boolean {
  const names = new Set([...symbolsOf(guard.left), ...symbolsOf(guard.right)]);
  return guard.relation === 'equal' && names.size === 1 && sub(guard.left, guard.right).constant === null;
}

function isEmptiness(guard: Guard): boolean {
  if (guard.relation !== 'equal') return false;
  const zero = int(0).key;
  return guard.left.key === zero || guard.right.key === zero;
}
