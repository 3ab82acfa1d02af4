import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { describe, expect, test } from 'vitest';
import { check, createEngine, createParser, type Engine, facts, hover } from '../../engine/index.ts';
import { parse, reparse } from '../../engine/syntax/index.ts';
import { chanceOf } from '../fuzz/chance.ts';
import { mutated } from '../fuzz/text/mutate.ts';

/** After any edit an engine says the same of a file as one that has never seen another text of it. */

const require = createRequire(import.meta.url);
const wasm = (path: string): Buffer => readFileSync(require.resolve(path));
const parser = await createParser({
  core: wasm('web-tree-sitter/web-tree-sitter.wasm'),
  python: wasm('tree-sitter-python/tree-sitter-python.wasm'),
});

const engineOf = (files: Readonly<Record<string, string>>): Engine =>
  createEngine(
    {
      resolve: (module) => (`${module}.py` in files ? `${module}.py` : null),
      read: (path) => files[path] ?? null,
    },
    parser,
  );

function says(engine: Engine, path: string, text: string): unknown {
  engine.update(path, text);
  const analysis = engine.analyze(path);
  const [findings, rows] = [check(analysis, {}), facts(analysis)];
  const cards = Array.from({ length: 12 }, (_, i) => hover(analysis, Math.floor((text.length * i) / 12)));
  const { problems, comments } = analysis.module;
  return JSON.parse(JSON.stringify({ findings, rows, cards, problems, comments, truncated: analysis.truncated }));
}

function follows(path: string, text: string, files: Readonly<Record<string, string>>, edits: number): void {
  const engine = engineOf(files);
  const before = says(engine, path, text);
  let current = text;
  for (let seed = 0; seed < edits; seed++) {
    // Now and then several edits come one upon another before they are undone.
    const edited = mutated(seed % 3 === 2 ? current : text, chanceOf(seed), 1);
    expect(says(engine, path, edited), `after edit ${seed}`).toEqual(says(engineOf(files), path, edited));
    current = edited;
    if (seed % 3 !== 1) continue;
    expect(says(engine, path, text), `after edit ${seed} was undone`).toEqual(before);
    current = text;
  }
}

const MODEL = readFileSync(new URL('./edited-model.py', import.meta.url), 'utf8');

describe('after edits one upon another', () => {
  const examples = new URL('../../examples/', import.meta.url);
  test.each(readdirSync(examples).filter((name) => name.endsWith('.py')))('of %s', (name) => {
    follows(name, readFileSync(new URL(name, examples), 'utf8'), {}, 6);
  });

  test('of a model with helpers, tables and entry points', () => {
    follows('model.py', MODEL, {}, 15);
  }, 180_000);

  test('of a file that another imports from, which it imports itself', () => {
    const other = 'from model import Attention, HEADS\n\ndef make(dim):\n    return Attention(dim, HEADS)\n';
    follows(
      'model.py',
      `${MODEL}\n\ndef made(x):\n    from other import make\n    return make(64)(x)\n`,
      { 'other.py': other },
      20,
    );
  });
});

test('an edit that is undone finds what was found before', () => {
  const engine = engineOf({});
  const analysed = (text: string) => {
    engine.update('model.py', text);
    return engine.analyze('model.py');
  };
  const before = analysed(MODEL);
  const after = analysed(MODEL.replace('HEADS = 8', 'HEADS = 4'));
  expect(after).not.toBe(before);
  expect(analysed(MODEL)).toBe(before);
  expect(analysed(after.text)).toBe(after);
});

test('comments, docstrings and blank lines move what is said, and change nothing of it', () => {
  const engine = engineOf({});
  says(engine, 'model.py', MODEL);
  const lines = MODEL.split('\n');
  for (let at = 3; at < lines.length; at += 11) {
    const typed = [`${lines[at]}  # a word`, `# a word\n${lines[at]}`, `\n${lines[at]}`][at % 3] ?? '';
    const edited = [...lines.slice(0, at), typed, ...lines.slice(at + 1)].join('\n');
    expect(says(engine, 'model.py', edited), `line ${at + 1}`).toEqual(says(engineOf({}), 'model.py', edited));
  }
  const told = MODEL.replaceAll(
    'def forward(self, x):',
    'def forward(self, x):\n        """Of `x` (Tensor): of shape (b, n, c)."""',
  );
  for (const text of [told, told.replaceAll('Of `x`', 'Of an `x`'), told.replaceAll('(b, n, c)', '(b, c)')])
    expect(says(engine, 'model.py', text)).toEqual(says(engineOf({}), 'model.py', text));
}, 180_000);

describe('a statement of the top level that is another now', () => {
  const text = `import torch

SIZE = 2
MADE = []


def kept(f):
    MADE.append(f)
    return f


class Base:
    width = SIZE


@kept
def first(x, n=SIZE):
    return x.reshape(n, -1)


SIZE = 3
double = lambda x: torch.cat([x, x])


def second(x, n=SIZE):
    return double(torch.zeros(n, Base.width))


@kept
def third(x):
    return [f(torch.zeros(6, len(MADE))) for f in MADE]


TABLE = {'a': SIZE}
TABLE['b'] = len(MADE)


def last(x):
    return torch.zeros(TABLE['a'], TABLE['b'], double(x).ndim)
`;
  const edits: readonly (readonly [string, string])[] = [
    ['reshape(n, -1)', 'reshape(-1, n)'],
    ['return double(', 'return 1 * double('],
    ['Base.width))', 'Base.width + 1))'],
    ['width = SIZE', 'width = 7'],
    ['[x, x]', '[x, x, x]'],
    ["{'a': SIZE}", "{'a': 5}"],
    ['def third', 'def renamed'],
    ['n=SIZE):\n    return double', 'n=4):\n    return double'],
    ['SIZE = 3\n', '# a word\nSIZE = 3\n'],
    ['SIZE = 3\n', ''],
    ['\n\ndef last', '\nTABLE = None\n\n\ndef last'],
    ['    return f\n', '    return f\n\n\nraise SystemExit\n'],
  ];
  test.each(edits)('%j -> %j', (from, to) => {
    const engine = engineOf({});
    says(engine, 'a.py', text);
    for (const edited of [text.replace(from, to), text.replace('x, x', 'x,  x'), text.replace(from, to), text])
      expect(says(engine, 'a.py', edited)).toEqual(says(engineOf({}), 'a.py', edited));
  });
});

test('a file is analysed again when one that it imports has changed', () => {
  const engine = engineOf({ 'sizes.py': 'N = 4\n' });
  const text = 'import torch\nfrom sizes import N\n\ndef f():\n    return torch.zeros(N)\n';
  says(engine, 'a.py', text);
  engine.update('sizes.py', 'N = 5\n');
  expect(says(engine, 'a.py', text)).toEqual(says(engineOf({ 'sizes.py': 'N = 5\n' }), 'a.py', text));
});

test('an analysis in slices comes to the same, and one that is dropped leaves no trace', () => {
  const engine = engineOf({});
  engine.update('model.py', MODEL);
  const dropped = engine.slices('model.py');
  for (let slice = 0; slice < 5; slice++) expect(dropped.next().done).toBe(false);
  const edited = MODEL.replace('HEADS = 8', 'HEADS = 4');
  const wanted = says(engineOf({}), 'model.py', edited);
  expect(says(engine, 'model.py', edited)).toEqual(wanted);
  // It goes on although nobody should want it any more.
  while (!dropped.next().done);
  expect(says(engine, 'model.py', edited)).toEqual(wanted);
});

describe('a text is parsed from the one before', () => {
  const lines = MODEL.split('\n');
  const edits: readonly (readonly [string, (text: string) => string])[] = [
    ['a bracket opened at the end', (text) => `${text}\nx = foo(`],
    ['a decorator that loses its function', (text) => text.replace('@register\n', '@register\n\n\n@\n')],
    ['a string opened in the middle', (text) => text.replace('def block', '"""\ndef block')],
    ['an else at the start of a statement', (text) => text.replace('def block', 'else:\n    pass\n\n\ndef block')],
    ['a statement indented into the one above', (text) => text.replace('HEADS = ', '    HEADS = ')],
    ['a backslash before a statement', (text) => text.replace('\n\nHEADS = ', '\n\\\nHEADS = ')],
    ['everything gone', () => ''],
    ['everything new', (text) => lines.toReversed().join('\n') + text],
  ];
  test.each(edits)('%s', (_, edit) => {
    const edited = edit(MODEL);
    expect(edited).not.toBe(MODEL);
    const before = { text: MODEL, module: parse(parser, MODEL) };
    const after = { text: edited, module: reparse(parser, before, edited) };
    expect(after.module).toEqual(parse(parser, edited));
    expect(reparse(parser, after, MODEL)).toEqual(before.module);
  });

  test('and what no edit has touched is the same', () => {
    const before = { text: MODEL, module: parse(parser, MODEL) };
    const module = reparse(parser, before, MODEL.replace('HEADS = 8', 'HEADS = 16'));
    const bodies = module.body.flatMap((each) => (each.kind === 'FunctionDef' ? [each.body] : []));
    expect(bodies.length).toBeGreaterThan(2);
    for (const [index, body] of before.module.body.filter((each) => each.kind === 'FunctionDef').entries())
      expect(bodies[index]).toBe(body.body);
  });
});
