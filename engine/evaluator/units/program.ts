import type { ClassDef, FunctionDef, Lambda, Statement } from '../../syntax/ast.ts';
import { bodiesOf, counterparts } from '../../syntax/index.ts';
import { newMemory } from '../memo/remembering.ts';
import { copyOfLayers } from '../state/heap.ts';
import type { SourceFile } from '../state/program.ts';
import type { Files, Numbers, Run } from '../state/run.ts';
import type { TraceEvent } from '../trace.ts';
import { type Pairs, unitTexts } from './pairs.ts';
import { eventIn } from './places.ts';
import { newReading } from './reading.ts';
import { reachOf, valuesOf } from './stale.ts';
import type { Begun } from './units.ts';

/**
 * What running a file's top level came to, before any of its functions is analysed. It is never run on; a copy of it is.
 *
 * The law: where a later text differs in a few statements that stand apart from the others, running these on a copy comes
 * to the same as running the whole of it.
 */
export interface Program {
  readonly run: Run;
  readonly units: readonly Begun[];
  /** How often it was carried on: what was replaced stays in it. */
  readonly times: number;
}

/** So often a program is carried on before it is run anew, without what was replaced in it. */
const MOST_TIMES = 16;

/** Steps of the top level up to which what they leave of its budget cuts nothing short. */
const MOST_STEPS = 20_000;

/** Null where only a part of it ran, where it set what cannot be told apart by statements, or had something to tell of itself. */
export function programOf(run: Run, units: readonly Begun[], times: number): Program | null {
  const setsNothing = !run.frozen && run.written.size === 0 && run.defaultsSet === 0;
  const tellsNothing = run.traces.length === 0 && units.every(({ events }) => events.every(isNoTensor));
  const isWhole = run.steps <= MOST_STEPS;
  return isWhole && setsNothing && tellsNothing && times < MOST_TIMES ? { run: copied(run), units, times } : null;
}

/** Sizes are named by their numbers, which are others where a part was run again. */
const isNoTensor = (event: TraceEvent): boolean =>
  event.event === 'call' ||
  (event.event === 'store' && event.value.kind !== 'tensor') ||
  (event.event === 'value' && event.outputs.length + event.inputs.length === 0);

/** A program as it is carried on to a later text, and the statements of that to run again, by their index. */
export interface Carried {
  readonly run: Run;
  readonly units: readonly Begun[];
  readonly again: ReadonlySet<number>;
}

/** Null where the later text has to be run as a whole. */
export function carried(
  { run: before, units }: Program,
  old: SourceFile,
  files: Files,
  file: SourceFile,
  pairs: Pairs,
  numbers: Numbers,
): Carried | null {
  const { body } = file.module;
  const isAligned = body.every((statement, index) => {
    const pair = pairs.get(statement);
    return !pair || pair.old.statement === units[index]?.statement;
  });
  if (body.length !== units.length || !isAligned) return null;
  const again = againOf(
    units,
    units.filter((_, index) => {
      const statement = body[index];
      return !statement || pairs.get(statement)?.nodes !== null;
    }),
  );
  if (again === null || again.size > units.length / 4) return null;
  for (const source of before.definitions.keys()) if (source !== old && files.load(source.path) !== source) return null;
  // What other files take from this one they keep.
  for (const names of before.readBy.values()) if (names.size > 0) return null;
  const run = { ...copied(before), ...numbers, files };
  if (!move(run, old, file, (index) => !again.has(index))) return null;
  const texts = unitTexts(file);
  const now = units.map((unit, index): Begun => {
    const statement = body[index] ?? unit.statement;
    const nodes = statement === unit.statement || again.has(index) ? null : counterparts(unit.statement, statement);
    const events = nodes ? unit.events.flatMap((event) => eventIn((of) => nodes(of) ?? of)(event) ?? []) : unit.events;
    return { ...unit, statement, text: texts[index] ?? '', events };
  });
  return { run, units: now, again };
}

/** The statements to run again where some are others now; null where that is not the same as running all in their order. */
export function againOf(units: readonly Begun[], others: readonly Begun[]): ReadonlySet<number> | null {
  const reach = reachOf(units, others);
  const again = new Set(units.flatMap((unit, index) => (reach.units.has(unit) ? [index] : [])));
  const binders = new Map<string, number[]>();
  units.forEach(({ binds }, index) => {
    for (const name of binds) binders.set(name, [...(binders.get(name) ?? []), index]);
  });
  const values = valuesOf(units);
  for (const index of again) {
    const { binds = [], names = [] } = units[index] ?? {};
    // What others bind too, what is bound further down, and what may have been changed since is as it was only if all that is run again.
    for (const name of [...binds, ...names]) {
      const of = binders.get(name) ?? [];
      const [first = index] = of;
      const hangsOnOthers = values.has(name) || of.length > 1 || first > index;
      if (first > index || (hangsOnOthers && !of.every((binder) => again.has(binder)))) return null;
    }
  }
  return again;
}

/** Puts functions and classes where they stand now; false where something moved that no function or class places. */
function move(run: Run, old: SourceFile, file: SourceFile, isKept: (index: number) => boolean): boolean {
  const functions = new Map<FunctionDef | Lambda, FunctionDef>();
  const classes = new Map<object, ClassDef>();
  const stretches: { readonly start: number; readonly end: number; readonly by: number }[] = [];
  const add = (before: Statement, now: Statement): void => {
    if (before === now) return;
    if (before.kind === 'FunctionDef' && now.kind === 'FunctionDef') {
      functions.set(before, now);
      return;
    }
    if (now.kind === 'ClassDef') classes.set(before, now);
    const bodies = bodiesOf(now);
    bodiesOf(before).forEach((body, i) => {
      body.forEach((each, j) => {
        const other = bodies[i]?.[j];
        if (other) add(each, other);
      });
    });
  };
  old.module.body.forEach((before, index) => {
    const now = file.module.body[index];
    if (!now || now === before || !isKept(index)) return;
    add(before, now);
    stretches.push({ start: before.start, end: before.end, by: now.start - before.start });
  });
  const byOf = (at: number): number => stretches.find(({ start, end }) => start <= at && at < end)?.by ?? 0;
  for (const [id, info] of run.functions.entries()) {
    if (info.file !== old) continue;
    const { definition, base } = info;
    if (definition.kind === 'Lambda' && base === 0 && byOf(definition.start) !== 0) return false;
    run.functions[id] =
      definition.kind === 'Lambda' && base === 0
        ? { ...info, file }
        : { ...info, file, base: base + byOf(base), definition: functions.get(definition) ?? definition };
  }
  for (const [id, info] of run.classes.entries())
    if (info.file === old) {
      const base = info.base === 0 ? 0 : info.base + byOf(info.base);
      run.classes[id] = { ...info, file, base, definition: classes.get(info.definition) ?? info.definition };
    }
  for (const [before, now] of functions) rename(run.functionOf, before, now);
  for (const [before, now] of classes) rename(run.classOf, before, now);
  rename(run.definitions, old, file);
  return true;
}

function rename<Key, Value>(map: Map<Key, Value>, before: Key, now: Key): void {
  const value = map.get(before);
  if (value === undefined) return;
  map.delete(before);
  map.set(now, value);
}

/** A run of its own with all that the program made. */
function copied(run: Run): Run {
  const layers = copyOfLayers(run.layer);
  const { made, derivations, parts, ofProgram } = run.symbols;
  return {
    ...run,
    reading: newReading(),
    binds: new Set(),
    readBy: new Map(run.readBy),
    ...layers,
    functions: [...run.functions],
    classes: [...run.classes],
    methods: [...run.methods],
    functionOf: new Map(run.functionOf),
    classOf: new Map(run.classOf),
    globals: new Map(run.globals),
    modules: [...run.modules],
    definitions: new Map([...run.definitions].map(([file, values]) => [file, new Map(values)])),
    constants: new Map(run.constants),
    symbols: {
      made: new Map(made),
      derivations: new Map(derivations),
      parts: new Map(parts),
      ofProgram: new Map(ofProgram),
    },
    pieces: new Map(run.pieces),
    instancesOf: new Map(run.instancesOf),
    plain: new Set(run.plain),
    numbers: new Set(run.numbers),
    traces: [],
    contexts: new Map(run.contexts),
    stack: [],
    written: new Set(run.written),
    said: new Map(run.said),
    changed: new Set(run.changed),
    way: new Map(run.way),
    memory: { ...newMemory(), lost: new Map(run.memory.lost), programTold: run.memory.programTold },
  };
}
