import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { choicesFrom, streams } from './symbolic/choices.ts';
import { contradiction, type Tally } from './symbolic/law.ts';
import { modules } from './symbolic/modules.ts';
import { ops } from './symbolic/ops.ts';
import type { Subject } from './symbolic/subject.ts';
import { syntax } from './symbolic/syntax.ts';

/*
 * Law: what the engine claims for symbols holds for every value of them. Calls are drawn from the samples of each op, with
 * symbols for sizes, any strides, and this or that not known; each is made once as it is drawn and then with numbers in
 * place of the symbols, and wherever no guard and no demand leaves the numbers out both must say the same: shape, strides,
 * offset, view or copy, dtype, writes, or that PyTorch raises. Not to know is always allowed, to contradict never.
 *
 * A symbol is an integer from 0 on. Of tensors without elements only shapes are claimed.
 */

const DRAWS = 100;

const rooms: readonly (readonly [string, readonly Subject[]])[] = [
  ['functions and methods', ops()],
  ['operators, subscripts and attributes', syntax()],
  ['modules', modules()],
];

describe.each(rooms)('what is claimed for symbols holds for numbers: %s', (_, subjects) => {
  const tally: Tally = { draws: 0, decided: 0, raised: 0, unsure: 0, compared: 0, outside: 0 };

  it.each(subjects.map((subject) => [subject.name, subject] as const))('%s', (_, subject) => {
    const holds = fc.property(streams, (stream) => contradiction(subject, choicesFrom(stream), tally) === null);
    const { counterexample } = fc.check(holds, { numRuns: DRAWS, seed: 7 });
    const [stream] = counterexample ?? [];
    if (stream !== undefined) expect.fail(contradiction(subject, choicesFrom(stream), tally) ?? 'it holds now');
  });

  it('and most is claimed', () => {
    expect(tally.decided).toBeGreaterThan(0.6 * tally.draws);
    expect(tally.compared).toBeGreaterThan(tally.draws);
  });
});
