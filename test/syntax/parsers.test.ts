import { expect, test } from 'vitest';
import { createEngine } from '../../engine/index.ts';
import { loadParser } from '../../server/grammar.ts';

test('parsers that are loaded at the same time do not take each other’s grammar', async () => {
  const host = { resolve: () => null, read: () => null };
  for (const parser of await Promise.all([loadParser(), loadParser(), loadParser()])) {
    const engine = createEngine(host, parser);
    engine.update('a.py', 'x = 1\ny = 2\n');
    expect(engine.analyze('a.py').module.body).toHaveLength(2);
  }
});
