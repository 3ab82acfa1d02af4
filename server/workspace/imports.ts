import path from 'node:path';
import type { Disk } from './disk.ts';

/** The engine models these itself; their sources would only get in its way. */
const MODELLED = new Set(['torch', 'numpy', 'einops']);

/**
 * Import resolution without Python: dotted name and relative level to the path of a module's file, or null.
 * `folders` are the workspace's roots. Stub files are not looked at: they say nothing about layouts.
 */
export function createImports(disk: Disk, folders: () => readonly string[]) {
  const resolved = new Map<string, string | null>();
  const kinds = new Map<string, 'file' | 'folder' | null>();
  const roots = new Map<string, readonly string[]>();

  const kind = (file: string) => remember(kinds, file, () => disk.kind(file));
  const isFile = (file: string) => kind(file) === 'file';

  /** The folder that the outermost package around a folder lies in: what must be on `sys.path` for the package to be imported. */
  const packageRoot = (folder: string): string =>
    isFile(path.join(folder, '__init__.py')) && path.dirname(folder) !== folder
      ? packageRoot(path.dirname(folder))
      : folder;

  /** Where an absolute import may start, in order: beside the importing file's package, then outwards to the project's root. */
  const searchPath = (folder: string): readonly string[] =>
    remember(roots, folder, () => {
      const root = packageRoot(folder);
      if (/^(site|dist)-packages$/.test(path.basename(root))) return [root];
      return [...new Set([...outwards(root), ...folders().flatMap((top) => [top, path.join(top, 'src')])])];
    });

  /** A folder and those around it, up to the root of its project: a workspace folder, or what holds a pyproject.toml or a repository. */
  const outwards = (folder: string): string[] => {
    const parent = path.dirname(folder);
    const top =
      parent === folder ||
      folders().includes(folder) ||
      isFile(path.join(folder, 'pyproject.toml')) ||
      kind(path.join(folder, '.git')) !== null;
    return top ? [folder, path.join(folder, 'src')] : [folder, ...outwards(parent)];
  };

  const find = (root: string, names: readonly string[]): string | null => {
    const target = path.join(root, ...names);
    const asPackage = path.join(target, '__init__.py');
    if (isFile(asPackage)) return asPackage;
    return names.length > 0 && isFile(`${target}.py`) ? `${target}.py` : null;
  };

  const locate = (module: string, level: number, from: string): string | null => {
    const names = module === '' ? [] : module.split('.');
    const folder = path.dirname(from);
    if (level > 0) return find(path.join(folder, ...Array.from({ length: level - 1 }, () => '..')), names);
    const [top] = names;
    if (top === undefined || MODELLED.has(top)) return null;
    for (const root of searchPath(folder)) {
      const found = find(root, names);
      if (found !== null) return found;
      // A package shadows what comes later on the path, even where it lacks the module; a namespace package does not.
      if (isFile(path.join(root, top, '__init__.py'))) return null;
    }
    return null;
  };

  return {
    resolve: (module: string, level: number, from: string): string | null =>
      remember(resolved, `${level}:${module}:${path.dirname(from)}`, () => locate(module, level, from)),
    /** Files came or went. */
    clear(): void {
      for (const memory of [resolved, kinds, roots]) memory.clear();
    },
  };
}

export type Imports = ReturnType<typeof createImports>;

function remember<Value>(memory: Map<string, Value>, key: string, compute: () => Value): Value {
  const before = memory.get(key);
  if (before !== undefined) return before;
  const value = compute();
  memory.set(key, value);
  return value;
}
