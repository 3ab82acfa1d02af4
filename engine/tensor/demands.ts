import { type Decisions, learnEqual } from '../symbols/index.ts';
import type { Demands } from './sizes.ts';

/** Passes demands on and takes them as facts: `ask()` decides under all that has been demanded so far. */
export function learning(ask: Decisions, options: Demands): { readonly options: Demands; ask(): Decisions } {
  let facts = ask.facts;
  return {
    options: {
      demand: (left, right) => {
        options.demand?.(left, right);
        facts = learnEqual(facts, left, right);
      },
    },
    ask: () => (facts === ask.facts ? ask : ask.under(facts)),
  };
}
