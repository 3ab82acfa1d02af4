import {
  attributeNames,
  binary,
  compare,
  getAttribute,
  getItem,
  inplace,
  OPERATORS,
  type OpContext,
  type Outcome,
  setItem,
  unary,
} from '../../../engine/ops/index.ts';
import type { SampleArgument } from '../../../engine/ops/sample.ts';
import { unsure } from '../../../engine/tensor/index.ts';
import { NONE, type Value } from '../../../engine/values/value.ts';
import { keyValue, SUBSCRIPTS } from '../subscripts.ts';
import type { Filling, Form, Slot, Subject } from './subject.ts';

/** What Python writes without a name of torch: operators, subscripts, attributes. */
export const syntax = (): readonly Subject[] => [
  ...OPERATORS.binary.flatMap((operator) => [
    written(`x ${operator} y`, pairsOf(operator), ([x, y], context) => binary(operator, x, y, context)),
    written(`x ${operator}= y`, pairsOf(operator), ([x, y], context) => inplace(`${operator}=`, x, y, context)),
  ]),
  ...OPERATORS.compare.map((operator) =>
    written(`x ${operator} y`, PAIRS, ([x, y], context) => compare(operator, x, y, context)),
  ),
  ...OPERATORS.unary.map((operator) =>
    written(`${operator}x`, operator === '~' ? whole(LONE) : LONE, ([x], context) => unary(operator, x, context)),
  ),
  ...attributeNames.map((name) =>
    written(
      `x.${name}`,
      LONE,
      ([x], context) => (x.kind === 'tensor' ? getAttribute(x, name, context) : null) ?? NO_TENSOR,
    ),
  ),
  written('x[key]', subscripts(false), ([x, key], context) =>
    x.kind === 'tensor' ? getItem(x, key, context) : NO_TENSOR,
  ),
  written('x[key] = y', subscripts(true), ([x, key, y], context) =>
    x.kind === 'tensor' ? setItem(x, key, y, context) : NO_TENSOR,
  ),
];

type Shaped = Extract<SampleArgument, { is: 'tensor' }>;

type Operands = readonly [Value, Value, Value];

function written(
  name: string,
  forms: readonly Form[],
  call: (operands: Operands, context: OpContext) => Outcome,
): Subject {
  return {
    name,
    forms,
    optional: [],
    takesOut: false,
    call: ({ args: [x = NONE, y = NONE, z = NONE] }, context) => call([x, y, z], context),
  };
}

const NO_TENSOR: Outcome = { result: unsure('it is no tensor'), guards: [], writes: [], demands: [] };

const slot = (name: string, types: readonly string[], filling: Filling): Slot => ({
  keyword: null,
  name,
  types,
  filling,
});

const tensor = (shape: readonly number[], stride: readonly number[] | null = null): Shaped => ({
  is: 'tensor',
  shape,
  stride,
  dtype: 'float32',
  elements: null,
});

const number = (text: string): SampleArgument => ({ is: 'literal', text });

const LONE: readonly Form[] = [
  tensor([2, 3]),
  tensor([2, 3, 4], [12, 1, 3]),
  tensor([5]),
  tensor([]),
  { ...tensor([3, 4]), dtype: 'complex64' as const },
].map((x) => [slot('x', ['Tensor'], x)]);

const PAIRS: readonly Form[] = (
  [
    [tensor([2, 3]), tensor([2, 3])],
    [tensor([2, 3, 4]), tensor([4])],
    [tensor([2, 3, 4], [1, 2, 6]), tensor([3, 1])],
    [tensor([3, 3]), tensor([3, 3], [1, 3])],
    [tensor([2, 3]), number('2')],
    [tensor([2, 3], [1, 2]), number('0.5')],
    [number('2'), tensor([2, 3])],
  ] as const
).map(([x, y]) => [slot('x', ['Tensor', 'Scalar'], x), slot('y', ['Tensor', 'Scalar'], y)]);

/** Operators of bits take integers. */
const pairsOf = (operator: string): readonly Form[] => (/^(&|\||\^|<<|>>)$/.test(operator) ? whole(PAIRS) : PAIRS);

const whole = (forms: readonly Form[]): readonly Form[] =>
  forms.map((form) =>
    form.map((each): Slot => {
      const { filling } = each;
      if (filling.is === 'literal') return { ...each, filling: number('2') };
      return filling.is === 'tensor' ? { ...each, filling: { ...filling, dtype: 'int64' } } : each;
    }),
  );

/** Numbers of a key are sizes too: `x[:n]`. */
function subscripts(assigned: boolean): readonly Form[] {
  return SUBSCRIPTS.filter(({ value }) => (value !== null) === assigned).map(({ shape, stride, key, value }) => [
    slot('x', ['Tensor'], tensor(shape, stride)),
    slot('key', ['SymInt'], { is: 'value', value: keyValue(key) }),
    ...(value === null
      ? []
      : [slot('y', ['Tensor', 'Scalar'], typeof value === 'number' ? number(`${value}.0`) : tensor(value))]),
  ]);
}
