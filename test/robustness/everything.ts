import { check, createEngine, facts, hover, type Parser } from '../../engine/index.ts';

/** Asks the engine for everything it can say of a file: findings, facts, and a card at a number of places. */
export function askEverything(parser: Parser, text: string): { readonly findings: number; readonly facts: number } {
  const engine = createEngine({ resolve: () => null, read: () => null }, parser);
  engine.update('odd.py', text);
  const analysis = engine.analyze('odd.py');
  const findings = check(analysis, {});
  const rows = facts(analysis);
  for (const { start, end } of [...findings, ...findings.flatMap(({ related }) => related), ...rows]) {
    if (start < 0 || end > text.length || start > end) throw new Error('a span outside the file');
  }
  const step = Math.max(1, Math.floor(text.length / 50));
  for (let offset = 0; offset <= text.length; offset += step) hover(analysis, offset);
  return { findings: findings.length, facts: rows.length };
}
