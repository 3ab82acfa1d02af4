import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { check, createEngine, createParser, facts, hover } from '../../engine/index.ts';

const require = createRequire(import.meta.url);
const wasm = (path: string): Buffer => readFileSync(require.resolve(path));
const parser = await createParser({
  core: wasm('web-tree-sitter/web-tree-sitter.wasm'),
  python: wasm('tree-sitter-python/tree-sitter-python.wasm'),
});

/** Asks the engine for everything it can say of a file: findings, facts, and a card at a number of places. */
export function askEverything(text: string): { readonly findings: number; readonly facts: number } {
  const engine = createEngine({ resolve: () => null, read: () => null }, parser);
  engine.update('odd.py', text);
  const analysis = engine.analyze('odd.py');
  const findings = check(analysis, {});
  for (const finding of findings) {
    if (finding.start < 0 || finding.end > text.length || finding.start > finding.end)
      throw new Error('a span outside the file');
  }
  const step = Math.max(1, Math.floor(text.length / 50));
  for (let offset = 0; offset <= text.length; offset += step) hover(analysis, offset);
  return { findings: findings.length, facts: facts(analysis).length };
}
