import { readdirSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { dirname, join, posix, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

/** A room imports only rooms further down. */
const ORDER = [
  'client',
  'server',
  'engine/index.ts',
  'engine/editor',
  'engine/rules',
  'engine/evaluator',
  'engine/syntax',
  'engine/modules',
  'engine/ops',
  'engine/values',
  'engine/memory',
  'engine/tensor',
  'engine/symbols',
];

const FORBIDDEN_FOLDERS = ['src', 'lib', 'utils', 'common', 'helpers', 'misc'];
const NOT_OURS = ['node_modules', 'dist', '.git', '.cache', '.venv', '.vscode-test'];
const MOST_LINES = 400;

interface SourceFile {
  readonly path: string;
  readonly text: string;
}

interface Import {
  readonly from: string;
  readonly to: string;
}

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const paths = pathsUnder(root);
const sources: readonly SourceFile[] = paths
  .filter((path) => /\.[cm]?tsx?$/.test(path))
  .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));
const shipped = sources.filter(({ path }) => /^(client|server|engine)\//.test(path));
const imports = shipped.flatMap(importsOf);

describe('rooms', () => {
  test('every room of the engine has a place in the order', () => {
    const rooms = new Set(shipped.map(({ path }) => roomOf(path)));
    expect([...rooms].filter((room) => !ORDER.includes(room))).toEqual([]);
  });

  test('a room imports only rooms further down', () => {
    const upward = imports.filter(
      ({ from, to }) => isOurs(to) && ORDER.indexOf(roomOf(to)) < ORDER.indexOf(roomOf(from)),
    );
    expect(upward.map(inWords)).toEqual([]);
  });

  test('engine/index.ts is the only door to the engine', () => {
    const around = imports.filter(({ from, to }) => !from.startsWith('engine/') && to.startsWith('engine/'));
    expect(around.filter(({ to }) => to !== 'engine/index.ts').map(inWords)).toEqual([]);
  });

  test('the client talks to the server over the protocol alone', () => {
    const direct = imports.filter(({ from, to }) => from.startsWith('client/') && /^(engine|server)\//.test(to));
    expect(direct.map(inWords)).toEqual([]);
  });

  test('only the client knows vscode', () => {
    const editors = imports.filter(({ from, to }) => !from.startsWith('client/') && to === 'vscode');
    expect(editors.map(inWords)).toEqual([]);
  });

  test('the engine needs neither Node nor an editor protocol', () => {
    const outside = imports.filter(({ from, to }) => from.startsWith('engine/') && isHostModule(to));
    expect(outside.map(inWords)).toEqual([]);
  });

  test('the engine reads no clock and no process', () => {
    const host = /\b(?:process\.|Date\.now|performance\.now|new Date\b|setTimeout|require\()/;
    expect(
      shipped
        .filter(({ path, text }) => path.startsWith('engine/') && host.test(withoutComments(text)))
        .map(({ path }) => path),
    ).toEqual([]);
  });
});

describe('files', () => {
  test(`none is longer than ${MOST_LINES} lines`, () => {
    const long = sources.map(({ path, text }) => ({ path, lines: text.split('\n').length - 1 }));
    expect(long.filter(({ lines }) => lines > MOST_LINES)).toEqual([]);
  });

  test('no folder is named after what is left over', () => {
    expect(
      paths.filter((path) =>
        path
          .split('/')
          .slice(0, -1)
          .some((folder) => FORBIDDEN_FOLDERS.includes(folder)),
      ),
    ).toEqual([]);
  });
});

describe('the check itself', () => {
  test('finds imports in every form', () => {
    const text = [
      "import { a } from '../symbols/index.ts';",
      "export type { B } from './b.ts';",
      "import 'node:fs';",
      "const c = await import('vscode');",
      "import type {\n  D,\n} from '../../server/d.ts';",
    ].join('\n');
    expect(importsOf({ path: 'engine/tensor/x.ts', text }).map(({ to }) => to)).toEqual([
      'engine/symbols/index.ts',
      'engine/tensor/b.ts',
      'node:fs',
      'vscode',
      'server/d.ts',
    ]);
  });

  test('knows the room of a file', () => {
    expect(
      ['engine/index.ts', 'engine/ops/table/views.ts', 'server/main.ts', 'client/extension.ts'].map(roomOf),
    ).toEqual(['engine/index.ts', 'engine/ops', 'server', 'client']);
  });
});

function pathsUnder(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (NOT_OURS.includes(entry.name)) return [];
    const path = join(folder, entry.name);
    return entry.isDirectory() ? pathsUnder(path) : [relative(root, path).split(sep).join('/')];
  });
}

/** Relative imports as paths from the root, packages by name. */
function importsOf({ path, text }: SourceFile): readonly Import[] {
  const found = withoutComments(text).matchAll(/(?:\bfrom|\bimport|\bimport\s*\()\s*(['"])([^'"\n]+)\1/g);
  return [...found].map(([, , target = '']) => ({
    from: path,
    to: target.startsWith('.') ? posix.normalize(posix.join(posix.dirname(path), target)) : target,
  }));
}

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '');
}

function roomOf(path: string): string {
  const [top = '', room = ''] = path.split('/');
  return top === 'engine' ? `engine/${room}` : top;
}

const isOurs = (target: string): boolean => /^(client|server|engine)\//.test(target);

function isHostModule(target: string): boolean {
  return target.startsWith('node:') || builtinModules.includes(target) || /^vscode(-|$)/.test(target);
}

const inWords = ({ from, to }: Import): string => `${from} imports ${to}`;
