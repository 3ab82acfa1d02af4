import { describe, expect, test } from 'vitest';
import { askEverything } from './engine.ts';

const IMPORT = 'import torch\nimport torch.nn as nn\n';

describe('deep nesting', () => {
  test.each<[string, string]>([
    ['parentheses', `x = ${'('.repeat(5000)}1${')'.repeat(5000)}\n`],
    ['brackets that do not close', `x = ${'['.repeat(5000)}\n`],
    ['a long sum', `x = ${Array(3000).fill('1').join(' + ')}\n`],
    ['a long chain of calls', `x = torch.zeros(2, 3)${'.t()'.repeat(1000)}\n`],
    ['a chain of attributes', `x = a${'.b'.repeat(5000)}\n`],
    ['a chain of subscripts', `x = a${'[0]'.repeat(5000)}\n`],
    [
      'nested ifs',
      `${Array.from({ length: 90 }, (_, depth) => `${' '.repeat(depth)}if x:\n`).join('')}${' '.repeat(90)}pass\n`,
    ],
    ['a long elif', `if a:\n    pass\n${'elif b:\n    x = torch.zeros(2)\n'.repeat(500)}`],
    [
      'nested functions',
      `${Array.from({ length: 60 }, (_, depth) => `${' '.repeat(depth)}def f${depth}(x):\n`).join('')}${' '.repeat(60)}return x\n`,
    ],
    ['nested lambdas', `f = ${'lambda x: '.repeat(500)}x\n`],
    ['nested f-strings', `x = ${'f"{'.repeat(50)}1${'}"'.repeat(50)}\n`],
    ['unary operators', `x = ${'-'.repeat(5000)}1\n`],
    ['nots', `x = ${'not '.repeat(5000)}1\n`],
    ['a shape comment', `def f(x):\n    # x: [${'('.repeat(5000)}B${')'.repeat(5000)}]\n    return x.t()\n`],
    ['a long size in a shape comment', `def f(x):\n    # x: [${'B + '.repeat(5000)}B]\n    return x.t()\n`],
    ['a long size in an annotation', `def f(x: Float[Tensor, "${'B + '.repeat(5000)}B"]):\n    return x.t()\n`],
    ['a long size beside a type', `def f(x: Tensor[${'B + '.repeat(5000)}B]):\n    return x.t()\n`],
    ['conditional expressions', `x = ${'1 if a else '.repeat(1000)}2\n`],
  ])('%s', (_, text) => {
    expect(() => askEverything(IMPORT + text)).not.toThrow();
  });
});

describe('generated files of 50,000 lines', () => {
  const lines = (line: (n: number) => string): string => Array.from({ length: 50_000 }, (_, n) => line(n)).join('\n');
  test.each<[string, string]>([
    ['statements', lines((n) => `x${n} = torch.zeros(${(n % 7) + 1}, 3).t()`)],
    ['one table', `TABLE = {\n${lines((n) => `    'k${n}': (${n}, [1.5, ${n}], None),`)}\n}\n`],
  ])(
    '%s',
    (_, text) => {
      expect(() => askEverything(IMPORT + text)).not.toThrow();
    },
    180_000,
  );
});

describe('programs without an end', () => {
  test.each<[string, string]>([
    ['a function that calls itself', 'def f(x):\n    return f(x.t())\nf(torch.zeros(2, 3))\n'],
    ['two that call each other', 'def f(x):\n    return g(x)\ndef g(x):\n    return f(x)\nf(torch.zeros(2))\n'],
    [
      'a loop over a growing tensor',
      'def f(x):\n    # x: [B, T]\n    while True:\n        x = torch.cat([x, x])\n    return x\n',
    ],
    ['a loop that grows a list', 'xs = []\nwhile True:\n    xs.append(xs)\n'],
    ['a class that is its own base', 'class A(A):\n    pass\nA().f(1)\n'],
    [
      'a module that contains itself',
      'class M(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.m = M()\n    def forward(self, x):\n        return self.m(x)\n',
    ],
    ['a default that names itself', 'def f(x=f):\n    return x(x)\nf()\n'],
    ['a property that reads itself', 'class A:\n    @property\n    def x(self):\n        return self.x\nA().x\n'],
    ['a lambda applied to itself', '(lambda f: f(f))(lambda f: f(f))\n'],
    ['a reduction of nothing', 'import functools\nx = functools.reduce(lambda a, b: a + b, [])\n'],
    ['a generator that delegates to itself', 'def g():\n    yield from g()\nlist(g())\n'],
    ['mutual decorators', '@f\ndef f(x):\n    return f\n@f\nclass f:\n    pass\n'],
    [
      'doubling branches',
      `def f(x, a):\n    # x: [B, T]\n${Array.from({ length: 40 }, () => '    if a():\n        x = x.t()\n').join('')}    return x\n`,
    ],
    [
      'doubling calls',
      `${Array.from({ length: 40 }, (_, n) => `def f${n + 1}(x):\n    return f${n}(x) + f${n}(x)\n`).join('')}def f0(x):\n    return x\nf40(torch.zeros(2))\n`,
    ],
  ])(
    '%s',
    (_, text) => {
      expect(() => askEverything(IMPORT + text)).not.toThrow();
    },
    20_000,
  );
});

describe('numbers and sizes at the edge', () => {
  test.each([
    'torch.zeros(10**30, 10**30)',
    'torch.zeros(99999999999999999999999)',
    'torch.zeros(-1)',
    'torch.zeros(2, 0, 3).view(-1)',
    'torch.zeros(0).view(-1, 0)',
    'torch.zeros(2).view(-1, -1)',
    'torch.zeros(2, 3)[::0]',
    'torch.zeros(2, 3)[::-1]',
    'torch.zeros(2, 3)[10**20:]',
    'torch.zeros(2, 3)[-(2**63)]',
    'torch.zeros(2, 3).permute(0, 0)',
    'torch.zeros(2, 3).permute()',
    'torch.zeros(2).view(1.5)',
    "torch.zeros(2).view('x')",
    'torch.zeros(None)',
    'torch.zeros(2).expand(-5)',
    'torch.zeros(2)[...,...]',
    'torch.zeros(2)[None, ..., None, None]',
    'torch.zeros(2, 3)[True]',
    'torch.zeros(2, 3)[[[0]]]',
    'torch.arange(0, 10, 0)',
    'torch.arange(1e30)',
    'torch.linspace(0, 1, -3)',
    'torch.cat([])',
    'torch.stack([])',
    'torch.cat(None)',
    'torch.zeros(2).split(0)',
    'torch.zeros(2).chunk(0)',
    'torch.zeros(4).unfold(0, 9, 1)',
    'torch.zeros(2).as_strided((2,), (-1,))',
    'torch.einsum("", torch.zeros(2))',
    'torch.einsum("ij,jk->iz", torch.zeros(2, 2), torch.zeros(2, 2))',
    'torch.zeros(*[])',
    'torch.zeros(*range(10**9))',
    'torch.zeros(**{"size": 2})',
    'torch.zeros(2).reshape(*a, **b)',
    'torch.nn.Linear(-1, 0)(torch.zeros(2))',
    'torch.nn.Conv2d(3, 4, 0)(torch.zeros(1, 3, 2, 2))',
    'torch.nn.Conv2d(3, 4, 3, stride=0)(torch.zeros(1, 3, 8, 8))',
    'torch.nn.MaxPool2d(0)(torch.zeros(1, 3, 8, 8))',
    'torch.zeros(1 << 200)',
    'torch.zeros(2 ** -1)',
    'torch.zeros(5 // 0)',
    'torch.zeros(5 % 0)',
    '[torch.zeros(2)] * 10**12',
    '"x" * 10**12',
    '(1,) * 10**12',
  ])(
    '%s',
    (expression) => {
      expect(() => askEverything(`${IMPORT}y = ${expression}\nz = y + 1\n`)).not.toThrow();
      expect(() =>
        askEverything(`${IMPORT}def f(x, n):\n    # x: [B, T]\n    y = ${expression}\n    return x + y\n`),
      ).not.toThrow();
    },
    20_000,
  );
});
