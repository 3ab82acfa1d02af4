import { expect, test } from 'vitest';
import { findingsIn, places } from './program.ts';

/** What must not be reported: each program is idiomatic, or its write is the purpose. */
const SILENT: readonly (readonly [string, string])[] = [
  ['a view that merges dims which lie one behind the other', 'x = torch.zeros(8, 20, 15)[:, :4]\nx.view(8, 60)'],
  ['a view of a dim of size 1', 'x = torch.zeros(10, 3)[:, 1:2]\nx.view(-1)'],
  ['a copy that was asked for', 'x = torch.zeros(2, 3, 4).transpose(1, 2)\nx.contiguous().view(2, 12)'],
  ['a reshape of nothing', 'x = torch.zeros(2, 0, 4).transpose(1, 2)\nx.reshape(0)'],
  ['an expanded dim of size 1', 'y = torch.zeros(3, 4)[None].expand(1, 3, 4)\ny.add_(1)'],
  ['arithmetic on an expanded tensor', 'y = torch.zeros(4).expand(3, 4)\nz = y + 1'],
  ['windows that do not overlap', 'x = torch.zeros(6)\nx.unfold(0, 3, 3).mul_(2)'],
  ['the same elements in the same order', 'x = torch.zeros(4)\nx.mul_(x)'],
  [
    'a write through a view of a tensor made here',
    'def f():\n    x = torch.zeros(4, 4)\n    row = x[0]\n    row += 1\n    return row',
  ],
  [
    'a write after which the base is returned',
    'def f(x: torch.Tensor):\n    flat = x.view(-1)\n    flat += 1\n    print(flat)\n    return x',
  ],
  [
    'a function that is named for its write',
    'def scale_(x: torch.Tensor):\n    flat = x.view(-1)\n    flat *= 2\n    return flat',
  ],
  [
    'a slot of a cache',
    'def f(cache, i: int, x: torch.Tensor):\n    slot = cache[i]\n    slot.copy_(x)\n    return slot',
  ],
  [
    'a parameter handed on as contiguous where another caller has turned it',
    'class Heads:\n    def merged(self, value):\n        return value.transpose(1, 2).reshape(value.shape[0] * value.shape[2], -1, 4)\n    def grouped(self, vectors):\n        # vectors: [B, T, 3, 4]\n        return self.merged(vectors)\n    def forward(self, x):\n        # x: [T, B, 12]\n        return self.merged(x.view(x.shape[0], x.shape[1], 3, 4).transpose(0, 1))',
  ],
  [
    'arms of a branch that exclude each other',
    'def f(x: torch.Tensor, inplace: bool):\n    return x.sigmoid_() if inplace else x.sigmoid()',
  ],
  [
    'an early return',
    'def f(x: torch.Tensor, inplace: bool):\n    if inplace:\n        return torch.relu_(x)\n    return torch.relu(x)',
  ],
  [
    'a call that is expected to fail',
    'def f(x):\n    return x @ torch.zeros(4, 3)\ntry:\n    f(torch.zeros(2, 5))\nexcept RuntimeError:\n    pass\nf(torch.zeros(2, 4))',
  ],
  [
    'a call for which a test expects an error',
    'def f(x):\n    return x @ torch.zeros(4, 3)\nwith pytest.raises(RuntimeError):\n    f(torch.zeros(2, 7))',
  ],
  [
    'dtypes that autocast brings together',
    'def f(x):\n    return x.half() @ torch.zeros(4, 3)\nwith torch.autocast("cuda"):\n    f(torch.zeros(2, 4))',
  ],
  [
    'a layer of a module that may have been converted',
    'class M(torch.nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.a = torch.nn.Linear(4, 4)\n    def forward(self, x):\n        return self.a(x.double())',
  ],
  [
    'an in-place activation that may not be the first of its layers',
    'class M(torch.nn.Module):\n    def __init__(self, n, first):\n        super().__init__()\n        rep = []\n        for i in range(n):\n            rep.append(torch.nn.ReLU(inplace=True))\n            rep.append(torch.nn.Linear(4, 4))\n        if not first:\n            rep = rep[1:]\n        else:\n            rep[0] = torch.nn.ReLU()\n        self.rep = torch.nn.Sequential(*rep)\n    def forward(self, x):\n        y = self.rep(x)\n        return x + y',
  ],
  ['a view that is merely returned', 'def f():\n    h = torch.zeros(8, 128, 64)\n    return h[:, 0]'],
  ['half of a storage', 'class A:\n    def f(self):\n        h = torch.zeros(8, 4)\n        self.first = h[:, :2]'],
  [
    'parts that together are the whole',
    'def f(xs):\n    out = []\n    h = torch.zeros(8, 4)\n    for i in range(8):\n        out.append(h[i])\n    return out',
  ],
  ['a failure that is expected', 'x = torch.zeros(2, 3).t()\ntry:\n    x.view(6)\nexcept RuntimeError:\n    pass'],
  ['a failure that a test asks for', 'x = torch.zeros(2, 3).t()\nwith pytest.raises(RuntimeError):\n    x.view(6)'],
  ['methods of an array', 'def f(a):\n    return a.transpose(2, 0, 1)'],
  [
    'sizes that are merely unrelated',
    'def f(x: torch.Tensor, w: torch.Tensor):\n    A, B = x.shape\n    C, D = w.shape\n    return x @ w',
  ],
];

test.each(SILENT)('%s is not reported', async (_, program) => {
  const text = `import torch\n${program}\n`;
  expect(places(text, await findingsIn(text))).toEqual([]);
});

/** One more of each kind, apart from the rules' own examples: `LINE SEVERITY[RULE]`. */
const REPORTED: readonly (readonly [string, string, readonly string[]])[] = [
  ['a slice of an inner dim', 'x = torch.zeros(8, 20, 15)[:, :, :4]\nx.view(8, 80)', ['3 error[incompatible-view]']],
  ['windows that overlap', 'w = torch.arange(6.0).unfold(0, 3, 2)\nw.add_(1)', ['3 warning[overlapping-write]']],
  ['a shift within the columns', 'x = torch.zeros(4, 6)\nx[:, 1:] = x[:, :-1]', ['3 warning[overlapping-write]']],
  [
    'an expanded buffer',
    'class A(torch.nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.register_buffer("g", torch.arange(12).expand(2, -1))',
    ['5 warning[stride-zero-write]'],
  ],
  [
    'a residual that is overwritten',
    'def f():\n    x = torch.zeros(4)\n    y = torch.nn.functional.relu(x, inplace=True)\n    return y + x',
    ['4 warning[write-through-view]'],
  ],
  [
    'a copy in a loop whose input stays',
    'def f(n: int):\n    x = torch.zeros(4, 6).t()\n    for _ in range(n):\n        print(x.reshape(-1))',
    ['5 warning[hidden-copy]'],
  ],
];

test.each(REPORTED)('%s is reported', async (_, program, expected) => {
  const text = `import torch\n${program}\n`;
  expect(places(text, await findingsIn(text))).toEqual(expected);
});
