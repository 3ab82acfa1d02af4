import { expect, it } from 'vitest';
import { facts } from '../../engine/index.ts';
import { analysisOf } from '../rules/program.ts';

it('a buffer of which no more is known than that it is a tensor is assumed contiguous, and that is said', async () => {
  const text = `import torch
from torch import nn
from elsewhere import factors


class Rotary(nn.Module):
    def __init__(self):
        super().__init__()
        inverse = factors * torch.ones(4)
        self.inverse = nn.Buffer(inverse, persistent=False)
        self.turned = nn.Buffer(torch.ones(4, 8).t())
        self.kept = inverse

    def forward(self):
        return self.inverse[None, :, None], self.turned[None], self.kept[None, :, None]
`;
  const rows = facts(await analysisOf(text)).filter((row) => row.function === 'Rotary.forward');
  const said = (expression: string) =>
    rows
      .filter((row) => text.slice(row.start, row.end) === expression)
      .flatMap(({ tensors }) => tensors?.map(({ stride, assumes }) => ({ stride, assumes })) ?? []);
  const [inverse] = said('self.inverse[None, :, None]');
  expect(inverse?.stride?.slice(1)).toEqual(['1', '1']);
  expect(inverse?.assumes).toEqual(['inverse']);
  expect(said('self.turned[None]')).toEqual([{ stride: ['8', '1', '8'], assumes: [] }]);
  expect(said('self.kept[None, :, None]')).toEqual([{ stride: null, assumes: [] }]);
});
