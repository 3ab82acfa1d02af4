import fs from 'node:fs';
import path from 'node:path';
import type { Disk, Entry } from './disk.ts';

/** The file system of the machine. */
export const nodeDisk: Disk = {
  read(file) {
    try {
      return fs.readFileSync(file);
    } catch (error) {
      return { problem: reason(error) };
    }
  },
  size: (file) => stat(file)?.size ?? null,
  kind(file) {
    const found = stat(file);
    if (found === null) return null;
    if (found.isDirectory()) return 'folder';
    // A pipe or a device could block for ever.
    return found.isFile() ? 'file' : null;
  },
  list(folder) {
    try {
      const entries = fs.readdirSync(folder, { withFileTypes: true }).flatMap((entry) => entryOf(folder, entry));
      return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
    } catch (error) {
      return { problem: reason(error) };
    }
  },
};

function stat(file: string): fs.Stats | null {
  try {
    return fs.statSync(file);
  } catch {
    return null;
  }
}

function entryOf(folder: string, entry: fs.Dirent): Entry[] {
  if (entry.isDirectory()) return [{ name: entry.name, kind: 'folder' }];
  if (entry.isFile()) return [{ name: entry.name, kind: 'file' }];
  const linked = entry.isSymbolicLink() && stat(path.join(folder, entry.name))?.isFile() === true;
  return linked ? [{ name: entry.name, kind: 'file' }] : [];
}

function reason(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  switch (code) {
    case 'ENOENT':
      return 'there is no such file';
    case 'EACCES':
    case 'EPERM':
      return 'no permission to read it';
    case 'EISDIR':
      return 'it is a folder';
    default:
      return error instanceof Error ? error.message : String(error);
  }
}
