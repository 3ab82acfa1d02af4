import {
  chain,
  type DType,
  type Fault,
  isFault,
  type Result,
  raises,
  type Tensor,
  unsure,
} from '../../tensor/index.ts';
import { NONE, type Value } from '../../values/value.ts';
import { type Call, since } from '../context.ts';
import {
  commonDType,
  dtypeOfKind,
  freshElementwise,
  iterated,
  type Kind,
  type Operand,
  writeElementwise,
} from '../elementwise.ts';
import { denseLike, reduced } from '../layouts/reduction.ts';
import { type Entry, fresh, op, same } from '../op.ts';
import type { OpResult, Write } from '../outcome.ts';
import { one, writeAll } from '../writing.ts';
import { copyInto } from './fills.ts';
import { dtypeOr } from './reductions.ts';

const UNARY: Readonly<Record<string, Kind>> = {
  ...{ abs: 'real', neg: 'same', sign: 'same', ceil: 'same', floor: 'same', round: 'same', trunc: 'same' },
  ...{ frac: 'same', exp: 'float', expm1: 'float', log: 'float', log10: 'float', log1p: 'float', log2: 'float' },
  ...{ sqrt: 'float', rsqrt: 'float', reciprocal: 'float', sigmoid: 'float', erf: 'float', erfc: 'float' },
  ...{ sin: 'float', cos: 'float', tan: 'float', sinh: 'float', cosh: 'float', tanh: 'float', lgamma: 'float' },
  ...{ acos: 'float', asin: 'float', atan: 'float' },
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

/** 1.13 had no maximum with numbers. */
const notLimited = (name: string, call: Call): Fault | null =>
  /^(maximum|minimum)_?$/.test(name) && !since(call, 2, 6)
    ? raises({ is: 'argument', name: 'other', got: 'a number', expects: 'a list of tensors' })
    : null;

function limited(tensor: Tensor, other: Value, call: Call): Result<OpResult> {
  const common = commonDType([tensor, ...operandAt(other, 0)]);
  const layout = iterated([tensor], common, call);
  return isFault(layout) ? layout : fresh(layout, common);
}

/** What a function gives, or what its in-place twin does to the list. */
interface Body {
  readonly maybe: (self: readonly Tensor[], others: readonly Value[], call: Call) => Result<OpResult>;
  readonly writes: (self: readonly Tensor[], others: readonly Value[], call: Call) => Result<readonly Write[]>;
}

const functional = (maybe: Body['maybe']): Body => ({
  maybe: (self, others, call) =>
    others.some(mayBeTensors) ? unsure('what the operands are is not known') : maybe(self, others, call),
  writes: () => [],
});

/** What is not known may be a number or tensors, whose strides count. */
const mayBeTensors = (value: Value): boolean =>
  value.kind === 'unknown' || (value.kind === 'tuple' && value.items.some(({ kind }) => kind === 'unknown'));

/** The tensors themselves, of which 1.13 gave nothing back. */
const inPlace = (
  write: (tensor: Tensor, others: readonly Operand[], call: Call) => Result<readonly Write[]>,
): Body => ({
  maybe: (self, _, call) => (since(call, 2, 6) ? { is: 'tuple', items: self.map(same) } : { is: 'value', value: NONE }),
  writes: (self, others, call) => {
    const writes: Write[] = [];
    for (const [i, tensor] of self.entries()) {
      const written = write(
        tensor,
        others.flatMap((other) => operandAt(other, i)),
        call,
      );
      if (isFault(written)) return written;
      writes.push(...written);
    }
    return writes;
  },
});

/** The two bodies of a function of `kind` by the ends of their names; `names` are those of the other operands. */
const bodies = (kind: Kind, names: readonly string[], maybe: Body['maybe']): readonly (readonly ['' | '_', Body])[] => [
  ['', functional(maybe)],
  [
    '_',
    inPlace((tensor, others, call) =>
      writeElementwise(tensor, Object.fromEntries(others.map((other, i) => [names[i] ?? '', other])), kind, call),
    ),
  ],
];

const ofOne = (name: string, { maybe, writes }: Body, samples: readonly string[]): Entry =>
  op(`torch._foreach_${name}(self: Tensor[]) -> any`, {
    maybe: ({ self }, call) => maybe(self, [], call),
    writes: ({ self }, call) => writes(self, [], call),
    samples,
  });

/** The one function whose first argument may be a number; like `pow` of a number its results are contiguous. */
const POWERS_OF_ONE = op('torch._foreach_pow(self: Scalar, exponent: Tensor[]) -> any', {
  maybe: ({ self, exponent }) =>
    each(exponent, (tensor) => fresh(denseLike(tensor.layout), commonDType([self, tensor]))),
  samples: ['0.5  {(2,) (3, 4)/(1, 3)}', '2  exponent={(2,):int64}'],
});

function ofTwo(name: string, { maybe, writes }: Body): readonly Entry[] {
  if (name.startsWith('pow'))
    return [
      op(`torch._foreach_${name}(self: Tensor[], exponent: any) -> any`, {
        maybe: ({ self, exponent }, call) => maybe(self, [exponent], call),
        writes: ({ self, exponent }, call) => writes(self, [exponent], call),
        samples: ['{(2,) (5, 1, 2)/(2, 12, 1)}  2.0', '{(2,) (3,)}  exponent={(2,) (3,)}'],
      }),
      ...(name === 'pow' ? [POWERS_OF_ONE] : []),
    ];
  return [
    op(`torch._foreach_${name}(self: Tensor[], other: any, *, alpha: any = 1) -> any`, {
      raises: ({ other }, call) => (other.kind === 'tuple' ? null : notLimited(name, call)),
      maybe: ({ self, other }, call) => maybe(self, [other], call),
      writes: ({ self, other }, call) => writes(self, [other], call),
      samples: ['{(2,) (5, 1, 2)/(2, 12, 1)}  2.0', '{(2,) (3, 4)/(1, 3)}  {(2,) (3, 4)}', '{(2,)}  {(3,)}  !'],
    }),
    op(`torch._foreach_${name}(self: Tensor[], scalar: any) -> any`, {
      raises: (_, call) => notLimited(name, call),
      maybe: ({ self, scalar }, call) => maybe(self, [scalar], call),
      writes: ({ self, scalar }, call) => writes(self, [scalar], call),
      samples: ['{(2,) (3,)}  scalar=2.0'],
    }),
    op(`torch._foreach_${name}(self: Tensor[], scalars: any) -> any`, {
      raises: (_, call) => notLimited(name, call),
      maybe: ({ self, scalars }, call) => maybe(self, [scalars], call),
      writes: ({ self, scalars }, call) => writes(self, [scalars], call),
      samples: ['{(2,) (3,)}  scalars=[1.0, 2.0]'],
    }),
  ];
}

const ofThree = (name: string, { maybe, writes }: Body): readonly Entry[] => [
  op(`torch._foreach_${name}(self: Tensor[], tensor1: any, tensor2: any, value: any = 1) -> any`, {
    maybe: ({ self, tensor1, tensor2 }, call) => maybe(self, [tensor1, tensor2], call),
    writes: ({ self, tensor1, tensor2 }, call) => writes(self, [tensor1, tensor2], call),
    samples: ['{(2,) (3, 4)/(1, 3)}  {(2,) (3, 4)/(1, 3)}  {(2,) (4,)}  value=0.5', '{(2,)}  {(3,)}  {(3,)}  !'],
  }),
  op(`torch._foreach_${name}(self: Tensor[], tensor1: any, tensor2: any, scalars: any) -> any`, {
    maybe: ({ self, tensor1, tensor2 }, call) => maybe(self, [tensor1, tensor2], call),
    writes: ({ self, tensor1, tensor2 }, call) => writes(self, [tensor1, tensor2], call),
    samples: ['{(2,) (3,)}  {(2,) (3,)}  {(2,) (3,)}  scalars=[1.0, 2.0]'],
  }),
];

/** A number as weight is a parameter of the loop, and no operand. */
const interpolated = (name: string, { maybe, writes }: Body): readonly Entry[] => [
  op(`torch._foreach_${name}(self: Tensor[], tensors1: any, weights: any) -> any`, {
    maybe: ({ self, tensors1, weights }, call) => maybe(self, [tensors1, ...tensorsOf(weights)], call),
    writes: ({ self, tensors1, weights }, call) => writes(self, [tensors1, ...tensorsOf(weights)], call),
    samples: ['{(2,) (5, 1, 2)/(2, 12, 1)}  {(2,) (5, 1, 2)/(2, 12, 1)}  0.5', '{(2,)}  {(2,)}  weights={(2,)}'],
  }),
  op(`torch._foreach_${name}(self: Tensor[], tensors1: any, weight: any) -> any`, {
    maybe: ({ self, tensors1 }, call) => maybe(self, [tensors1], call),
    writes: ({ self, tensors1 }, call) => writes(self, [tensors1], call),
    samples: ['{(2,) (3,)}  {(2,) (3,)}  weight=0.5'],
  }),
];

const tensorsOf = (weights: Value): readonly Value[] =>
  weights.kind === 'tuple' || weights.kind === 'unknown' ? [weights] : [];

/** What optimizers call: the op on every tensor of a list, as the op would do it alone. */
export const foreach: readonly Entry[] = [
  ...Object.entries(UNARY).flatMap(([name, kind]) =>
    bodies(kind, [], (self, _, call) => elementwise(kind, self, [], call)).map(([end, body]) =>
      ofOne(name + end, body, ['{(2,) (3, 4)/(1, 3)}']),
    ),
  ),
  ofOne(
    'zero_',
    inPlace((tensor, _, call) => one(writeAll(tensor, {}, 'silent', call))),
    ['{(2,) (3,)}'],
  ),
  ...Object.entries(BINARY).flatMap(([name, kind]) =>
    bodies(kind, ['other'], (self, [other = NONE], call) =>
      ARITHMETIC.has(name) || other.kind === 'tuple'
        ? elementwise(kind, self, [other], call)
        : each(self, (tensor) => limited(tensor, other, call)),
    ).flatMap(([end, body]) => ofTwo(name + end, body)),
  ),
  ...['addcmul', 'addcdiv'].flatMap((name) =>
    bodies('same', ['tensor1', 'tensor2'], (self, others, call) => elementwise('same', self, others, call)).flatMap(
      ([end, body]) => ofThree(name + end, body),
    ),
  ),
  ...bodies('same', ['tensors1', 'weights'], (self, others, call) => elementwise('same', self, others, call)).flatMap(
    ([end, body]) => interpolated(`lerp${end}`, body),
  ),
  op('torch._foreach_copy_(self: Tensor[], src: Tensor[], non_blocking: any = False) -> any', {
    maybe: ({ self }) => ({ is: 'tuple', items: self.map(same) }),
    writes: ({ self, src }, call) => {
      const writes: Write[] = [];
      for (const [i, tensor] of self.entries()) {
        const source = src[i];
        const written =
          source === undefined ? unsure('there are more targets than sources') : copyInto(tensor, source, call);
        if (isFault(written)) return written;
        writes.push(...written);
      }
      return writes;
    },
    samples: ['{(2,) (3, 4)}  {(2,) (4,)}', '{(2,)}  {(3,)}  !'],
  }),
  op('torch._foreach_norm(self: Tensor[], ord: any = 2, dtype: ScalarType? = None) -> any', {
    raises: ({ dtype }, call) =>
      dtype === null || since(call, 2, 6)
        ? null
        : raises({ is: 'argument', name: 'dtype', got: 'a dtype', expects: 'nothing: it was added later' }),
    maybe: ({ self, dtype }) =>
      each(self, (tensor) => whole(tensor, dtypeOr(dtype, dtypeOfKind('real', tensor.dtype)))),
    samples: ['{(2,) (3, 4)}', '{(2,) (3, 4)}  1', '{(2,) (3, 4)}  2  torch.float64'],
  }),
  op('torch._foreach_max(self: Tensor[]) -> any', {
    maybe: ({ self }) => each(self, (tensor) => whole(tensor, tensor.dtype)),
    samples: ['{(2,) (3, 4)}'],
  }),
];

const whole = ({ layout }: Tensor, dtype: DType | null): Result<OpResult> =>
  chain(reduced(layout, null, false), (scalar) => fresh(scalar, dtype));
