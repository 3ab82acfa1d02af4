import type { FunctionTrace, OpEvent } from '../evaluator/trace.ts';
import type { Node } from '../syntax/ast.ts';
import { mayReach } from './control.ts';
import { eventsAfter, lastName, sharesStorage } from './flow.ts';
import type { CheckedFile, Report } from './rule.ts';
import { enclosing, namesIn } from './tree.ts';
import { calleeText } from './wording.ts';

/** Activations and dropouts that work in place where they are told to, as functions and as modules. */
const ACTIVATIONS =
  /^(relu|relu6|leaky_?relu|r_?relu|elu|selu|celu|silu|mish|hard_?swish|hard_?sigmoid|hard_?tanh|threshold|sigmoid|tanh|(alpha_?|feature_?)*dropout[123]?d?)_?$/i;

/**
 * `identity = x; out = self.relu(x)` with an in-place activation, and `identity` read afterwards: it holds the activated
 * values, not the ones that were meant to be kept.
 */
export function overwrittenResidual(trace: FunctionTrace, file: CheckedFile, event: OpEvent): Report | null {
  const write = event.writes.find((each) => each.becomes === null);
  if (write === undefined || !ACTIVATIONS.test(lastName(event.op))) return null;
  const result = boundTo(trace, file, event);
  if (result === 'dropped') return null;
  const rebound = new Set<string>();
  for (const after of eventsAfter(trace, event)) {
    if (after.event === 'value' && after.bound !== null) rebound.add(after.bound);
    if (after.event !== 'read' || after.node.start < event.node.end) continue;
    if (!mayReach(file, trace, event.node, after.node)) continue;
    if (
      isOwn(trace, file, after.node, after.name) ||
      rebound.has(after.name) ||
      after.name === result ||
      !sharesStorage(after.tensor, write.target)
    )
      continue;
    return {
      node: event.node,
      message: `${calleeText(event)} works in place: \`${after.name}\`, read again afterwards, holds its output; use inplace=False`,
      related: [{ node: after.node, message: `\`${after.name}\` is read here` }],
    };
  }
  return null;
}

/** The name that the result is bound to; null where it goes into another expression; 'dropped' for a mere statement. */
function boundTo(trace: FunctionTrace, file: CheckedFile, event: OpEvent): string | 'dropped' | null {
  const [parent] = enclosing(file, trace, event.node);
  if (parent === undefined || parent.kind === 'Expr') return 'dropped';
  const target = parent.kind === 'Assign' ? parent.targets[0] : undefined;
  return target?.kind === 'Name' ? target.id : null;
}

/** A name of the comprehension in which it stands is another one in each. */
const isOwn = (trace: FunctionTrace, file: CheckedFile, node: Node, name: string): boolean =>
  [...enclosing(file, trace, node)].some(
    (around) => around.kind === 'Comprehension' && around.generators.some(({ target }) => namesIn(target).has(name)),
  );
