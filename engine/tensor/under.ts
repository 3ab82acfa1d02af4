import { type Decisions, decide, type Facts } from '../symbols/index.ts';

/** Decisions under more facts; the guards go on being recorded with `ask`. */
export function under(ask: Decisions, facts: Facts): Decisions {
  if (facts === ask.facts) return ask;
  const more = decide(facts);
  let told = 0;
  const tell = <T>(answer: T): T => {
    for (; told < more.guards.length; told++) {
      const guard = more.guards[told];
      if (guard === undefined) continue;
      if (guard.relation === 'equal') ask.equal(guard.left, guard.right);
      else ask.less(guard.left, guard.right);
    }
    return answer;
  };
  return {
    facts,
    guards: more.guards,
    equal: (a, b) => tell(more.equal(a, b)),
    less: (a, b) => tell(more.less(a, b)),
    isOne: (a) => tell(more.isOne(a)),
    isZero: (a) => tell(more.isZero(a)),
  };
}
