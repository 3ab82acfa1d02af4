import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { callOp, findOp, type OpContext, type OpResult, type Outcome } from '../../engine/ops/index.ts';
import { type SampleArgument, sampleValue } from '../../engine/ops/sample.ts';
import { evaluateInt, int, mul, NO_FACTS, ONE, type SymInt, symbol } from '../../engine/symbols/index.ts';
import { contiguous, isFault, type Layout, layoutOf } from '../../engine/tensor/index.ts';
import type { Value } from '../../engine/values/value.ts';
import { type Question, questions, recordingOf } from './questions.ts';

/*
 * Law: what the engine claims for symbols holds for every value of them, except where a guard of the claim says otherwise.
 * Every sample is called with a symbol for each size of its tensors from 2 on, one for equal sizes; with the sizes put
 * back, and no guard holding, the claim has to be what PyTorch answered.
 */

const FOLDER = new URL('./recordings/', import.meta.url);
const recordings = new Map<string, Readonly<Record<string, unknown>>>(
  readdirSync(FOLDER).map((file) => [file, JSON.parse(readFileSync(new URL(file, FOLDER), 'utf8'))]),
);

let symbols = 0;
const context: OpContext = {
  facts: NO_FACTS,
  fresh: () => symbol(`?${symbols++}`),
  training: true,
  grad: true,
  torch: [2, 13],
};

const named = (size: number): SymInt => (size > 1 ? symbol(`s${size}`) : int(size));

function sizeOf(id: string): number {
  if (!/^s\d+$/.test(id)) throw new Error(`a size that nothing names: ${id}`);
  return Number(id.slice(1));
}

/** The layout with symbols for sizes; strides only where they are a permuted contiguous block. */
function symbolic({
  shape,
  stride,
}: {
  readonly shape: readonly number[];
  readonly stride: readonly number[] | null;
}): Layout | null {
  const sizes = shape.map(named);
  if (stride === null) return contiguous(sizes);
  if (shape.some((size) => size < 2)) return null;
  const strides: SymInt[] = sizes.map(() => ONE);
  let run = ONE;
  let expected = 1;
  for (const d of [...shape.keys()].sort((a, b) => (stride[a] ?? 0) - (stride[b] ?? 0))) {
    if (stride[d] !== expected) return null;
    strides[d] = run;
    run = mul(run, sizes[d] ?? ONE);
    expected *= shape[d] ?? 1;
  }
  return layoutOf(sizes, strides);
}

function argumentOf(argument: SampleArgument, next: () => number): Value | null {
  const value = sampleValue(argument, next);
  if (argument.is === 'literal') return value;
  if (argument.is === 'tensors') {
    const items = argument.items.map((item) => argumentOf(item, next));
    return items.every((item) => item !== null) ? { kind: 'tuple', items } : null;
  }
  if (value.kind !== 'tensor' || argument.elements !== null) return value;
  const layout = symbolic(argument);
  return layout === null ? null : { ...value, layout };
}

const put = (value: SymInt): number => evaluateInt(value, sizeOf);

function claimed(layout: Layout, dtype: string | null) {
  return {
    shape: layout.shape.map(put),
    stride: layout.stride?.map(put) ?? null,
    offset: layout.offset && put(layout.offset),
    dtype,
  };
}

function claims(result: OpResult, outcome: Outcome): unknown {
  if (result.is === 'same') {
    const became = outcome.writes.find((write) => write.target.id === result.of.id)?.becomes;
    return claimed(became?.layout ?? result.of.layout, result.of.dtype);
  }
  if ('items' in result) return result.items.map((item) => claims(item, outcome));
  return 'layout' in result ? claimed(result.layout, result.dtype) : null;
}

/** What PyTorch answered, without what the claim leaves open. */
function kept(answer: unknown, claim: unknown): unknown {
  if (claim === null) return null;
  if (Array.isArray(answer) && Array.isArray(claim)) return answer.map((item, i) => kept(item, claim[i]));
  if (!isRecord(answer) || !isRecord(claim)) return answer;
  return Object.fromEntries(Object.keys(claim).map((key) => [key, kept(answer[key], claim[key])]));
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const guarded = ({ guards }: Outcome): boolean =>
  guards.some(({ relation, left, right }) =>
    relation === 'equal' ? put(left) === put(right) : put(left) < put(right),
  );

function asked({ name, sample }: Question): Outcome | null {
  let count = 0;
  const next = () => count++;
  const args = sample.args.map((argument) => argumentOf(argument, next));
  const keywords = Object.entries(sample.keywords).map(([key, argument]) => [key, argumentOf(argument, next)] as const);
  const op = findOp(name);
  const values = args.filter((value) => value !== null);
  if (op === null || values.length < args.length || keywords.some(([, value]) => value === null)) return null;
  return callOp(
    op,
    values,
    new Map(keywords.flatMap(([key, value]) => (value ? [[key, value] as const] : []))),
    context,
  );
}

const all = questions().filter(({ sample }) => !sample.raises);

describe('what is claimed for symbols holds for numbers', () => {
  it.each(all)('$key', (question) => {
    const expected = recordings.get(recordingOf(question.name))?.[question.key];
    const outcome = asked(question);
    if (outcome === null || !isRecord(expected)) return;
    const { result } = outcome;
    if (isFault(result) && result.fault === 'unsure') return;
    try {
      if (guarded(outcome) || outcome.demands.some(([left, right]) => put(left) !== put(right))) return;
      const claim = isFault(result) ? result : claims(result, outcome);
      expect(claim).toEqual(kept(expected.result, claim));
    } catch (error) {
      // A symbol of the engine's own stands for a size that depends on data.
      if (error instanceof Error && error.message.startsWith('a size that nothing names')) return;
      throw error;
    }
  });
});
