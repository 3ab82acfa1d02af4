import { describe, expect, test } from 'vitest';
import { compare } from './compare.ts';
import { generate } from './generate.ts';
import { createPredict, type Prediction } from './prediction.ts';
import type { AnsweredTensor, StatementAnswer } from './pytorch.ts';
import { specBlock } from './report.ts';
import { shrink, smaller } from './shrink.ts';
import { linesOf, type Program } from './statement.ts';

const predict = await createPredict('2.13');
const SEEDS = Array.from({ length: 40 }, (_, i) => i);

/** What PyTorch would answer if the engine were right. */
function agreement(predictions: readonly Prediction[]): StatementAnswer[] {
  const storages = new Map<string, number>();
  let objects = 0;
  const row = (said: NonNullable<Prediction['tensors']>[number]): AnsweredTensor => ({
    path: said.path,
    shape: said.shape?.map(Number) ?? [],
    stride: said.stride?.map(Number) ?? [],
    offset: Number(said.offset),
    dtype: said.dtype ?? '',
    storage: storages.get(said.storage) ?? storages.set(said.storage, storages.size).size - 1,
    object: said.sharing === 'same' ? 0 : objects++,
  });
  return predictions.map(({ tensors, error }) =>
    error === null ? { tensors: tensors?.map(row) ?? [] } : { raises: 'RuntimeError', message: error },
  );
}

/** Lies about every statement that permutes. */
const withoutOffset = (program: Program): StatementAnswer[] =>
  agreement(predict(program)).map((answer, at) =>
    'tensors' in answer && program[at]?.text.includes('.permute(')
      ? { tensors: answer.tensors.map((tensor) => ({ ...tensor, offset: 7 })) }
      : answer,
  );

describe('programs', () => {
  test('are the same for the same seed', () => {
    expect(SEEDS.map((seed) => linesOf(generate(seed, predict, ['einops'])))).toEqual(
      SEEDS.map((seed) => linesOf(generate(seed, predict, ['einops']))),
    );
  });

  test('differ between seeds', () => {
    expect(new Set(SEEDS.map((seed) => linesOf(generate(seed, predict, ['einops'])).join('\n'))).size).toBe(
      SEEDS.length,
    );
  });
});

describe('comparing', () => {
  const program: Program = [
    { text: 'v0 = torch.rand((2, 3))', op: 'fresh', fresh: true },
    { text: 'v1 = v0.t()', op: 'torch.Tensor.t', fresh: false },
    { text: 'v2 = v1.view(6)', op: 'torch.Tensor.view', fresh: false },
  ];
  const answers = agreement(predict(program));
  const [first, second] = answers;

  test('finds nothing where both agree', () => {
    const { contradiction, silences, raises, told } = compare(program, predict(program), answers);
    expect({ contradiction, silences, raises, told }).toEqual({
      contradiction: null,
      silences: [],
      raises: 1,
      told: 1,
    });
  });

  test.each(['shape', 'stride', 'offset', 'dtype', 'storage'] as const)('finds another %s', (what) => {
    const others = { shape: [4, 2], stride: [1, 4], offset: 1, dtype: 'float64', storage: 9 };
    const tensors = second && 'tensors' in second ? second.tensors : [];
    const wrong = tensors.map((tensor) => ({ ...tensor, [what]: others[what] }));
    const answer = first ? [first, { tensors: wrong }] : null;
    expect(compare(program, predict(program), answer).contradiction).toMatchObject({ at: 1, what });
  });

  test('finds an error that is none', () => {
    const answer = first && second ? [first, second, { tensors: [] }] : null;
    expect(compare(program, predict(program), answer).contradiction).toMatchObject({ at: 2, what: 'raises' });
  });
});

describe('shrinking', () => {
  const program: Program = [
    { text: 'v0 = torch.rand((4, 5))', op: 'fresh', fresh: true },
    { text: 'v1 = v0.t()', op: 'torch.Tensor.t', fresh: false },
    { text: 'v2 = torch.rand((4, 5, 6), dtype=torch.float64).permute(2, 0, 1)', op: 'fresh', fresh: true },
    { text: 'v3 = v2.contiguous()', op: 'torch.Tensor.contiguous', fresh: false },
    { text: 'v4 = v0 + 1', op: '+', fresh: false },
  ];
  const fails = (candidate: Program): boolean =>
    compare(candidate, predict(candidate), withoutOffset(candidate)).contradiction?.what === 'offset';

  test('a planted contradiction is left alone in one statement', async () => {
    const smallest = await shrink(program, async (candidates) => candidates.map(fails));
    expect(linesOf(smallest)).toHaveLength(1);
    expect(smallest.every((statement) => smaller([statement]).every((candidate) => !fails(candidate)))).toBe(true);
  });

  test('is printed as a block for a specification', () => {
    const [statement] = program.slice(2);
    const small = statement ? [statement] : [];
    const answer = withoutOffset(small);
    const { contradiction } = compare(small, predict(small), answer);
    expect(contradiction && specBlock(small, answer, contradiction, '2.13')).toContain(
      'x = torch.rand((4, 5, 6), dtype=torch.float64).permute(2, 0, 1)  # reveal: Tensor[6, 4, 5] strides (1, 30, 6) offset 7 float64',
    );
  });
});
