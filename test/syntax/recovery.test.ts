import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { outline } from './outline.ts';
import { read } from './parser.ts';

/** Each row: what is typed so far, and what is left of it. */
const HALF_TYPED: readonly (readonly [string, string, string])[] = [
  ['an attribute', 'x.\ny = 2\n', 'BAD; y = 2'],
  ['a call', 'foo(\ny = 2\n', 'BAD; y = 2'],
  ['a call whose arguments stand below', 'y = foo(\n    a,\n    b\nz = 1\n', 'BAD; z = 1'],
  ['an assignment', 'x =\ny = 2\n', 'BAD; y = 2'],
  ['an operator', 'x = 1 +\ny = 2\n', 'BAD; y = 2'],
  ['an import', 'import\nfrom x import\nimport torch\n', 'BAD; BAD; import torch'],
  ['a string', 'x = "abc\ny = 1\n', 'BAD; y = 1'],
  ['an f-string', 'f"{x"\ny = 1\n', 'BAD; y = 1'],
  ['a decorator', '@torch.\ndef f(): pass\n', 'def f(){pass}'],
  [
    'a definition',
    'def g():\n  return 1\n\ndef f(\n\ndef h():\n  return 2\n',
    'def g(){return 1}; BAD; def h(){return 2}',
  ],
  [
    'a parameter list over its body',
    'def f(self, x, mask=\n  y = x\n  return y\nz = 1\n',
    'def f(self, x){y = x; return y}; z = 1',
  ],
  ['a definition without its colon', 'def f(x, y)\n  return 1\n', 'def f(x, y){return 1}'],
  ['a class with its bases', 'class A(B:\n  def m(self): return 1\n', 'class A(){def m(self){return 1}}'],
  ['a condition over its block', 'if x.:\n  y = 1\nelse:\n  z = 1\n', 'if BAD{y = 1} else{z = 1}'],
  ['a loop over its block', 'for i in :\n  a = i\nelse:\n  b\n', 'while BAD{a = i} else{b}'],
  ['a try without its colon', 'try\n  a = 1\nexcept E:\n  b\n', 'try{a = 1} except E{b}'],
  [
    'a case',
    'match x:\n  case 1: pass\n  case :\n    y\n  case _: z\n',
    'match x{case 1{pass}; case{y}; case always{z}}',
  ],
  ['a docstring', 'def f():\n  """\n  x = 1\n', 'def f(){BAD; x = 1}'],
  [
    'a docstring before another',
    'def f():\n  """\n  x = 1\n\ndef g():\n  """Doc."""\n  return 1\n',
    'def f(){BAD; x = 1}; def g(){str "Doc."; return 1}',
  ],
  [
    'lines in several methods',
    'class C:\n  def a(self):\n    return 1\n  def b(self, x):\n    y = x.\n    return y\n  def c(self):\n    return [1,\n  def d(self): pass\n',
    'class C(){def a(self){return 1}; def b(self, x){BAD; return y}; def c(self){BAD}; def d(self){pass}}',
  ],
];

describe('half-typed code costs its line', () => {
  for (const [what, text, left] of HALF_TYPED) {
    test(what, () => {
      const module = read(text);
      expect(outline(module)).toBe(left);
      expect(module.problems.length).toBeGreaterThan(0);
    });
  }
});

describe('wrong structure loses no statements', () => {
  test.each([
    ['a stray indentation', 'x = 1\n    y = 2\nz = 3 +\n', 'x = 1; y = 2; BAD'],
    [
      'an indentation that fits no block',
      'def f(x):\n    if x:\n      a = 1\n     b = 2\n    return a b\n',
      'def f(x){if x{a = 1; b = 2}; BAD}',
    ],
    [
      'a first line that is too deep',
      'class A:\n        x.\n    def f(self):\n        pass\n',
      'class A(){BAD; def f(self){pass}}',
    ],
    ['an else of nothing', 'else:\n  x = 1\ny = 2\n', 'if BAD{x = 1}; y = 2'],
    ['a block that is not there yet', 'def f():\nx = 1 +\ny = 2\n', 'def f(){BAD}; y = 2'],
    ['a bracket too many', 'x = 1)\ny = [1}\nz = 1\n', 'BAD; BAD; z = 1'],
    [
      'continuations that are indented less than their line',
      'def f():\n    (a.\n  b)\n    return a b\n',
      'def f(){a.b; BAD}',
    ],
  ])('%s', (_, text, left) => {
    expect(outline(read(text))).toBe(left);
  });
});

test('a line that is lost keeps its place', () => {
  const text = 'def f(x):\n    a = 1\n    b = x.\n    return a\n';
  const [definition] = read(text).body;
  if (definition?.kind !== 'FunctionDef') throw new Error('no function');
  const places = definition.body.map((each) => text.slice(each.start + definition.start, each.end + definition.start));
  expect(places).toEqual(['a = 1', 'b = x.', 'return a']);
  expect(definition.body[1]?.kind).toBe('BadStatement');
});

test('Python 2 is read around', () => {
  const text = 'print "a"\nexec "b"\nprint >>f, x\n`a`\nraise E, "x"\ntry: pass\nexcept E, e: pass\nx <> 0777L\n';
  expect(outline(read(text))).toBe('BAD; BAD; BAD; BAD; raise E; try{pass} except E as e{pass}; (x != 777)');
});

test('characters that are none cost their line, and none in strings and comments', () => {
  expect(outline(read('x = 0\0\ny = 1\n'))).toBe('BAD; y = 1');
  expect(outline(read('x = \ud800\ny = 1  # \udc00\n'))).toBe('BAD; y = 1');
  expect(read('x = "\ud800"  # \0\n').problems).toEqual([]);
});

test('files with nothing in them', () => {
  for (const text of ['', '\n', '\r', '\uFEFF', '   ', '\f', '#', '\\', '\0'])
    expect(read(text).body.length).toBeLessThan(2);
});

describe('depth', () => {
  const nested = (open: string, close: string, times: number) =>
    `x = ${open.repeat(times)}1${close.repeat(times)}\ny = 2\n`;
  test('parentheses cost none', () => {
    expect(outline(read(nested('(', ')', 5000)))).toBe('x = 1; y = 2');
  });
  test.each([
    ['lists', nested('[', ']', 5000)],
    ['calls in arguments', nested('f(', ')', 3000)],
    ['operators', `x = ${'1 + '.repeat(3000)}1\ny = 2\n`],
    ['powers', `x = ${'2 ** '.repeat(3000)}1\ny = 2\n`],
    ['bits', `x = ${'a & b ^ '.repeat(3000)}1\ny = 2\n`],
    ['attributes', `x = a${'.b'.repeat(3000)}\ny = 2\n`],
    ['calls of calls', `x = a${'()'.repeat(3000)}\ny = 2\n`],
    ['negations', `x = ${'not '.repeat(3000)}1\ny = 2\n`],
    ['conditions', `x = ${'1 if a else '.repeat(3000)}1\ny = 2\n`],
    ['lambdas', `x = ${'lambda: '.repeat(3000)}1\ny = 2\n`],
  ])('%s are cut where they are too deep', (_, text) => {
    const [first, second] = read(text).body;
    expect(first?.kind).toBe('Assign');
    expect(JSON.stringify(first)).toContain('BadExpression');
    expect(second?.kind).toBe('Assign');
  });
  test('and long rows are not deep', () => {
    const [first, second] = read(`x = ${'a and '.repeat(3000)}b\ny = ${'a < '.repeat(3000)}b\n`).body;
    if (first?.kind !== 'Assign' || first.value.kind !== 'BoolOp') throw new Error('no BoolOp');
    if (second?.kind !== 'Assign' || second.value.kind !== 'Compare') throw new Error('no Compare');
    expect(first.value.values.length).toBe(3001);
    expect(second.value.comparators.length).toBe(3000);
  });
  test('an elif chain is whole', () => {
    let [at] = read(`if a: pass\n${'elif b: pass\n'.repeat(2000)}else: x = 1\n`).body;
    let count = 0;
    for (; at?.kind === 'If'; at = at.orelse[0]) count++;
    expect(count).toBe(2001);
    expect(at?.kind).toBe('Assign');
  });
  test('blocks in blocks', () => {
    const text = Array.from({ length: 600 }, (_, depth) => `${' '.repeat(depth)}if a:`).join('\n');
    expect(read(`${text}\n${' '.repeat(600)}b\nc\n`).body.at(-1)?.kind).toBe('Expr');
  });
});

test('no edit of a file makes parsing throw, or loses what stands far away', () => {
  const text = readFileSync(new URL('oracle/sample.py', import.meta.url), 'utf8');
  const pieces = [
    '(',
    ')',
    '[',
    '{',
    '"',
    "'",
    '"""',
    '\n',
    ':',
    ',',
    '.',
    '=',
    'def ',
    'else:',
    '\\',
    '\t',
    '\r',
    '\0',
    '\ud800',
    'f"{',
  ];
  const edit = fc.record({ at: fc.nat(text.length), cut: fc.nat(6), piece: fc.constantFrom('', ...pieces) });
  fc.assert(
    fc.property(edit, ({ at, cut, piece }) => {
      const module = read(text.slice(0, at) + piece + text.slice(at + cut));
      outline(module);
      return module.body.length > 20;
    }),
    { numRuns: 80 },
  );
});
