import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { fixSamples, parsed } from './fixes.ts';
import { findingsIn } from './program.ts';

// The shape of fixes.json, which fix_samples.py alone writes.
const { verdicts } = JSON.parse(readFileSync(new URL('fixes.json', import.meta.url), 'utf8')) as {
  readonly verdicts: Readonly<Record<string, string>>;
};

const samples = await fixSamples();

describe.each(samples.map((sample) => [`${sample.rule}: ${sample.title}`, sample] as const))('%s', (_, sample) => {
  const { rule, from, before, after } = sample;

  test('the program is still Python, and the finding is gone', async () => {
    expect(await parsed(after), after).toBe(true);
    const left = (await findingsIn(after)).filter((finding) => finding.rule === rule);
    const had = (await findingsIn(before)).filter((finding) => finding.rule === rule);
    expect(left.length, `${from}\n${after}\n${left.map(({ message }) => message).join('\n')}`).toBeLessThan(had.length);
  });
});

// Run test/oracle/fix_samples.py where there is no verdict.
describe('PyTorch computes the same before and after a safe fix, or what raised does not any more', () => {
  test.each(samples.flatMap((sample) => (sample.safe ? [[`${sample.rule}: ${sample.title}`, sample] as const] : [])))(
    '%s',
    (_, { from, after, key }) => {
      expect(verdicts[key] ?? 'no verdict', `${from}\n${after}`).toMatch(/^(equal$|mended: )/);
    },
  );
});

test('every verdict belongs to a safe fix', () => {
  expect(Object.keys(verdicts).sort()).toEqual(samples.flatMap(({ safe, key }) => (safe ? [key] : [])).sort());
});
