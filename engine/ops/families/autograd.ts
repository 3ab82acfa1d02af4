import { type Decisions, ONE } from '../../symbols/index.ts';
import { type Fault, isComplex, isFloat, type Layout, raises, type Tensor } from '../../tensor/index.ts';
import { NONE, unknown } from '../../values/value.ts';
import { type Entry, op, same } from '../op.ts';

/** Methods that ask autograd for something, and what it rejects. */
export const autograd: readonly Entry[] = [
  op('Tensor.requires_grad_(self: Tensor, requires_grad: any = True) -> Tensor', {
    raises: ({ self, requires_grad }) =>
      requires_grad.kind === 'bool' ? cannotRequire(self, requires_grad.value) : null,
    maybe: ({ self }) => same(self),
    samples: ['(2, 3)', '(2, 3)  False', '(2,):int64  False', '(2,):complex64', '(2,):int64  !', '(2,):bool  True  !'],
  }),
  op('Tensor.retain_grad(self: Tensor) -> any', {
    raises: ({ self }) => (self.requiresGrad === false ? needs('self', self, 'a tensor that requires grad') : null),
    value: () => NONE,
    samples: ['(2,)  !'],
  }),
  op('Tensor.detach_(self: Tensor) -> Tensor', {
    raises: ({ self }) =>
      self.graph && self.graph.view !== 'none'
        ? raises({
            is: 'argument',
            name: 'self',
            got: 'a view',
            expects: 'a tensor of its own: views are not detached in place',
          })
        : null,
    maybe: ({ self }) => same(self),
    samples: ['(2, 3)'],
  }),
  op(
    'Tensor.backward(self: Tensor, gradient: any = None, retain_graph: any = None, create_graph: any = False, inputs: any = None) -> any',
    {
      raises: ({ self, gradient }, { ask }) => {
        if (self.requiresGrad === false) return needs('self', self, 'a tensor that requires grad');
        if (gradient.kind === 'tensor') return unlike(self.layout, gradient.layout, ask);
        if (gradient.kind !== 'none' || self.layout.front) return null;
        const many = self.layout.shape.find((size) => ask.isOne(size) === false);
        return many === undefined
          ? null
          : raises({
              is: 'size-differs',
              what: 'a gradient is made for scalars alone: self',
              left: many,
              right: ONE,
              broadcast: false,
            });
      },
      value: () => NONE,
      samples: ['(2, 3)  !', '()  !'],
    },
  ),
  op('Tensor.numpy(self: Tensor, *, force: any = False) -> any', {
    raises: ({ self, force }, { context }) =>
      self.requiresGrad === true && context.grad === true && force.kind === 'bool' && !force.value
        ? raises({ is: 'argument', name: 'self', got: 'a tensor that requires grad', expects: 'a detached one' })
        : null,
    value: () => unknown('an array is not followed'),
    samples: ['(2, 3)'],
  }),
];

/** The gradient that is given must have the sizes of the tensor. */
function unlike({ shape, front }: Layout, given: Layout, ask: Decisions): Fault | null {
  if (front || given.front) return null;
  if (shape.length !== given.shape.length)
    return raises({ is: 'rank-differs', what: 'gradient', expected: `${shape.length}`, got: given.shape.length });
  for (const [d, size] of shape.entries()) {
    const other = given.shape[d] ?? size;
    if (ask.equal(size, other) === false)
      return raises({ is: 'size-differs', what: `dim ${d} of gradient`, left: other, right: size, broadcast: false });
  }
  return null;
}

/** Only floating and complex tensors can require grad, and only leaves can be told to stop. */
export function cannotRequire(self: Tensor, wanted: boolean): Fault | null {
  if (wanted && self.dtype !== null && !isFloat(self.dtype) && !isComplex(self.dtype))
    return raises({
      is: 'argument',
      name: 'self',
      got: self.dtype,
      expects: 'a floating dtype, which alone has gradients',
    });
  return !wanted && self.requiresGrad === true && self.graph && !self.graph.leaf
    ? raises({
        is: 'argument',
        name: 'self',
        got: 'the result of an op',
        expects: 'a leaf, whose requires_grad can be set',
      })
    : null;
}

const needs = (name: string, { dtype }: Tensor, expects: string): Fault =>
  raises({
    is: 'argument',
    name,
    got: dtype !== null && !isFloat(dtype) && !isComplex(dtype) ? dtype : 'without a graph',
    expects,
  });
