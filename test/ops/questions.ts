import { entries, findOp } from '../../engine/ops/index.ts';
import { readSample, type Sample } from '../../engine/ops/sample.ts';

/** One call of one op that both the engine and PyTorch answer. */
export interface Question {
  /** The signature and the sample: a recording under another key is stale. */
  readonly key: string;
  readonly name: string;
  readonly text: string;
  readonly sample: Sample;
}

/** Every sample of every entry, once. */
export function questions(): readonly Question[] {
  const seen = new Set<string>();
  const asked: Question[] = [];
  for (const entry of entries())
    for (const text of entry.samples) {
      const key = `${entry.signature.text} | ${text}`;
      const [name] = entry.names;
      if (seen.has(key) || name === undefined || findOp(name) === null) continue;
      seen.add(key);
      asked.push({ key, name, text, sample: readSample(entry.signature, text) });
    }
  return asked;
}

/** The file that records an op: its namespace. */
export const recordingOf = (name: string): string => `${name.slice(0, name.lastIndexOf('.'))}.json`;
