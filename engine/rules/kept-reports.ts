import type { FunctionTrace } from '../evaluator/trace.ts';
import { type CheckedFile, mentions, notingMentions, type Report, type Rule } from './rule.ts';

/** What a rule had to say about a trace, and of which patterns it rests on being in the file or not. */
interface Kept {
  readonly reports: readonly Report[];
  readonly mentioned: ReadonlyMap<string, boolean>;
}

/** By the names of the trace, which it has for itself and keeps wherever an edit moves the function. */
const kept = new WeakMap<FunctionTrace['nameOf'], Map<Rule, Kept>>();

/** Asks rules about the traces of one file. What rests on a trace alone is asked once, as long as the trace is kept. */
export function asking(file: CheckedFile): (rule: Rule, trace: FunctionTrace) => readonly Report[] {
  const sight = { wide: false };
  const seen = watched(file, sight);
  return (rule, trace) => {
    const known = kept.get(trace.nameOf)?.get(rule);
    if (known && [...known.mentioned].every(([pattern, is]) => mentions(seen, pattern) === is)) return known.reports;
    sight.wide = false;
    const [reports, asked] = notingMentions(seen, () => [...rule.check(trace, seen)]);
    if (!sight.wide) {
      const mentioned = new Map([...asked].map((pattern) => [pattern, mentions(seen, pattern)]));
      const ofTrace = kept.get(trace.nameOf) ?? new Map<Rule, Kept>();
      kept.set(trace.nameOf, ofTrace.set(rule, { reports, mentioned }));
    }
    return reports;
  };
}

/** The file, and whether more of it is looked at than the source of the trace: its other functions. */
function watched(file: CheckedFile, sight: { wide: boolean }): CheckedFile {
  return {
    path: file.path,
    text: file.text,
    torch: file.torch,
    get module() {
      sight.wide = true;
      return file.module;
    },
    get traces() {
      sight.wide = true;
      return file.traces;
    },
  };
}
