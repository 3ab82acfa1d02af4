import { int } from '../symbols/index.ts';
import { raises } from '../tensor/index.ts';
import { intValue } from '../values/value.ts';
import { trains } from './arguments.ts';
import { call, type ModuleEntry, module, ofRanks, type Self, through, withInputs } from './module.ts';

/** Activations that may write their input: name, constructor arguments before `inplace`, function, attributes passed on. */
const WRITING: readonly (readonly [string, string, string, readonly string[]])[] = [
  ['ReLU', '', 'relu', []],
  ['ReLU6', '', 'relu6', []],
  ['ELU', 'alpha: any = 1.0, ', 'elu', ['alpha']],
  ['SELU', '', 'selu', []],
  ['CELU', 'alpha: any = 1.0, ', 'celu', ['alpha']],
  ['LeakyReLU', 'negative_slope: any = 0.01, ', 'leaky_relu', ['negative_slope']],
  ['Hardtanh', 'min_val: any = -1.0, max_val: any = 1.0, ', 'hardtanh', ['min_val', 'max_val']],
  ['SiLU', '', 'silu', []],
  ['Mish', '', 'mish', []],
  ['Hardswish', '', 'hardswish', []],
  ['Hardsigmoid', '', 'hardsigmoid', []],
  ['Threshold', 'threshold: any, value: any, ', 'threshold', ['threshold', 'value']],
  ['RReLU', 'lower: any = 0.125, upper: any = 0.333, ', 'rrelu', ['lower', 'upper']],
];

/** Old names of arguments, which come after `inplace`. */
const AFTER: ReadonlyMap<string, string> = new Map([['Hardtanh', ', min_value: any = None, max_value: any = None']]);

const pick = (names: readonly string[]) => (self: Self) => names.map((name) => self(name));

const writing = WRITING.map(([name, before, f, passed]) =>
  module(`${name}(${before}inplace: any = False${AFTER.get(name) ?? ''}) -> any`, {
    forward: through(`F.${f}`, pick(passed), (self) => ({ inplace: self('inplace') })),
  }),
);

/** Activations that make a new tensor. */
const MAKING: readonly (readonly [string, string, string, readonly string[]])[] = [
  ['GELU', "approximate: any = 'none'", 'F.gelu', ['approximate']],
  ['Sigmoid', '', 'torch.sigmoid', []],
  ['Tanh', '', 'torch.tanh', []],
  ['Softplus', 'beta: any = 1.0, threshold: any = 20.0', 'F.softplus', ['beta', 'threshold']],
  ['Softsign', '', 'F.softsign', []],
  ['Tanhshrink', '', 'F.tanhshrink', []],
  ['Hardshrink', 'lambd: any = 0.5', 'F.hardshrink', ['lambd']],
  ['Softshrink', 'lambd: any = 0.5', 'F.softshrink', ['lambd']],
  ['LogSigmoid', '', 'F.logsigmoid', []],
  ['GLU', 'dim: any = -1', 'F.glu', ['dim']],
  ['Softmax', 'dim: any = None', 'F.softmax', ['dim']],
  ['LogSoftmax', 'dim: any = None', 'F.log_softmax', ['dim']],
  ['Softmin', 'dim: any = None', 'F.softmin', ['dim']],
];

const making = MAKING.map(([name, parameters, f, passed]) =>
  module(`${name}(${parameters}) -> any`, { forward: through(f, pick(passed)) }),
);

const dropouts = ['Dropout', 'Dropout1d', 'Dropout2d', 'Dropout3d', 'AlphaDropout', 'FeatureAlphaDropout'].map((name) =>
  module(`${name}(p: any = 0.5, inplace: any = False) -> any`, {
    raises: ({ p }) =>
      p.kind === 'float' && p.value !== null && (p.value < 0 || p.value > 1)
        ? raises({ is: 'argument', name: 'p', got: `${p.value}`, expects: 'a probability between 0 and 1' })
        : null,
    forward: withInputs('forward(input: Tensor) -> any', (self, { input }, context) =>
      call(
        `F.${name.replace(/([a-z])([A-Z])/g, '$1_$2').toLowerCase()}`,
        [input],
        { p: self('p'), training: trains(self('training'), context), inplace: self('inplace') },
        context,
      ),
    ),
  }),
);

export const activations: readonly ModuleEntry[] = [
  ...writing,
  ...making,
  ...dropouts,
  module('PReLU(num_parameters: SymInt = 1, init: any = 0.25, device: any = None, dtype: any = None) -> any', {
    parameters: ({ num_parameters }) => ({ weight: [num_parameters] }),
    forward: through('F.prelu', (self) => [self('weight')]),
  }),
  module('Softmax2d() -> any', {
    forward: ofRanks(
      [3, 4],
      through('torch.softmax', () => [intValue(int(-3))]),
    ),
  }),
];
