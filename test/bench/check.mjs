// How fast `stridelint check` reads a folder, beside the floor measured in the same run. Needs a build.
//   node test/bench/check.mjs [FOLDER] [--runs N]
// Without a folder it takes the sources of timm, which pip puts into .cache/.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const TIMM = 'timm==1.0.29';

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { runs: { type: 'string', default: '3' } },
});
const folder = path.resolve(positionals[0] ?? timm());
const runs = Number(values.runs);

// Floor and check take turns, so that what else the machine does meets both.
const [floors, checks] = [[], []];
for (let run = 0; run < runs; run++) {
  floors.push(
    JSON.parse(execFileSync(process.execPath, [path.join(ROOT, 'test/bench/floor.mjs'), folder], { encoding: 'utf8' }))
      .milliseconds,
  );
  checks.push(check());
}
const floor = Math.min(...floors);
const best = checks.reduce((a, b) => (b.milliseconds < a.milliseconds ? b : a));
const perSecond = (milliseconds) => Math.round(best.lines / (milliseconds / 1000));
console.log(`${best.summary}`);
console.log(
  `check ${perSecond(best.milliseconds)} lines/s (${Math.round(best.milliseconds)} ms, ${best.lines} lines, best of ${runs})`,
);
console.log(`floor ${perSecond(floor)} lines/s (${Math.round(floor)} ms: read, parse, walk)`);
console.log(`ratio ${(best.milliseconds / floor).toFixed(2)} times the floor`);

function check() {
  const started = performance.now();
  const ran = spawnSync(process.execPath, [path.join(ROOT, 'dist/cli.js'), 'check', folder, '--format', 'json'], {
    encoding: 'utf8',
    maxBuffer: 1 << 30,
  });
  const milliseconds = performance.now() - started;
  const summary = ran.stderr.trimEnd().split('\n').at(-1) ?? '';
  const lines = /\((\d+) lines?\)/.exec(summary)?.[1];
  if (ran.status === null || lines === undefined) throw new Error(`check did not finish:\n${ran.stderr}`);
  return { milliseconds, lines: Number(lines), summary };
}

/** The library's sources alone: no torch, nothing that it needs to run. */
function timm() {
  const target = path.join(ROOT, '.cache/timm');
  if (!existsSync(path.join(target, 'timm'))) {
    execFileSync(
      'python3',
      ['-m', 'pip', 'install', '--quiet', '--no-deps', '--root-user-action=ignore', '--target', target, TIMM],
      {
        stdio: ['ignore', 'ignore', 'inherit'],
      },
    );
  }
  return path.join(target, 'timm');
}
