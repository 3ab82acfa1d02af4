import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const CLI = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));

const made: string[] = [];
process.once('exit', () => {
  for (const folder of made) fs.rmSync(folder, { recursive: true, force: true });
});

/** A folder of its own for a test, with these files in it; it goes when the process ends. */
export function folderWith(files: Readonly<Record<string, string | Uint8Array>>): string {
  const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'stridelint-cli-')));
  made.push(folder);
  for (const [name, content] of Object.entries(files)) {
    fs.mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    fs.writeFileSync(path.join(folder, name), content);
  }
  return folder;
}

export interface Ran {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the real program, as it is built, in a folder. */
export function stridelint(folder: string, ...args: readonly string[]): Ran {
  const { FORCE_COLOR: _, ...env } = process.env;
  const { status, stdout, stderr } = spawnSync(process.execPath, [CLI, ...args], {
    cwd: folder,
    encoding: 'utf8',
    env,
  });
  return { status, stdout, stderr };
}
