import { isIntegralOrBool, type Tensor } from '../tensor/index.ts';
import type { Operand } from './elementwise.ts';

type Arithmetic = (a: number, b: number) => number;

const flag = (truth: boolean): number => (truth ? 1 : 0);

/** Python's `//` and `%` round towards minus infinity. */
const floorDivide: Arithmetic = (a, b) => Math.floor(a / b);

/** What is computed on the elements of small integer tensors, so that index ranges and masks can be followed. */
const ARITHMETIC: ReadonlyMap<string, Arithmetic> = new Map<string, Arithmetic>([
  ['add', (a, b) => a + b],
  ['sub', (a, b) => a - b],
  ['mul', (a, b) => a * b],
  ['floor_divide', floorDivide],
  ['remainder', (a, b) => a - b * floorDivide(a, b)],
  ['eq', (a, b) => flag(a === b)],
  ['ne', (a, b) => flag(a !== b)],
  ['lt', (a, b) => flag(a < b)],
  ['le', (a, b) => flag(a <= b)],
  ['gt', (a, b) => flag(a > b)],
  ['ge', (a, b) => flag(a >= b)],
  ['logical_and', (a, b) => flag(a !== 0 && b !== 0)],
  ['logical_or', (a, b) => flag(a !== 0 || b !== 0)],
]);

/** The elements of a binary result: of a tensor with a number, or of two tensors of as many elements and one rank. */
export function binaryElements(name: string, left: Operand, right: Operand): readonly number[] | null {
  const compute = ARITHMETIC.get(name);
  if (compute === undefined || !integral(left) || !integral(right)) return null;
  const a = elementsOf(left);
  const b = elementsOf(right);
  if (a === null || b === null) return null;
  if (typeof a === 'number') return typeof b === 'number' ? null : finite(b.map((value) => compute(a, value)));
  if (typeof b === 'number') return finite(a.map((value) => compute(value, b)));
  if (a.length !== b.length || rank(left) !== rank(right) || rank(left) > 1) return null;
  return finite(a.map((value, i) => compute(value, b[i] ?? 0)));
}

const finite = (values: readonly number[]) => (values.every((value) => Number.isSafeInteger(value)) ? values : null);

const rank = (operand: Operand) => (operand.kind === 'tensor' ? operand.layout.shape.length : 0);

const integral = (operand: Operand) =>
  operand.kind === 'tensor' ? operand.dtype !== null && isIntegralOrBool(operand.dtype) : true;

function elementsOf(operand: Operand): readonly number[] | number | null {
  if (operand.kind === 'tensor') return operand.elements;
  if (operand.kind === 'int') return operand.value.constant;
  return operand.kind === 'bool' ? flag(operand.value) : null;
}

/** `~mask` and `logical_not`. */
export const negated = ({ elements, dtype }: Tensor): readonly number[] | null =>
  elements !== null && dtype === 'bool' ? elements.map((value) => 1 - value) : null;
