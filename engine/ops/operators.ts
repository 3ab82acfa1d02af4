import { type Tensor, unsure } from '../tensor/index.ts';
import type { Value } from '../values/value.ts';
import { callOp, failed } from './call.ts';
import type { OpContext } from './context.ts';
import { same } from './op.ts';
import type { Outcome } from './outcome.ts';
import { findOp } from './registry/index.ts';

/** The op of an operator, and of the same with a number on the left: null where the operands may simply be exchanged. */
const BINARY: ReadonlyMap<string, readonly [op: string, reflected: string | null]> = new Map([
  ['+', ['torch.Tensor.add', null]],
  ['-', ['torch.Tensor.sub', 'torch.Tensor.__rsub__']],
  ['*', ['torch.Tensor.mul', null]],
  ['/', ['torch.Tensor.div', 'torch.Tensor.__rtruediv__']],
  ['//', ['torch.Tensor.floor_divide', 'torch.Tensor.__rfloordiv__']],
  ['%', ['torch.Tensor.remainder', 'torch.Tensor.__rmod__']],
  ['**', ['torch.Tensor.pow', 'torch.Tensor.__rpow__']],
  ['@', ['torch.Tensor.matmul', null]],
  ['&', ['torch.Tensor.bitwise_and', null]],
  ['|', ['torch.Tensor.bitwise_or', null]],
  ['^', ['torch.Tensor.bitwise_xor', null]],
  ['<<', ['torch.Tensor.bitwise_left_shift', null]],
  ['>>', ['torch.Tensor.bitwise_right_shift', null]],
]);

const COMPARE: ReadonlyMap<string, readonly [op: string, reflected: string]> = new Map([
  ['==', ['torch.Tensor.eq', 'torch.Tensor.eq']],
  ['!=', ['torch.Tensor.ne', 'torch.Tensor.ne']],
  ['<', ['torch.Tensor.lt', 'torch.Tensor.gt']],
  ['<=', ['torch.Tensor.le', 'torch.Tensor.ge']],
  ['>', ['torch.Tensor.gt', 'torch.Tensor.lt']],
  ['>=', ['torch.Tensor.ge', 'torch.Tensor.le']],
]);

const UNARY: ReadonlyMap<string, string> = new Map([
  ['-', 'torch.Tensor.neg'],
  ['+', 'torch.Tensor.positive'],
  ['~', 'torch.Tensor.bitwise_not'],
]);

/** Every operator of a tensor, as Python writes it. */
export const OPERATORS = {
  binary: [...BINARY.keys()],
  compare: [...COMPARE.keys()],
  unary: [...UNARY.keys()],
} as const;

const NO_KEYWORDS: ReadonlyMap<string, Value> = new Map();

/** `left operator right`, one of them a tensor. */
export function binary(operator: string, left: Value, right: Value, context: OpContext): Outcome {
  const [name, reflected] = BINARY.get(operator) ?? [];
  if (name === undefined) return failed(unsure(`\`${operator}\` is not followed`));
  if (left.kind === 'tensor') return named(name, [left, right], context);
  if (left.kind === 'unknown') return failed(unsure(left.reason));
  return named(reflected ?? name, [right, left], context);
}

export function compare(operator: string, left: Value, right: Value, context: OpContext): Outcome {
  const [name, reflected] = COMPARE.get(operator) ?? [];
  if (name === undefined || reflected === undefined) return failed(unsure(`\`${operator}\` is not followed`));
  return left.kind === 'tensor' ? named(name, [left, right], context) : named(reflected, [right, left], context);
}

export function unary(operator: string, operand: Value, context: OpContext): Outcome {
  const name = UNARY.get(operator);
  return name === undefined ? failed(unsure(`\`${operator}\` is not followed`)) : named(name, [operand], context);
}

/** `left += right`. Without an in-place op of its own, `left @= right` makes a new tensor. */
export function inplace(operator: string, left: Value, right: Value, context: OpContext): Outcome {
  const plain = operator.replace(/=$/, '');
  if (plain === '@' || left.kind !== 'tensor') return binary(plain, left, right, context);
  const [name] = BINARY.get(plain) ?? [];
  if (name !== undefined && right.kind === 'unknown') return writtenBy(left);
  return name === undefined
    ? failed(unsure(`\`${operator}\` is not followed`))
    : named(`${name}_`, [left, right], context);
}

/** Whatever is added in place, the tensor stays what it is. */
const writtenBy = (target: Tensor): Outcome => ({
  result: same(target),
  guards: [],
  writes: [{ target, becomes: null, region: target.layout, overlap: 'unknown' }],
  demands: [],
});

function named(name: string, args: readonly Value[], context: OpContext): Outcome {
  const op = findOp(name);
  return op === null ? failed(unsure(`\`${name}\` is not modelled`)) : callOp(op, args, NO_KEYWORDS, context);
}
