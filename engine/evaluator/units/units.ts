import { symbolsOf } from '../../symbols/index.ts';
import type { Statement } from '../../syntax/ast.ts';
import type { Run } from '../state/run.ts';
import type { FunctionTrace, TraceEvent } from '../trace.ts';
import { newReading, type Reading } from './reading.ts';

/**
 * A statement of a file's top level, and what came of it: of running it, and of analysing the functions and classes in it.
 *
 * The law: the functions of a unit are analysed as if no others had been before, but for what `Reading` notes. So what came of a unit holds for a later text in which neither it nor anything that it read is another.
 */
export interface Unit {
  readonly statement: Statement;
  /** Its source, with what stands around it up to the statements beside it. */
  readonly text: string;
  /** The names of the top level that it looked up while it was run, and those that it bound. */
  readonly names: ReadonlySet<string>;
  readonly binds: ReadonlySet<string>;
  /** How many steps running it took, and whether that cut something short. */
  readonly steps: number;
  readonly truncated: boolean;
  /** What the top level saw while it was run. */
  readonly events: readonly TraceEvent[];
  readonly outcome: Outcome;
}

/** A unit before its functions are analysed. */
export type Begun = Omit<Unit, 'outcome'>;

/** What the analysis of a unit's functions and classes came to. */
export interface Outcome {
  readonly traces: readonly FunctionTrace[];
  readonly reading: Reading;
  /** The functions that used up their steps in vain, each as often as it did. */
  readonly lost: ReadonlyMap<string, number>;
  /** How many steps had been taken before, and how many it took. */
  readonly before: number;
  readonly steps: number;
  readonly truncated: boolean;
  /** Whether `requires_grad` of parameters may have been set before, and after. */
  readonly frozen: readonly [before: boolean, after: boolean];
  /** The class is a whole model. */
  readonly entry: boolean;
}

/** Analyses the functions of one unit by itself: what the others found out is not known to it. */
export function alone(run: Run, unit: string, entry: boolean, analyse: () => void): Outcome {
  const { steps: before, frozen, truncated, traces, written, defaultDType, defaultDevice, defaultsSet } = run;
  const lost = new Map(run.memory.lost);
  run.unit = unit;
  run.reading = newReading();
  run.traces = [];
  run.truncated = false;
  run.written = new Set(written);
  run.parameters = new Map();
  run.memory.summaries.clear();
  run.memory.efforts.clear();
  forgetOwn(run);
  analyse();
  const outcome: Outcome = {
    traces: run.traces,
    reading: run.reading,
    lost: new Map(
      [...run.memory.lost].flatMap(([key, times]) => {
        const more = times - (lost.get(key) ?? 0);
        return more > 0 ? [[key, more]] : [];
      }),
    ),
    before,
    steps: run.steps - before,
    truncated: run.truncated,
    frozen: [frozen, run.frozen],
    entry,
  };
  for (const trace of run.traces) traces.push(trace);
  run.traces = traces;
  run.truncated ||= truncated;
  run.written = written;
  Object.assign(run, { defaultDType, defaultDevice, defaultsSet });
  return outcome;
}

/** Drops what is known of symbols that no longer stand for anything: those that an earlier unit made. */
function forgetOwn(run: Run): void {
  const isOwn = (id: string): boolean => Number(id.slice(id.lastIndexOf('#') + 1)) >= run.programEnd;
  const { made, derivations, parts, ofProgram } = run.symbols;
  for (const ids of [derivations, ofProgram, run.pieces, run.instancesOf, run.plain, run.numbers, run.said])
    for (const id of ids.keys()) if (isOwn(id)) ids.delete(id);
  for (const [key, value] of made) if ([...symbolsOf(value)].some(isOwn)) made.delete(key);
  for (const [of, ids] of parts) {
    const kept = ids.filter((id) => !isOwn(id));
    if (kept.length === 0) parts.delete(of);
    else if (kept.length < ids.length) parts.set(of, kept);
  }
}
