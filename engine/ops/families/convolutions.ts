import { mul, ONE, type SymInt } from '../../symbols/index.ts';
import {
  chain,
  type DType,
  type Fault,
  type Layout,
  type Result,
  raises,
  SCALAR,
  type Tensor,
} from '../../tensor/index.ts';
import type { Value } from '../../values/value.ts';
import { type Call, since } from '../context.ts';
import { commonDType } from '../elementwise.ts';
import { convolution } from '../layouts/convolution.ts';
import { fresh } from '../layouts/format.ts';
import { agree } from '../layouts/inquiry.ts';
import { oneDType } from '../layouts/product.ts';
import { type Entry, op } from '../op.ts';
import { tensorOrNull } from './products.ts';

interface Operands {
  readonly input: Tensor;
  readonly weight: Tensor;
  readonly bias: Value;
}

const dtypes = ({ input, weight, bias }: Operands) =>
  (ofNothing(input) ? null : oneDType('weight', input.dtype, weight.dtype)) ??
  oneDType('bias', input.dtype, tensorOrNull(bias)?.dtype);

/** `ConvBackend::Empty`: an input without elements is multiplied by one element of the weight, whatever the dtypes. */
const dtype = ({ input, weight }: Operands): DType | null => {
  if (!ofNothing(input)) return input.dtype;
  const channels = input.layout.shape[1];
  return commonDType([input, channels?.constant === 0 ? weight : { ...weight, layout: SCALAR }]);
};

const ofNothing = ({ layout }: Tensor): boolean => layout.shape.some(({ constant }) => constant === 0);

function biased(bias: Value, channels: SymInt, call: Call) {
  const layout = tensorOrNull(bias)?.layout;
  if (layout === undefined || layout.front) return null;
  if (layout.shape.length !== 1)
    return raises({ is: 'rank-differs', what: 'bias', expected: '1', got: layout.shape.length });
  return agree(layout.shape[0] ?? ONE, channels, 'dim 0 of bias', call);
}

const notAPadding = (padding: unknown): Fault | null =>
  typeof padding === 'string' && padding !== 'same' && padding !== 'valid'
    ? raises({ is: 'argument', name: 'padding', got: `'${padding}'`, expects: "'same', 'valid' or numbers" })
    : null;

/** On 1.13 3-D and transposed convolutions are contiguous, whatever goes in. */
const rowMajorBefore = (result: Result<Layout>, rowMajor: boolean, call: Call): Result<Layout> =>
  rowMajor && !since(call, 2, 6) ? chain(result, ({ shape, front }) => fresh(shape, front)) : result;

const SAMPLES: readonly (readonly string[])[] = [
  [
    '(2, 4, 9)  (6, 4, 3)',
    '(4, 9)  (6, 4, 3)',
    '(2, 4, 9)/(36, 1, 4)  (6, 4, 3)  padding=1',
    '(0, 4, 9):int64  (6, 4, 3)',
    '(2, 0, 9)  (6, 0, 3):float64',
    '(2, 3, 9)  (6, 4, 3)  !',
  ],
  [
    '(2, 4, 9, 8)  (6, 4, 3, 3)',
    '(2, 4, 9, 8)/(288, 1, 32, 4)  (6, 4, 3, 3)  stride=2  padding=(1, 0)',
    '(2, 4, 9, 8)  (6, 2, 3, 3)  groups=2  dilation=2',
    "(2, 4, 9, 8)  (6, 4, 3, 2)  padding='same'",
    '(4, 9, 8)  (6, 4, 1, 1)',
    '(0, 4, 9, 8):bool  (6, 4, 3, 3)',
    '(0, 4, 9, 8)  (6, 4, 3, 3):float64',
    '(2, 4, 2, 2)  (6, 4, 3, 3)  !',
    '(2, 4, 9, 8):float64  (6, 4, 3, 3)  !',
    '(2, 4, 9, 8)  (6, 4, 3, 3)  (6, 1)  !',
    '(2, 4, 9, 8)  (6, 4, 3, 3)  stride=0  !',
    '(2, 4, 9, 8)  (6, 4, 3, 3)  stride=(1,)',
    '(2, 4, 9, 8)  (6, 4, 3, 3)  stride=(1, 1, 1)  !',
    '(2, 4, 9, 8)  (6, 4, 3, 3)  padding=-1  !',
    "(2, 4, 9, 8)  (6, 4, 3, 3)  padding='full'  !",
    '(2, 4, 9, 8)  (6, 4, 3, 3)  dilation=0  !',
    '(2, 4, 9, 8)  (6, 4, 3, 3)  groups=0  !',
    '(2, 4, 9, 8)  (5, 2, 3, 3)  groups=2  !',
    '(2, 4, 9, 8)  (6, 4, 0, 0)  !',
  ],
  [
    '(2, 4, 5, 6, 7)  (6, 4, 3, 3, 3)',
    '(1, 4, 5, 6, 7)/(840, 1, 168, 28, 4)  (6, 4, 3, 3, 3)',
    '(4, 5, 6, 7)  (6, 4, 3, 3, 3)',
    '(2, 4, 5, 6, 7)/(840, 1, 168, 28, 4)  (6, 4, 3, 3, 3)',
  ],
];

const TRANSPOSED: readonly (readonly string[])[] = [
  ['(2, 4, 5)  (4, 6, 3)', '(4, 5)  (4, 6, 3)  stride=2  output_padding=1'],
  [
    '(2, 4, 5, 6)  (4, 6, 3, 3)  stride=2  padding=1',
    '(2, 4, 5, 6)/(120, 1, 24, 4)  (4, 3, 3, 3)  groups=2',
    '(2, 3, 5, 6)  (4, 6, 3, 3)  !',
    '(2, 4, 5, 6)  (4, 6, 3, 3)  (6,)',
    '(2, 4, 5, 6)  (4, 6, 3, 3)  (5,)  !',
    '(2, 4, 5, 6)  (4, 6, 3, 3)  padding=-1  !',
    '(2, 4, 5, 6)  (4, 6, 3, 3)  groups=3  !',
  ],
  ['(2, 4, 3, 3, 3)  (4, 6, 2, 2, 2)  stride=2'],
];

const forward = ([1, 2, 3] as const).map((spatial) =>
  op(
    `F.conv${spatial}d(input: Tensor, weight: Tensor, bias: any = None, stride: SymInt[1] = 1, padding: str | SymInt[1] = 0, dilation: SymInt[1] = 1, groups: SymInt = 1) -> Tensor`,
    {
      also: [`torch.conv${spatial}d`],
      ndim: { input: spatial + 2, weight: spatial + 2 },
      raises: (args) => dtypes(args) ?? notAPadding(args.padding),
      shape: ({ input, weight, bias, stride, padding, dilation, groups }, call): Result<Layout> =>
        biased(bias, weight.layout.shape[0] ?? ONE, call) ??
        rowMajorBefore(
          convolution(
            input.layout,
            weight.layout,
            {
              spatial,
              stride,
              dilation,
              groups,
              outputPadding: null,
              dtype: input.dtype,
              padding: typeof padding !== 'string' ? padding : padding === 'same' ? 'same' : 'valid',
            },
            call,
          ),
          spatial === 3,
          call,
        ),
      dtype,
      samples: SAMPLES[spatial - 1] ?? [],
    },
  ),
);

const transposed = ([1, 2, 3] as const).map((spatial) =>
  op(
    `F.conv_transpose${spatial}d(input: Tensor, weight: Tensor, bias: any = None, stride: SymInt[1] = 1, padding: SymInt[1] = 0, output_padding: SymInt[1] = 0, groups: SymInt = 1, dilation: SymInt[1] = 1) -> Tensor`,
    {
      also: [`torch.conv_transpose${spatial}d`],
      ndim: { input: spatial + 2, weight: spatial + 2 },
      raises: dtypes,
      shape: ({ input, weight, bias, stride, padding, dilation, groups, output_padding }, call) =>
        biased(bias, mul(weight.layout.shape[1] ?? ONE, groups), call) ??
        rowMajorBefore(
          convolution(
            input.layout,
            weight.layout,
            { spatial, stride, dilation, groups, padding, outputPadding: output_padding, dtype: input.dtype },
            call,
          ),
          true,
          call,
        ),
      dtype,
      samples: TRANSPOSED[spatial - 1] ?? [],
    },
  ),
);

export const convolutions: readonly Entry[] = [...forward, ...transposed];
