import type { TorchVersion } from '../../ops/versions.ts';
import type { Body, ClassDef, FunctionDef, Module, Statement } from '../../syntax/ast.ts';
import type { Value } from '../../values/value.ts';
import { allocateInstance, defineClass, findInClass, mro, torchBase } from '../calls/classes.ts';
import { functionValue } from '../calls/functions.ts';
import { type Form, formOf } from '../memo/forms.ts';
import { heldBack, tell } from '../memo/told.ts';
import { serialOf } from '../state/derived.ts';
import { openFilled } from '../state/handed.ts';
import { fork } from '../state/heap.ts';
import { wordsOf } from '../state/naming.ts';
import { type FunctionInfo, isConstructor, type SourceFile } from '../state/program.ts';
import { openReplaceable } from '../state/rebinding.ts';
import {
  type Activation,
  createRun,
  FIRST_NUMBERS,
  type Files,
  factsOf,
  forProgram,
  type Numbers,
  type Run,
} from '../state/run.ts';
import { moduleActivation } from '../statements/names.ts';
import { execute } from '../statements/statements.ts';
import { initTorch } from '../torch/nn.ts';
import type { FunctionTrace } from '../trace.ts';
import { type Pairs, paired, unitTexts } from '../units/pairs.ts';
import { keeping, type Past } from '../units/past.ts';
import { againOf, carried, type Program, programOf } from '../units/program.ts';
import { newReading } from '../units/reading.ts';
import { alone, type Begun, type Unit } from '../units/units.ts';
import { telling } from './contexts.ts';
import { settleDefaults } from './defaults.ts';
import { entriesOf } from './entries.ts';
import { analyzeRoot, type Learned, whatever } from './looks.ts';
import { isFlag } from './root-values.ts';

/** What the engine found out about a file. */
export interface FileAnalysis {
  readonly path: string;
  readonly text: string;
  readonly module: Module;
  /** The functions of this file: their generic analyses first, then the kinds of call seen. */
  readonly traces: readonly FunctionTrace[];
  /** Further kinds of call, more than are told: what is said of a kind that they fit must hold for them too. */
  readonly others: readonly FunctionTrace[];
  /** Calls from here into functions of other files. */
  readonly foreign: readonly FunctionTrace[];
  /** The torch that it was analysed for. */
  readonly torch: TorchVersion;
  /** Some function was cut short by its budget. */
  readonly truncated: boolean;
}

/** Steps that one function's analysis, with all that it calls, may take. */
const BUDGET = 40_000;

/** Steps that the functions of one file share: each may take a part of what is left, and never less than the least. */
const FILE_BUDGET = 1_000_000;

const PART = 4;

const LEAST = 1_000;

/** An analysis, and what it leaves for the next one of the file. */
export interface Analysed {
  readonly analysis: FileAnalysis;
  readonly past: Past;
}

/**
 * Never throws. What `past` tells of an earlier text of the same file is taken over as far as it holds for this one; the other
 * files must be the same.
 */
export function analyzeFile(files: Files, file: SourceFile, torch: TorchVersion, past: Past | null = null): Analysed {
  const slices = analyzeInSlices(files, file, torch, past);
  for (;;) {
    const slice = slices.next();
    if (slice.done) return slice.value;
  }
}

/** The same with a rest behind the top level and behind each unit: whoever does not go on after one has lost nothing. */
export function* analyzeInSlices(
  files: Files,
  file: SourceFile,
  torch: TorchVersion,
  past: Past | null,
): Generator<void, Analysed> {
  const numbers = past?.numbers ?? FIRST_NUMBERS;
  const words = wordsOf(file, past?.words);
  const pairs: Pairs = past ? paired(past.units, past.file, file) : new Map();
  const begun =
    (past?.program && carriedOn(files, file, past, past.program, pairs)) ?? ranAnew(files, file, torch, numbers);
  const { run, act, units, program } = begun;
  run.grad = undefined;
  run.traces.push({
    path: file.path,
    function: '<module>',
    definition: null,
    base: 0,
    context: null,
    signature: null,
    plainCall: false,
    configuredFrom: null,
    happens: 'always',
    place: 'root',
    parameters: [],
    events: units.flatMap(({ events }) => events),
    facts: factsOf(run),
    nameOf: moduleNames(numbers),
    phrases: [],
    numbers: new Map(),
    returned: null,
  });
  run.autocastOpen = true;
  settleDefaults(run, file.text);
  run.running = false;
  run.programEnd = run.serial;
  const state = `${run.defaultDType} ${run.defaultDevice} ${run.frozen} ${run.written.size}`;
  const keeper = keeping(run, past, pairs, units, file, state);
  const done: Unit[] = [];
  yield;
  for (const unit of units) {
    const { statement } = unit;
    const name = 'name' in statement ? statement.name : '';
    const entry = statement.kind === 'ClassDef' && entriesOf(file).has(name);
    const kept = keeper.outcomeOf(unit, entry);
    if (kept) run.traces.push(...kept.traces);
    const outcome =
      kept ?? alone(run, `${name} ${statement.start}`, entry, () => analyzeBody(run, act, [statement], ''));
    done.push({ ...unit, outcome });
    if (!kept) yield;
  }
  const { traces, others } = telling(run.traces.filter((trace) => trace.path === file.path));
  const ordered = [
    ...traces.filter((trace) => trace.context === null),
    ...traces.filter((trace) => trace.context !== null),
  ];
  const analysis: FileAnalysis = {
    path: file.path,
    text: file.text,
    module: file.module,
    traces: ordered,
    others,
    foreign: run.traces.filter((trace) => trace.path !== file.path),
    torch,
    truncated: run.truncated,
  };
  return {
    analysis,
    past: { file, units: done, program, words, state, numbers: { serial: run.serial, sharedSerial: run.sharedSerial } },
  };
}

/** The top level of a file when it has run. */
interface Started {
  readonly run: Run;
  readonly act: Activation;
  readonly units: readonly Begun[];
  readonly program: Program | null;
}

/** Runs the file's top level, and sees what each statement reads and binds. */
function ranAnew(files: Files, file: SourceFile, torch: TorchVersion, numbers: Numbers): Started {
  const run = createRun(files, file.path, torch, numbers);
  const act = entered(run, file);
  const texts = unitTexts(file);
  const units: Begun[] = [];
  let ended = false;
  const told = heldBack(run, () =>
    within(run, () => {
      for (const [index, statement] of file.module.body.entries()) {
        const unit = runOf(run, act, texts[index] ?? '', statement, () => {
          if (!ended) ended = execute(run, act, [statement]) !== 'next';
        });
        units.push(unit);
      }
    }),
  );
  tell(run, told);
  return { run, act, units, program: ended ? null : programOf(run, units, 0) };
}

/** Goes on from the top level of an earlier text; null where that does not come to the same as running all of it. */
function carriedOn(files: Files, file: SourceFile, past: Past, program: Program, pairs: Pairs): Started | null {
  if (entersContexts(file.text) !== entersContexts(past.file.text)) return null;
  const from = carried(program, past.file, files, file, pairs, past.numbers);
  if (from === null) return null;
  const { run, again } = from;
  const act = entered(run, file);
  let goesOn = true;
  let units: readonly Begun[] = [];
  const told = heldBack(run, () => {
    units = from.units.map((unit, index) => {
      if (!again.has(index)) return unit;
      run.steps -= unit.steps;
      return runOf(run, act, unit.text, unit.statement, () => {
        within(run, () => {
          goesOn &&= execute(run, act, [unit.statement]) === 'next';
        });
      });
    });
  });
  tell(run, told);
  run.truncated = units.some(({ truncated }) => truncated);
  const rebinds = units.every(({ binds }, index) => sameNames(binds, program.units[index]?.binds ?? new Set()));
  const reach = againOf(
    units,
    units.filter((_, index) => again.has(index)),
  );
  const next = programOf(run, units, program.times + 1);
  const isSame = goesOn && rebinds && reach?.size === again.size && next !== null;
  return isSame ? { run, act, units, program: next } : null;
}

/** Whoever runs the file has grad on; who calls its functions may not. */
function entered(run: Run, file: SourceFile): Activation {
  const act = moduleActivation(run, file);
  run.stack.push(act);
  run.grad = entersContexts(file.text) ? undefined : true;
  return act;
}

function runOf(run: Run, act: Activation, text: string, statement: Statement, work: () => void): Begun {
  const { steps, truncated } = run;
  run.reading = newReading();
  run.binds.clear();
  run.truncated = false;
  act.events = [];
  work();
  const [{ names }, binds, { events }] = [run.reading, new Set(run.binds), act];
  const unit = { statement, text, names, binds, steps: run.steps - steps, truncated: run.truncated, events };
  run.truncated ||= truncated;
  return unit;
}

const sameNames = (a: ReadonlySet<string>, b: ReadonlySet<string>): boolean =>
  a.size === b.size && [...a].every((name) => b.has(name));

/** A context such as `no_grad` may be entered without a `with`. */
const entersContexts = (text: string): boolean => /__enter__|enter_context/.test(text);

/** What an analysis numbered is called by its number, counted from where the analysis began. */
const moduleNames =
  ({ serial, sharedSerial }: Numbers) =>
  (id: string): string => {
    const number = serialOf(id) ?? 0;
    const counted = number > 0 ? number - serial + FIRST_NUMBERS.serial : number - sharedSerial;
    return id.replace(/#-?\d+$/, `#${counted}`).replace(/[^\w.]+/g, '_');
  };

/** Gives one root its own budget and drops what it did to the heap. */
function within(run: Run, work: () => void): void {
  run.budget = Math.min(BUDGET, Math.max(LEAST, Math.floor((FILE_BUDGET - run.steps) / PART)));
  work();
}

function apart(run: Run, work: () => void): void {
  const { layer: base } = run;
  const { programTold } = run.memory;
  run.layer = fork(base);
  run.memory.touched.clear();
  within(run, work);
  run.memory.touched.clear();
  run.layer = base;
  run.memory.programTold = programTold;
}

/** Every function and class that stands in a body is a root, also in the branches of an `if` or `try`. */
function analyzeBody(run: Run, act: Activation, body: Body, scope: string): void {
  for (const node of body) {
    if (node.kind === 'FunctionDef') analyzeFunction(run, act, node, `${scope}${node.name}`);
    else if (node.kind === 'ClassDef') analyzeClass(run, act, node, `${scope}${node.name}`);
    else if (node.kind === 'If') for (const part of [node.body, node.orelse]) analyzeBody(run, act, part, scope);
    else if (node.kind === 'Try')
      for (const part of [node.body, ...node.handlers.map((h) => h.body), node.orelse])
        analyzeBody(run, act, part, scope);
    else if (node.kind === 'With') analyzeBody(run, act, node.body, scope);
  }
}

function analyzeFunction(run: Run, act: Activation, node: FunctionDef, qualname: string): void {
  run.muted++;
  const value = forProgram(run, () => functionValue(run, act, node, null, qualname, []));
  run.muted--;
  const id = value.kind === 'program' && value.what === 'function' ? value.id : run.functionOf.get(node);
  const info = id === undefined ? undefined : run.functions[id];
  if (info) apart(run, () => analyzeRoot(run, info, null));
}

/** `__init__` with symbols for its arguments makes the `self` of every method. */
function analyzeClass(run: Run, act: Activation, node: ClassDef, qualname: string): void {
  run.muted++;
  const value = forProgram(run, () => defineClass(run, act, node, qualname));
  run.muted--;
  const id = value.kind === 'program' && value.what === 'class' ? value.id : run.classOf.get(node);
  const info = id === undefined ? undefined : run.classes[id];
  if (!info || id === undefined) return;
  run.entry = qualname === node.name && entriesOf(act.file).has(node.name);
  const configured = run.entry || hasFlags(run, id);
  const plain =
    configured || [...info.namespace.values()].some((method) => choosesBetweenWays(functionOf(run, method)));
  run.selfOpen = true;
  let known: Form | null = null;
  const learned = new Map<FunctionInfo, Learned>();
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
        if (torch === 'torch.nn.Module' && mro(run, id).length > 0)
          initTorch(run, ref, torch, { items: [], rest: null, keywords: new Map(), open: false, nodes: [] });
      }
      run.replaceable = openReplaceable(run, ref);
      openFilled(run, ref, methodsOf(run, id));
      run.memory.settled = run.serial;
      run.memory.touched.clear();
      run.memory.forms.clear();
      const form = formOf(run, ref);
      const same =
        label !== null && !run.entry && run.instancesOf.size === 0 && form !== null && form.alike === known?.alike;
      known = form;
      for (const method of info.namespace.values()) {
        const methodInfo = functionOf(run, method);
        if (
          !methodInfo ||
          methodInfo.owner !== id ||
          methodInfo === initInfo ||
          ((again || same) && !choosesBetweenWays(methodInfo))
        )
          continue;
        const receiver: Value | null =
          methodInfo.decoration === 'static' ? null : methodInfo.decoration === 'class' ? value : self;
        apart(run, () => {
          learned.set(
            methodInfo,
            analyzeRoot(run, methodInfo, receiver, whatever(methodInfo, learned.get(methodInfo))),
          );
        });
      }
    });
  }
  run.memory.settled = 0;
  run.memory.forms.clear();
  run.label = null;
  run.entry = false;
  run.selfOpen = false;
  run.replaceable = new Set();
  analyzeNested(run, act, node, qualname);
}

/** The methods of a class and of those that it inherits from, but for the constructors. */
const methodsOf = (run: Run, id: number): readonly FunctionInfo[] =>
  mro(run, id).flatMap(({ namespace }) =>
    [...namespace.values()].flatMap((value) => {
      const info = functionOf(run, value);
      return info && !isConstructor(info) && info.decoration !== 'static' && info.decoration !== 'class' ? [info] : [];
    }),
  );

/** Whether some parameter of the constructor chooses between ways. */
function hasFlags(run: Run, id: number): boolean {
  return choosesBetweenWays(functionOf(run, findInClass(run, id, '__init__')));
}

const functionOf = (run: Run, value: Value | undefined): FunctionInfo | undefined =>
  value?.kind === 'program' && value.what === 'function' ? run.functions[value.id] : undefined;

const choosesBetweenWays = (info: FunctionInfo | undefined): boolean =>
  info !== undefined && [...info.defaults.values()].some(isFlag);

function analyzeNested(run: Run, act: Activation, node: ClassDef, qualname: string): void {
  for (const inner of node.body)
    if (inner.kind === 'ClassDef') analyzeClass(run, act, inner, `${qualname}.${inner.name}`);
}
