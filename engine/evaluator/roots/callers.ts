import type { FunctionTrace } from '../trace.ts';
import type { FileAnalysis } from './analyze.ts';
import { telling } from './contexts.ts';

/** Kinds of call from other files that are looked at. */
const MOST_FROM_ELSEWHERE = 60;

/** Calls of one kind that are kept from other files. */
const MOST_OF_A_KIND = 12;

/** Adds to each file's traces the calls that other files make into it, as far as they are of new kinds. */
export function joinCallers(analyses: readonly FileAnalysis[]): readonly FileAnalysis[] {
  const calls = new Map<string, FunctionTrace[]>();
  for (const trace of analyses.flatMap((analysis) => analysis.foreign))
    calls.set(trace.path, [...(calls.get(trace.path) ?? []), trace]);
  return analyses.map((analysis) => {
    const kinds = new Map<string, Map<string, number>>();
    const isNew = ({ function: name, context }: FunctionTrace): boolean => {
      const known = kinds.get(name) ?? new Map<string, number>();
      kinds.set(name, known);
      const count = known.get(context ?? '') ?? 0;
      if (context === null || count >= MOST_OF_A_KIND || (count === 0 && known.size > MOST_FROM_ELSEWHERE))
        return false;
      known.set(context, count + 1);
      return true;
    };
    const isFromElsewhere = true;
    const own = [...analysis.traces, ...analysis.others];
    for (const trace of own) isNew(trace);
    const more = (calls.get(analysis.path) ?? []).filter(isNew).map((trace) => ({ ...trace, isFromElsewhere }));
    return { ...analysis, ...telling([...own, ...more]) };
  });
}
