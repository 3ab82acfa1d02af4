import { int, type SymInt, symbolsOf, learnAtLeast } from '../symbols/index.ts';
import type { Body, ClassDef, Expression, FunctionDef, Module, Parameter } from '../syntax/ast.ts';
import { intValue, NONE, unknown, type Value } from '../values/value.ts';
import { allocateInstance, defineClass, findInClass, mro, torchBase } from './classes.ts';
import { enter, functionValue, parametersOf } from './functions.ts';
import { fork } from './heap.ts';
import { setsDefaultDtype } from './dtypes.ts';
import { globalFrame, globalValue, moduleActivation } from './names.ts';
import { initTorch } from './nn.ts';
import type { FunctionInfo, SourceFile } from './program.ts';
import { type Activation, allocate, createRun, currentTensor, factsOf, freshSymbol, heapRead, namedUnknown, nextId, reboundUnknown, type Files, type Run, unknownRank, learn } from './run.ts';
import { execute } from './statements.ts';
import { parameterTensor } from './torch.ts';
import { telling } from './contexts.ts';
import type { FunctionTrace } from './trace.ts';
import { contiguous } from '../tensor/index.ts';
import { saidValue } from './said.ts';

/** What the engine found out about a file. */
export interface FileAnalysis {
  readonly path: string;
  readonly text: string;
  readonly module: Module;
  /** The functions of this file: their generic analyses first, then the kinds of call seen. */
  readonly traces: readonly FunctionTrace[];
  /** Calls from here into functions of other files. */
  readonly foreign: readonly FunctionTrace[];
  /** Some function was cut short by its budget. */
  readonly truncated: boolean;
}

/** Steps that one function's analysis, with all that it calls, may take. */
const BUDGET = 40_000;

/** Steps that the functions of one file share: each may take a part of what is left, and never less than the least. */
const FILE_BUDGET = 1_000_000;
const PART = 4;
const LEAST = 1_000;

/** How many of its steps a function's look for the ranks of its parameters may take. */
const LOOK = 8_000;

export function analyzeFile(files: Files, file: SourceFile, torch: readonly [number, number]): FileAnalysis {
  const run = createRun(files, torch);
  run.defaultDtypeOpen = setsDefaultDtype(file.text);
  const act = moduleActivation(run, file);
  run.stack.push(act);
  within(run, () => execute(run, act, file.module.body));
  run.traces.push({
    path: file.path, function: '<module>', definition: null, base: 0, context: null, signature: null, plainCall: false, happens: 'always', place: 'root', parameters: [], events: act.events, facts: factsOf(run),
    nameOf: moduleNames(act), returned: null,
  });
  run.autocast = undefined;
  run.running = false;
  analyzeBody(run, act, file.module.body, '');
  const mine = telling(run.traces.filter((trace) => trace.path === file.path));
  const ordered = [...mine.filter((trace) => trace.context === null), ...mine.filter((trace) => trace.context !== null)];
  return {
    path: file.path, text: file.text, module: file.module, traces: ordered,
    foreign: run.traces.filter((trace) => trace.path !== file.path), truncated: run.truncated,
  };
}

/** Kinds of call from other files that are looked at. */
const MOST_FROM_ELSEWHERE = 60;

/** Calls of one kind that are kept from other files. */
const MOST_OF_A_KIND = 12;

/** Adds to each file's traces the calls that other files make into it, as far as they are of new kinds. */
export function joinCallers(analyses: readonly FileAnalysis[]): readonly FileAnalysis[] {
  const calls = new Map<string, FunctionTrace[]>();
  for (const trace of analyses.flatMap((analysis) => analysis.foreign)) calls.set(trace.path, [...(calls.get(trace.path) ?? []), trace]);
  return analyses.map((analysis) => {
    const kinds = new Map<string, Map<string, number>>();
    const isNew = ({ function: name, context }: FunctionTrace): boolean => {
      const known = kinds.get(name) ?? new Map<string, number>();
      kinds.set(name, known);
      const count = known.get(context ?? '') ?? 0;
      if (context === null || count >= MOST_OF_A_KIND || (count === 0 && known.size > MOST_FROM_ELSEWHERE)) return false;
      known.set(context, count + 1);
      return true;
    };
    for (const trace of analysis.traces) isNew(trace);
    const more = (calls.get(analysis.path) ?? []).filter(isNew);
    return { ...analysis, traces: telling([...analysis.traces, ...more]) };
  });
}

function moduleNames(act: Activation): (id: string) => string {
  const names = new Map<string, string>();
  void act;
  return (id) => {
    const found = names.get(id) ?? id.replace(/[^\w.]+/g, '_');
    names.set(id, found);
    return found;
  };
}

/** Gives one root its own budget and drops what it did to the heap. */
function within(run: Run, work: () => void): void {
  run.budget = Math.min(BUDGET, Math.max(LEAST, Math.floor((FILE_BUDGET - run.steps) / PART)));
  work();
}

function apart(run: Run, work: () => void): void {
  const base = run.layer;
  run.layer = fork(base);
  within(run, work);
  run.layer = base;
}

/** Every function and class that stands in a body is a root, also in the branches of an `if` or `try`. */
function analyzeBody(run: Run, act: Activation, body: Body, scope: string): void {
  for (const node of body) {
    if (node.kind === 'FunctionDef') analyzeFunction(run, act, node, `${scope}${node.name}`);
    else if (node.kind === 'ClassDef') analyzeClass(run, act, node, `${scope}${node.name}`);
    else if (node.kind === 'If') for (const part of [node.body, node.orelse]) analyzeBody(run, act, part, scope);
    else if (node.kind === 'Try') for (const part of [node.body, ...node.handlers.map((h) => h.body), node.orelse]) analyzeBody(run, act, part, scope);
    else if (node.kind === 'With') analyzeBody(run, act, node.body, scope);
  }
}

function analyzeFunction(run: Run, act: Activation, node: FunctionDef, qualname: string): void {
  run.muted++;
  const value = functionValue(run, act, node, null, qualname, []);
  run.muted--;
  const id = value.kind === 'program' && value.what === 'function' ? value.id : run.functionOf.get(node);
  const info = id === undefined ? undefined : run.functions[id];
  if (info) apart(run, () => analyzeRoot(run, info, null));
}

/** `__init__` with symbols for its arguments makes the `self` of every method. */
function analyzeClass(run: Run, act: Activation, node: ClassDef, qualname: string): void {
  run.muted++;
  const value = defineClass(run, act, node, qualname);
  run.muted--;
  const id = value.kind === 'program' && value.what === 'class' ? value.id : run.classOf.get(node);
  const info = id === undefined ? undefined : run.classes[id];
  if (!info || id === undefined) return;
  const configured = hasFlags(run, id);
  const plain = configured || [...info.namespace.values()].some((method) => choosesBetweenWays(functionOf(run, method)));
  run.selfOpen = true;
  for (const label of plain ? [null, 'layers at their defaults'] : [null]) {
    run.label = label;
    const again = label !== null && !configured;
    apart(run, () => {
      const ref = allocateInstance(run, id);
      const self: Value = { kind: 'ref', ref };
      const init = findInClass(run, id, '__init__');
      const initInfo = init?.kind === 'program' && init.what === 'function' ? run.functions[init.id] : undefined;
      if (initInfo) {
        const own = initInfo.owner === id && !again;
        if (!own) run.muted++;
        analyzeRoot(run, initInfo, self);
        if (!own) run.muted--;
      } else {
        const torch = torchBase(run, id);
        if (torch === 'torch.nn.Module' && mro(run, id).length > 0) initTorch(run, ref, torch, { items: [], rest: null, keywords: new Map(), open: false, nodes: [] });
      }
      for (const method of info.namespace.values()) {
        const methodInfo = functionOf(run, method);
        if (!methodInfo || methodInfo.owner !== id || methodInfo === initInfo || (again && !choosesBetweenWays(methodInfo))) continue;
        const receiver: Value | null = methodInfo.decoration === 'static' ? null : methodInfo.decoration === 'class' ? value : self;
        apart(run, () => analyzeRoot(run, methodInfo, receiver));
      }
    });
  }
  run.label = null;
  run.selfOpen = false;
  analyzeNested(run, act, node, qualname);
}

/** Whether some parameter of the constructor chooses between ways. */
function hasFlags(run: Run, id: number): boolean {
  return choosesBetweenWays(functionOf(run, findInClass(run, id, '__init__')));
}

const functionOf = (run: Run, value: Value | undefined): FunctionInfo | undefined =>
  value?.kind === 'program' && value.what === 'function' ? run.functions[value.id] : undefined;

const choosesBetweenWays = (info: FunctionInfo | undefined): boolean => info !== undefined && [...info.defaults.values()].some(isFlag);

function analyzeNested(run: Run, act: Activation, node: ClassDef, qualname: string): void {
  for (const inner of node.body) if (inner.kind === 'ClassDef') analyzeClass(run, act, inner, `${qualname}.${inner.name}`);
}

/**
 * One function with symbols for its parameters. What a first look, over a part of the budget, tells of a parameter, that
 * it is a tensor and of which rank, holds from the start of the second. Where it tells nothing, it was the only one needed.
 */
function analyzeRoot(run: Run, info: FunctionInfo, self: Value | null): void {
  const first = rootVariables(run, info, self, null);
  if (info.definition.kind === 'FunctionDef' && info.definition.name === '__init__') {
    enter(run, null, info, first, self, null);
    return;
  }
  const { layer: base, budget, truncated } = run;
  const drop = mark(run);
  const open = [...first.values()].some((value) => value.kind === 'tensor' && value.layout.front);
  run.layer = fork(base);
  run.budget = Math.min(budget, LOOK);
  if (open) run.muted++;
  enter(run, null, info, new Map(first), self, null);
  if (open) run.muted--;
  const learned = new Map<string, Value>();
  for (const [name, value] of first) {
    const now = value.kind === 'unknown' ? reboundUnknown(run, value) : value;
    if (now?.kind !== 'tensor' || (value.kind === 'tensor' && !value.layout.front)) continue;
    const { layout } = currentTensor(run, now);
    learned.set(name, { ...now, layout });
  }
  run.layer = base;
  if (!open && learned.size === 0 && run.budget > 0) return;
  drop();
  run.budget = budget;
  run.truncated = truncated;
  enter(run, null, info, rootVariables(run, info, self, learned), self, null);
}

/** How much has been kept so far, so that what a look adds can be dropped again. */
function mark(run: Run): () => void {
  const traces = run.traces.length;
  const kinds = new Map([...run.contexts].map(([key, known]) => [key, known.size]));
  return () => {
    run.traces.length = traces;
    for (const [key, known] of run.contexts) for (const kind of [...known].slice(kinds.get(key) ?? 0)) known.delete(kind);
  };
}

function rootVariables(run: Run, info: FunctionInfo, self: Value | null, learned: ReadonlyMap<string, Value> | null): Map<string, Value> {
  const out = new Map<string, Value>();
  const { args } = info.definition;
  const [receiver] = args.positional;
  run.plainCall = false;
  for (const parameter of parametersOf(args)) {
    if (self && parameter === receiver) out.set(parameter.name, self);
    else if (parameter === args.vararg) out.set(parameter.name, unknown(`\`${parameter.name}\` holds any number of arguments`));
    else if (parameter === args.kwarg) out.set(parameter.name, { kind: 'ref', ref: allocate(run, { object: 'dict', entries: new Map(), rest: unknown(`\`${parameter.name}\` holds any arguments`) }) });
    else out.set(parameter.name, saidValue(run, info, self, parameter) ?? rootValue(run, info, self, parameter, learned?.get(parameter.name), parameter === args.positional[self ? 1 : 0]));
  }
  return out;
}

function rootValue(run: Run, info: FunctionInfo, self: Value | null, parameter: Parameter, learned: Value | undefined, first: boolean): Value {
  const { name, annotation } = parameter;
  if (learned?.kind === 'tensor') {
    const { layout } = learned;
    const fresh = layout.front ? unknownRank(run, name, layout.shape.length - 1, true) : contiguous(layout.shape.map((_, d) => freshSymbol(run, `${name}_${d}`)));
    return parameterTensor(run, name, fresh);
  }
  const fallback = info.defaults.get(name);
  // Something is passed first, if anything is.
  const passed = first && fallback?.kind === 'none';
  if (run.label && fallback && isFlag(fallback) && !passed && (fallback.kind !== 'none' || !isConstructor(info) || isReplaced(info, name))) {
    if (fallback.kind === 'none' && !isConstructor(info) && !isReplaced(info, name)) run.plainCall = true;
    return fallback;
  }
  const type = annotation ? lastName(run.label && passed ? withoutNone(annotation) : annotation) : null;
  const sizes = annotation ? integersOf(annotation) : null;
  if (sizes !== null) return { kind: 'tuple', items: Array.from({ length: sizes }, (_, i) => intValue(parameterSymbol(run, `${name}[${i}]`))) };
  if (type === 'int' || fallback?.kind === 'int') {
    const made = parameterSymbol(run, name);
    // What is 0 where nothing is passed is no size.
    if (fallback?.kind === 'int' && fallback.value.constant === 0) learn(run, learnAtLeast(factsOf(run), made, -(2 ** 40)));
    return intValue(made);
  }
  if (type === 'float') return { kind: 'float', value: null };
  if (type !== null && /^(Float|Double|Half|BFloat16|Long|Int|Short|Byte|Char|Bool)?Tensor$/.test(type)) return parameterTensor(run, name, unknownRank(run, name, 1, true));
  // A data set is indexed by integers.
  if (type === null && info.definition.kind === 'FunctionDef' && info.definition.name === '__getitem__' && info.definition.args.positional[1] === parameter) return intValue(freshSymbol(run, name));
  const made = namedUnknown(run, name, `parameter \`${name}\` has no known shape`);
  if (made.symbol !== undefined) {
    run.parameters.set(made.symbol, name);
    run.ofParameters.add(made.symbol);
    const owner = classSaid(run, info, self, parameter);
    if (owner !== null) {
      run.instancesOf.set(made.symbol, owner);
      if (torchBase(run, owner) === null) run.plain.add(made.symbol);
    }
  }
  return made;
}

/** `Tuple[int, int]`: how many integers. */
function integersOf(annotation: Expression): number | null {
  if (annotation.kind !== 'Subscript' || !/^[tT]uple$/.test(lastName(annotation.value) ?? '')) return null;
  const { slice } = annotation;
  const parts = slice.kind === 'Tuple' ? slice.elts : [slice];
  return parts.every((part) => lastName(part) === 'int') ? parts.length : null;
}

function parameterSymbol(run: Run, name: string): SymInt {
  const made = freshSymbol(run, name);
  for (const id of symbolsOf(made)) run.ofParameters.add(id);
  return made;
}

/** What a constructor leaves out for None shapes every call; a call that leaves something out is the plain one. */
const isConstructor = ({ definition }: FunctionInfo): boolean => definition.kind === 'FunctionDef' && definition.name === '__init__';

/** `if norm is None: norm = …`: a None that stands for a default is taken; one that leaves something out stays open. */
function isReplaced(info: FunctionInfo, name: string): boolean {
  const { definition } = info;
  return definition.kind === 'FunctionDef' && bodyAssigns(definition.body, name);
}

function bodyAssigns(body: Body, name: string): boolean {
  return body.some((node) => {
    switch (node.kind) {
      case 'Assign':
        return node.targets.some((target) => target.kind === 'Name' && target.id === name);
      case 'If':
        return bodyAssigns(node.body, name) || bodyAssigns(node.orelse, name);
      default:
        return false;
    }
  });
}

/** The program class that a parameter is an instance of: by its annotation, or as the class of `self` says of the attribute of that name. */
function classSaid(run: Run, info: FunctionInfo, self: Value | null, { name, annotation }: Parameter): number | null {
  const idOf = (value: Value | undefined): number | null => (value?.kind === 'program' && value.what === 'class' ? value.id : null);
  const named = (file: SourceFile, node: Expression | null): number | null => (node?.kind === 'Name' ? idOf(globalValue(run, file, node.id)) : null);
  const own = named(info.file, annotation);
  const object = self?.kind === 'ref' ? heapRead(run, self.ref) : undefined;
  if (own !== null || object?.object !== 'instance' || object.classId === null) return own;
  for (const { file, definition, namespace } of mro(run, object.classId)) {
    const declared = definition.body.find((s) => s.kind === 'AnnAssign' && s.target.kind === 'Name' && s.target.id === name);
    const found = idOf(namespace.get(`${name}_class`)) ?? (declared?.kind === 'AnnAssign' ? named(file, declared.annotation) : null);
    if (found !== null) return found;
  }
  return null;
}

/** A default that says what to build with: a class, a function, or None where that stands for one. Flags and sizes stay open. */
const isFlag = (value: Value): boolean => value.kind === 'none' || value.kind === 'torch' || value.kind === 'program' || value.kind === 'ref';

/** `T` of `T | None` and of `Optional[T]`. */
function withoutNone(node: Expression): Expression {
  if (node.kind === 'BinOp' && node.op === '|') return node.right.kind === 'Constant' && node.right.literal === 'none' ? withoutNone(node.left) : node;
  return node.kind === 'Subscript' && lastName(node.value) === 'Optional' ? node.slice : node;
}

const lastName = (node: Expression): string | null =>
  node.kind === 'Name' ? node.id : node.kind === 'Attribute' ? node.attr : node.kind === 'Constant' && typeof node.value === 'string' ? (node.value.split('.').at(-1) ?? null) : null;

export const unusedAnalyze = { int, NONE, globalFrame, heapRead, nextId };
