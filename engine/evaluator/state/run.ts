import type { OpContext } from '../../ops/index.ts';
import {
  type Facts,
  learnEqual,
  learnFactors,
  NO_FACTS,
  type SymInt,
  simplify,
  symbol,
  type Truth,
} from '../../symbols/index.ts';
import type { Body, FunctionDef, Lambda } from '../../syntax/ast.ts';
import { type DType, type Ints, resolve } from '../../tensor/index.ts';
import type { Origin, Storage, Tensor } from '../../tensor/tensor.ts';
import type { Autocast, Unknown, Value } from '../../values/value.ts';
import { type Memory, newMemory } from '../memo/remembering.ts';
import type { Kinds } from '../roots/contexts.ts';
import type { FunctionTrace, TraceEvent } from '../trace.ts';
import { newReading, type Reading } from '../units/reading.ts';
import type { Binding } from './bindings.ts';
import { type Derived, isOfProgram } from './derived.ts';
import { fork, type HeapObject, type Layer, type Place, read, write } from './heap.ts';
import type { ClassInfo, FunctionInfo, Host, MethodInfo, SourceFile } from './program.ts';
import { packedSymbol, unknownRank } from './ranks.ts';
import { type Look, newLook } from './steps.ts';

export { bindRank, packedSymbol, splitFront, splitPacked, unknownRank } from './ranks.ts';
export { OUT_OF_BUDGET, step } from './steps.ts';

export interface Files {
  readonly host: Host;
  load(path: string): SourceFile | null;
}

/** One analysis of one file: everything mutable is here, and in the layers. */
export interface Run {
  readonly files: Files;
  /** The path of the file that is analysed. */
  readonly own: string;
  /** What the part of it under analysis takes from the rest, and which names of its top level it binds. */
  reading: Reading;
  readonly binds: Set<string>;
  /** What is analysed by itself: a function or class of the top level, by its name. */
  unit: string;
  /** The names of its top level that were read to make what is made once: what names of files stand for. */
  readonly readBy: Map<string, ReadonlySet<string>>;
  readonly root: Layer;
  layer: Layer;
  serial: number;
  /** Greater than 0 while top-level names are evaluated on behalf of a function. */
  shared: number;
  sharedSerial: number;
  /** Where the numbers of what the file's own top level made end. */
  programEnd: number;
  steps: number;
  /** How many steps the current root may still take; then every value is unknown. */
  budget: number;
  truncated: boolean;
  look: Look;
  /** How many branches are under way: what is found out on one may not hold. */
  branches: number;
  readonly functions: FunctionInfo[];
  readonly classes: ClassInfo[];
  readonly methods: MethodInfo[];
  readonly functionOf: Map<FunctionDef | Lambda, number>;
  readonly classOf: Map<object, number>;
  readonly globals: Map<string, number>;
  readonly modules: string[];
  /** What the top-level names of a file stand for, as far as they were asked for. */
  readonly definitions: Map<SourceFile, Map<string, Value | undefined>>;
  readonly constants: Map<string, Value>;
  readonly symbols: Derived;
  /** What the pieces of unknown size make up that a tensor was cut into, by their symbol. */
  readonly pieces: Map<string, SymInt>;
  /** The class of which an unknown is an instance, by the symbol of the unknown. */
  readonly instancesOf: Map<string, number>;
  /** The unknowns that are, or come from, instances of classes of the program that are no modules: numbers, names, but no tensors; `numbers`: those that are an integer or None. */
  readonly plain: Set<string>;
  readonly numbers: Set<string>;
  traces: FunctionTrace[];
  /** The kinds of call that were told of each function. */
  readonly contexts: Map<string, Kinds>;
  readonly stack: Activation[];
  readonly torch: readonly [number, number];
  grad: Truth;
  /** Storages into which something was written that may require grad: then so may every view of them. */
  written: Set<number>;
  /** Somebody may have set `requires_grad` of parameters of modules. */
  frozen: boolean;
  training: Truth;
  /** The top level of the file is run. */
  running: boolean;
  /** Somebody catches what fails: a `try`, `pytest.raises`. */
  guarded: boolean;
  /** The regions of `torch.autocast` that the current call stands in, the innermost last. */
  autocast: readonly Autocast[];
  /** There may be more of them: a function may be called under autocast, and so may what `with ctx:` holds. */
  autocastOpen: boolean;
  /** The method under analysis has the `self` that its class alone tells of: all of it may have been converted since. */
  selfOpen: boolean;
  /** Storages of tensors in whose place that `self` may have others by now. */
  replaceable: ReadonlySet<number>;
  /** An op is asked without the floating dtypes of what goes in. */
  dtypesOpen: boolean;
  /** What `torch.set_default_dtype` and `set_default_device` have set, and how often; null: not known. */
  defaultDType: DType | null;
  defaultDevice: string | null;
  defaultsSet: number;
  /** The class that is analysed is a whole model, whose arguments are left at their defaults. */
  entry: boolean;
  /** What sets the current generic analysis apart from the plain one. */
  label?: string | null;
  /** The current root is called with what may be left out left out. */
  plainCall: boolean;
  /** The arguments being made ready hold sizes of an unknown number of dims. */
  packed: boolean;
  /** The names of the parameters of the current root, by the symbol of the integer or the unknown that each is. */
  parameters: Map<string, string>;
  /** The names that shape comments give to sizes, by symbol, and the function that they are about. */
  readonly said: Map<string, { readonly name: string; readonly within: number }>;
  /** The tensors that were ever changed in place, and the unknowns that were ever found to be something. */
  readonly changed: Set<Place>;
  /** The strides that a tensor whose strides are one of a few is taken to have while an op is asked. */
  readonly way: Map<number, Ints>;
  readonly memory: Memory;
  /** Events are dropped while a loop looks for its fixpoint. */
  muted: number;
}

/** What is called, and on what. */
interface Entered {
  readonly frame: number;
  readonly closure: readonly number[];
  readonly file: SourceFile;
  readonly base: number;
  readonly qualname: string;
  readonly body: Body | null;
  readonly info: FunctionInfo | null;
  readonly self: Value | null;
}

/** One call under way. */
export interface Activation extends Entered {
  events: TraceEvent[];
  readonly exits: { readonly value: Value; readonly layer: Layer; readonly way?: string }[];
  readonly globalNames: Set<string>;
  readonly yields: Value[];
  /** Integers that local names were bound to, in order. */
  readonly named?: Binding[];
  /** The ways taken at the branches that are under way, and at those of which one way alone went through. */
  way?: string;
  /** What held when the call ended. */
  facts?: Facts;
  /** Where `break` and `continue` left the body of the innermost loop. */
  loopExits?: Layer[] | undefined;
  loops: number;
  conditional: number;
}

/** A call of which nothing has run yet. */
export const activation = (entered: Entered): Activation => ({
  ...entered,
  events: [],
  exits: [],
  globalNames: new Set(),
  yields: [],
  named: [],
  loops: 0,
  conditional: 0,
});

/** The numbers that an analysis begins to count from: those of different texts of one file are never the same. */
export type Numbers = Pick<Run, 'serial' | 'sharedSerial'>;

export const FIRST_NUMBERS: Numbers = { serial: 1, sharedSerial: 0 };

export function createRun(files: Files, own: string, torch: readonly [number, number], numbers: Numbers): Run {
  const root: Layer = { parent: null, own: new Map(), facts: NO_FACTS };
  return {
    files,
    own,
    reading: newReading(),
    binds: new Set(),
    unit: '',
    readBy: new Map(),
    root,
    layer: root,
    serial: numbers.serial,
    shared: 0,
    sharedSerial: numbers.sharedSerial,
    programEnd: numbers.serial,
    steps: 0,
    budget: Number.POSITIVE_INFINITY,
    truncated: false,
    look: newLook(null),
    branches: 0,
    functions: [],
    classes: [],
    methods: [],
    functionOf: new Map(),
    classOf: new Map(),
    globals: new Map(),
    modules: [],
    definitions: new Map(),
    constants: new Map(),
    symbols: { made: new Map(), derivations: new Map(), parts: new Map(), ofProgram: new Map() },
    pieces: new Map(),
    instancesOf: new Map(),
    plain: new Set(),
    numbers: new Set(),
    traces: [],
    contexts: new Map(),
    stack: [],
    torch,
    grad: undefined,
    written: new Set(),
    frozen: false,
    training: undefined,
    running: true,
    guarded: false,
    autocast: [],
    autocastOpen: false,
    selfOpen: false,
    replaceable: new Set(),
    dtypesOpen: false,
    defaultDType: 'float32',
    defaultDevice: 'cpu',
    defaultsSet: 0,
    changed: new Set(),
    way: new Map(),
    memory: newMemory(),
    muted: 0,
    packed: false,
    entry: false,
    plainCall: false,
    parameters: new Map(),
    said: new Map(),
  };
}

/** A number for what is new. What the program's top level makes while a function is analysed has numbers below 0. */
export const nextId = (run: Run): number => (run.shared > 0 ? --run.sharedSerial : run.serial++);

/** Makes something that belongs to the program's top level, whoever asks for it first. */
export function forProgram<Made>(run: Run, make: () => Made): Made {
  if (run.running) return make();
  const { look } = run;
  run.look = newLook(null);
  run.shared++;
  const made = make();
  run.shared--;
  run.look = look;
  return made;
}

/** Whether a number was given to something that belongs to the program and is the same for every function of it. */
export const isShared = (run: Run, id: number): boolean => id < run.programEnd;

/** A new integer symbol; `hint` is what to call it where nothing in the source names it. */
export const freshSymbol = (run: Run, hint: string): SymInt => symbol(`${hint}#${nextId(run)}`);

/** The display part of a symbol's id. */
export const hintOf = (id: string): string => id.replace(/#-?\d+$/, '');

/** An unknown that keeps its identity: two reads of it are the same integer, if it is one. */
export const namedUnknown = (run: Run, name: string, reason: string): Unknown => ({
  kind: 'unknown',
  reason,
  symbol: `${name}#${nextId(run)}`,
});

// ---- the heap ------------------------------------------------------------------------------------------

export function allocate(run: Run, object: HeapObject): number {
  const ref = nextId(run);
  run.layer.own.set(ref, object);
  return ref;
}

export function heapRead(run: Run, ref: number): HeapObject | undefined {
  run.memory.watch?.(ref);
  return read(run.layer, ref);
}

export function heapWrite(run: Run, ref: number): HeapObject | undefined {
  run.memory.watch?.(ref);
  if (ref < run.memory.settled) run.memory.touched.add(ref);
  return write(run.layer, ref);
}

/** Runs `act` on a layer of its own and gives that layer back, with the run's own layer as it was. */
export function onBranch(run: Run, act: () => void): Layer {
  const before = run.layer;
  const layer = fork(before);
  run.layer = layer;
  run.branches++;
  act();
  run.branches--;
  run.layer = before;
  return layer;
}

// ---- facts ---------------------------------------------------------------------------------------------

export const factsOf = (run: Run): Facts => run.layer.facts;

export function learn(run: Run, facts: Facts): void {
  run.layer.facts = facts;
}

export function learnSame(run: Run, a: SymInt, b: SymInt): void {
  const [p, q] = [packedSymbol(a), packedSymbol(b)];
  if (p !== null && q !== null) {
    if (p !== q) run.layer.facts = learnFactors(run.layer.facts, q, [a]);
    return;
  }
  run.layer.facts = learnEqual(run.layer.facts, a, b);
}

export const simple = (run: Run, value: SymInt): SymInt =>
  value.constant !== null ? value : simplify(value, run.layer.facts);

// ---- tensors -------------------------------------------------------------------------------------------

/** The tensor as it is now: in-place changes of its metadata and new facts applied. */
export function currentTensor(run: Run, tensor: Tensor): Tensor {
  const now = run.changed.has(tensor.id) ? becameOf(run, tensor) : tensor;
  const { facts } = run.layer;
  const way = run.way.size > 0 ? run.way.get(tensor.id) : undefined;
  if (way) {
    const { ways: _, ...open } = resolve(now.layout, facts);
    return { ...now, layout: { ...open, stride: way } };
  }
  const known = resolved.get(now);
  if (known?.facts === facts) return known.tensor;
  const layout = resolve(now.layout, facts);
  const current = layout === now.layout ? now : { ...now, layout };
  const answer = { facts, tensor: current };
  resolved.set(now, answer);
  if (current !== now) resolved.set(current, answer);
  return current;
}

/** What a tensor was under the facts for which it was last asked. */
const resolved = new WeakMap<Tensor, { readonly facts: Facts; readonly tensor: Tensor }>();

function becameOf(run: Run, tensor: Tensor): Tensor {
  const object = read(run.layer, tensor.id);
  return object?.object === 'rebound' && object.value.kind === 'tensor' ? object.value : tensor;
}

export function rebindTensor(run: Run, tensor: Tensor, id: number = tensor.id): void {
  run.changed.add(id);
  run.layer.own.set(id, { object: 'rebound', value: tensor });
}

export function rebindUnknown(run: Run, of: Unknown, value: Value): void {
  if (of.symbol === undefined) return;
  if (!run.running && isOfProgram(run, of.symbol)) run.memory.programTold = true;
  run.changed.add(of.symbol);
  run.layer.own.set(of.symbol, { object: 'rebound', value });
}

export function reboundUnknown(run: Run, of: Unknown): Value | undefined {
  if (of.symbol === undefined || !run.changed.has(of.symbol)) return undefined;
  const object = read(run.layer, of.symbol);
  return object?.object === 'rebound' ? object.value : undefined;
}

export const newStorage = (run: Run, nbytes: SymInt | null, origin: Origin): Storage => ({
  id: nextId(run),
  nbytes,
  origin,
});

/** A tensor about whose layout nothing is known. */
export function unknownTensor(run: Run, hint: string, origin: Origin): Tensor {
  return {
    kind: 'tensor',
    id: nextId(run),
    layout: unknownRank(run, hint, 1, false),
    dtype: null,
    device: null,
    requiresGrad: null,
    storage: newStorage(run, null, origin),
    assumes: [],
    elements: null,
  };
}

export function opContext(run: Run): OpContext {
  return {
    facts: run.layer.facts,
    fresh: (hint) => freshSymbol(run, hint),
    training: run.training,
    grad: run.grad,
    torch: run.torch,
    autocast: run.autocast,
  };
}
