import type { Body, Expression, FunctionDef, Parameters, Statement } from '../syntax/ast.ts';
import { bodiesOf, expressionsOf, parametersOf, partsOf, partsOfParameter } from '../syntax/children.ts';
import type { SourceFile } from './program.ts';

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
  for (const statement of body) if (statement.kind !== 'ClassDef') addNames(statement, outside);
  const inside = new Set<string>();
  for (const { name, body: own } of classes) {
    const used = new Set<string>();
    for (const statement of own) addNames(statement, used);
    used.delete(name);
    for (const other of used) inside.add(other);
  }
  return new Set(classes.map(({ name }) => name).filter((name) => outside.has(name) && !inside.has(name)));
}

function addNames(statement: Statement, names: Set<string>): void {
  for (const expression of expressionsOf(statement)) addNamesOf(expression, names);
  if (statement.kind === 'FunctionDef') for (const name of namesInFunction(statement)) names.add(name);
  else for (const body of bodiesOf(statement)) for (const inner of body) addNames(inner, names);
}

/** By its body, which is the same wherever an edit moves the function. */
const inFunctions = new WeakMap<Body, ReadonlySet<string>>();

function namesInFunction({ args, body }: FunctionDef): ReadonlySet<string> {
  const before = inFunctions.get(body);
  if (before) return before;
  const names = new Set<string>();
  addParameters(args, names);
  for (const inner of body) addNames(inner, names);
  inFunctions.set(body, names);
  return names;
}

function addParameters(parameters: Parameters, names: Set<string>): void {
  for (const parameter of parametersOf(parameters))
    for (const part of partsOfParameter(parameter)) addNamesOf(part, names);
}

function addNamesOf(expression: Expression, names: Set<string>): void {
  if (expression.kind === 'Name') names.add(expression.id);
  for (const part of partsOf(expression)) addNamesOf(part, names);
}
