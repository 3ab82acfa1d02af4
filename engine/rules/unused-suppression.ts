import { rule } from './rule.ts';

export const UNUSED_SUPPRESSION = 'unused-suppression';

/** The runner reports it, after all other rules have spoken. */
export const unusedSuppression = rule({
  name: UNUSED_SUPPRESSION,
  summary: 'A suppression comment that suppresses nothing',
  severity: 'hint',
  docs: `
\`# stridelint: ignore[rule, …]\` silences these rules on its line, \`# stridelint: file-ignore[rule, …]\` in its file. One that
silences nothing, or not all that it names, is out of date: it would hide the next finding.

A comment that names no rule silences nothing either: there is no silencing of everything at once. Rules that are switched
off are not judged. \`# noqa\` is not ours.`,
  examples: [
    {
      bad: `
import torch

x = torch.zeros(2, 3)
y = x.reshape(6)  # stridelint: ignore[hidden-copy]  # hint[unused-suppression]`,
      good: `
import torch

x = torch.zeros(2, 3)
y = x.reshape(6)`,
      fixed: true,
    },
  ],
  check: () => [],
});
