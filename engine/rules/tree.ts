import type { FunctionTrace, OpEvent } from '../evaluator/trace.ts';
import type { Call, Expression, Node } from '../syntax/ast.ts';
import type { CheckedFile } from './rule.ts';

/** A node of the tree, or one of the plain objects (a `with` item, an `except` clause) that hold nodes. */
export type Branch = object;

const parents = new WeakMap<Branch, ReadonlyMap<Branch, Branch>>();
const calls = new WeakMap<Branch, readonly Call[]>();

/** What encloses `node` within its function, from the inside out; the function (or the module) itself is the last. */
export function* enclosing(file: CheckedFile, trace: FunctionTrace, node: Branch): Generator<Branch> {
  const map = parentsIn(trace.definition ?? file.module);
  for (let at = map.get(node); at !== undefined; at = map.get(at)) yield at;
}

/** Whether `node` is `root` or stands somewhere within it. */
export function within(file: CheckedFile, trace: FunctionTrace, node: Branch, root: Branch): boolean {
  if (node === root) return true;
  for (const at of enclosing(file, trace, node)) if (at === root) return true;
  return false;
}

/** `root` and all that is in it, save the bodies of the functions defined in it, whose positions are in another frame. */
export function* branches(root: Branch): Generator<Branch> {
  yield root;
  for (const child of childrenOf(root)) if (!isKind(child, 'FunctionDef')) yield* branches(child);
}

export function isKind<K extends string>(branch: Branch, kind: K): branch is Branch & { readonly kind: K } {
  return 'kind' in branch && branch.kind === kind;
}

export function isExpressionOf<K extends Expression['kind']>(
  branch: Branch | null | undefined,
  kind: K,
): branch is Extract<Expression, { kind: K }> {
  return branch !== null && branch !== undefined && isKind(branch, kind);
}

/** The calls in a function, inner ones included, those of functions defined in it left out. */
export function callsIn(file: CheckedFile, trace: FunctionTrace): readonly Call[] {
  const root = trace.definition ?? file.module;
  const known = calls.get(root);
  if (known !== undefined) return known;
  const found = [...branches(root)].filter((branch) => isExpressionOf(branch, 'Call'));
  calls.set(root, found);
  return found;
}

/** The last name of what is called: `view` in `x.view(2)`, `relu` in `F.relu(x)`. */
export function calleeName(call: Call): string | null {
  if (call.func.kind === 'Attribute') return call.func.attr;
  return call.func.kind === 'Name' ? call.func.id : null;
}

/** The name or attribute that a chain of calls, subscripts and attributes starts from: `self` in `self.a[0].b()`. */
export function rootName(expression: Expression): string | null {
  switch (expression.kind) {
    case 'Name':
      return expression.id;
    case 'Attribute':
    case 'Subscript':
      return rootName(expression.value);
    case 'Call':
      return expression.func.kind === 'Attribute' ? rootName(expression.func.value) : null;
    default:
      return null;
  }
}

/** `self.cache` for an attribute path of names, else null. */
export function dottedName(expression: Expression): string | null {
  if (expression.kind === 'Name') return expression.id;
  if (expression.kind !== 'Attribute') return null;
  const front = dottedName(expression.value);
  return front === null ? null : `${front}.${expression.attr}`;
}

/** The names read in an expression. */
export function namesIn(root: Branch): ReadonlySet<string> {
  const names = new Set<string>();
  for (const branch of branches(root)) if (isExpressionOf(branch, 'Name')) names.add(branch.id);
  return names;
}

/** The names that statements within `root` bind, by assignment, loop, `with` or `:=`. */
export function namesBoundIn(root: Branch): ReadonlySet<string> {
  const names = new Set<string>();
  const bind = (target: Branch) => {
    for (const branch of branches(target)) if (isExpressionOf(branch, 'Name')) names.add(branch.id);
  };
  for (const branch of branches(root)) {
    if ('target' in branch && isBranch(branch.target)) bind(branch.target);
    if ('targets' in branch && Array.isArray(branch.targets)) branch.targets.filter(isBranch).forEach(bind);
  }
  return names;
}

/** The statement of an index assignment, whose event stands at the target; for any other event its own node. */
export function siteOf(file: CheckedFile, trace: FunctionTrace, event: OpEvent): Node {
  if (event.op !== 'setitem') return event.node;
  for (const at of enclosing(file, trace, event.node)) {
    if ((isKind(at, 'Assign') || isKind(at, 'AugAssign')) && 'start' in at && 'end' in at) {
      return { start: Number(at.start), end: Number(at.end) };
    }
  }
  return event.node;
}

/** Whether `.name(…)` may follow the expression as it stands, without parentheses around it. */
export function isPrimary(expression: Expression): boolean {
  switch (expression.kind) {
    case 'Name':
    case 'Attribute':
    case 'Subscript':
    case 'Call':
    case 'List':
      return true;
    default:
      return false;
  }
}

/** What a field of a node holds, where that is an expression. */
export function asExpression(value: unknown): Expression | null {
  return isBranch(value) && isAnyExpression(value) ? value : null;
}

/** The expression that is the node of an event, or null for a statement such as `x += y`. */
export function asCall(node: Node): Call | null {
  return isExpressionOf(node, 'Call') ? node : null;
}

function isAnyExpression(branch: Branch): branch is Expression {
  return 'kind' in branch && typeof branch.kind === 'string' && EXPRESSIONS.has(branch.kind);
}

const EXPRESSIONS: ReadonlySet<string> = new Set<Expression['kind']>([
  'Name',
  'Constant',
  'JoinedStr',
  'Attribute',
  'Subscript',
  'Slice',
  'Call',
  'BinOp',
  'UnaryOp',
  'BoolOp',
  'Compare',
  'IfExp',
  'Lambda',
  'Tuple',
  'List',
  'Set',
  'Dict',
  'Comprehension',
  'Starred',
  'NamedExpr',
  'Await',
  'Yield',
  'BadExpression',
]);

function parentsIn(root: Branch): ReadonlyMap<Branch, Branch> {
  const known = parents.get(root);
  if (known !== undefined) return known;
  const map = new Map<Branch, Branch>();
  const visit = (branch: Branch) => {
    for (const child of childrenOf(branch)) {
      map.set(child, branch);
      if (!isKind(child, 'FunctionDef')) visit(child);
    }
  };
  visit(root);
  parents.set(root, map);
  return map;
}

function childrenOf(branch: Branch): readonly Branch[] {
  const values: readonly unknown[] = Object.values(branch);
  return values.flat().filter(isBranch);
}

export function isBranch(value: unknown): value is Branch {
  return typeof value === 'object' && value !== null;
}
