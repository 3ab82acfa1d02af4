import { describe, expect, test } from 'vitest';
import {
  directivesOf,
  enclosingFunctions,
  lineStarts,
  locate,
  lspPosition,
  offsetOfLsp,
  offsetOfPython,
  pythonPosition,
} from '../../engine/syntax/index.ts';
import { read } from './parser.ts';

describe('positions', () => {
  const text = '\uFEFFé = 1\r\n🐍x = "ü"\ry\n';
  const starts = lineStarts(text);
  test('three kinds of line ends', () => {
    expect(starts).toEqual([0, 8, 18, 20]);
    expect(lineStarts('a\nb')).toEqual([0, 2]);
    expect(lineStarts('')).toEqual([0]);
  });
  test('Python counts bytes, and no byte-order mark', () => {
    expect(pythonPosition(text, starts, 1)).toEqual({ line: 1, column: 0 });
    expect(pythonPosition(text, starts, 2)).toEqual({ line: 1, column: 2 });
    expect(pythonPosition(text, starts, 10)).toEqual({ line: 2, column: 4 });
    expect(pythonPosition(text, starts, 16)).toEqual({ line: 2, column: 11 });
  });
  test('LSP counts UTF-16 units', () => {
    expect(lspPosition(starts, 10)).toEqual({ line: 1, character: 2 });
    expect(offsetOfLsp(text, starts, { line: 1, character: 2 })).toBe(10);
    expect(offsetOfLsp(text, starts, { line: 9, character: 0 })).toBe(text.length);
  });
  test('there and back', () => {
    for (let offset = 1; offset <= text.length; offset++) {
      if (text.charCodeAt(offset - 1) === 0xd83d) continue;
      expect(offsetOfLsp(text, starts, lspPosition(starts, offset))).toBe(offset);
      expect(offsetOfPython(text, starts, pythonPosition(text, starts, offset))).toBe(offset);
    }
  });
});

describe('frames', () => {
  const text =
    '@deco\nclass A:\n    @prop(1)\n    async def f(self, x=1):\n        def g(y): return y + x\n        return g\n';
  const at = (needle: string): number => text.indexOf(needle);
  const path = (offset: number) => locate(read(text), offset);
  test('an edit above a function leaves its tree as it was', () => {
    const body = (source: string) => {
      const [node] = read(source).body;
      return node?.kind === 'ClassDef' && node.body[0]?.kind === 'FunctionDef' ? node.body[0] : null;
    };
    const before = body(text);
    const after = body(`# a comment\n\n${text}`);
    expect(before?.start).toBe(at('async'));
    expect(after?.start).toBe(at('async') + 13);
    expect(after?.body).toEqual(before?.body);
    expect(after?.args).toEqual(before?.args);
  });
  test('the path to an offset, with the base of each frame', () => {
    const found = path(at('y + x'));
    expect(found.map(({ node }) => ('kind' in node ? node.kind : node.name))).toEqual([
      'ClassDef',
      'FunctionDef',
      'FunctionDef',
      'Return',
      'BinOp',
      'Name',
    ]);
    for (const { node, base } of found) expect(text.slice(node.start + base, node.end + base)).toContain('y');
    expect(enclosingFunctions(found).map((each) => [each.node.name, each.base])).toEqual([
      ['f', at('async')],
      ['g', at('def g')],
    ]);
  });
  test('parameters, defaults and decorators', () => {
    expect(path(at('x=1')).at(-1)).toMatchObject({ is: 'parameter', node: { name: 'x' } });
    expect(path(at('1)')).map(({ is }) => is)).toEqual(['statement', 'statement', 'expression', 'expression']);
    expect(path(at('=1') + 1).at(-1)).toMatchObject({ is: 'expression', node: { kind: 'Constant' } });
    expect(path(at('deco')).at(-1)).toMatchObject({ node: { kind: 'Name', id: 'deco' } });
    expect(path(text.length + 5)).toEqual([]);
  });
  test('the end of a name still belongs to it', () => {
    expect(path(at('return g') + 8).at(-1)).toMatchObject({ node: { kind: 'Name', id: 'g' } });
  });
});

describe('comments and directives', () => {
  test('a comment knows its line and whether it stands alone', () => {
    const { comments } = read('# one\nx = 1  # two\r\n  #three \r# four');
    expect(comments.map(({ text, line, ownLine }) => [text, line, ownLine])).toEqual([
      [' one', 0, true],
      [' two', 1, false],
      ['three', 2, true],
      [' four', 3, true],
    ]);
  });
  const directives = (text: string) => directivesOf(read(text).comments);
  test('each rule has its place', () => {
    const text =
      'x  # why  # stridelint: ignore[hidden-copy, lost-write]  # so\n# stridelint:file-ignore[ unsafe-load ]\n';
    const { directives: found, problems } = directives(text);
    expect(problems).toEqual([]);
    expect(found.map(({ scope, line, rules }) => [scope, line, rules.map((rule) => rule.name)])).toEqual([
      ['line', 0, ['hidden-copy', 'lost-write']],
      ['file', 1, ['unsafe-load']],
    ]);
    for (const rule of found.flatMap((each) => each.rules)) expect(text.slice(rule.start, rule.end)).toBe(rule.name);
    expect(found.map((each) => text.slice(each.start, each.end))).toEqual([
      'stridelint: ignore[hidden-copy, lost-write]',
      'stridelint:file-ignore[ unsafe-load ]',
    ]);
  });
  test.each(['ignore', 'ignore[]', 'ignore[a', 'ignore[A b]', 'ignores[a]', 'off', ''])('malformed: %s', (text) => {
    const { directives: found, problems } = directives(`x  # stridelint: ${text}\n`);
    expect(found).toEqual([]);
    expect(problems.length).toBe(1);
  });
  test('prose about the tool is none', () => {
    expect(directives('# as stridelint: says\n')).toEqual({ directives: [], problems: [] });
  });
});
