import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { safeEdits } from '../../server/lsp/code-actions.ts';
import { applied, parsed, programs } from './fixes.ts';
import { findingsIn } from './program.ts';

const EXAMPLES = new URL('../../examples/', import.meta.url);
const ROUNDS = 4;

const samples = [
  ...programs(),
  ...readdirSync(EXAMPLES).map((path) => ({
    from: `examples/${path}`,
    text: readFileSync(new URL(path, EXAMPLES), 'utf8'),
  })),
];

test.each(samples.map(({ from, text }) => [from, text] as const))(
  'all safe fixes of %s come to an end, and leave Python',
  async (_, before) => {
    let text = before;
    for (let round = 0; ; round++) {
      expect(round, text).toBeLessThanOrEqual(ROUNDS);
      const edits = safeEdits(await findingsIn(text));
      if (edits.length === 0) break;
      text = applied(text, edits);
      expect(await parsed(text), text).toBe(await parsed(before));
    }
    // What is safe to fix is fixed: nothing that raises is left, or has come, where a safe fix was offered.
    expect((await findingsIn(text)).filter(({ fixes }) => fixes.some(({ safe }) => safe))).toEqual([]);
  },
);
