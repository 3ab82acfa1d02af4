import type { Body, Expression, FunctionDef, Parameters, Statement } from '../../syntax/ast.ts';
import { bodiesOf, expressionsOf, parametersOf, partsOf, partsOfParameter } from '../../syntax/children.ts';
import type { SourceFile } from '../state/program.ts';

const known = new WeakMap<SourceFile, ReadonlySet<string>>();

/**
 * The classes of a file that its functions or statements make and no other of its classes does: whole models. Who makes
 * one of these passes a few of its many arguments, and leaves the others at their defaults.
 */
export function entriesOf(file: SourceFile): ReadonlySet<string> {
  const found = known.get(file) ?? entries(file.module.body);
  known.set(file, found);
  return found;
}

function entries(body: Body): ReadonlySet<string> {
  const classes = body.filter((statement) => statement.kind === 'ClassDef');
  const outside = new Set<string>();
  for (const statement of body) if (statement.kind !== 'ClassDef') addNames(statement, outside, withoutNamed);
  const inside = new Set<string>();
  for (const { name, body: own } of classes) {
    const used = new Set<string>();
    for (const statement of own) addNames(statement, used, partsOf);
    used.delete(name);
    for (const other of used) inside.add(other);
  }
  return new Set(classes.map(({ name }) => name).filter((name) => outside.has(name) && !inside.has(name)));
}

/** The parts of an expression in which names are looked for. */
type Parts = (expression: Expression) => readonly Expression[];

function addNames(statement: Statement, names: Set<string>, parts: Parts): void {
  for (const expression of expressionsOf(statement)) addNamesOf(expression, names, parts);
  if (statement.kind === 'FunctionDef') for (const name of namesInFunction(statement, parts)) names.add(name);
  else for (const body of bodiesOf(statement)) for (const inner of body) addNames(inner, names, parts);
}

/** By its body, which is the same wherever an edit moves the function, and stands in a class or not. */
const inFunctions = new WeakMap<Body, ReadonlySet<string>>();

function namesInFunction({ args, body }: FunctionDef, parts: Parts): ReadonlySet<string> {
  const before = inFunctions.get(body);
  if (before) return before;
  const names = new Set<string>();
  addParameters(args, names, parts);
  for (const inner of body) addNames(inner, names, parts);
  inFunctions.set(body, names);
  return names;
}

function addParameters(parameters: Parameters, names: Set<string>, parts: Parts): void {
  for (const parameter of parametersOf(parameters))
    for (const part of partsOfParameter(parameter)) addNamesOf(part, names, parts);
}

function addNamesOf(expression: Expression, names: Set<string>, parts: Parts): void {
  if (expression.kind === 'Name') names.add(expression.id);
  for (const part of parts(expression)) addNamesOf(part, names, parts);
}

/** What is given under a name, as in `dict(block=Bottleneck)`, is a part of what is made. */
const withoutNamed: Parts = (expression) =>
  expression.kind === 'Call'
    ? [expression.func, ...expression.args, ...expression.keywords.flatMap(({ value }) => partsOf(value))]
    : partsOf(expression);
