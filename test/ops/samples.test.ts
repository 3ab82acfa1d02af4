import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type Answer, answered, open } from './answers.ts';
import { questions, recordingOf } from './questions.ts';

const FOLDER = new URL('./recordings/', import.meta.url);
const recordings = new Map<string, Readonly<Record<string, Answer>>>(
  readdirSync(FOLDER).map((file) => [file, JSON.parse(readFileSync(new URL(file, FOLDER), 'utf8'))]),
);

const all = questions();

describe.each([...new Set(all.map(({ name }) => name))])('%s', (name) => {
  it.each(all.filter((question) => question.name === name))('$key', (question) => {
    const expected = recordings.get(recordingOf(name))?.[question.key];
    if (expected === undefined) throw new Error('no recording of this sample: run test/oracle/op_samples.py');
    const actual = answered(question, [2, 13]);
    if (Array.isArray(expected)) {
      expect(actual).toEqual(['!', '']);
      expect(question.sample.raises).toBe(true);
      return;
    }
    expect(actual).toEqual(open(expected, actual));
    expect(question.sample.raises).toBe(false);
  });
});

it('has no recording of a sample that is gone', () => {
  const keys = new Set(all.map(({ key }) => key));
  const stale = [...recordings]
    .flatMap(([file, answers]) => (file === 'subscripts.json' ? [] : Object.keys(answers)))
    .filter((key) => !keys.has(key));
  expect(stale).toEqual([]);
});
