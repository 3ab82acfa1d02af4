import { unsure } from '../../tensor/index.ts';
import { unknown } from '../../values/value.ts';
import { type Entry, op, same } from '../op.ts';
import { one, writeAll } from '../writing.ts';

/** Methods that take a Python function, or another tensor to take over. */
export const callbacks: readonly Entry[] = [
  op('Tensor.apply_(self: Tensor, callable: any) -> Tensor', {
    maybe: ({ self }) => same(self),
    writes: ({ self }, call) => one(writeAll(self, {}, 'silent', call)),
    samples: [],
  }),
  ...(['Tensor.map_', 'Tensor.map2_'] as const).map((name) =>
    op(`${name}(self: Tensor, tensor: any, callable: any = None, third: any = None) -> Tensor`, {
      maybe: ({ self }) => same(self),
      writes: ({ self }, call) => one(writeAll(self, {}, 'silent', call)),
      samples: [],
    }),
  ),
  ...(['Tensor.register_hook', 'Tensor.register_post_accumulate_grad_hook'] as const).map((name) =>
    op(`${name}(self: Tensor, hook: any) -> any`, { value: () => unknown('it is a handle of the hook'), samples: [] }),
  ),
  op('Tensor.module_load(self: Tensor, other: Tensor, assign: any = False) -> Tensor', {
    maybe: () => unsure('which of the two tensors is kept is not known'),
    samples: [],
  }),
  op('Tensor.index(self: Tensor, indices: any) -> Tensor', {
    maybe: () => unsure('the index is not followed'),
    samples: [],
  }),
];
