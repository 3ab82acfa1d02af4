import type { FunctionTrace, OpEvent } from '../evaluator/trace.ts';
import type { Call, Expression } from '../syntax/ast.ts';
import { producerOf } from './flow.ts';
import { permutationOf } from './round-trip.ts';
import { type CheckedFile, insert, type ReportFix, replace, sourceOf } from './rule.ts';
import { calleeName, enclosing, is } from './tree.ts';

/** How the same is computed without the copy. */
export interface FreeOrder {
  readonly advice: string;
  readonly fixes: readonly ReportFix[];
}

/** An order of the same calls, or fewer of them, in which the reshape copies nothing. */
export const freeOrder = (trace: FunctionTrace, file: CheckedFile, event: OpEvent): FreeOrder | null =>
  stackedInPlace(trace, file, event) ?? reducedAnyway(trace, file, event);

/** `torch.stack(xs).transpose(0, 1).reshape(…)`: stacked along dim 1 they lie as they are wanted. */
function stackedInPlace(trace: FunctionTrace, file: CheckedFile, event: OpEvent): FreeOrder | null {
  const { node } = event;
  const turned = is(node, 'Call') && node.func.kind === 'Attribute' ? node.func.value : null;
  if (turned?.kind !== 'Call' || turned.func.kind !== 'Attribute' || event.self !== turned) return null;
  const stack = turned.func.value;
  const permutation = permutationOf(trace, event.inputs[0]);
  const producer = permutation && producerOf(trace, permutation.of);
  if (stack.kind !== 'Call' || calleeName(stack) !== 'stack' || producer?.node !== stack || permutation === null)
    return null;
  const from = dimOf(stack, permutation.order.length);
  if (from === null) return null;
  const others = permutation.order.filter((dim) => dim !== from);
  if (others.some((dim, i) => i > 0 && dim < (others[i - 1] ?? 0))) return null;
  const to = permutation.order.indexOf(from);
  // What stands between the two calls goes with the second one.
  const [whole, inner] = [sourceOf(file, trace, turned), sourceOf(file, trace, stack)];
  const argument = dimArgument(stack);
  const [tensors] = stack.args;
  if (!whole.startsWith(inner) || tensors === undefined || isBare(file, trace, tensors)) return null;
  const along = argument === null ? insert(tensors.end, `, dim=${to}`) : replace(argument.start, argument.end, `${to}`);
  return {
    advice: `stacked along dim ${to} they lie in this order at once: torch.stack(…, dim=${to})`,
    fixes: [{ title: `Stack along dim ${to}`, safe: true, edits: [along, replace(stack.end, turned.end, '')] }],
  };
}

/** `stack(t for t in ts)`: another argument would need parentheses. */
const isBare = (file: CheckedFile, trace: FunctionTrace, tensors: Expression): boolean =>
  tensors.kind === 'Comprehension' && !/^[[(]/.test(sourceOf(file, trace, tensors));

const dimArgument = ({ args, keywords }: Call): Expression | null =>
  args[1] ?? keywords.find(({ arg }) => arg === 'dim')?.value ?? null;

/** The dim that a stack makes, counted from 0; null where no number says so. */
function dimOf(stack: Call, ndim: number): number | null {
  const argument = dimArgument(stack);
  if (argument === null) return 0;
  const isNegative = argument.kind === 'UnaryOp' && argument.op === '-';
  const number = isNegative ? argument.operand : argument;
  if (number.kind !== 'Constant' || typeof number.value !== 'number') return null;
  return isNegative ? ndim - number.value : number.value;
}

/** `x.t().reshape(-1).max()`: the order of all elements is nothing to a reduction of them all. */
function reducedAnyway(trace: FunctionTrace, file: CheckedFile, event: OpEvent): FreeOrder | null {
  const { node } = event;
  if (!is(node, 'Call') || node.func.kind !== 'Attribute' || event.self !== node.func.value) return null;
  const [attribute, call] = enclosing(file, trace, node);
  if (attribute?.kind !== 'Attribute' || call?.kind !== 'Call' || call.func !== attribute) return null;
  if (call.args.length > 0 || call.keywords.length > 0) return null;
  const isExact = EXACT.has(attribute.attr);
  if (!isExact && !ROUNDED.has(attribute.attr)) return null;
  return {
    advice: `${attribute.attr} of all elements needs no order: leave the ${node.func.attr} out`,
    fixes: [
      {
        title: `Reduce it as it lies: .${attribute.attr}()`,
        // A sum of floats in another order is rounded otherwise.
        safe: isExact,
        edits: [replace(node.func.value.end, node.end, '')],
      },
    ],
  };
}

const EXACT: ReadonlySet<string> = new Set(['max', 'min', 'amax', 'amin', 'any', 'all', 'numel']);
const ROUNDED: ReadonlySet<string> = new Set(['sum', 'mean', 'std', 'var', 'norm', 'prod']);
