import { expect, it } from 'vitest';
import { forward } from '../../engine/modules/index.ts';
import type { OpResult } from '../../engine/ops/index.ts';
import { sampleValue } from '../../engine/ops/sample.ts';
import { evaluateInt, type Guard, type SymInt, symbol, symbolsOf } from '../../engine/symbols/index.ts';
import { contiguous, isFault } from '../../engine/tensor/index.ts';
import type { Value } from '../../engine/values/value.ts';
import { contextOf, instanceOf } from './instance.ts';
import { recorded } from './recording.ts';
import { type Input, type ModuleQuestion, moduleQuestions } from './samples.ts';

/**
 * What is claimed of symbolic sizes must hold for the recorded numbers, unless a guard says that they are the special case:
 * the sizes of every input become symbols, and the claims are evaluated at the sizes of the sample.
 */
interface Bound {
  readonly inputs: Value[];
  readonly sizes: ReadonlyMap<string, number>;
}

function symbolic(question: ModuleQuestion, next: () => number): Bound {
  const sizes = new Map<string, number>();
  const inputs: Value[] = [];
  const made = (input: Input): Value => {
    if (input.is === 'again') return inputs[input.input] ?? { kind: 'none' };
    const value = sampleValue(input, next);
    if (value.kind !== 'tensor' || input.is !== 'tensor') return value;
    const shape = value.layout.shape.map((size, d): SymInt => {
      const id = `${value.id}.${d}`;
      if (size.constant === null || size.constant < 2) return size;
      sizes.set(id, size.constant);
      return symbol(id);
    });
    return { ...value, layout: contiguous(shape), elements: null };
  };
  for (const input of question.inputs) inputs.push(made(input));
  return { inputs, sizes };
}

/** The value under the binding, or null where the claim has a symbol of its own. */
function at(size: SymInt, sizes: ReadonlyMap<string, number>): number | null {
  return [...symbolsOf(size)].every((id) => sizes.has(id)) ? evaluateInt(size, (id) => sizes.get(id) ?? 0) : null;
}

function special({ relation, left, right }: Guard, sizes: ReadonlyMap<string, number>): boolean {
  const [a, b] = [at(left, sizes), at(right, sizes)];
  return a === null || b === null || (relation === 'equal' ? a === b : a < b);
}

/** Every claim about a shape or a stride beside what was recorded. */
function* claims(
  result: OpResult,
  recording: unknown,
  sizes: ReadonlyMap<string, number>,
): Generator<[string, number, unknown]> {
  if (result.is === 'tuple' || result.is === 'list') {
    for (const [i, item] of result.items.entries())
      yield* claims(item, Array.isArray(recording) ? recording[i] : null, sizes);
    return;
  }
  if (!('layout' in result)) return;
  const { shape, stride } = result.layout;
  const answer = recording as { readonly shape: readonly number[]; readonly stride: readonly number[] };
  for (const [what, ints, answers] of [
    ['size', shape, answer.shape],
    ['stride', stride ?? [], answer.stride],
  ] as const)
    for (const [d, int] of ints.entries()) {
      const value = at(int, sizes);
      if (value !== null) yield [`${what} ${d}`, value, answers[d]];
    }
}

const questions = moduleQuestions().filter(({ inputs }) =>
  inputs.every((input) => input.is !== 'tensor' || input.stride === null),
);

it.each(questions)('$key', (question) => {
  const recording = recorded[question.key];
  if (recording === undefined || !('result' in recording)) return;
  let count = 0;
  const next = () => count++;
  const made = instanceOf(question, next);
  if (made === null) throw new Error('the module cannot be made');
  const { inputs, sizes } = symbolic(question, next);
  const keywords = new Map(
    Object.entries(question.keywords).map(
      ([name, input]) => [name, input.is === 'again' ? inputs[0] : sampleValue(input, next)] as const,
    ),
  );
  const given = new Map(
    [...keywords].flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const])),
  );
  const outcome = forward(made.entry, made.attributes, inputs, given, contextOf(question));
  const { result } = outcome;
  if (isFault(result)) return expect(result.fault).toBe('unsure');
  if (outcome.guards.some((guard) => special(guard, sizes))) return;
  for (const [what, claimed, answer] of claims(result, recording.result, sizes))
    expect([what, claimed]).toEqual([what, answer]);
  for (const [left, right] of outcome.demands) {
    const [a, b] = [at(left, sizes), at(right, sizes)];
    if (a !== null && b !== null) expect(a).toBe(b);
  }
});
