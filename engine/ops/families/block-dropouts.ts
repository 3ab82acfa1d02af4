import { ONE } from '../../symbols/index.ts';
import { elementwise, type Fault, type Layout, type Result, raises, unsure } from '../../tensor/index.ts';
import { boolValue, type Value } from '../../values/value.ts';
import type { Call } from '../context.ts';
import { fresh as dense } from '../layouts/format.ts';
import { ofRank } from '../layouts/product.ts';
import { type Entry, op } from '../op.ts';
import { dropped, writes } from './dropouts.ts';

const notProbability = (p: Value): Fault | null =>
  p.kind === 'float' && p.value !== null && (p.value < 0 || p.value > 1)
    ? raises({ is: 'argument', name: 'p', got: `${p.value}`, expects: 'a probability between 0 and 1' })
    : null;

/** One number of noise for every sample, or for the batch. */
function noisyByRow(input: Layout, mode: string, call: Call): Result<Layout> {
  if (input.front) return unsure('the rank of the input is not known');
  const noise = input.shape.map((size, d) => (d === 0 && mode === 'row' ? size : ONE));
  return elementwise([input, dense(noise)], call.ask);
}

const blocks = ([2, 3] as const).map((spatial) =>
  op(
    `torchvision.ops.drop_block${spatial}d(input: Tensor, p: any, block_size: any, inplace: any = False, eps: any = 1e-6, training: any = True) -> any`,
    {
      also: [`torchvision.ops.drop_block.drop_block${spatial}d`],
      ndim: { input: spatial + 2 },
      raises: ({ input, p }) => notProbability(p) ?? ofRank(input.layout, spatial + 2, 'input'),
      maybe: (args, call) => dropped(args, elementwise([args.input.layout, dense(args.input.layout.shape)], call.ask)),
      writes,
      samples:
        spatial === 2
          ? [
              '(2, 3, 8, 7)/(168, 1, 21, 3)  0.5  3',
              '(2, 3, 8, 7)  0.5  3  inplace=True',
              '(2, 3, 8, 7)  0.5  3  training=False',
              '(3, 8, 7)  0.5  3  !',
            ]
          : ['(2, 3, 5, 6, 7)  0.5  3'],
    },
  ),
);

/** Dropouts of `torchvision.ops`, of whole samples and of blocks. */
export const blockDropouts: readonly Entry[] = [
  ...blocks,
  op('torchvision.ops.stochastic_depth(input: Tensor, p: any, mode: str, training: any = True) -> any', {
    also: ['torchvision.ops.stochastic_depth.stochastic_depth'],
    raises: ({ p, mode }) =>
      notProbability(p) ??
      (mode === 'batch' || mode === 'row'
        ? null
        : raises({ is: 'argument', name: 'mode', got: `'${mode}'`, expects: "'batch' or 'row'" })),
    maybe: (args, call) =>
      dropped({ ...args, inplace: boolValue(false) }, noisyByRow(args.input.layout, args.mode, call)),
    samples: [
      "(2, 3, 4)  0.5  'row'",
      "(2, 3, 4)/(1, 8, 2)  0.5  'batch'",
      "(2, 3, 4)  0.5  'row'  False",
      "(2, 3, 4)  0.5  'rows'  !",
    ],
  }),
];
