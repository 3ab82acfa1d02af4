/** What the engine says of each statement of a program, through its door. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { check, createEngine, createParser, type FactRow, facts } from '../../engine/index.ts';
import { HEADER, type Program } from './statement.ts';

export type PredictedTensor = NonNullable<FactRow['tensors']>[number];

export interface Prediction {
  /** The tensors of the statement's value; null where the engine has no row for it. */
  readonly tensors: readonly PredictedTensor[] | null;
  /** The message of an error on the line: the statement raises. */
  readonly error: string | null;
  /** The line is said to copy. */
  readonly copies: boolean;
}

export type Predict = (program: Program) => readonly Prediction[];

/** `torchVersion`: `2.13`. */
export async function createPredict(torchVersion: string): Promise<Predict> {
  const require = createRequire(`${process.cwd()}/`);
  const wasm = (path: string): Buffer => readFileSync(require.resolve(path));
  const parser = await createParser({
    core: wasm('web-tree-sitter/web-tree-sitter.wasm'),
    python: wasm('tree-sitter-python/tree-sitter-python.wasm'),
  });
  const engine = createEngine({ resolve: () => null, read: () => null }, parser, { torchVersion });
  return (program) => {
    engine.update('fuzz.py', `${HEADER}${program.map(({ text }) => `${text}\n`).join('')}`);
    const analysis = engine.analyze('fuzz.py');
    const rows = new Map(facts(analysis).map((row) => [`${row.kind} ${row.start} ${row.end}`, row]));
    const findings = check(analysis, {});
    let at = HEADER.length;
    return program.map(({ text }): Prediction => {
      const [start, end] = [at, at + text.length];
      at = end + 1;
      const value = start + (/^\w+ = /.exec(text)?.[0].length ?? 0);
      const here = findings.filter((finding) => finding.start >= start && finding.end <= end);
      return {
        tensors: rows.get(`expression ${value} ${end}`)?.tensors ?? null,
        error: here.find(({ severity }) => severity === 'error')?.message ?? null,
        copies: here.some(({ rule }) => rule === 'hidden-copy'),
      };
    });
  };
}
