// What the questions of an analysis cost, in calls a second. Every call builds its integers anew, as ops do.
//   node test/bench/symbols.mjs [SYMBOLS/index.ts]
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const source = process.argv[2] ?? fileURLToPath(new URL('../../engine/symbols/index.ts', import.meta.url));
const { outputFiles } = await build({ entryPoints: [source], bundle: true, write: false, format: 'esm' });
const code = Buffer.from(outputFiles[0]?.contents ?? []).toString('base64');
const s = await import(`data:text/javascript;base64,${code}`);

const size = (name, n) => s.symbol(`${name}#${n}`);
const [B, T, C, N, H, W] = ['B', 'T', 'C', 'N', 'H', 'W'].map(size);
const head = s.floorDiv(C, N);

/** The facts of attention over windows: a size unpacked, heads that divide, padded pictures cut into windows. */
let facts = s.NO_FACTS;
for (let i = 0; i < 8; i++) facts = s.learnEqual(facts, size('n', 100 + i), s.mul(B, size('n', 10 + i)));
facts = s.learnFactors(facts, '*x#90', [B, T]);
facts = s.learnDivisible(facts, C, N);
facts = s.learnEqual(facts, s.mul(s.int(7), s.floorDiv(H, s.int(7))), H);
facts = s.learnEqual(facts, s.mul(size('p', 60), size('p', 61)), s.mul(size('q', 62), size('q', 63)));
facts = s.learnAtLeast(facts, s.sub(W, T), 1);
const ask = () => s.decide(facts);

let fresh = 1000;
const questions = {
  'B*T*C': () => s.mul(B, T, C),
  'B*T == T*B, no facts about them': () => ask().equal(s.mul(B, T), s.mul(T, B)),
  'T*N is 1': () => ask().isOne(s.mul(T, N)),
  'B*T*N*(C//N) == B*T*C': () => ask().equal(s.mul(B, T, N, head), s.mul(B, T, C)),
  'B*C < B*T*C': () => ask().less(s.mul(B, C), s.mul(B, T, C)),
  'always T < W': () => s.always('less', T, W, facts),
  'simplify B*N*(C//N)*H': () => s.simplify(s.mul(B, N, head, H), facts),
  'a size never seen is 1': () => ask().isOne(size('s', fresh++)),
  'a size never seen equals B*T': () => ask().equal(size('s', fresh++), s.mul(B, T)),
  'learn what is known': () => s.learnEqual(facts, s.mul(B, T, N, head), s.mul(B, T, C)),
  'learn a size never seen': () => s.learnEqual(facts, size('s', fresh++), s.mul(B, T)),
  'learn T == 49': () => s.learnEqual(facts, T, s.int(49)),
  'learn C == 768': () => s.learnEqual(facts, C, s.int(768)),
  'learn H*W == 4*x': () => s.learnEqual(facts, s.mul(H, W), s.mul(s.int(4), size('s', fresh++))),
  'learn that a size divides': () => s.learnDivisible(facts, s.mul(B, W), size('s', fresh++)),
  'meet two branches': () =>
    s.meet(s.learnEqual(facts, size('s', fresh++), B), s.learnEqual(facts, size('s', fresh++), T)),
};
for (const [name, question] of Object.entries(questions)) {
  for (let i = 0; i < 200; i++) question();
  let calls = 0;
  const start = process.cpuUsage().user;
  for (; process.cpuUsage().user - start < 200_000; calls += 100) for (let i = 0; i < 100; i++) question();
  const seconds = (process.cpuUsage().user - start) / 1e6;
  console.log(
    `${Math.round(calls / seconds)
      .toLocaleString('en')
      .padStart(12)}/s  ${name}`,
  );
}
