import type { FunctionTrace } from '../evaluator/trace.ts';
import type { Call, Expression, For, Node, While } from '../syntax/ast.ts';
import type { CheckedFile } from './rule.ts';
import { type Branch, branches, calleeName, dottedName, enclosing, rootOf } from './tree.ts';

export type Loop = For | While;

/** `losses.append(loss)`: what is kept, and by whom. */
export function appendedBy({ func, args }: Call): { readonly holder: Expression; readonly kept: Expression } | null {
  const [kept] = args;
  return func.kind !== 'Attribute' || func.attr !== 'append' || kept === undefined
    ? null
    : { holder: func.value, kept };
}

/** The `for` and `while` loops around a node, from the inside out; not those whose iterable it stands in. */
export function loopsAround(file: CheckedFile, trace: FunctionTrace, node: Node): readonly Loop[] {
  const loops: Loop[] = [];
  let inner = node;
  for (const at of enclosing(file, trace, node)) {
    if ((at.kind === 'For' && at.iter !== inner) || at.kind === 'While') loops.push(at);
    inner = at;
  }
  return loops;
}

/** Whether the node stands in a `with torch.no_grad():` or `inference_mode` of its function. */
export function underNoGrad(file: CheckedFile, trace: FunctionTrace, node: Node): boolean {
  return [...enclosing(file, trace, node)].some(
    (at) => at.kind === 'With' && at.items.some(({ context }) => NO_GRAD.test(nameOfContext(context))),
  );
}

const NO_GRAD = /^(no_grad|inference_mode)$/;

const nameOfContext = (context: Expression): string => (context.kind === 'Call' ? (calleeName(context) ?? '') : '');

/** The values that a stretch of code binds to a name; of a name that is unpacked, the whole. */
export function valuesBound(root: Branch, name: string): readonly Expression[] {
  return [...branches(root)].flatMap((branch) => {
    if (branch.kind === 'Assign') return branch.targets.some((target) => binds(target, name)) ? [branch.value] : [];
    if (branch.kind === 'AnnAssign' || branch.kind === 'NamedExpr')
      return branch.value !== null && binds(branch.target, name) ? [branch.value] : [];
    return [];
  });
}

function binds(target: Expression, name: string): boolean {
  if (target.kind === 'Name') return target.id === name;
  if (target.kind === 'Tuple' || target.kind === 'List') return target.elts.some((each) => binds(each, name));
  return target.kind === 'Starred' && binds(target.value, name);
}

/** All values that the function, or else the module around it, binds to a name. */
export function valuesOfName(file: CheckedFile, trace: FunctionTrace, name: string): readonly Expression[] {
  const own = inBody(rootOf(file, trace), name);
  return own.length > 0 ? own : inBody(file.module, name);
}

const inBody = (root: { readonly body: readonly Branch[] }, name: string): readonly Expression[] =>
  root.body.flatMap((statement) => (statement.kind === 'FunctionDef' ? [] : valuesBound(statement, name)));

/**
 * The names in an expression through which autograd reaches further back: `loss` in `loss / n`, `a + w * b`,
 * `scaler.scale(loss)`, `loss.mean()`; not in `loss.item()`, `loss.detach()`, `float(loss)`.
 */
export function graphNames(expression: Expression): readonly string[] {
  switch (expression.kind) {
    case 'Name':
      return [expression.id];
    case 'BinOp':
      return [...graphNames(expression.left), ...graphNames(expression.right)];
    case 'UnaryOp':
      return graphNames(expression.operand);
    case 'Call': {
      const { func, args } = expression;
      if (func.kind !== 'Attribute') return [];
      if (func.attr === 'scale') return args.flatMap(graphNames);
      return KEEPS_GRAPH.test(func.attr) ? graphNames(func.value) : [];
    }
    default:
      return [];
  }
}

const KEEPS_GRAPH =
  /^(mean|sum|cpu|cuda|to|float|half|double|clone|view|reshape|squeeze|unsqueeze|flatten|sqrt|exp|log|abs|neg|div|mul)$/;

/**
 * The names of losses whose graph each turn of a loop builds and backpropagates: `loss` of `loss.backward()`,
 * `scaler.scale(loss).backward()`, `accelerator.backward(loss)`, and the terms of its sum. A graph that is kept for another
 * backward (`retain_graph=True`) is kept on purpose.
 */
export function liveLosses(loop: Loop): ReadonlySet<string> {
  const live = new Set<string>();
  for (const branch of branches(loop)) {
    const loss = branch.kind === 'Call' ? backpropagated(branch) : null;
    for (const name of loss === null ? [] : graphNames(loss)) if (isComputed(loop, name)) live.add(name);
  }
  for (const name of live) {
    for (const value of valuesBound(loop, name)) {
      if (value.kind !== 'BinOp' || value.op !== '+') continue;
      for (const term of graphNames(value)) {
        if (valuesBound(loop, term).some(({ kind }) => kind === 'Call') && isComputed(loop, term)) live.add(term);
      }
    }
  }
  return live;
}

/** What a call backpropagates, where the graph is freed by it. */
function backpropagated(call: Call): Expression | null {
  const { func, args, keywords } = call;
  if (func.kind !== 'Attribute' || keywords.some(({ arg }) => arg === 'retain_graph' || arg === 'gradient'))
    return null;
  if (func.attr === 'manual_backward') return args[0] ?? null;
  if (func.attr !== 'backward') return null;
  const receiver = dottedName(func.value) ?? '';
  if (args.length === 0) return func.value;
  return HELPERS.test(receiver.slice(receiver.lastIndexOf('.') + 1)) ? (args[0] ?? null) : null;
}

const HELPERS = /accelerator|fabric|engine|strategy|plugin|booster|^model|deepspeed/i;

/** Whether the loop computes the name anew, and never puts a number or a detached tensor in its place. */
function isComputed(loop: Loop, name: string): boolean {
  const values = valuesBound(loop, name);
  return values.length > 0 && values.every((value) => value.kind !== 'Constant' && !leavesGraph(value));
}

function leavesGraph(value: Expression): boolean {
  if (value.kind !== 'Call') return false;
  const name = calleeName(value);
  return name !== null && /^(item|detach|detach_|float|int|numpy|tolist|reduce_tensor|all_reduce_mean)$/.test(name);
}
