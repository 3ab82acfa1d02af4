import { numel } from '../../tensor/index.ts';
import { overflowsFilled } from '../constants.ts';
import { type Entry, op, same } from '../op.ts';
import { one, writeAll } from '../writing.ts';

/** `torch.nn.init`, whose random fills look at the overlap of the tensor and whose constant ones do not. */
const RANDOM = [
  'uniform_(tensor: Tensor, a: any = 0, b: any = 1',
  'normal_(tensor: Tensor, mean: any = 0, std: any = 1',
  'trunc_normal_(tensor: Tensor, mean: any = 0, std: any = 1, a: any = -2, b: any = 2',
  'xavier_uniform_(tensor: Tensor, gain: any = 1',
  'xavier_normal_(tensor: Tensor, gain: any = 1',
  "kaiming_uniform_(tensor: Tensor, a: any = 0, mode: any = 'fan_in', nonlinearity: any = 'leaky_relu'",
  "kaiming_normal_(tensor: Tensor, a: any = 0, mode: any = 'fan_in', nonlinearity: any = 'leaky_relu'",
  'orthogonal_(tensor: Tensor, gain: any = 1',
  'sparse_(tensor: Tensor, sparsity: any = 0.5, std: any = 0.01',
] as const;

const CONSTANT = [
  'constant_(tensor: Tensor, val: any = 0',
  'zeros_(tensor: Tensor',
  'ones_(tensor: Tensor',
  'eye_(tensor: Tensor',
  'dirac_(tensor: Tensor, groups: any = 1',
] as const;

const SAMPLES: Readonly<Record<string, readonly string[]>> = {
  constant_: ['(3, 4)  0.5', '(3, 4):float16  1e9  !'],
  zeros_: ['(3, 4)', '(3, 4)/(1, 0)'],
  ones_: ['(3, 4)', '(3, 4)/(1, 0)'],
  eye_: ['(3, 3)'],
  dirac_: ['(3, 2, 3)'],
};

/** Names without the underscore are old, and say the same. */
const oldName = (start: string): readonly string[] => {
  const name = start.slice(0, start.indexOf('_('));
  return ['trunc_normal', 'zeros', 'ones'].includes(name) ? [] : [`torch.nn.init.${name}`];
};

export const initializers: readonly Entry[] = [
  ...RANDOM.map((start) =>
    op(`torch.nn.init.${start}, generator: any = None) -> Tensor`, {
      also: oldName(start),
      maybe: ({ tensor }) => same(tensor),
      writes: ({ tensor }, call) => one(writeAll(tensor, {}, 'unchecked', call)),
      samples: start.startsWith('sparse_') ? ['(3, 4)  0.5'] : ['(3, 4)'],
    }),
  ),
  ...CONSTANT.map((start) =>
    op(`torch.nn.init.${start}) -> Tensor` as 'f(tensor: Tensor, val: any) -> Tensor', {
      also: oldName(start),
      raises: ({ tensor, val }, call) =>
        start.startsWith('constant_') ? overflowsFilled('val', val, tensor.dtype, numel(tensor.layout), call) : null,
      maybe: ({ tensor }) => same(tensor),
      writes: ({ tensor }, call) => one(writeAll(tensor, {}, 'silent', call)),
      samples: SAMPLES[start.slice(0, start.indexOf('('))] ?? [],
    }),
  ),
];
