import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { rules } from '../../engine/index.ts';
import { parseSpec } from './markdown.ts';

const ENOUGH = 5;

/** What a rule says and what it leaves unsaid are told by programs, and silence is the harder half. */
test.each(rules.map(({ name }) => name))('%s has programs that fire and lookalikes that stay silent', (name) => {
  const path = new URL(`../spec/rules/${name}.md`, import.meta.url);
  expect(existsSync(path), `test/spec/rules/${name}.md`).toBe(true);
  const cases = parseSpec(readFileSync(path, 'utf8')).map(({ title, assertions }) => ({
    title,
    fires: [...assertions.values()].flat().some((claim) => claim.is === 'finding' && claim.rule === name),
  }));
  const [fire, silent] = [cases.filter(({ fires }) => fires), cases.filter(({ fires }) => !fires)];
  expect(fire.length, 'programs that fire').toBeGreaterThanOrEqual(ENOUGH);
  expect(silent.length, 'programs that stay silent').toBeGreaterThanOrEqual(ENOUGH);

  // A header says which of the two its program is.
  const headed = (begins: RegExp) => cases.flatMap(({ title }) => (begins.test(title) ? [title] : []));
  expect(headed(/^[^/]+ \/ fires\b/)).toEqual(fire.map(({ title }) => title));
  expect(headed(/^[^/]+ \/ silent\b/)).toEqual(silent.map(({ title }) => title));
});
