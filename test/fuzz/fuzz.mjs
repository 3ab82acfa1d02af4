// Bundles main.ts, which is TypeScript, and runs it.
//   node test/fuzz/fuzz.mjs --n 1000 --seed 1 --python .venv/bin/python
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

process.chdir(fileURLToPath(new URL('../..', import.meta.url)));
const folder = mkdtempSync(join(tmpdir(), 'stridelint-fuzz-'));
const outfile = join(folder, 'fuzz.mjs');
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
await build({ entryPoints: ['test/fuzz/main.ts'], bundle: true, platform: 'node', format: 'esm', outfile });
await import(pathToFileURL(outfile).href);
