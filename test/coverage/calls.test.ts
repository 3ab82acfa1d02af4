import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect, test } from 'vitest';
import { counter } from './calls.ts';

const require = createRequire(import.meta.url);
const grammar = {
  core: readFileSync(require.resolve('web-tree-sitter/web-tree-sitter.wasm')),
  python: readFileSync(require.resolve('tree-sitter-python/tree-sitter-python.wasm')),
};

const SOURCE = `
import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.modules.linear import Linear
from .own import helper

class Net(nn.Module):
    def __init__(self):
        self.proj = Linear(3, 4)

    def forward(self, x=torch.zeros(2, 3)):
        if torch.cuda.is_available():
            x = x.cuda()
        y = torch.zeros(2, 3).no_such_method()
        return helper(F.relu(torch.no_such_function(x)))
`;

test('calls are counted under the names that imports give them', async () => {
  const count = await counter(grammar, false);
  count.add('net.py', SOURCE);
  expect(count.result()).toEqual({ calls: 6, known: 5, rest: [['torch.no_such_function', 1]] });
});

test('methods count where the evaluator knows a tensor', async () => {
  const count = await counter(grammar, true);
  count.add('net.py', SOURCE);
  expect(count.result().rest.map(([name]) => name)).toContain('torch.Tensor.no_such_method');
});
