// Bundles main.ts, which is TypeScript, and runs it: the one here, or that of the folder that is named first.
//   node test/fuzz/fuzz.mjs --n 1000 --seed 1 --python .venv/bin/python
//   node test/fuzz/fuzz.mjs text --n 1000 --seed 1 FOLDER
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

process.chdir(fileURLToPath(new URL('../..', import.meta.url)));
const named = process.argv[2] === 'text' ? process.argv.splice(2, 1) : [];
const entry = ['test/fuzz', ...named, 'main.ts'].join('/');
const folder = mkdtempSync(join(tmpdir(), 'stridelint-fuzz-'));
const outfile = join(folder, 'fuzz.mjs');
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
await build({ entryPoints: [entry], bundle: true, platform: 'node', format: 'esm', outfile });
await import(pathToFileURL(outfile).href);
