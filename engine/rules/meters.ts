import type { Call, ClassDef, Expression, FunctionDef, Statement } from '../syntax/ast.ts';
import type { CheckedFile } from './rule.ts';
import { graphNames } from './training.ts';
import { type Branch, branches, calleeName, dottedName } from './tree.ts';

/** A method that adds one of its parameters to an attribute as it comes, with whatever graph it has. */
export interface KeepingMethod {
  readonly className: string;
  readonly method: string;
  readonly parameter: string;
  /** The parameter's place among the arguments of a call. */
  readonly position: number;
  readonly statement: Statement;
  readonly holder: string;
  readonly term: Expression;
}

const known = new WeakMap<CheckedFile, readonly KeepingMethod[]>();

/** The methods of the file's classes that sum what they are given; none whose name another class uses otherwise. */
export function keepingMethods(file: CheckedFile): readonly KeepingMethod[] {
  const before = known.get(file);
  if (before !== undefined) return before;
  const classes = file.module.body.filter((each) => each.kind === 'ClassDef');
  const all = classes.flatMap((each) => methodsOf(each).flatMap((method) => keeping(each, method)));
  const found = all.filter(({ method }) =>
    classes.every(
      (each) =>
        !methodsOf(each).some(({ name }) => name === method) ||
        all.some((other) => other.className === each.name && other.method === method),
    ),
  );
  known.set(file, found);
  return found;
}

/** The argument that a call passes to the method's parameter, where it may be a call of the method. */
export function passedTo({ method, position, parameter }: KeepingMethod, call: Call): Expression | null {
  if (call.func.kind !== 'Attribute' || calleeName(call) !== method || dottedName(call.func.value) === 'self')
    return null;
  return call.args[position] ?? call.keywords.find(({ arg }) => arg === parameter)?.value ?? null;
}

const methodsOf = (definition: ClassDef): readonly FunctionDef[] =>
  definition.body.filter((each) => each.kind === 'FunctionDef');

function keeping(definition: ClassDef, method: FunctionDef): readonly KeepingMethod[] {
  const [, ...parameters] = method.args.positional.map(({ name }) => name);
  const statements = method.body.flatMap((each) => [...branches(each)]);
  for (const statement of statements) {
    if (statement.kind !== 'AugAssign' && statement.kind !== 'Assign') continue;
    const sum = sumIn(statement);
    if (sum === null || !sum.holder.startsWith('self.')) continue;
    const parameter = graphNames(sum.term).find((name) => parameters.includes(name));
    if (parameter === undefined || isRebound(statements, parameter)) continue;
    const position = parameters.indexOf(parameter);
    const { holder, term } = sum;
    return [{ className: definition.name, method: method.name, parameter, position, statement, holder, term }];
  }
  return [];
}

const isRebound = (statements: readonly Branch[], name: string): boolean =>
  statements.some((each) => each.kind === 'Assign' && each.targets.some((target) => dottedName(target) === name));

/** What is added to which holder. */
export function sumIn(node: Branch): { readonly holder: string; readonly term: Expression } | null {
  if (node.kind === 'AugAssign') {
    const holder = node.op === '+' ? holderName(node.target) : null;
    return holder === null ? null : { holder, term: node.value };
  }
  const [target, ...others] = node.kind === 'Assign' ? node.targets : [];
  const value = node.kind === 'Assign' ? node.value : null;
  if (target === undefined || others.length > 0 || value?.kind !== 'BinOp' || value.op !== '+') return null;
  const holder = holderName(target);
  return holder !== null && holderName(value.left) === holder ? { holder, term: value.right } : null;
}

/** `total`, `self.sum`, `logs["loss"]`. */
function holderName(target: Expression): string | null {
  if (target.kind !== 'Subscript') return dottedName(target);
  const base = dottedName(target.value);
  const key = target.slice.kind === 'Constant' && target.slice.literal === 'str' ? target.slice.value : null;
  return base === null || key === null ? null : `${base}[${JSON.stringify(key)}]`;
}
