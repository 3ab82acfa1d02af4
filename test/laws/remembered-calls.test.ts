import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { describe, expect, test, vi } from 'vitest';

/**
 * A call that is answered from memory comes to what evaluating it again would: with and without a memory an engine says
 * the same of every file.
 */

const require = createRequire(import.meta.url);
const wasm = (path: string): Buffer => readFileSync(require.resolve(path));
const grammar = {
  core: wasm('web-tree-sitter/web-tree-sitter.wasm'),
  python: wasm('tree-sitter-python/tree-sitter-python.wasm'),
};

type Says = (text: string) => unknown;

async function engineSays(): Promise<Says> {
  vi.resetModules();
  const { check, createEngine, createParser, facts } = await import('../../engine/index.ts');
  const parser = await createParser(grammar);
  return (text) => {
    const engine = createEngine({ resolve: () => null, read: () => null }, parser);
    engine.update('a.py', text);
    const analysis = engine.analyze('a.py');
    return inOrder({ facts: facts(analysis), findings: check(analysis, {}) });
  };
}

/** Storages are numbered as they are made; what counts is which of them are one. */
function inOrder(said: object): unknown {
  const numbers = new Map<string, number>();
  const text = JSON.stringify(said).replaceAll(/"storage":"(\w+)"/g, (_, id: string) => {
    numbers.set(id, numbers.get(id) ?? numbers.size);
    return `"storage":"${numbers.get(id)}"`;
  });
  return JSON.parse(text);
}

vi.doUnmock('../../engine/evaluator/memo/memory.ts');
const remembering = await engineSays();
vi.doMock('../../engine/evaluator/memo/memory.ts', () => ({
  remembered: (...args: readonly unknown[]) => {
    const evaluate = args.at(-1);
    return typeof evaluate === 'function' ? evaluate() : undefined;
  },
}));
const forgetting = await engineSays();

describe('with and without a memory of calls the same is said', () => {
  const examples = new URL('../../examples/', import.meta.url);
  test.each(readdirSync(examples).filter((name) => name.endsWith('.py')))('of %s', (name) => {
    const text = readFileSync(new URL(name, examples), 'utf8');
    expect(remembering(text)).toEqual(forgetting(text));
  });

  const specs = new URL('../spec/', import.meta.url);
  const files = readdirSync(specs, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.md'));
  test.each(files)('of the programs of %s', (name) => {
    const markdown = readFileSync(new URL(name, specs), 'utf8');
    for (const [, code] of markdown.matchAll(/^```py[^\n]*\n(.*?)^```/gms)) {
      const text = `import torch\n${code}`;
      expect(remembering(text)).toEqual(forgetting(text));
    }
  });

  test.each<[string, string]>([
    [
      'layers that are alike and layers that are not',
      `class Layer(nn.Module):
    def __init__(self, a, b):
        super().__init__()
        self.fc = nn.Linear(a, b)
    def forward(self, x):
        return self.fc(x).transpose(1, 2)
class Net(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.one = Layer(d, d)
        self.two = Layer(d, d)
        self.more = Layer(d, 2 * d)
    def forward(self, x):
        # x: [B, T, d]
        y = self.one(x).transpose(1, 2)
        z = self.two(y).transpose(1, 2)
        return self.more(z), self.two(y.contiguous()), self.one(x[:, ::2])
`,
    ],
    [
      'functions that change what they are given',
      `def keep(xs, x):
    xs.append(x.t())
    x.t_()
    return xs
def f(a, b):
    # a: [N, M]  b: [K, L]
    xs = keep([], a)
    ys = keep([], b)
    keep(ys, torch.zeros(2, 3))
    return xs[0].view(-1), ys[0], ys[1], a.contiguous(), b
`,
    ],
    [
      'what one call finds out and another must not know',
      `def split(x, h):
    B, T, C = x.shape
    return x.view(B, T, h, C // h).transpose(1, 2)
def f(x, y, h):
    # x: [B, T, C]  y: [B, T, D]
    assert x.shape[2] % h == 0
    p = split(x, h)
    return p, split(y, h).reshape(-1), split(p.flatten(1, 2), h)
`,
    ],
    [
      'attributes, closures, defaults and recursion',
      `class A:
    def __init__(self, n):
        self.n = n
        self.cache = None
    def get(self, x):
        if self.cache is None:
            self.cache = x.new_zeros(self.n, 3)
        return self.cache
def outer(n):
    def inner(x, k=2):
        return x.expand(n, *x.shape) if k == 2 else x
    return inner
def down(x, n):
    return x if n == 0 else down(x.t(), n - 1)
def f(x, n):
    # x: [P, Q]
    a, b = A(4), A(n)
    first = a.get(x)
    again = a.get(x)
    return first, again, b.get(x), outer(3)(x), outer(n)(x), outer(3)(x, 1), down(x, 1), down(x, 2)
`,
    ],
    [
      'a setting of the program that one function tests',
      `from settings import cfg
def make():
    return torch.zeros(cfg.n, 4).t()
def f():
    if cfg.n == 5:
        return make()
def g():
    return make(), make()
`,
    ],
    [
      'names of the top level that change while it runs',
      `size = 2
kept = []
class Layer(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.fc = nn.Linear(n, size)
    def forward(self, x):
        return self.fc(x).view(-1, size)
def make(n):
    return torch.zeros(n, size)
def wrapped(n):
    return make(n).t()
def through(layer, x):
    y = x + 1
    return layer(y - 1)
def keep(x):
    kept.append(x)
    return kept[0]
def grow():
    global size
    size = size + 1
    return torch.zeros(size)
first, again = make(3), make(3)
one = Layer(4)
a = one(torch.zeros(3, 4))
p = through(one, torch.zeros(5, 4))
size = 5
q = through(one, torch.zeros(5, 4))
third, turned = make(3), wrapped(3)
b = one(torch.zeros(3, 4))
two = Layer(4)
c = two(torch.zeros(3, 4))
for i in range(len(first)):
    size = size + 1
    d = make(3)
    e = wrapped(3)
g, h = grow(), grow()
k = keep(first[0])
m = keep(a)
make = wrapped
n = make(3)
`,
    ],
  ])('of %s', (_, code) => {
    const text = `import torch\nfrom torch import nn\n${code}`;
    expect(remembering(text)).toEqual(forgetting(text));
  });
});
