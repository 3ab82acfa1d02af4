import type { FunctionTrace, OpEvent } from '../evaluator/trace.ts';
import { always, learnAtLeast, product, type SymInt, symbol, symbolsOf } from '../symbols/index.ts';
import type { Cause } from '../tensor/index.ts';
import { failuresOf } from './raising.ts';
import { rule } from './rule.ts';
import { siteOf } from './tree.ts';
import { exceptions } from './unless.ts';
import { calleeText, causeText } from './wording.ts';

const NAME = 'shape-mismatch';

export const shapeMismatch = rule({
  name: NAME,
  summary: 'Shapes that provably do not fit, so that the call will raise',
  severity: 'error',
  docs: `
Matrix products whose inner sizes differ, operands that do not broadcast, a layer fed with another number of features
than it was built for, a reshape to another number of elements, an index that does not exist.

Only what is provable is reported: two sizes that are merely unrelated are taken to be equal, as PyTorch will demand.`,
  examples: [
    {
      bad: `
import torch

def project():
    x = torch.zeros(8, 20)
    w = torch.zeros(10, 30)
    return x @ w  # error[shape-mismatch]`,
      good: `
import torch

def project():
    x = torch.zeros(8, 20)
    w = torch.zeros(20, 30)
    return x @ w`,
      fixed: false,
    },
  ],
  *check(trace, file) {
    for (const { event, cause } of failuresOf(NAME, trace, file)) {
      const { text, named } = exceptions(trace, event.guards, () => false);
      if (!named || mayFit(trace, cause)) continue;
      const layout = event.inputs[0]?.layout ?? null;
      yield {
        node: siteOf(file, trace, event),
        message: `${calleeText(event)} will raise: ${causeText(trace, cause, layout)}${text}${isIndexedNumber(event, cause) ? '; .item() reads its number' : ''}`,
      };
    }
  },
});

/** `loss.data[0]`, which read the number of a loss before PyTorch 0.4. */
const isIndexedNumber = (event: OpEvent, cause: Cause): boolean =>
  event.op === 'getitem' && cause.is === 'rank-differs' && event.inputs[0]?.layout.shape.length === 0;

/** Whether the sizes could be equal for all that is known of them: PyTorch will demand it, and the code may well see to it. */
function mayFit(trace: FunctionTrace, cause: Cause): boolean {
  switch (cause.is) {
    case 'size-differs':
      return mayBeEqual(trace, cause.left, cause.right);
    case 'numel-differs':
      // With a -1 the question is whether the rest divides the number of elements: plain for numbers alone.
      return cause.to.some((size) => size.constant === -1)
        ? [cause.from, ...cause.to].some((size) => size.constant === null)
        : mayBeEqual(trace, cause.from, product(cause.to));
    case 'index-out-of-range':
      return cause.index.constant === null || cause.size.constant === null;
    default:
      return false;
  }
}

function mayBeEqual(trace: FunctionTrace, left: SymInt, right: SymInt): boolean {
  const names = new Set([...symbolsOf(left), ...symbolsOf(right)]);
  const facts = [...names].reduce((known, id) => learnAtLeast(known, symbol(id), 1), trace.facts);
  return always('equal', left, right, facts) !== false;
}
