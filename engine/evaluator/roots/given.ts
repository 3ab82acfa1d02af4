import type { Body, Call, Expression, FunctionDef, Statement } from '../../syntax/ast.ts';
import { bodiesOf, expressionsOf, partsOf } from '../../syntax/children.ts';
import type { Value } from '../../values/value.ts';
import type { SourceFile } from '../state/program.ts';
import type { Run } from '../state/run.ts';
import { evaluateAtTop } from '../statements/names.ts';

/** What the functions of a file give: classes by the name of the parameter, and how often something of each name. */
interface Given {
  readonly makers: ReadonlyMap<string, readonly Expression[]>;
  /** How many times a name is given something. */
  readonly times: ReadonlyMap<string, number>;
  readonly functions: number;
  /** The names of parameters for which a class gives a `partial` that it made, or one of two classes: `block = partial(Block, padding=0)`. */
  readonly bound: ReadonlySet<string>;
  /** The names of parameters for which a function gives None. */
  readonly none: ReadonlySet<string>;
}

const known = new WeakMap<SourceFile, Given>();

function givenIn(file: SourceFile): Given {
  const found = known.get(file) ?? given(file);
  known.set(file, found);
  return found;
}

/** What may be asked about what a file gives for the parameters of a name. */
export type Question = 'often' | 'mostly' | 'bound' | 'none' | 'makers';

/** The answer of a file's functions and classes, as text. */
export function toldOf(file: SourceFile, question: Question, name: string): string {
  switch (question) {
    case 'often':
      return String(isOften(file, name));
    case 'mostly':
      return String(isMostly(file, name));
    case 'bound':
      return String(givenIn(file).bound.has(name));
    case 'none':
      return String(givenIn(file).none.has(name));
    case 'makers':
      return (givenIn(file).makers.get(name) ?? []).map(makerText).join();
  }
}

/** Notes that the file that is analysed was asked. */
function ask(run: Run, file: SourceFile, question: Question, name: string): void {
  if (file.path === run.own) run.reading.given[question].set(name, toldOf(file, question, name));
}

/** One in so many of the functions of a file. */
const OFTEN = 4;

/** Whether the functions of a file often give something else than the default for a parameter of that name. */
export function isOftenGiven(run: Run, file: SourceFile, name: string): boolean {
  ask(run, file, 'often', name);
  return isOften(file, name);
}

function isOften(file: SourceFile, name: string): boolean {
  const { times, functions } = givenIn(file);
  return (times.get(name) ?? 0) * OFTEN > functions;
}

/** Whether at least every other function of the file gives something. */
export function isMostlyGiven(run: Run, file: SourceFile, name: string): boolean {
  ask(run, file, 'mostly', name);
  return isMostly(file, name);
}

function isMostly(file: SourceFile, name: string): boolean {
  const { times, functions } = givenIn(file);
  const given = times.get(name) ?? 0;
  return given > 0 && given * 2 >= functions;
}

/** Whether a class of the file gives a `partial` of its own making, or what it chose, for a parameter of that name, whose default then tells little. */
export function isGivenBound(run: Run, file: SourceFile, name: string): boolean {
  ask(run, file, 'bound', name);
  return givenIn(file).bound.has(name);
}

/** Whether some function of the file gives None for a parameter of that name. */
export function isGivenNone(run: Run, file: SourceFile, name: string): boolean {
  ask(run, file, 'none', name);
  return givenIn(file).none.has(name);
}

/**
 * The classes that the functions of a file give for a parameter of that name: `Bottleneck` for `block` of
 * `dict(block=Bottleneck)` and, where `def _resnet(block, …)` stands in the file, of `_resnet(Bottleneck, …)`.
 */
export function givenFor(run: Run, file: SourceFile, name: string): readonly Value[] {
  ask(run, file, 'makers', name);
  const values = (givenIn(file).makers.get(name) ?? []).map((node) =>
    evaluateAtTop(run, file, node, makerText(node) ?? ''),
  );
  return values.every(isMaker) ? values : [];
}

export const isMaker = (value: Value): boolean =>
  (value.kind === 'program' && value.what !== 'module') || value.kind === 'torch' || value.kind === 'ref';

function given(file: SourceFile): Given {
  const { body } = file.module;
  const parameters = new Map(body.flatMap(signatureOf));
  const out = new Map<string, Map<string, Expression>>();
  const times = new Map<string, number>();
  const none = new Set<string>();
  const add = (name: string, node: Expression): void => {
    times.set(name, (times.get(name) ?? 0) + 1);
    if (node.kind === 'Constant' && node.literal === 'none') none.add(name);
    const text = makerText(node);
    if (text === null) return;
    const nodes = out.get(name) ?? new Map<string, Expression>();
    out.set(name, nodes.set(text, nodes.get(text) ?? node));
  };
  const calls = (node: Expression): void => {
    if (node.kind === 'Call') addArguments(node, parameters, add);
    for (const part of partsOf(node)) calls(part);
  };
  const inBody = (statements: Body): void => {
    for (const statement of statements) {
      if (statement.kind === 'ClassDef') continue;
      for (const expression of expressionsOf(statement)) calls(expression);
      for (const inner of bodiesOf(statement)) inBody(inner);
    }
  };
  inBody(body);
  const otherwise = new Set(body.flatMap((node) => (node.kind === 'ClassDef' ? madeIn(node.body, parameters) : [])));
  for (const [name, node] of body.flatMap(standingForNone)) {
    const text = makerText(node);
    if (text !== null && !otherwise.has(name))
      out.set(name, (out.get(name) ?? new Map<string, Expression>()).set(text, node));
  }
  return {
    makers: new Map([...out].map(([name, nodes]) => [name, [...nodes.values()]])),
    times,
    none,
    functions: body.filter(({ kind }) => kind === 'FunctionDef').length,
    bound: new Set(body.flatMap((node) => (node.kind === 'ClassDef' ? boundIn(node.body, parameters) : []))),
  };
}

/** What the constructor of a class takes where nothing is passed: `if norm_layer is None: norm_layer = nn.BatchNorm2d`. */
function standingForNone(node: Statement): readonly (readonly [string, Expression])[] {
  if (node.kind !== 'ClassDef') return [];
  const init = node.body.find((inner) => inner.kind === 'FunctionDef' && inner.name === '__init__');
  return (init?.kind === 'FunctionDef' ? init.body : []).flatMap((statement) => {
    const name = statement.kind === 'If' ? askedForNone(statement.test) : null;
    const [only] = statement.kind === 'If' && statement.body.length === 1 ? statement.body : [];
    if (name === null || only?.kind !== 'Assign') return [];
    return only.targets.some((target) => target.kind === 'Name' && target.id === name)
      ? [[name, only.value] as const]
      : [];
  });
}

/** `x` of `x is None`. */
const askedForNone = (test: Expression): string | null =>
  test.kind === 'Compare' &&
  test.left.kind === 'Name' &&
  test.ops[0] === 'is' &&
  test.comparators[0]?.kind === 'Constant' &&
  test.comparators[0].literal === 'none'
    ? test.left.id
    : null;

type Signatures = ReadonlyMap<string, readonly string[]>;

/** The parameters for which the methods of a class give what a local name stands for that is a `partial`, or one of two classes. */
function boundIn(methods: Body, parameters: Signatures): readonly string[] {
  return methods.flatMap((method) => {
    const partials = new Set(method.kind === 'FunctionDef' ? partialsIn(method.body) : []);
    if (partials.size === 0) return [];
    return passedIn(method, parameters, (value) => value.kind === 'Name' && partials.has(value.id));
  });
}

/** The parameters for which the methods of a class give a class by its name. */
const madeIn = (methods: Body, parameters: Signatures): readonly string[] =>
  methods.flatMap((method) => passedIn(method, parameters, (value) => makerText(value) !== null));

/** The parameters for which a method gives something that `is` so. */
function passedIn(method: Statement, parameters: Signatures, is: (value: Expression) => boolean): readonly string[] {
  const names: string[] = [];
  const visit = (node: Expression): void => {
    if (node.kind === 'Call')
      addArguments(node, parameters, (name, value) => {
        if (is(value)) names.push(name);
      });
    for (const part of partsOf(node)) visit(part);
  };
  const inBody = (statements: Body): void => {
    for (const statement of statements) {
      for (const expression of expressionsOf(statement)) visit(expression);
      for (const inner of bodiesOf(statement)) inBody(inner);
    }
  };
  if (method.kind === 'FunctionDef') inBody(method.body);
  return names;
}

/** Of a class of the program: one of torch's own is told how small an epsilon is, which sizes it makes stays the same. */
const isPartial = (node: Expression): boolean => /^partial \w+$/.test(makerText(node) ?? '');

const isChoice = (node: Expression): boolean =>
  node.kind === 'IfExp' && makerText(node.body) !== null && makerText(node.orelse) !== null;

const partialsIn = (body: Body): readonly string[] =>
  body.flatMap((node) =>
    node.kind === 'Assign' && (isPartial(node.value) || isChoice(node.value))
      ? node.targets.flatMap((target) => (target.kind === 'Name' ? [target.id] : []))
      : bodiesOf(node).flatMap(partialsIn),
  );

/** The names of the positional parameters of a function, or of a class. */
function signatureOf(node: Statement): readonly (readonly [string, readonly string[]])[] {
  const names = ({ args }: FunctionDef): readonly string[] => args.positional.map(({ name }) => name);
  if (node.kind === 'FunctionDef') return [[node.name, names(node)]];
  if (node.kind !== 'ClassDef') return [];
  const init = node.body.find((inner) => inner.kind === 'FunctionDef' && inner.name === '__init__');
  return init?.kind === 'FunctionDef' ? [[node.name, names(init).slice(1)]] : [];
}

function addArguments(
  { func, args, keywords }: Call,
  parameters: Signatures,
  add: (name: string, node: Expression) => void,
): void {
  for (const { arg, value } of keywords) if (arg !== null) add(arg, value);
  const names = func.kind === 'Name' ? parameters.get(func.id) : undefined;
  for (const [i, node] of args.entries()) {
    if (node.kind === 'Starred') break;
    const name = names?.[i];
    if (name !== undefined) add(name, node);
  }
}

/** How a class, or `partial` of one, is written; null of anything else. */
function makerText(node: Expression): string | null {
  switch (node.kind) {
    case 'Name':
      return /^[A-Z]/.test(node.id) ? node.id : null;
    case 'Attribute': {
      const of = node.value.kind === 'Name' ? node.value.id : null;
      return of !== null && /^[A-Z]/.test(node.attr) ? `${of}.${node.attr}` : null;
    }
    case 'Call': {
      const [first] = node.args;
      const made = node.func.kind === 'Name' && node.func.id === 'partial' && first ? makerText(first) : null;
      return made && `partial ${made}`;
    }
    default:
      return null;
  }
}
