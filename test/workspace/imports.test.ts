import path from 'node:path';
import { expect, test } from 'vitest';
import type { Disk } from '../../server/workspace/disk.ts';
import { createImports } from '../../server/workspace/imports.ts';

/** A disk that holds these files, all of them empty. */
function diskOf(...files: readonly string[]): Disk {
  const folders = new Set(files.flatMap((file) => file.split('/').map((_, i, parts) => parts.slice(0, i).join('/'))));
  return {
    read: () => new Uint8Array(),
    size: () => 0,
    kind: (file) => (files.includes(file) ? 'file' : folders.has(file) ? 'folder' : null),
    list: () => [],
  };
}

const resolverOf = (files: readonly string[], folders: readonly string[] = ['/ws']) =>
  createImports(diskOf(...files), () => folders).resolve;

test('relative imports count dots from the package of the importing file', () => {
  const resolve = resolverOf(['/ws/p/__init__.py', '/ws/p/a.py', '/ws/p/b.py', '/ws/p/q/__init__.py', '/ws/p/q/c.py']);
  expect(resolve('b', 1, '/ws/p/a.py')).toBe('/ws/p/b.py');
  expect(resolve('', 1, '/ws/p/a.py')).toBe('/ws/p/__init__.py');
  expect(resolve('q.c', 1, '/ws/p/__init__.py')).toBe('/ws/p/q/c.py');
  expect(resolve('b', 2, '/ws/p/q/c.py')).toBe('/ws/p/b.py');
  expect(resolve('', 2, '/ws/p/q/c.py')).toBe('/ws/p/__init__.py');
  expect(resolve('nothing', 1, '/ws/p/a.py')).toBeNull();
});

test('absolute imports start beside the outermost package', () => {
  const resolve = resolverOf(['/ws/p/__init__.py', '/ws/p/q/__init__.py', '/ws/p/q/c.py', '/ws/p/b.py', '/ws/top.py']);
  expect(resolve('p.b', 0, '/ws/p/q/c.py')).toBe('/ws/p/b.py');
  expect(resolve('p.q', 0, '/ws/p/q/c.py')).toBe('/ws/p/q/__init__.py');
  expect(resolve('top', 0, '/ws/p/q/c.py')).toBe('/ws/top.py');
  expect(resolve('b', 0, '/ws/p/q/c.py')).toBeNull();
});

test('what lies beside a package in site-packages is found, and nothing around it', () => {
  const site = '/ws/.venv/lib/python3.11/site-packages';
  const resolve = resolverOf([
    `${site}/timm/__init__.py`,
    `${site}/timm/layers/__init__.py`,
    `${site}/timm/models/vit.py`,
    `${site}/timm/models/__init__.py`,
    `${site}/transformers/__init__.py`,
    '/ws/mine.py',
  ]);
  const from = `${site}/timm/models/vit.py`;
  expect(resolve('timm.layers', 0, from)).toBe(`${site}/timm/layers/__init__.py`);
  expect(resolve('transformers', 0, from)).toBe(`${site}/transformers/__init__.py`);
  expect(resolve('mine', 0, from)).toBeNull();
});

test('scripts find modules of the folders around them up to the root of the project, and of src', () => {
  const resolve = resolverOf([
    '/ws/project/pyproject.toml',
    '/ws/project/tools/train.py',
    '/ws/project/models/vit.py',
    '/ws/project/src/lib/__init__.py',
  ]);
  const from = '/ws/project/tools/train.py';
  expect(resolve('models.vit', 0, from)).toBe('/ws/project/models/vit.py');
  expect(resolve('lib', 0, from)).toBe('/ws/project/src/lib/__init__.py');
  expect(resolve('models', 0, from)).toBeNull();
});

test('a package comes before a module of its name, stubs and torch itself are not looked at', () => {
  const resolve = resolverOf(['/ws/a.py', '/ws/a/__init__.py', '/ws/s.pyi', '/ws/torch/__init__.py']);
  expect(resolve('a', 0, '/ws/x.py')).toBe('/ws/a/__init__.py');
  expect(resolve('s', 0, '/ws/x.py')).toBeNull();
  expect(resolve('torch', 0, '/ws/x.py')).toBeNull();
});

test('files that came are seen once the memory is cleared', () => {
  const files = ['/ws/x.py'];
  const imports = createImports(
    { ...diskOf(), kind: (file) => (files.includes(path.normalize(file)) ? 'file' : null) },
    () => ['/ws'],
  );
  expect(imports.resolve('new', 0, '/ws/x.py')).toBeNull();
  files.push('/ws/new.py');
  imports.clear();
  expect(imports.resolve('new', 0, '/ws/x.py')).toBe('/ws/new.py');
});
