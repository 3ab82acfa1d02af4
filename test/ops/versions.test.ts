import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readTorchVersion } from '../../engine/index.ts';
import { type Answer, answered, open } from './answers.ts';
import { questions } from './questions.ts';

const FOLDER = new URL('./versions/', import.meta.url);

/** What an older torch answers differently from the newest; `absent` where it has no such function. */
type Differing = Readonly<Record<string, Answer | 'absent'>>;

const all = new Map(questions().map((question) => [question.key, question]));

describe.each(readdirSync(FOLDER))('%s', (file) => {
  const version = readTorchVersion(file.replace('.json', ''));
  const differing: Differing = JSON.parse(readFileSync(new URL(file, FOLDER), 'utf8'));

  it.each(Object.entries(differing))('%s', (key, expected) => {
    const question = all.get(key);
    if (question === undefined || typeof version === 'string')
      throw new Error('the sample has changed: run test/oracle/op_samples.py with that torch');
    const actual = answered(question, version);
    if (expected === 'absent') expect(actual).toMatch(/^unsure: torch \S+ has no /);
    else if (typeof actual === 'string') expect(actual).toMatch(/^unsure: torch \S+ has another /);
    else if (Array.isArray(expected)) expect(actual).toEqual(['!', '']);
    else expect(actual).toEqual(open(expected, actual));
  });
});
