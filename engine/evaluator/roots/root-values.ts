import { learnAtLeast, type SymInt, symbolsOf } from '../../symbols/index.ts';
import type { Body, Expression, Parameter } from '../../syntax/ast.ts';
import { bodiesOf, expressionsOf, partsOf } from '../../syntax/children.ts';
import { contiguous } from '../../tensor/index.ts';
import { intValue, unknown, type Value } from '../../values/value.ts';
import { mro, torchBase } from '../calls/classes.ts';
import { parametersOf } from '../calls/functions.ts';
import { type FunctionInfo, isConstructor, type SourceFile } from '../state/program.ts';
import { allocate, factsOf, freshSymbol, heapRead, learn, namedUnknown, type Run, unknownRank } from '../state/run.ts';
import { globalValue } from '../statements/names.ts';
import { standsForADefault, standsForAnother } from '../statements/replaced.ts';
import { parameterTensor } from '../torch/torch-arguments.ts';
import { givenFor, isGivenBound, isGivenNone, isMaker, isMostlyGiven, isOftenGiven } from './given.ts';
import { saidValue } from './said.ts';

export function rootVariables(
  run: Run,
  info: FunctionInfo,
  self: Value | null,
  learned: ReadonlyMap<string, Value> | null,
): Map<string, Value> {
  const out = new Map<string, Value>();
  const { args } = info.definition;
  const [receiver] = args.positional;
  run.plainCall = false;
  for (const parameter of parametersOf(args)) {
    if (self && parameter === receiver) out.set(parameter.name, self);
    else if (parameter === args.vararg)
      out.set(parameter.name, unknown(`\`${parameter.name}\` holds any number of arguments`));
    else if (parameter === args.kwarg)
      out.set(parameter.name, {
        kind: 'ref',
        ref: allocate(run, {
          object: 'dict',
          entries: new Map(),
          rest: unknown(`\`${parameter.name}\` holds any arguments`),
        }),
      });
    else
      out.set(
        parameter.name,
        saidValue(run, info, self, parameter) ??
          rootValue(
            run,
            info,
            self,
            parameter,
            learned?.get(parameter.name),
            parameter === args.positional[self ? 1 : 0],
          ),
      );
  }
  return out;
}

function rootValue(
  run: Run,
  info: FunctionInfo,
  self: Value | null,
  parameter: Parameter,
  learned: Value | undefined,
  first: boolean,
): Value {
  const { name, annotation } = parameter;
  if (learned?.kind === 'tensor') {
    const { layout } = learned;
    const fresh = layout.front
      ? unknownRank(run, name, layout.shape.length - 1, true)
      : contiguous(layout.shape.map((_, d) => freshSymbol(run, `${name}_${d}`)));
    return parameterTensor(run, name, fresh);
  }
  const fallback = info.defaults.get(name);
  // Something is passed first, if anything is.
  const passed = first && fallback?.kind === 'none';
  const others = run.label && fallback && isMaker(fallback) ? othersGiven(run, info, name, fallback) : null;
  if (others) return others;
  if (run.label && fallback && !passed && isTaken(run, info, name, fallback)) {
    const leavesOut = fallback.kind === 'none' ? !standsForADefault(info, name) : fallback.kind === 'int';
    // What a constructor leaves out for None shapes every call; a call that leaves something out is the plain one.
    if (leavesOut && !isConstructor(info)) run.plainCall = true;
    return fallback;
  }
  if (fallback === undefined) {
    const made = classesSaid(run, info, parameter);
    if (made) return made;
  }
  if (run.entry && fallback?.kind === 'tuple' && fallback.items.length > 1 && isSizes(fallback))
    return isOftenGiven(run, info.file, name)
      ? { ...fallback, items: fallback.items.map((_, i) => intValue(parameterSymbol(run, `${name}[${i}]`))) }
      : fallback;
  const type = annotation ? lastName(run.label && passed ? withoutNone(annotation) : annotation) : null;
  const sizes = annotation ? integersOf(annotation, fallback) : null;
  if (sizes !== null)
    return {
      kind: 'tuple',
      items: Array.from({ length: sizes }, (_, i) => intValue(parameterSymbol(run, `${name}[${i}]`))),
    };
  if ((type === 'int' || fallback?.kind === 'int') && !askedForSequences(info.definition).has(name)) {
    const made = parameterSymbol(run, name);
    // What is 0 where nothing is passed is no size.
    if (fallback?.kind === 'int' && fallback.value.constant === 0)
      learn(run, learnAtLeast(factsOf(run), made, -(2 ** 40)));
    // Where layers are at their defaults there are some of what there are some by default.
    else if (run.label && (fallback?.kind === 'int' || /classes$/.test(name)))
      learn(run, learnAtLeast(factsOf(run), made, 1));
    return intValue(made);
  }
  const isFloat = annotation === null && fallback?.kind === 'float' && !askedForSequences(info.definition).has(name);
  if (type === 'float' || isFloat) return { kind: 'float', value: null };
  if (type !== null && /^(Float|Double|Half|BFloat16|Long|Int|Short|Byte|Char|Bool)?Tensor$/.test(type))
    return parameterTensor(run, name, unknownRank(run, name, 1, true));
  // A data set is indexed by integers.
  if (
    type === null &&
    info.definition.kind === 'FunctionDef' &&
    info.definition.name === '__getitem__' &&
    info.definition.args.positional[1] === parameter
  )
    return intValue(freshSymbol(run, name));
  const made = namedUnknown(run, name, `parameter \`${name}\` has no known shape`);
  if (made.symbol !== undefined) {
    run.parameters.set(made.symbol, name);
    if (annotation && lastName(withoutNone(annotation)) === 'int') {
      run.plain.add(made.symbol);
      run.numbers.add(made.symbol);
    }
    if (SETTINGS.test(name)) run.plain.add(made.symbol);
    const owner = classSaid(run, info, self, parameter);
    if (owner !== null) {
      run.instancesOf.set(made.symbol, owner);
      if (torchBase(run, owner) === null) run.plain.add(made.symbol);
    }
  }
  return made;
}

/** What is called so holds settings, and no tensors. */
const SETTINGS = /^((.*_)?(config|cfg)|hparams)$/;

const sequences = new WeakMap<object, ReadonlySet<string>>();

/** Names of which a function asks whether they are tuples or lists, whatever their annotation says: `isinstance(size, tuple)`. */
function askedForSequences(definition: FunctionInfo['definition']): ReadonlySet<string> {
  const found = sequences.get(definition) ?? new Set(definition.kind === 'Lambda' ? [] : askedIn(definition.body));
  sequences.set(definition, found);
  return found;
}

const askedIn = (body: Body): readonly string[] =>
  body.flatMap((node) => [...expressionsOf(node).flatMap(askedOf), ...bodiesOf(node).flatMap(askedIn)]);

function askedOf(node: Expression): readonly string[] {
  const inner = partsOf(node).flatMap(askedOf);
  if (node.kind !== 'Call' || node.func.kind !== 'Name' || node.func.id !== 'isinstance') return inner;
  const [of, type] = node.args;
  const kinds = type?.kind === 'Tuple' ? type.elts : type ? [type] : [];
  const asked = kinds.some((kind) => /^(tuple|list|Sequence|Iterable)$/.test(lastName(kind) ?? ''));
  return of?.kind === 'Name' && asked ? [of.id, ...inner] : inner;
}

/** The classes of which a parameter is one: those that its annotation names, or else those that the functions of the file give for it. */
function classesSaid(run: Run, { file }: FunctionInfo, { name, annotation }: Parameter): Value | null {
  const named = annotation ? classesNamed(annotation).map((id) => globalValue(run, file, id)) : [];
  const classes = named.filter((value) => value?.kind === 'program' && value.what === 'class');
  const options = classes.length > 0 && classes.length === named.length ? classes : givenFor(run, file, name);
  const [first] = options;
  return options.length > 1 && options.length <= MOST_CLASSES
    ? { kind: 'either', options: options.filter((value) => value !== undefined) }
    : options.length === 1 && first
      ? first
      : null;
}

/**
 * What a parameter says to build with where the functions of the file often give a whole model something else than its
 * default, and so mostly its parts, or one gives None: any of those.
 */
function othersGiven(run: Run, { file }: FunctionInfo, name: string, fallback: Value): Value | null {
  const isGiven = run.entry ? isOftenGiven(run, file, name) : isMostlyGiven(run, file, name);
  const given = isGiven ? givenFor(run, file, name) : [];
  const options: readonly Value[] = [
    fallback,
    ...given.filter((value) => !isSameMaker(value, fallback)),
    ...(isGivenNone(run, file, name) ? [{ kind: 'none' } as const] : []),
  ];
  return options.length > 1 && options.length <= MOST_CLASSES ? { kind: 'either', options } : null;
}

const isSameMaker = (a: Value, b: Value): boolean =>
  a.kind === 'torch' && b.kind === 'torch'
    ? a.name === b.name
    : a.kind === 'program' && b.kind === 'program' && a.id === b.id;

const MOST_CLASSES = 4;

/** `A` and `B` of `Type[Union[A, B]]`, of `Union[Type[A], Type[B]]` and, where the name says that it is a class, of `Union[A, B]`. */
function classesNamed(node: Expression): readonly string[] {
  if (node.kind === 'BinOp' && node.op === '|') return [...classesNamed(node.left), ...classesNamed(node.right)];
  if (node.kind !== 'Subscript') return [];
  const of = lastName(node.value);
  const parts = node.slice.kind === 'Tuple' ? node.slice.elts : [node.slice];
  if (of === 'Type' || of === 'type')
    return parts.flatMap((part) => (part.kind === 'Name' ? [part.id] : unionOf(part)));
  return of === 'Union' ? parts.flatMap(classesNamed) : [];
}

const unionOf = (node: Expression): readonly string[] =>
  node.kind === 'Subscript' && lastName(node.value) === 'Union' && node.slice.kind === 'Tuple'
    ? node.slice.elts.flatMap((part) => (part.kind === 'Name' ? [part.id] : []))
    : [];

/** `Tuple[int, int]`: how many integers. `Tuple[int]` is said of any number of them; a default that says otherwise is right. */
function integersOf(annotation: Expression, fallback: Value | undefined): number | null {
  if (annotation.kind !== 'Subscript' || !/^[tT]uple$/.test(lastName(annotation.value) ?? '')) return null;
  const { slice } = annotation;
  const parts = slice.kind === 'Tuple' ? slice.elts : [slice];
  if (!parts.every((part) => lastName(part) === 'int')) return null;
  return fallback?.kind === 'tuple' ? fallback.items.length : parts.length > 1 ? parts.length : null;
}

function parameterSymbol(run: Run, name: string): SymInt {
  const made = freshSymbol(run, name);
  for (const id of symbolsOf(made)) run.parameters.set(id, name);
  return made;
}

/** Whether the default stands for what is passed: what to build with, and all that chooses between ways in a whole model. */
function isTaken(run: Run, info: FunctionInfo, name: string, fallback: Value): boolean {
  // A number of things to keep, 0 where all are.
  if (fallback.kind === 'int' && fallback.value.constant === 0) return !isConstructor(info);
  if (run.entry)
    return (
      isFlag(fallback) ||
      fallback.kind === 'bool' ||
      fallback.kind === 'str' ||
      (fallback.kind === 'float' && fallback.value === 0) ||
      (fallback.kind === 'int' && name === 'output_stride')
    );
  // How to pad, where nothing in particular is asked for.
  if (fallback.kind === 'str' && fallback.value === '' && /^pad/.test(name)) return true;
  if (!isFlag(fallback)) return false;
  if (isConstructor(info) && isGivenBound(run, info.file, name)) return false;
  return (
    fallback.kind !== 'none' ||
    (isConstructor(info) ? LAYER.test(name) || standsForADefault(info, name) : !standsForAnother(info, name))
  );
}

/**
 * What a constructor's parameter is called that says which layer to put somewhere, and None for none. Those that keep sizes
 * are followed by their names.
 */
const LAYER = /^(?!norm|act|drop_layer|gate).*(^|_)(layer|drop_path|drop_block)$/;

/** The program class that a parameter is an instance of: by its annotation, or as the class of `self` says of the attribute of that name. */
function classSaid(run: Run, info: FunctionInfo, self: Value | null, { name, annotation }: Parameter): number | null {
  const idOf = (value: Value | undefined): number | null =>
    value?.kind === 'program' && value.what === 'class' ? value.id : null;
  const named = (file: SourceFile, node: Expression | null): number | null =>
    node?.kind === 'Name' ? idOf(globalValue(run, file, node.id)) : null;
  const own = named(info.file, annotation);
  const object = self?.kind === 'ref' ? heapRead(run, self.ref) : undefined;
  if (own !== null || object?.object !== 'instance' || object.classId === null) return own;
  for (const { file, definition, namespace } of mro(run, object.classId)) {
    const declared = definition.body.find(
      (s) => s.kind === 'AnnAssign' && s.target.kind === 'Name' && s.target.id === name,
    );
    const found =
      idOf(namespace.get(`${name}_class`)) ??
      (declared?.kind === 'AnnAssign' ? named(file, declared.annotation) : null);
    if (found !== null) return found;
  }
  return null;
}

const isSizes = ({ items }: Extract<Value, { kind: 'tuple' }>): boolean =>
  items.length > 0 && items.every((item) => item.kind === 'int');

/** A default that says what to build with: a class, a function, or None where that stands for one. Flags and sizes stay open. */
export const isFlag = (value: Value): boolean =>
  value.kind === 'none' || value.kind === 'torch' || value.kind === 'program' || value.kind === 'ref';

/** `T` of `T | None` and of `Optional[T]`. */
function withoutNone(node: Expression): Expression {
  if (node.kind === 'BinOp' && node.op === '|')
    return node.right.kind === 'Constant' && node.right.literal === 'none' ? withoutNone(node.left) : node;
  return node.kind === 'Subscript' && lastName(node.value) === 'Optional' ? node.slice : node;
}

const lastName = (node: Expression): string | null =>
  node.kind === 'Name'
    ? node.id
    : node.kind === 'Attribute'
      ? node.attr
      : node.kind === 'Constant' && typeof node.value === 'string'
        ? (node.value.split('.').at(-1) ?? null)
        : null;
