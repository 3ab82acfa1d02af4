import { failed, performing } from '../ops/call.ts';
import type { Call } from '../ops/context.ts';
import { truthOf } from '../ops/families/dropouts.ts';
import { type PackedSequence, repacked, sequenceCount, unpacked } from '../ops/families/packed.ts';
import { fresh as dense } from '../ops/layouts/format.ts';
import { agree } from '../ops/layouts/inquiry.ts';
import { oneDType } from '../ops/layouts/product.ts';
import { recurrent, stateAgrees } from '../ops/layouts/recurrent.ts';
import { fresh } from '../ops/op.ts';
import type { OpResult } from '../ops/outcome.ts';
import { always, int, mul, ONE, type SymInt, ZERO } from '../symbols/index.ts';
import { type DType, type Fault, isFault, type Layout, raises, type Tensor, unsure } from '../tensor/index.ts';
import { intValue, type Value } from '../values/value.ts';
import { given } from './arguments.ts';
import { type ModuleEntry, module, ofRanks, type Self, withInputs } from './module.ts';

type Cell = 'RNN' | 'GRU' | 'LSTM';
const GATES: Readonly<Record<Cell, number>> = { RNN: 1, GRU: 3, LSTM: 4 };

/** The first `dtype` is that of the input; the weights must have it too. */
const tensors = (hx: Value): readonly Tensor[] =>
  (hx.kind === 'tuple' ? hx.items : [hx]).filter((item): item is Tensor => item.kind === 'tensor');

const size = (self: Self, name: string): SymInt | null => {
  const value = self(name);
  return value.kind === 'int' ? value.value : null;
};

interface Sizes {
  readonly input_size: SymInt;
  readonly hidden_size: SymInt;
  readonly num_layers: SymInt;
  readonly bias: Value;
  readonly bidirectional: Value;
  readonly proj_size: Value;
}

/** `weight_ih_l0`, `weight_hh_l0`, `bias_ih_l0`, … of every layer and direction. */
function weights(cell: Cell, args: Sizes): Record<string, readonly SymInt[]> {
  const { input_size, hidden_size, num_layers, bias, bidirectional, proj_size } = args;
  const gates = mul(int(GATES[cell]), hidden_size);
  const directions = truthOf(bidirectional) === true ? 2 : 1;
  const projection = proj_size.kind === 'int' && proj_size.value.constant !== 0 ? proj_size.value : null;
  const output = projection ?? hidden_size;
  const shapes: Record<string, readonly SymInt[]> = {};
  for (let layer = 0; layer < Math.min(num_layers.constant ?? 1, 64); layer++)
    for (let direction = 0; direction < directions; direction++) {
      const suffix = `_l${layer}${direction === 1 ? '_reverse' : ''}`;
      shapes[`weight_ih${suffix}`] = [gates, layer === 0 ? input_size : mul(int(directions), output)];
      shapes[`weight_hh${suffix}`] = [gates, output];
      if (given(bias)) Object.assign(shapes, { [`bias_ih${suffix}`]: [gates], [`bias_hh${suffix}`]: [gates] });
      if (projection !== null) shapes[`weight_hr${suffix}`] = [projection, hidden_size];
    }
  return shapes;
}

const forward = (cell: Cell) =>
  withInputs('forward(input: any, hx: any = None) -> any', (self, { input, hx }, context) => {
    const sequence = unpacked(input);
    const data = sequence?.data ?? (input.kind === 'tensor' ? input : null);
    if (data === null) return failed(unsure('the forward is given something else than tensors'));
    const [inputSize, hiddenSize, layers] = ['input_size', 'hidden_size', 'num_layers'].map((name) => size(self, name));
    const batchFirst = truthOf(self('batch_first'));
    const bidirectional = truthOf(self('bidirectional'));
    if (!inputSize || !hiddenSize || !layers || batchFirst === undefined || bidirectional === undefined)
      return failed(unsure(`how the ${cell} was made is not known`));
    const projection = size(self, 'proj_size');
    const projects = projection !== null && projection.constant !== 0;
    const open = self('proj_size').kind === 'unknown';
    const outputSize = open ? context.fresh('proj_size') : projects ? projection : hiddenSize;
    return performing(context, (call) => {
      const made = recurrent(
        sequence === null ? data.layout : steps(sequence, call),
        tensors(hx).map((state) => state.layout),
        {
          inputSize,
          hiddenSize,
          outputSize,
          layers,
          directions: bidirectional ? 2 : 1,
          batchFirst: batchFirst && sequence === null,
        },
        call,
      );
      const wrong = oneDType('weight', data.dtype, weightDType(self));
      if (wrong !== null) return { result: wrong, writes: [] };
      if (isFault(made)) return { result: made, writes: [] };
      const output = sequence === null ? fresh(made.output, data.dtype) : repacked(sequence, made.output);
      const hidden = fresh(made.hidden, data.dtype);
      const states: OpResult =
        cell === 'LSTM' ? { is: 'tuple', items: [hidden, fresh(made.cell, data.dtype)] } : hidden;
      return { result: { is: 'tuple', items: [output, states] }, writes: [] };
    });
  });

/** A packed sequence as if it were padded, the time first. */
const steps = ({ data, batchSizes, indices }: PackedSequence, call: Call): Layout =>
  dense([
    batchSizes.layout.shape[0] ?? call.context.fresh('length'),
    sequenceCount(indices, call),
    ...data.layout.shape.slice(1),
  ]);

const weightDType = (self: Self): DType | null => {
  const weight = self('weight_ih_l0');
  return weight.kind === 'tensor' ? weight.dtype : null;
};

const RECURRENT = 'bias: any = True, batch_first: any = False, dropout: any = 0.0, bidirectional: any = False';

const text = (value: string): Value => ({ kind: 'str', value });

const notRectified = (nonlinearity: Value): Fault | null =>
  nonlinearity.kind === 'str' && nonlinearity.value !== 'tanh' && nonlinearity.value !== 'relu'
    ? raises({ is: 'argument', name: 'nonlinearity', got: `'${nonlinearity.value}'`, expects: "'tanh' or 'relu'" })
    : null;

const networks = [
  module(
    `RNN(input_size: SymInt, hidden_size: SymInt, num_layers: SymInt = 1, nonlinearity: any = 'tanh', ${RECURRENT}, device: any = None, dtype: any = None) -> any`,
    {
      raises: ({ nonlinearity }) => notRectified(nonlinearity),
      attributes: ({ nonlinearity }) => ({
        mode: nonlinearity.kind === 'str' ? text(`RNN_${nonlinearity.value.toUpperCase()}`) : nonlinearity,
        proj_size: intValue(ZERO),
      }),
      parameters: (args) => weights('RNN', { ...args, proj_size: intValue(ZERO) }),
      ndim: 3,
      forward: forward('RNN'),
    },
  ),
  module(
    `GRU(input_size: SymInt, hidden_size: SymInt, num_layers: SymInt = 1, ${RECURRENT}, device: any = None, dtype: any = None) -> any`,
    {
      attributes: () => ({ mode: text('GRU'), proj_size: intValue(ZERO) }),
      parameters: (args) => weights('GRU', { ...args, proj_size: intValue(ZERO) }),
      ndim: 3,
      forward: forward('GRU'),
    },
  ),
  module(
    `LSTM(input_size: SymInt, hidden_size: SymInt, num_layers: SymInt = 1, ${RECURRENT}, proj_size: any = 0, device: any = None, dtype: any = None) -> any`,
    {
      raises: ({ proj_size, hidden_size }, { facts }) =>
        proj_size.kind === 'int' && always('less', proj_size.value, hidden_size, facts) === false
          ? raises({
              is: 'argument',
              name: 'proj_size',
              got: `${proj_size.value.constant ?? 'a size'}`,
              expects: `less than hidden_size, ${hidden_size.constant ?? 'a size'}`,
            })
          : null,
      attributes: () => ({ mode: text('LSTM') }),
      parameters: (args) => weights('LSTM', args),
      ndim: 3,
      forward: forward('LSTM'),
    },
  ),
];

const firstOf = (faults: readonly (Fault | null)[]): Fault | null => faults.find((fault) => fault !== null) ?? null;

/** One step: the new state has the batch of the input. */
const oneStep = (cell: Cell) =>
  withInputs('forward(input: Tensor, hx: any = None) -> any', (self, { input, hx }, context) =>
    performing(context, (call) => {
      const [inputSize, hiddenSize] = [size(self, 'input_size'), size(self, 'hidden_size')];
      if (!inputSize || !hiddenSize) return { result: unsure(`how the ${cell}Cell was made is not known`), writes: [] };
      const { shape, front } = input.layout;
      const layout = dense([...shape.slice(0, -1), hiddenSize], front);
      const differs =
        agree(shape.at(-1) ?? ONE, inputSize, `dim ${shape.length - 1} of input`, call) ??
        firstOf(tensors(hx).map((state) => stateAgrees(state.layout, layout, 'hx', call)));
      if (differs !== null) return { result: differs, writes: [] };
      const state = fresh(layout, input.dtype);
      return { result: cell === 'LSTM' ? { is: 'tuple', items: [state, state] } : state, writes: [] };
    }),
  );

function cellWeights(
  gates: SymInt,
  { input_size, hidden_size, bias }: Pick<Sizes, 'input_size' | 'hidden_size' | 'bias'>,
) {
  const biases = given(bias) ? [gates] : null;
  return { weight_ih: [gates, input_size], weight_hh: [gates, hidden_size], bias_ih: biases, bias_hh: biases };
}

const cells = (['RNN', 'GRU', 'LSTM'] as const).map((cell) =>
  module(
    `${cell}Cell(input_size: SymInt, hidden_size: SymInt, bias: any = True${cell === 'RNN' ? ", nonlinearity: any = 'tanh'" : ''}, device: any = None, dtype: any = None) -> any`,
    {
      parameters: (args) => cellWeights(mul(int(GATES[cell]), args.hidden_size), args),
      forward: ofRanks([1, 2], oneStep(cell)),
    },
  ),
);

const cellOf = (mode: Value): Cell =>
  mode.kind === 'str' && (mode.value === 'LSTM' || mode.value === 'GRU') ? mode.value : 'RNN';

/** What the others are made of; alone they have no forward. */
const bases = [
  module(
    'RNNBase(mode: any, input_size: SymInt, hidden_size: SymInt, num_layers: SymInt = 1, bias: any = True, batch_first: any = False, dropout: any = 0.0, bidirectional: any = False, proj_size: any = 0, device: any = None, dtype: any = None) -> any',
    { parameters: (args) => weights(cellOf(args.mode), args), forward: () => failed(unsure('it has no `forward`')) },
  ),
  module(
    'RNNCellBase(input_size: SymInt, hidden_size: SymInt, bias: any, num_chunks: SymInt, device: any = None, dtype: any = None) -> any',
    {
      parameters: (args) => cellWeights(mul(args.num_chunks, args.hidden_size), args),
      forward: () => failed(unsure('it has no `forward`')),
    },
  ),
];

export const recurrents: readonly ModuleEntry[] = [...networks, ...cells, ...bases];
