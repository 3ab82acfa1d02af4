import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { POLICIES } from '../../engine/ops/autocast/lists.ts';
import { callOp, entries, findOp, type OpResult } from '../../engine/ops/index.ts';
import { type SampleArgument, sampleValue } from '../../engine/ops/sample.ts';
import type { DType } from '../../engine/tensor/index.ts';
import { isFault } from '../../engine/tensor/index.ts';
import { contextOf } from './answers.ts';
import { type Question, questions } from './questions.ts';

/** By device and dtype of what goes in: the dtypes that come out under autocast, `!` where it raises. */
type Recorded = Readonly<Record<string, readonly string[] | '!'>> & { readonly alike?: readonly string[] };

const recordings: Readonly<Record<string, Recorded>> = JSON.parse(
  readFileSync(new URL('./autocast.json', import.meta.url), 'utf8'),
);
const LOW: Readonly<Record<string, DType>> = { cpu: 'bfloat16', cuda: 'float16' };
const asked = new Map(questions().map((question) => [question.key, question]));

/** The dtypes of the tensors that come out, `?` where the engine leaves one open, `!` where it says that the call raises. */
function answered(
  { name, sample }: Question,
  device: string,
  low: boolean,
  on: boolean,
): readonly string[] | '!' | '?' {
  const op = findOp(name);
  if (op === null) throw new Error(`no such op: ${name}`);
  const region = LOW[device] ?? null;
  let count = 0;
  const made = (argument: SampleArgument) => {
    const cast = (one: SampleArgument): SampleArgument => {
      if (one.is === 'tensors') return { ...one, items: one.items.map(cast) };
      return one.is === 'tensor' && one.dtype === 'float32' && low && region !== null ? { ...one, dtype: region } : one;
    };
    const value = sampleValue(cast(argument), () => count++);
    if (value.kind === 'tuple')
      return { ...value, items: value.items.map((item) => (item.kind === 'tensor' ? { ...item, device } : item)) };
    return value.kind === 'tensor' ? { ...value, device } : value;
  };
  const keywords = new Map(Object.entries(sample.keywords).map(([key, argument]) => [key, made(argument)] as const));
  const context = { ...contextOf([2, 13]), autocast: on ? [{ device, on: true, dtype: region }] : [] };
  const { result } = callOp(op, sample.args.map(made), keywords, context);
  if (isFault(result)) return result.fault === 'raises' ? '!' : '?';
  return dtypes(result);
}

function dtypes(result: OpResult): readonly string[] {
  if ('items' in result) return result.items.flatMap(dtypes);
  if (result.is === 'value') return [];
  return [(result.is === 'same' ? result.of.dtype : result.dtype) ?? '?'];
}

it.each([...POLICIES])('lists ops of %s under their canonical names', (_, policies) => {
  const canonical = new Set(entries().map(({ names }) => names[0]));
  expect([...policies.keys()].filter((name) => !canonical.has(name))).toEqual([]);
});

describe.each(Object.entries(recordings))('%s', (key, { alike = [], ...differing }) => {
  const question = asked.get(key);
  it.each(Object.entries(differing))('%s', (place, expected) => {
    if (question === undefined) throw new Error('the sample has changed: run test/oracle/autocast_samples.py');
    const [device = '', kind] = place.split(' ');
    const actual = answered(question, device, kind === 'low', true);
    if (actual === '?') return;
    if (typeof expected === 'string' || typeof actual === 'string') return expect(actual).toEqual(expected);
    expect(actual).toEqual(expected.map((dtype, i) => (actual[i] === '?' ? '?' : dtype)));
  });

  it.each(alike)('%s: as without', (place) => {
    if (question === undefined) throw new Error('the sample has changed: run test/oracle/autocast_samples.py');
    const [device = '', kind] = place.split(' ');
    const [under, plain] = [true, false].map((on) => answered(question, device, kind === 'low', on));
    if (typeof under === 'string' || typeof plain === 'string') return expect(under).toEqual(plain);
    expect(under).toEqual(plain?.map((dtype, i) => (under?.[i] === '?' ? '?' : dtype)));
  });
});
