import { describe, expect, test } from 'vitest';
import { askEverything } from './engine.ts';

const PROGRAM = `import torch

class Net(torch.nn.Module):
    def __init__(self, heads):
        super().__init__()
        self.heads = heads

    def forward(self, x):
        B, T, C = x.shape
        y = x.view(B, T, self.heads, C // self.heads).transpose(1, 2)
        for i in range(3):
            y = y + i
        return y.reshape(B, T, C)
`;

describe('odd text is analysed without a throw', () => {
  test.each<[string, string]>([
    ['nothing', ''],
    ['one newline', '\n'],
    ['only blanks', ' \t \f \n\n'],
    ['a NUL byte', 'import torch\nx = torch.zeros(2)\0\ny = x.t()\n'],
    ['NUL bytes alone', '\0\0\0'],
    ['a byte order mark', `\uFEFF${PROGRAM}`],
    ['a lone high surrogate', 'x = "\uD800"\nimport torch\ny = torch.zeros(2).view(3)\n'],
    ['a lone low surrogate in a comment', '# \uDC00\nimport torch\ny = torch.zeros(2)\n'],
    ['astral names', '𝐱 = 1\nimport torch\n𝒚 = torch.zeros(𝐱)\n'],
    ['Windows line ends', PROGRAM.replaceAll('\n', '\r\n')],
    ['old Mac line ends', PROGRAM.replaceAll('\n', '\r')],
    ['mixed line ends', PROGRAM.replace('\n', '\r\n').replace('\n    ', '\r    ')],
    ['form feeds and vertical tabs', PROGRAM.replaceAll('\n\n', '\n\f\v\n')],
    ['no newline at the end', PROGRAM.trimEnd()],
    ['tabs', PROGRAM.replaceAll('    ', '\t')],
    ['line separators', 'import torch\u2028x = torch.zeros(2)\u2029y = x\u0085\n'],
    ['binary data', Array.from({ length: 2000 }, (_, i) => String.fromCharCode((i * 7919) % 256)).join('')],
    ['a merge conflict', `<<<<<<< ours\n${PROGRAM}=======\n${PROGRAM}>>>>>>> theirs\n`],
    ['Python 2', 'import torch\nprint torch.zeros(2)\nexec "x"\n'],
    [
      'more of Python 2',
      'from __future__ import print_function\ntry:\n    x = 0777L\nexcept ValueError, e:\n    raise E, "no", tb\nprint >>f, `x`, ur"a" <> u"b"\ndef f((a, b), c):\n    return a\n',
    ],
    [
      'a notebook saved as .py',
      '# coding: utf-8\n\n# # Title\n\n# In[1]:\n\nget_ipython().run_line_magic("matplotlib", "inline")\n%matplotlib inline\n!pip install torch\n?torch.zeros\nimport torch\n\n# %% [markdown]\n# words\n\n# In[ ]:\n\nx = torch.zeros(2, 3)\nx.view(7)\nx?\n',
    ],
    [
      'half of it gone',
      PROGRAM.split('\n')
        .filter((_, n) => n % 2 === 0)
        .join('\n'),
    ],
    [
      'half of each line gone',
      PROGRAM.split('\n')
        .map((line) => line.slice(0, line.length / 2))
        .join('\n'),
    ],
    ['the letters of a program alone', PROGRAM.replaceAll(/\W/g, '')],
    ['the signs of a program alone', PROGRAM.replaceAll(/\w/g, '')],
    ['a string that does not end', 'import torch\nx = """abc\ny = torch.zeros(2)\n'],
    ['a backslash at the end', 'import torch\nx = torch.zeros(2) + \\'],
    ['line continuations', 'import torch\nx = \\\n  torch \\\n  .zeros(2, \\\n 3)\nx.view(7)\n'],
    ['semicolons', 'import torch; x = torch.zeros(2, 3); x.view(7); y = x.t();;\n'],
  ])('%s', (_, text) => {
    expect(() => askEverything(text)).not.toThrow();
  });
});

describe('half-typed code costs a line', () => {
  test('cut off at every place', () => {
    for (let end = 0; end <= PROGRAM.length; end += 3) expect(() => askEverything(PROGRAM.slice(0, end))).not.toThrow();
  });

  test('with a piece missing', () => {
    for (let at = 0; at < PROGRAM.length; at += 17) {
      expect(() => askEverything(PROGRAM.slice(0, at) + PROGRAM.slice(at + 9))).not.toThrow();
    }
  });

  test.each([
    'y = x.',
    'y = x.view(',
    'y = x.view(2,',
    'y = x[',
    'y = x[:, ',
    'def',
    'def f(',
    'class',
    'for i in',
    'x +=',
    'from torch import',
    'lambda',
    'y = x.view(2, 3))',
    'return',
    'if x',
    'y = (x',
    'with torch.no_grad(',
    'x @',
    '@',
    'y = f"{x',
    'y = [x for',
    '*',
    'del',
    'del x[',
    'global',
    'match x:',
  ])('%s', (line) => {
    const text = `import torch\nx = torch.zeros(2, 3)\n${line}\nx.view(7)\n`;
    expect(() => askEverything(text)).not.toThrow();
    expect(() => askEverything(`${PROGRAM}        ${line}\n`)).not.toThrow();
  });

  test('what stands around the broken line is still analysed', () => {
    const { findings } = askEverything('import torch\nx = torch.zeros(2, 3)\ny = x.\nx.view(7)\n');
    expect(findings).toBeGreaterThan(0);
  });
});
