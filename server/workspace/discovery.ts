import path from 'node:path';
import ignore, { type Ignore } from 'ignore';
import type { Configs } from './config.ts';
import { type Disk, isUnreadable } from './disk.ts';

/** Folders that hold other people's or generated code. A path that was named is read all the same. */
const EXCLUDED = new Set(
  '.git .hg .svn .venv venv node_modules site-packages __pycache__ __pypackages__ build dist .tox .nox .eggs .cache .mypy_cache .pytest_cache .ruff_cache .pytype .ipynb_checkpoints'.split(
    ' ',
  ),
);

export interface Discovered {
  /** Absolute, in the order in which they were named, each once. */
  readonly files: readonly SourceFile[];
  readonly problems: readonly { readonly path: string; readonly message: string }[];
}

export interface SourceFile {
  readonly path: string;
  /** The path in the words of whoever named it: relative where they were. */
  readonly shown: string;
}

/** The Python files that a person means who names these files and folders. */
export function discover(disk: Disk, configs: Configs, named: readonly string[], workingFolder: string): Discovered {
  const files = new Map<string, SourceFile>();
  const problems: { path: string; message: string }[] = [];
  for (const name of named) {
    const absolute = path.resolve(workingFolder, name);
    const kind = disk.kind(absolute);
    if (kind === 'file') files.set(absolute, { path: absolute, shown: path.normalize(name) });
    else if (kind === 'folder') {
      const shown = (full: string) => path.join(name, path.relative(absolute, full));
      const unreadable = (folder: string, message: string) => problems.push({ path: shown(folder), message });
      for (const file of walk(disk, configs, absolute, unreadable)) {
        if (!files.has(file)) files.set(file, { path: file, shown: shown(file) });
      }
    } else {
      const exists = disk.size(absolute) !== null;
      problems.push({
        path: name,
        message: exists ? 'neither a file nor a folder' : 'there is no such file or folder',
      });
    }
  }
  return { files: [...files.values()], problems };
}

/** Patterns of one ignore file, and the folder that they are relative to. */
interface Patterns {
  readonly folder: string;
  readonly patterns: Ignore;
}

function walk(
  disk: Disk,
  configs: Configs,
  root: string,
  unreadable: (folder: string, message: string) => void,
): string[] {
  const files: string[] = [];
  const visit = (folder: string, above: readonly Patterns[]): void => {
    const here = [...above, ...gitignore(disk, folder)];
    const config = configs.forFolder(folder).config;
    const excluded: Patterns | null =
      config.file === null || config.exclude.length === 0
        ? null
        : { folder: path.dirname(config.file), patterns: ignore().add([...config.exclude]) };
    const skipped = (full: string, isFolder: boolean) =>
      isIgnored(here, full, isFolder) || (excluded !== null && isIgnored([excluded], full, isFolder));
    const entries = disk.list(folder);
    if (isUnreadable(entries)) {
      unreadable(folder, `not searched: ${entries.problem}`);
      return;
    }
    for (const entry of entries) {
      const full = path.join(folder, entry.name);
      if (entry.kind === 'file') {
        if (entry.name.endsWith('.py') && !skipped(full, false)) files.push(full);
      } else if (!EXCLUDED.has(entry.name) && !isEnvironment(disk, full) && !skipped(full, true)) visit(full, here);
    }
  };
  visit(root, inherited(disk, root));
  return files;
}

/** A virtual environment, whatever it is called. */
function isEnvironment(disk: Disk, folder: string): boolean {
  return disk.kind(path.join(folder, 'pyvenv.cfg')) === 'file';
}

/** The ignore files above a folder up to its repository's root. They do not count where they ignore the folder itself. */
function inherited(disk: Disk, root: string): readonly Patterns[] {
  if (disk.kind(path.join(root, '.git')) !== null) return [];
  const found: Patterns[] = [];
  for (let folder = path.dirname(root); ; folder = path.dirname(folder)) {
    found.unshift(...gitignore(disk, folder));
    if (disk.kind(path.join(folder, '.git')) !== null) return isIgnored(found, root, true) ? [] : found;
    if (folder === path.dirname(folder)) return [];
  }
}

function gitignore(disk: Disk, folder: string): Patterns[] {
  const file = path.join(folder, '.gitignore');
  if (disk.kind(file) !== 'file') return [];
  const bytes = disk.read(file);
  return 'problem' in bytes ? [] : [{ folder, patterns: ignore().add(new TextDecoder().decode(bytes)) }];
}

/** The innermost ignore file that says anything about the path decides, as in git. */
function isIgnored(all: readonly Patterns[], full: string, isFolder: boolean): boolean {
  let ignored = false;
  for (const { folder, patterns } of all) {
    const relative = path.relative(folder, full).split(path.sep).join('/');
    if (relative === '' || relative.startsWith('..')) continue;
    const verdict = patterns.test(isFolder ? `${relative}/` : relative);
    if (verdict.ignored) ignored = true;
    else if (verdict.unignored) ignored = false;
  }
  return ignored;
}
