import { learnAtLeast, type SymInt, symbolsOf } from '../symbols/index.ts';
import type { Body, Expression, Parameter } from '../syntax/ast.ts';
import { bodiesOf, expressionsOf, partsOf } from '../syntax/children.ts';
import { contiguous } from '../tensor/index.ts';
import { intValue, unknown, type Value } from '../values/value.ts';
import { isConstructor } from './analyze.ts';
import { mro, torchBase } from './classes.ts';
import { parametersOf } from './functions.ts';
import { globalValue } from './names.ts';
import type { FunctionInfo, SourceFile } from './program.ts';
import { standsForADefault } from './replaced.ts';
import { allocate, factsOf, freshSymbol, heapRead, learn, namedUnknown, type Run, unknownRank } from './run.ts';
import { saidValue } from './said.ts';
import { parameterTensor } from './torch-arguments.ts';

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
  if (run.label && fallback && !passed && isTaken(run, info, name, fallback)) {
    const leavesOut = fallback.kind === 'none' ? !standsForADefault(info, name) : fallback.kind === 'int';
    if (leavesOut && !isConstructor(info)) run.plainCall = true;
    return fallback;
  }
  const type = annotation ? lastName(run.label && passed ? withoutNone(annotation) : annotation) : null;
  const sizes = annotation ? integersOf(annotation) : null;
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
    return intValue(made);
  }
  if (type === 'float') return { kind: 'float', value: null };
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
    const owner = classSaid(run, info, self, parameter);
    if (owner !== null) {
      run.instancesOf.set(made.symbol, owner);
      if (torchBase(run, owner) === null) run.plain.add(made.symbol);
    }
  }
  return made;
}

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

/** `Tuple[int, int]`: how many integers. */
function integersOf(annotation: Expression): number | null {
  if (annotation.kind !== 'Subscript' || !/^[tT]uple$/.test(lastName(annotation.value) ?? '')) return null;
  const { slice } = annotation;
  const parts = slice.kind === 'Tuple' ? slice.elts : [slice];
  return parts.every((part) => lastName(part) === 'int') ? parts.length : null;
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
  if (run.entry) return isFlag(fallback) || fallback.kind === 'bool' || fallback.kind === 'str';
  return isFlag(fallback) && (fallback.kind !== 'none' || !isConstructor(info) || standsForADefault(info, name));
}

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
