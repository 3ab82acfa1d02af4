// How long an edit of a large file takes: single edits at random places, each undone, beside a new engine's whole analysis and
// the floor, a whole parse, of the same run. After each the findings and facts must be those of a new engine. All in CPU time.
//   node test/bench/edits.mjs [FILE] [--n 500] [--seed 1] [--compare 10] [--memory 0]
// Without a file it takes vision_transformer.py of timm, which pip puts into .cache/. --compare 10: every tenth edit is compared
// (all that are undone are); --memory 10000: so many more edits, and the memory after them beside that after the first hundred,
// which `npm run bench:memory` tells alone.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

process.chdir(fileURLToPath(new URL('../..', import.meta.url)));
const folder = mkdtempSync(join(tmpdir(), 'stridelint-edits-'));
const outfile = join(folder, 'edits.mjs');
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
await build({ entryPoints: ['test/bench/edits/main.ts'], bundle: true, platform: 'node', format: 'esm', outfile });
await import(pathToFileURL(outfile).href);
