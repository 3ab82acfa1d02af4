import { type Lesson, lessonsSince, simplify, subjectsOf, symbolsIn, symbolsOf } from '../../symbols/index.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import type { Value } from '../../values/value.ts';
import { isOfProgram, type Part, serialOf } from '../state/derived.ts';
import type { HeapObject, Layer } from '../state/heap.ts';
import { isShared, type Run } from '../state/run.ts';
import type { Description } from './pen.ts';
import { type Renaming, renameObject, renameValue } from './renaming.ts';
import type { Told } from './told.ts';

/** What a call came to. */
export interface Summary {
  readonly of: Description;
  readonly value: Value;
  /** Objects as they are afterwards: those that were there and have changed, and new ones that can be reached. */
  readonly objects: ReadonlyMap<number, HeapObject>;
  /** In-place changes of the metadata of tensors, and what unknowns turned out to be. */
  readonly tensors: ReadonlyMap<number, Tensor>;
  readonly unknowns: ReadonlyMap<string, Value>;
  readonly lessons: readonly Lesson[];
  /** New symbols, the older ones first. */
  readonly made: readonly string[];
  /** Of the program's own what was looked at: it must be as the program made it. */
  readonly outside: readonly number[];
  /** Storages into which it wrote what may require grad. */
  readonly written: readonly number[];
  /** It set `requires_grad` of parameters of modules. */
  readonly frozen: boolean;
  readonly truncated: boolean;
  /** What its evaluation had to tell, until it is told; null where nobody listened. */
  readonly told: Told[] | null;
}

/** A call whose evaluation is over. */
export interface Evaluated {
  readonly of: Description;
  /** What has a number from here on is new. */
  readonly start: number;
  readonly before: Layer;
  readonly after: Layer;
  readonly value: Value;
  /** Objects of the program's own that it looked at. */
  readonly outside: readonly number[];
  /** Storages into which it wrote what may require grad. */
  readonly written: readonly number[];
  /** Whether somebody had set `requires_grad` of parameters before, and whether a budget had run out. */
  readonly frozen: boolean;
  readonly truncated: boolean;
  readonly told: Told[];
  /** Nothing around the call cut it off, and it changed nothing that cannot be told again. */
  readonly whole: boolean;
}

/** What a call came to, in its own words; null where they cannot be put into another's. */
export function summarize(run: Run, call: Evaluated): Summary | null {
  const { of, start, before, after, value, outside } = call;
  if (!outside.every((ref) => isUntouched(run, before, ref))) return null;
  let speakable = true;
  const made = new Set<string>();
  const derived = new Set<string>();
  const open = new Set<number>();
  const isNamed = (id: string): boolean => {
    if (of.symbols.numbers.has(id) || made.has(id) || derived.has(id)) return true;
    const derivation = run.symbols.derivations.get(id);
    if (derivation) {
      if (!derivation.of.every(isNamedPart)) return false;
      derived.add(id);
      return true;
    }
    const number = serialOf(id);
    if (number === null || isShared(run, number)) return number !== null;
    if (number < start) return false;
    made.add(id);
    const whole = run.pieces.get(id);
    return whole === undefined || [...symbolsOf(whole)].every(isNamed);
  };
  const isNamedPart = (part: Part): boolean => {
    if (typeof part === 'number') return isOwn(part, of.refs.numbers);
    return typeof part === 'string' ? isNamed(part) : [...symbolsOf(part)].every(isNamed);
  };
  const isOwn = (id: number, known: ReadonlyMap<number, number>): boolean =>
    known.has(id) || id >= start || isShared(run, id);
  const named = (id: string): string => {
    speakable &&= isNamed(id);
    return id;
  };
  const own = (id: number, known: ReadonlyMap<number, number>): number => {
    speakable &&= isOwn(id, known);
    return id;
  };
  const settling: Renaming = {
    symbol: named,
    int(int) {
      const exact = simplify(int, after.facts);
      if (exact.constant === null) for (const id of symbolsOf(exact)) named(id);
      return exact;
    },
    ref(ref) {
      if (own(ref, of.refs.numbers) >= start) open.add(ref);
      return ref;
    },
    tensor: (id) => own(id, of.tensors.numbers),
    block: (id) => own(id, of.storages.numbers),
    storage(storage) {
      settling.block(storage.id);
      return storage.nbytes ? { ...storage, nbytes: settling.int(storage.nbytes) } : storage;
    },
    program(program) {
      const method = program.what === 'method' ? run.methods[program.id] : undefined;
      if (method) for (const part of [method.receiver, method.callee]) renameValue(part, settling);
      const { closure } = run[program.what === 'class' ? 'classes' : 'functions'][program.id] ?? { closure: [] };
      if (program.what === 'function' || program.what === 'class')
        speakable &&= closure.every((ref) => of.refs.numbers.has(ref));
      return program;
    },
  };
  const objects = new Map<number, HeapObject>();
  const keep = (ref: number, object: HeapObject): void => {
    objects.set(ref, object);
    if (object.object === 'instance' && object.classId !== null)
      settling.program({ kind: 'program', what: 'class', id: object.classId });
    objects.set(ref, renameObject(object, settling));
  };
  const settledValue = renameValue(value, settling);
  for (const [ref, object] of after.own) {
    if (object.object === 'rebound' || typeof ref === 'string' || ref >= start) continue;
    if (!of.refs.numbers.has(ref)) return null;
    keep(ref, object);
  }
  const drain = (): void => {
    for (const ref of open) {
      const object = objects.has(ref) ? undefined : after.own.get(ref);
      if (object) keep(ref, object);
    }
  };
  drain();
  const isConcern = (id: string): boolean =>
    of.symbols.numbers.has(id) || made.has(id) || (run.symbols.derivations.get(id)?.of.some(isConcernPart) ?? false);
  const isConcernPart = (part: Part): boolean =>
    typeof part === 'string'
      ? isConcern(part)
      : typeof part === 'number' && (of.refs.numbers.has(part) || objects.has(part));
  const tensors = new Map<number, Tensor>();
  const unknowns = new Map<string, Value>();
  for (let size = -1; size !== unknowns.size; drain()) {
    size = unknowns.size;
    for (const [place, object] of after.own) {
      if (object.object !== 'rebound') continue;
      if (typeof place === 'string') {
        if (!unknowns.has(place) && isConcern(place)) unknowns.set(named(place), renameValue(object.value, settling));
      } else if (size === 0 && of.tensors.numbers.has(place)) {
        const now = renameValue(object.value, settling);
        if (now.kind === 'tensor') tensors.set(place, now);
      }
    }
  }
  const lessons = lessonsSince(before.facts, after.facts).filter((lesson) =>
    [...subjectsOf(lesson)].some((id) => isConcern(id) || isOfProgram(run, id)),
  );
  for (const lesson of lessons) for (const id of symbolsIn(lesson)) named(id);
  if (!speakable) return null;
  return {
    of,
    value: settledValue,
    objects,
    tensors,
    unknowns,
    lessons,
    made: [...made].sort((a, b) => (serialOf(a) ?? 0) - (serialOf(b) ?? 0)),
    outside,
    written: call.written.filter((id) => isOwn(id, of.storages.numbers)),
    frozen: run.frozen && !call.frozen,
    truncated: run.truncated,
    told: run.muted === 0 ? call.told : null,
  };
}

/** Whether an object of the program's is as its top level left it. */
export function isUntouched(run: Run, layer: Layer, ref: number): boolean {
  for (let at: Layer | null = layer; at !== null && at !== run.root; at = at.parent) if (at.own.has(ref)) return false;
  return run.root.own.has(ref);
}
