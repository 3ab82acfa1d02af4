import type { FunctionTrace } from '../evaluator/trace.ts';
import type { Assign, Call } from '../syntax/ast.ts';
import { mayReach } from './control.ts';
import { producerOf, resultOf } from './flow.ts';
import { type CheckedFile, insert, type Report, rule } from './rule.ts';
import { type Branch, branches, dottedName, rootOf } from './tree.ts';
import { throughView } from './write-through-view.ts';

const NAME = 'view-or-copy';

/** Ops that hand back their input, or a view of it, where layout, dtype or device allow it, and a copy elsewhere. */
const UNSURE: Readonly<Record<string, string>> = {
  reshape: 'is contiguous enough',
  flatten: 'is contiguous enough',
  ravel: 'is contiguous',
  contiguous: 'is contiguous already',
  to: 'has that dtype and device already',
  float: 'is float32 already',
  half: 'is float16 already',
  double: 'is float64 already',
  cpu: 'is on the CPU already',
  cuda: 'is on that device already',
};

export const viewOrCopy = rule({
  name: NAME,
  summary: 'A write to what is a view of an argument for some layouts, dtypes or devices, and a copy for others',
  severity: 'warning',
  docs: `
\`reshape\`, \`flatten\` and \`contiguous\` share memory where the strides allow it; \`.to(…)\`, \`.float()\` and \`.cpu()\` return the very
tensor where nothing needs converting. Written in place, the result changes the caller's tensor for some callers and not for
others: \`y = x.float(); y -= y.mean()\` is harmless for float16 and destroys a float32 batch.

Reported where a name is bound to such a result of an argument and written in place afterwards.

Not reported: results that are known to be copies, writes to the argument's own name (\`x = x.float(); x /= 255\`), in which
the code has taken the tensor over, and what \`write-through-view\` tells already.

\`.clone()\`, or the op out of place, is a copy for everyone.`,
  examples: [
    {
      bad: `
def centred(x):
    y = x.float()
    y -= y.mean()  # warning[view-or-copy]
    return y`,
      good: `
def centred(x):
    y = x.float().clone()
    y -= y.mean()
    return y`,
      fixed: true,
    },
  ],
  *check(trace, file) {
    if (trace.context !== null) return;
    for (const node of branches(rootOf(file, trace))) {
      const report = node.kind === 'Assign' ? writtenResult(trace, file, node) : null;
      if (report !== null) yield report;
    }
  },
});

function writtenResult(trace: FunctionTrace, file: CheckedFile, node: Assign): Report | null {
  const [target, ...others] = node.targets;
  const { value } = node;
  if (target?.kind !== 'Name' || others.length > 0 || value.kind !== 'Call' || value.func.kind !== 'Attribute')
    return null;
  const [argument, when] = [dottedName(value.func.value), UNSURE[value.func.attr]];
  if (argument === null || when === undefined || argument === target.id || asksForCopy(value)) return null;
  if (!trace.parameters.some(({ name }) => name === argument) || isKnown(trace, value)) return null;
  const all = [...branches(rootOf(file, trace))].filter((each) => each.start >= node.end);
  const write = all.find((each) => writes(each, target.id) && mayReach(file, trace, node, each));
  if (write === undefined || isRebound(all, target.id, write)) return null;
  // An argument that was bound anew is no longer the caller's.
  if (isRebound([...branches(rootOf(file, trace))], argument, node)) return null;
  if (trace.events.some((event) => event.event === 'op' && throughView(trace, file, event) !== null)) return null;
  return {
    node: write,
    message: `\`${target.id}\` is \`${argument}\` itself, or a view of it, where that ${when}: then the write changes the caller's tensor too; write to a .clone()`,
    related: [{ node: value, message: 'a view or a copy is taken here' }],
    fixes: [{ title: 'Write to a copy: .clone()', safe: false, edits: [insert(value.end, '.clone()')] }],
  };
}

const asksForCopy = (call: Call): boolean =>
  call.keywords.some(({ arg, value }) => arg === 'copy' && value.kind === 'Constant' && value.value === true);

/** Whether the trace knows that the result is a copy. */
function isKnown(trace: FunctionTrace, value: Call): boolean {
  const result = resultOf(trace, value);
  const producer = result === null ? null : producerOf(trace, result);
  return producer !== null && producer.node === value && 'is' in producer.result && producer.result.is === 'fresh';
}

/** `y -= 1`, `y[0] = 1`, `y.add_(1)`. */
function writes(node: Branch, name: string): boolean {
  if (node.kind === 'AugAssign') return written(node.target) === name;
  if (node.kind === 'Assign')
    return node.targets.some((target) => target.kind === 'Subscript' && written(target) === name);
  if (node.kind !== 'Call' || node.func.kind !== 'Attribute') return false;
  return /[a-z]_$/.test(node.func.attr) && node.func.attr !== 'requires_grad_' && written(node.func.value) === name;
}

const written = (target: Branch): string | null => {
  if (target.kind === 'Name') return target.id;
  return target.kind === 'Subscript' ? written(target.value) : null;
};

const isRebound = (all: readonly Branch[], name: string, before: { readonly start: number }): boolean =>
  all.some(
    (each) =>
      each.kind === 'Assign' && each.start < before.start && each.targets.some((target) => dottedName(target) === name),
  );
