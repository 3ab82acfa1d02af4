import { NONE, type Value } from '../../values/value.ts';
import { tellsOfProgram } from '../state/derived.ts';
import { commit, fork } from '../state/heap.ts';
import type { FunctionInfo } from '../state/program.ts';
import type { Run } from '../state/run.ts';
import { describe } from './description.ts';
import type { Description } from './pen.ts';
import { recall } from './recall.ts';
import type { Effort } from './remembering.ts';
import { type Evaluated, isUntouched, summarize } from './summary.ts';
import { heldBack } from './told.ts';

/**
 * The law: a call is answered from memory exactly where evaluating it would come to the same, up to the names of what it
 * makes. So what it sees is described (`describe`), all of it, and what it came to is kept as a summary in the words of the
 * call for which it was evaluated: the result, the objects that it made or changed, what it found out. For a later call of
 * one description these words are put in that call's own, and what was new is made anew.
 *
 * Not kept is what cannot be put into other words: what reaches something that is neither seen, new, nor the program's own;
 * what a budget or the depth of the calls around cut off; what makes functions that outlive it.
 */
export function remembered(
  run: Run,
  info: FunctionInfo,
  variables: ReadonlyMap<string, Value>,
  self: Value | null,
  limited: boolean,
  evaluate: () => Value,
): Value {
  const effort = effortOf(run, info.definition);
  const worthwhile = effort.calls < 3 || effort.steps >= LEAST_STEPS * effort.calls;
  const description = !worthwhile || tellsOfProgram(run) ? null : describe(run, info, variables, self);
  if (description === null) return evaluate();
  const known = run.memory.summaries.get(description.text);
  const answers = known && (known.told !== null || run.muted > 0);
  if (answers && known.outside.every((ref) => isUntouched(run, run.layer, ref))) {
    if (run.muted === 0) run.memory.told.push(known);
    return recall(run, known, description);
  }
  const { steps } = run;
  const call = watched(run, description, evaluate);
  effort.calls++;
  effort.steps += run.steps - steps;
  const summary = call.whole && (run.budget > 0 || limited) ? summarize(run, call) : null;
  run.truncated ||= call.truncated;
  commit(call.after, call.before);
  if (summary) run.memory.summaries.set(description.text, summary);
  run.memory.told.push(...(summary?.told ? [summary] : call.told));
  return call.value;
}

/** Evaluates a call on a layer of its own, and sees what it looks at and what it changes beside the layer. */
function watched(run: Run, of: Description, evaluate: () => Value): Evaluated {
  const { layer: before, serial: start, truncated, frozen, defaultsSet, memory } = run;
  const { watch, cutAt } = memory;
  const { size } = run.written;
  const outside = new Set<number>();
  memory.cutAt = Number.POSITIVE_INFINITY;
  memory.watch = (ref) => {
    if (ref < start && !of.refs.numbers.has(ref) && !(run.running && isTopLevel(run, ref))) outside.add(ref);
  };
  run.truncated = false;
  run.layer = fork(before);
  let value: Value = NONE;
  const told = heldBack(run, () => {
    value = evaluate();
  });
  const { layer: after } = run;
  const whole =
    !run.look.ended &&
    memory.cutAt >= run.stack.length &&
    !memory.programTold &&
    run.defaultsSet === defaultsSet &&
    !(run.running && outside.size > 0);
  const written = run.written.size === size ? [] : [...run.written].slice(size);
  run.layer = before;
  memory.watch = watch;
  if (watch) for (const ref of outside) watch(ref);
  memory.cutAt = Math.min(memory.cutAt, cutAt);
  return { of, start, before, after, value, outside: [...outside], written, frozen, truncated, told, whole };
}

/** What calls see of the top level of their own file while it runs is described; that of other files is the same for all. */
const isTopLevel = (run: Run, ref: number): boolean => run.root.own.get(ref)?.object === 'frame';

/** A function that takes fewer steps than this is evaluated sooner than a call of it is described. */
const LEAST_STEPS = 14;

function effortOf(run: Run, definition: object): Effort {
  const known = run.memory.efforts.get(definition) ?? { calls: 0, steps: 0 };
  run.memory.efforts.set(definition, known);
  return known;
}
