import type { FunctionTrace } from '../evaluator/trace.ts';
import { type CheckedFile, mentions, notingMentions, type Report, type Rule } from './rule.ts';

/** What a rule has to say about a trace. */
export interface Said {
  readonly rule: Rule;
  readonly reports: readonly Report[];
}

/** What rules had to say about a trace, and of which patterns it rests on being in the file or not. */
interface Kept {
  readonly rules: readonly Rule[];
  /** In the order of the rules: those that had something to say, and those that looked at more than the trace. */
  readonly said: readonly (Said | { readonly rule: Rule; readonly reports: null })[];
  readonly mentioned: ReadonlyMap<string, boolean>;
}

/** By the names of the trace, which it has for itself and keeps wherever an edit moves the function. */
const kept = new WeakMap<FunctionTrace['nameOf'], Kept>();

/** Asks rules about the traces of one file. What rests on a trace alone is asked once, as long as the trace is kept. */
export function asking(rules: readonly Rule[], file: CheckedFile): (trace: FunctionTrace) => readonly Said[] {
  const sight = { wide: false };
  const seen = watched(file, sight);
  const holds = (known: Kept): boolean =>
    known.rules.length === rules.length &&
    known.rules.every((rule, index) => rule === rules[index]) &&
    [...known.mentioned].every(([pattern, is]) => mentions(seen, pattern) === is);
  const ask = (trace: FunctionTrace): readonly Said[] => {
    const mentioned = new Map<string, boolean>();
    const said: Kept['said'][number][] = [];
    const told: Said[] = [];
    for (const rule of rules) {
      sight.wide = false;
      const [reports, asked] = notingMentions(seen, () => [...rule.check(trace, seen)]);
      for (const pattern of asked) mentioned.set(pattern, mentions(seen, pattern));
      if (reports.length > 0) told.push({ rule, reports });
      if (sight.wide) said.push({ rule, reports: null });
      else if (reports.length > 0) said.push({ rule, reports });
    }
    kept.set(trace.nameOf, { rules, said, mentioned });
    return told;
  };
  return (trace) => {
    const known = kept.get(trace.nameOf);
    if (!known || !holds(known)) return ask(trace);
    return known.said.map(({ rule, reports }) => ({ rule, reports: reports ?? [...rule.check(trace, seen)] }));
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
