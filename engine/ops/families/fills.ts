import { product } from '../../symbols/index.ts';
import { expand, isComplex, isFault, numel, type Result, raises, type Tensor, unsure } from '../../tensor/index.ts';
import { overflowsFilled } from '../constants.ts';
import { type Call, since } from '../context.ts';
import { type Entry, op, same } from '../op.ts';
import type { Write } from '../outcome.ts';
import { one, possible, sameMemory, writeAll } from '../writing.ts';

const RANDOM = [
  ['normal_', ', mean: any = 0, std: any = 1'],
  ['uniform_', ', from: any = 0, to: any = 1'],
  ['random_', ', from: any = 0, to: any = None'],
  ['bernoulli_', ', p: any = 0.5'],
  ['exponential_', ', lambd: any = 1'],
  ['geometric_', ', p: any'],
  ['log_normal_', ', mean: any = 1, std: any = 2'],
  ['cauchy_', ', median: any = 0, sigma: any = 1'],
] as const;

/** In-place ops that overwrite the tensor. */
export const fills: readonly Entry[] = [
  op('Tensor.copy_(self: Tensor, src: Tensor, non_blocking: any = False) -> Tensor', {
    maybe: ({ self }) => same(self),
    writes: ({ self, src }, call) => copyInto(self, src, call),
    samples: ['(2, 3)  (3,)', '(2, 3)  (2, 3):float64', '(3,)  (2, 3)  !', '(2, 3)/(0, 1)  (2, 3)  !'],
  }),
  op('Tensor.fill_(self: Tensor, value: Scalar) -> Tensor', {
    also: ['torch.fill_'],
    raises: ({ self, value }, call) =>
      (value.kind === 'complex' && self.dtype !== null && self.dtype !== 'bool' && !isComplex(self.dtype)
        ? raises({ is: 'cannot-cast', from: 'complex64', to: self.dtype })
        : null) ?? overflowsFilled('value', value, self.dtype, numel(self.layout), call),
    maybe: ({ self }) => same(self),
    writes: ({ self }, call) => one(writeAll(self, {}, 'silent', call)),
    samples: [
      '(2, 3)  1',
      '(2, 3)/(0, 1)  1',
      '(2,):uint8  -255',
      '(2,):uint8  256  !',
      '(2,):float16  65505.0  !',
      '(1,):float16  65505.0',
    ],
  }),
  op('Tensor.fill_(self: Tensor, value: Tensor) -> Tensor', {
    raises: ({ value }) =>
      value.layout.shape.length > 0 && !value.layout.front
        ? raises({ is: 'rank-differs', what: 'value', expected: '0', got: value.layout.shape.length })
        : null,
    maybe: ({ self }) => same(self),
    writes: ({ self, value }, call) =>
      one(writeAll(self, { value }, since(call, 2, 6) ? 'elementwise' : 'silent', call)),
    samples: ['(2, 3)  ()', '(2, 3)/(0, 1)  ()  !', '(2, 3)  (1,)  !'],
  }),
  op('Tensor.zero_(self: Tensor) -> Tensor', {
    maybe: ({ self }) => same(self),
    writes: ({ self }, call) => one(writeAll(self, {}, 'silent', call)),
    samples: ['(2, 3)', '(2, 3)/(0, 1)'],
  }),
  op('Tensor.fill_diagonal_(self: Tensor, fill_value: any, wrap: any = False) -> Tensor', {
    raises: ({ self, fill_value }, call) =>
      overflowsFilled('fill_value', fill_value, self.dtype, product(self.layout.shape.slice(0, 1)), call),
    maybe: ({ self }) => same(self),
    writes: ({ self }, call) => one(writeAll(self, {}, 'silent', call)),
    samples: ['(3, 3)  1', '(3, 3):int8  300  !', '(3, 3):float16  1e9  !', '(1, 1):float16  1e9'],
  }),
  ...RANDOM.map(([name, parameters]) =>
    op(`Tensor.${name}(self: Tensor${parameters}, *, generator: any = None) -> Tensor`, {
      maybe: ({ self }) => same(self),
      writes: ({ self }, call) => one(writeAll(self, {}, 'unchecked', call)),
      samples: name === 'geometric_' ? ['(2, 3)  0.5'] : ['(2, 3)', '(2, 3)/(0, 1)  !'],
    }),
  ),
];

/** `expand` to the target, then a copy that casts anything. Onto itself, since 2.x onto the same memory, it does nothing. */
export function copyInto(self: Tensor, src: Tensor, call: Call): Result<readonly Write[]> {
  if (self.layout.front && src.layout.shape.length > self.layout.shape.length)
    return unsure('the number of dims is not known');
  const fits = expand(src.layout, self.layout.shape, call.ask, { demand: call.demand, front: self.layout.front });
  if (isFault(fits)) return fits;
  const itself = src.id === self.id ? true : since(call, 2, 6) ? sameMemory(self, src, call) : false;
  if (itself === true) return [];
  const write = writeAll(self, { src }, 'elementwise', call);
  return itself === undefined ? possible(write) : one(write);
}
