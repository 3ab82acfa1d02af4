import { describe, expect, test } from 'vitest';
import { rules } from '../../engine/index.ts';
import { applied } from './fixes.ts';
import { findingsIn, places } from './program.ts';

const MARK = /\s*# ((?:error|warning|information|hint)\[[\w-]+\])$/;

describe.each(rules.filter((rule) => rule.examples.length > 0))('$name', ({ name, examples }) => {
  test.each(examples)(
    'bad reports this rule on the marked line and nothing else; good reports nothing',
    async (example) => {
      const marked = example.bad.split('\n').flatMap((line, index) => {
        const mark = MARK.exec(line)?.[1];
        return mark === undefined ? [] : [`${index + 1} ${mark}`];
      });
      expect(marked.filter((mark) => mark.includes(`[${name}]`))).toHaveLength(1);

      const bad = unmarked(example.bad);
      const findings = await findingsIn(bad);
      expect(places(bad, findings)).toEqual(marked);
      expect(places(example.good, await findingsIn(example.good))).toEqual([]);
      // An example that has a fix shows what the fix makes of it.
      const [marks] = findings.filter(({ rule }) => rule === name);
      expect(marks?.fixes.length !== 0).toBe(example.fixed);
      if (example.fixed) expect(applied(bad, marks?.fixes[0]?.edits ?? [])).toBe(example.good);
    },
  );
});

test('every rule has a page, a summary of one line and an example', () => {
  for (const rule of rules) {
    expect(rule.name).toMatch(/^[a-z]+(-[a-z0-9]+)*$/);
    expect(rule.summary).toMatch(/^[^\n]{10,110}[^.]$/);
    expect(rule.documentation).toContain(`# ${rule.name}`);
    expect(rule.examples.length).toBeGreaterThan(0);
  }
});

function unmarked(program: string): string {
  return program
    .split('\n')
    .map((line) => line.replace(MARK, ''))
    .join('\n');
}
