import type { FunctionTrace, OpEvent } from '../evaluator/trace.ts';
import type { Call, Expression, FunctionDef, Module, Node, Statement } from '../syntax/ast.ts';
import { type Branch, bodiesOf, expressionsOf, is, partsOf } from '../syntax/index.ts';
import type { CheckedFile } from './rule.ts';

export { type Branch, dottedName, is } from '../syntax/index.ts';

const parents = new WeakMap<FunctionDef | Module, ReadonlyMap<Node, Branch>>();
const calls = new WeakMap<FunctionDef | Module, readonly Call[]>();

/** What encloses `node` within its function, from the inside out, down to the function itself. */
export function* enclosing(file: CheckedFile, trace: FunctionTrace, node: Node): Generator<Branch> {
  const map = parentsIn(rootOf(file, trace));
  for (let at = map.get(node); at !== undefined; at = map.get(at)) yield at;
}

/** Whether `node` is `root` or stands somewhere within it. */
export function within(file: CheckedFile, trace: FunctionTrace, node: Node, root: Node): boolean {
  if (node === root) return true;
  for (const at of enclosing(file, trace, node)) if (at === root) return true;
  return false;
}

/** The function of the trace, or the module. */
export function rootOf(file: CheckedFile, trace: FunctionTrace): FunctionDef | Module {
  return trace.definition ?? file.module;
}

/** All that is in `root`, itself included, save what stands in functions defined in it, whose positions are in other frames. */
export function branches(root: Branch | Module): readonly Branch[] {
  // Many rules walk through the same function.
  if ('kind' in root && root.kind !== 'FunctionDef') return branchesIn(root);
  const before = all.get(root);
  if (before !== undefined) return before;
  const found = branchesIn(root);
  all.set(root, found);
  return found;
}

const all = new WeakMap<FunctionDef | Module, readonly Branch[]>();

function branchesIn(root: Branch | Module): readonly Branch[] {
  const found: Branch[] = [];
  const visit = (branch: Branch): void => {
    found.push(branch);
    for (const child of childrenOf(branch)) if (child.kind !== 'FunctionDef') visit(child);
  };
  if ('kind' in root) visit(root);
  else for (const child of root.body) if (child.kind !== 'FunctionDef') visit(child);
  return found;
}

/** The calls in a function, inner ones included. */
export function callsIn(file: CheckedFile, trace: FunctionTrace): readonly Call[] {
  const root = rootOf(file, trace);
  const known = calls.get(root);
  if (known !== undefined) return known;
  const found = [...branches(root)].filter((branch) => branch.kind === 'Call');
  calls.set(root, found);
  return found;
}

/** The last name of what is called: `view` in `x.view(2)`, `relu` in `F.relu(x)`. */
export function calleeName(call: Call): string | null {
  if (call.func.kind === 'Attribute') return call.func.attr;
  return call.func.kind === 'Name' ? call.func.id : null;
}

/** All that the function, or else the module, assigns to a name alone, in order. */
export function assignedTo(file: CheckedFile, trace: FunctionTrace, name: string): readonly Expression[] {
  return branches(rootOf(file, trace)).flatMap((branch) =>
    branch.kind === 'Assign' && branch.targets.some((target) => target.kind === 'Name' && target.id === name)
      ? [branch.value]
      : [],
  );
}

/** The names in an expression or statement. */
export function namesIn(root: Branch): ReadonlySet<string> {
  return new Set([...branches(root)].flatMap((branch) => (branch.kind === 'Name' ? [branch.id] : [])));
}

/** The names that are bound within `root` by assignment, loop, `with` or `:=`; of `self.x = …` the name `self`. */
export function namesBoundIn(root: Branch): ReadonlySet<string> {
  const targets = [...branches(root)].flatMap(targetsOf);
  return new Set(targets.flatMap((target) => [...namesIn(target)]));
}

/** The statement of an index assignment, whose event stands at the target; for any other event its own node. */
export function siteOf(file: CheckedFile, trace: FunctionTrace, event: OpEvent): Node {
  return (event.op === 'setitem' ? assignmentOf(file, trace, event.node) : null) ?? event.node;
}

/** The assignment that a node is, or stands in. */
export function assignmentOf(
  file: CheckedFile,
  trace: FunctionTrace,
  node: Node,
): Extract<Statement, { kind: 'Assign' | 'AugAssign' | 'AnnAssign' }> | null {
  if (is(node, 'AugAssign')) return node;
  for (const at of enclosing(file, trace, node)) {
    if (at.kind === 'Assign' || at.kind === 'AugAssign' || at.kind === 'AnnAssign') return at;
  }
  return null;
}

/** The statement that stands behind this one in the same body. */
export function statementAfter(file: CheckedFile, trace: FunctionTrace, statement: Statement): Statement | null {
  const root = rootOf(file, trace);
  const around = parentsIn(root).get(statement) ?? root;
  const bodies = 'kind' in around ? (isStatement(around) ? bodiesOf(around) : []) : [around.body];
  const body = bodies.find((each) => each.includes(statement));
  return body?.[body.indexOf(statement) + 1] ?? null;
}

/** Whether `.name(…)` may follow the expression as it stands, without parentheses around it. */
export function isPrimary(expression: Expression): boolean {
  switch (expression.kind) {
    case 'Name':
    case 'Attribute':
    case 'Subscript':
    case 'Call':
      return true;
    default:
      return false;
  }
}

function targetsOf(branch: Branch): readonly Expression[] {
  switch (branch.kind) {
    case 'Assign':
    case 'Delete':
      return branch.targets;
    case 'AugAssign':
    case 'AnnAssign':
    case 'For':
    case 'NamedExpr':
      return [branch.target];
    case 'With':
      return branch.items.flatMap((item) => item.target ?? []);
    case 'Comprehension':
      return branch.generators.map((generator) => generator.target);
    default:
      return [];
  }
}

function parentsIn(root: FunctionDef | Module): ReadonlyMap<Node, Branch> {
  const known = parents.get(root);
  if (known !== undefined) return known;
  const map = new Map<Node, Branch>();
  const visit = (branch: Branch | Module) => {
    for (const child of childrenOf(branch)) {
      if ('kind' in branch) map.set(child, branch);
      if (child.kind !== 'FunctionDef') visit(child);
    }
  };
  visit(root);
  parents.set(root, map);
  return map;
}

function childrenOf(branch: Branch | Module): readonly Branch[] {
  if (!('kind' in branch)) return branch.body;
  return isStatement(branch) ? [...expressionsOf(branch), ...bodiesOf(branch).flat()] : partsOf(branch);
}

function isStatement(branch: Branch): branch is Statement {
  return STATEMENTS.has(branch.kind);
}

const STATEMENTS: ReadonlySet<string> = new Set<Statement['kind']>([
  'FunctionDef',
  'ClassDef',
  'Return',
  'Delete',
  'Assign',
  'AugAssign',
  'AnnAssign',
  'For',
  'While',
  'If',
  'With',
  'Match',
  'Raise',
  'Try',
  'Assert',
  'Import',
  'ImportFrom',
  'Global',
  'Expr',
  'Pass',
  'Break',
  'Continue',
  'BadStatement',
]);
