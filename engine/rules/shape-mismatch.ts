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
      if (!named) continue;
      const layout = event.inputs[0]?.layout ?? null;
      yield {
        node: siteOf(file, trace, event),
        message: `${calleeText(event)} will raise: ${causeText(trace, cause, layout)}${text}`,
      };
    }
  },
});
