import { expect, it } from 'vitest';
import { findModule, forward } from '../../engine/modules/index.ts';
import type { OpResult } from '../../engine/ops/index.ts';
import { sampleValue } from '../../engine/ops/sample.ts';
import { isFault, type Layout, type Tensor } from '../../engine/tensor/index.ts';
import type { Value } from '../../engine/values/value.ts';
import { ANY, known, open, valued } from '../ops/answers.ts';
import { contextOf, instanceOf } from './instance.ts';
import { classes, recorded } from './recording.ts';
import { type Input, moduleQuestions } from './samples.ts';

function described(result: OpResult, inputs: readonly Value[]): unknown {
  const place = (of: Tensor) => inputs.findIndex((input) => input.kind === 'tensor' && input.id === of.id);
  const laid = (layout: Layout, dtype: string | null) => ({
    shape: layout.shape.map(known),
    stride: layout.stride?.map(known) ?? ANY,
    dtype: dtype ?? ANY,
  });
  switch (result.is) {
    case 'same':
      return { ...laid(result.of.layout, result.of.dtype), same: place(result.of), of: place(result.of) };
    case 'view':
      return { ...laid(result.layout, result.dtype), of: place(result.of) };
    case 'fresh':
      return laid(result.layout, result.dtype);
    case 'either':
      return { ...laid(result.layout, result.dtype), same: ANY, of: ANY };
    case 'value':
      return result.value.kind === 'none' ? null : ANY;
    default:
      return result.items.map((item) => described(item, inputs));
  }
}

const questions = moduleQuestions();

it.each(questions)('$key', (question) => {
  const expected = recorded[question.key];
  if (expected === undefined) throw new Error('no recording of this sample: run test/oracle/module_samples.py');
  let count = 0;
  const next = () => count++;
  const made = instanceOf(question, next);
  if (made === null) return expect(expected).toEqual(['!', expect.anything()]);
  const inputs: Value[] = [];
  const given = (input: Input): Value => {
    if (input.is === 'again') return inputs[input.input] ?? { kind: 'none' };
    const value = sampleValue(input, next);
    inputs.push(...(value.kind === 'tuple' ? value.items : [value]).filter(({ kind }) => kind === 'tensor'));
    return value;
  };
  const args = question.inputs.map(given);
  const keywords = new Map(Object.entries(question.keywords).map(([name, input]) => [name, given(input)] as const));
  const { result } = forward(made.entry, made.attributes, args, keywords, contextOf(question));
  if (isFault(result)) {
    expect(result.fault).toBe('raises');
    return expect(expected).toEqual(['!', expect.anything()]);
  }
  if (!('result' in expected)) throw new Error(`PyTorch raises ${expected[1]}`);
  const actual = described(result, inputs);
  expect(actual).toEqual(open(expected.result, actual));
  const shapes = Object.fromEntries(made.construction.parameters.map(({ name, shape }) => [name, shape.map(known)]));
  const absent = Object.entries(expected.own).filter(([, shape]) => shape === null);
  expect(shapes).toEqual(Object.fromEntries(Object.entries(expected.own).filter(([, shape]) => shape !== null)));
  for (const [name] of absent) expect(made.attributes.get(name)?.kind ?? 'none').toBe('none');
  for (const [name, value] of Object.entries(expected.attributes)) {
    const attribute = made.attributes.get(name);
    if (attribute !== undefined && valued(attribute) !== ANY) expect([name, valued(attribute)]).toEqual([name, value]);
  }
});

/** The evaluator knows these: what they do depends on other modules. */
const OF_THE_EVALUATOR = [
  'Container',
  'DataParallel',
  'Module',
  'ModuleDict',
  'ModuleList',
  'ParameterDict',
  'ParameterList',
  'Sequential',
];

it('knows every module of torch.nn', () => {
  expect(Object.keys(classes).filter((name) => findModule(`torch.nn.${name}`) === null)).toEqual(OF_THE_EVALUATOR);
});

it.each(Object.entries(classes))('%s takes what PyTorch lets it take', (name, parameters) => {
  const entry = findModule(`torch.nn.${name}`);
  if (entry === null) return expect(OF_THE_EVALUATOR).toContain(name);
  if (parameters === null) return;
  const named = entry.signature.parameters.filter(({ variadic, types }) => !variadic && !types.includes('named'));
  expect(named.map((parameter) => parameter.name)).toEqual(parameters);
});

it('has no recording of a sample that is gone', () => {
  const keys = new Set(questions.map(({ key }) => key));
  expect(Object.keys(recorded).filter((key) => !keys.has(key))).toEqual([]);
});
