import { add, always, int, mul, ONE, type SymInt, sub, ZERO } from '../../symbols/index.ts';
import { type Fault, isFault, type Layout, type Result, raises, unsure } from '../../tensor/index.ts';
import type { Value } from '../../values/value.ts';
import type { Call } from '../context.ts';
import { spread } from '../layouts/convolution.ts';
import { agree } from '../layouts/inquiry.ts';
import { pooled } from '../layouts/pooling.ts';
import { type Entry, op } from '../op.ts';

/** The 1-D one runs as a 2-D one over columns. */
const FORMATS = { 1: 'narrow', 2: 'S', 3: 'C' } as const;

const SAMPLES: readonly (readonly string[])[] = [
  [
    '(1, 1, 2)  (1, 1, 2):int64  2',
    '(1, 1, 2)/(2, 1, 1)  (1, 1, 2):int64  1',
    '(2, 3, 4)/(12, 1, 3)  (2, 3, 4):int64  1',
    '(1, 1, 2)  (1, 1, 3):int64  2  !',
  ],
  [
    '(1, 1, 2, 2)  (1, 1, 2, 2):int64  2',
    '(1, 2, 2, 2)/(8, 1, 4, 2)  (1, 2, 2, 2):int64  2',
    '(1, 1, 2, 2)  (1, 1, 2, 2):int64  2  output_size=[5, 5]',
    '(1, 1, 2, 2)  (1, 1, 2, 2):int64  2  output_size=[1, 1, 3, 5]',
    '(1, 1, 2, 2)  (1, 1, 2, 2):int64  2  output_size=[6, 5]  !',
  ],
  ['(1, 1, 2, 2, 2)  (1, 1, 2, 2, 2):int64  2'],
];

export const unpools: readonly Entry[] = ([1, 2, 3] as const).map((spatial) =>
  op(
    `F.max_unpool${spatial}d(input: Tensor, indices: Tensor, kernel_size: SymInt[1], stride: SymInt[1]? = None, padding: SymInt[1] = 0, output_size: any = None) -> Tensor`,
    {
      ndim: { input: spatial + 2 },
      raises: ({ input, indices }, call) => indicesAgree(input.layout, indices.layout, call),
      shape: ({ input, kernel_size, stride, padding, output_size }, call) => {
        const kernel = spread(kernel_size, spatial);
        const step = stride === null ? kernel : spread(stride, spatial);
        const pad = spread(padding, spatial);
        const sizes = input.layout.shape.slice(-spatial).map((size, d) => {
          const [k, s, p] = [kernel[d] ?? ONE, step[d] ?? ONE, pad[d] ?? ZERO];
          return sub(add(mul(sub(size, ONE), s), k), mul(int(2), p));
        });
        const wanted = output_size.kind === 'none' ? sizes : nearby(sizes, step, output_size, call);
        return isFault(wanted) ? wanted : pooled(input.layout, spatial, wanted, FORMATS[spatial], call);
      },
      samples: SAMPLES[spatial - 1] ?? [],
    },
  ),
);

/** `_unpool_output_size` (torch/nn/functional.py): the size asked for is less than a stride away from the computed one. */
function nearby(
  computed: readonly SymInt[],
  stride: readonly SymInt[],
  wanted: Value,
  { ask }: Call,
): Result<readonly SymInt[]> {
  if (wanted.kind !== 'tuple') return unsure('the output size is not known');
  const sizes: SymInt[] = [];
  for (const [d, item] of wanted.items.slice(-computed.length).entries()) {
    if (item.kind !== 'int') return unsure('the output size is not known');
    const [from, step] = [computed[d] ?? ONE, stride[d] ?? ONE];
    const tooSmall = always('less', sub(from, step), item.value, ask.facts) === false;
    if (tooSmall || always('less', item.value, add(from, step), ask.facts) === false)
      return raises({
        is: 'argument',
        name: 'output_size',
        got: `${item.value.constant ?? 'a size'}`,
        expects: `less than a stride away from ${from.constant ?? 'the computed size'}`,
      });
    sizes.push(item.value);
  }
  return sizes;
}

function indicesAgree(input: Layout, indices: Layout, call: Call): Fault | null {
  if (input.front || indices.front) return null;
  const ndim = input.shape.length;
  if (ndim !== indices.shape.length)
    return raises({ is: 'rank-differs', what: 'indices', expected: `${ndim}`, got: indices.shape.length });
  for (const [d, size] of input.shape.entries()) {
    const differs = agree(size, indices.shape[d] ?? ONE, `dim ${d} of indices`, call);
    if (differs !== null) return differs;
  }
  return null;
}
