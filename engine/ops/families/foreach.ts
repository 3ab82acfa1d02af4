import { isFault, type Result, raises, type Tensor } from '../../tensor/index.ts';
import type { Value } from '../../values/value.ts';
import { type Call, since } from '../context.ts';
import { commonDType, dtypeOfKind, freshElementwise, iterated, type Kind, type Operand } from '../elementwise.ts';
import { reduced } from '../layouts/reduction.ts';
import { type Entry, fresh, op } from '../op.ts';
import type { OpResult } from '../outcome.ts';

const UNARY: Readonly<Record<string, Kind>> = {
  ...{ abs: 'real', neg: 'same', sign: 'same', ceil: 'same', floor: 'same', round: 'same', trunc: 'same' },
  ...{ frac: 'same', exp: 'float', expm1: 'float', log: 'float', log10: 'float', log1p: 'float', log2: 'float' },
  ...{ sqrt: 'float', rsqrt: 'float', reciprocal: 'float', sigmoid: 'float', erf: 'float', erfc: 'float' },
  ...{ sin: 'float', cos: 'float', tan: 'float', sinh: 'float', cosh: 'float', tanh: 'float', lgamma: 'float' },
};

const BINARY: Readonly<Record<string, Kind>> = {
  ...{ add: 'same', sub: 'same', mul: 'same', div: 'float', pow: 'same', maximum: 'same', minimum: 'same' },
  ...{ clamp_max: 'same', clamp_min: 'same' },
};

/** One result for every tensor of a list. */
function each(self: readonly Tensor[], one: (tensor: Tensor, i: number) => Result<OpResult>): Result<OpResult> {
  const items: OpResult[] = [];
  for (const [i, tensor] of self.entries()) {
    const made = one(tensor, i);
    if (isFault(made)) return made;
    items.push(made);
  }
  return { is: 'tuple', items };
}

/** The operand that belongs to the tensor at `i`: a number or tensor for all, or one of a list. */
function operandAt(other: Value, i: number): readonly Operand[] {
  const value = other.kind === 'tuple' ? other.items[i] : other;
  switch (value?.kind) {
    case 'tensor':
    case 'int':
    case 'float':
    case 'bool':
    case 'complex':
    case 'unknown':
      return [value];
    default:
      return [];
  }
}

const elementwise = (kind: Kind, self: readonly Tensor[], others: readonly Value[], call: Call) =>
  each(self, (tensor, i) => freshElementwise([tensor, ...others.flatMap((other) => operandAt(other, i))], kind, call));

/** Here a number is an operand of TensorIterator; elsewhere it is a parameter of the loop over one tensor. */
const ARITHMETIC = new Set(['add', 'sub', 'mul', 'div']);

function limited(tensor: Tensor, other: Value, call: Call): Result<OpResult> {
  if (!since(call, 2, 6))
    return raises({ is: 'argument', name: 'other', got: 'a number', expects: 'a list of tensors' });
  const common = commonDType([tensor, ...operandAt(other, 0)]);
  const layout = iterated([tensor], common, call);
  return isFault(layout) ? layout : fresh(layout, common);
}

/** What optimizers call: the op on every tensor of a list, as the op would do it alone. */
export const foreach: readonly Entry[] = [
  ...Object.entries(UNARY).map(([name, kind]) =>
    op(`torch._foreach_${name}(self: Tensor[]) -> any`, {
      maybe: ({ self }, call) => elementwise(kind, self, [], call),
      samples: ['{(2,) (3, 4)/(1, 3)}'],
    }),
  ),
  ...Object.entries(BINARY).map(([name, kind]) =>
    op(`torch._foreach_${name}(self: Tensor[], other: any, *, alpha: any = 1) -> any`, {
      maybe: ({ self, other }, call) =>
        ARITHMETIC.has(name) || other.kind === 'tuple'
          ? elementwise(kind, self, [other], call)
          : each(self, (tensor) => limited(tensor, other, call)),
      samples: ['{(2,) (5, 1, 2)/(2, 12, 1)}  2.0'],
    }),
  ),
  ...(['addcmul', 'addcdiv'] as const).map((name) =>
    op(`torch._foreach_${name}(self: Tensor[], tensor1: any, tensor2: any, value: any = 1) -> any`, {
      maybe: ({ self, tensor1, tensor2 }, call) => elementwise('same', self, [tensor1, tensor2], call),
      samples: [],
    }),
  ),
  op('torch._foreach_lerp(self: Tensor[], end: any, weight: any) -> any', {
    maybe: ({ self, end, weight }, call) => elementwise('same', self, [end, weight], call),
    samples: [],
  }),
  ...(['norm', 'max'] as const).map((name) =>
    op(`torch._foreach_${name}(self: Tensor[], ord: any = 2, dtype: any = None) -> any`, {
      maybe: ({ self }) =>
        each(self, ({ layout, dtype }) => {
          const scalar = reduced(layout, null, false);
          return isFault(scalar) ? scalar : fresh(scalar, name === 'norm' ? dtypeOfKind('real', dtype) : dtype);
        }),
      samples: ['{(2,) (3, 4)}'],
    }),
  ),
];
