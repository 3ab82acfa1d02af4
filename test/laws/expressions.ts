import fc from 'fast-check';
import {
  add,
  ceilDiv,
  floorDiv,
  int,
  maximum,
  minimum,
  mod,
  mul,
  type SymInt,
  sub,
  symbol,
} from '../../engine/symbols/index.ts';

/** An expression as a program writes it, evaluated without the engine: the other side of every law. */
export type Expression =
  | { readonly is: 'number'; readonly value: number }
  | { readonly is: 'symbol'; readonly id: string }
  | { readonly is: Operator; readonly left: Expression; readonly right: Expression };

export type Operator = 'add' | 'sub' | 'mul' | 'floorDiv' | 'mod' | 'ceilDiv' | 'max' | 'min';
export type Assignment = Readonly<Record<string, number>>;

export const IDS = ['B#1', 'T#2', 'h#3', 'x', 'C#10'] as const;

const BUILD: Record<Operator, (a: SymInt, b: SymInt) => SymInt> = {
  add,
  sub,
  mul,
  floorDiv,
  mod,
  ceilDiv,
  max: maximum,
  min: minimum,
};

export function build(e: Expression): SymInt {
  if (e.is === 'number') return int(e.value);
  return e.is === 'symbol' ? symbol(e.id) : BUILD[e.is](build(e.left), build(e.right));
}

/** NaN where a divisor is 0, or below 0 without being a number: the laws assume neither. */
export function evaluate(e: Expression, at: Assignment): number {
  if (e.is === 'number') return e.value;
  if (e.is === 'symbol') return at[e.id] ?? Number.NaN;
  return operate(e.is, evaluate(e.left, at), evaluate(e.right, at), e.right.is === 'number');
}

function operate(is: Operator, a: number, b: number, anyDivisor: boolean): number {
  switch (is) {
    case 'add':
      return a + b;
    case 'sub':
      return a - b;
    case 'mul':
      return a * b;
    case 'max':
      return Math.max(a, b);
    case 'min':
      return Math.min(a, b);
    default:
      if (b === 0 || (b < 0 && !anyDivisor)) return Number.NaN;
      if (is === 'floorDiv') return Math.floor(a / b);
      return is === 'ceilDiv' ? Math.ceil(a / b) : a - b * Math.floor(a / b);
  }
}

const leaf: fc.Arbitrary<Expression> = fc.oneof(
  { weight: 2, arbitrary: fc.integer({ min: -4, max: 9 }).map((value) => ({ is: 'number', value }) as const) },
  { weight: 5, arbitrary: fc.constantFrom(...IDS).map((id) => ({ is: 'symbol', id }) as const) },
);

/** What a program divides by: a number, a symbol, or a product or sum of such. */
const divisor: fc.Arbitrary<Expression> = fc.oneof(
  fc.constantFrom(-3, -1, 1, 2, 3, 4, 6).map((value) => ({ is: 'number', value }) as const),
  fc.constantFrom(...IDS).map((id) => ({ is: 'symbol', id }) as const),
  fc.record({ is: fc.constantFrom('add', 'mul'), left: leaf, right: leaf }),
);

const arithmetic: readonly Operator[] = ['add', 'add', 'sub', 'mul', 'mul'];

export const polynomials: fc.Arbitrary<Expression> = fc.letrec<{ e: Expression }>((tie) => ({
  e: fc.oneof(
    { maxDepth: 4 },
    leaf,
    fc.record({ is: fc.constantFrom(...arithmetic), left: tie('e'), right: tie('e') }),
  ),
})).e;

export const expressions: fc.Arbitrary<Expression> = fc.letrec<{ e: Expression }>((tie) => ({
  e: fc.oneof(
    { maxDepth: 4 },
    leaf,
    fc.record({ is: fc.constantFrom(...arithmetic), left: tie('e'), right: tie('e') }),
    fc.record({ is: fc.constantFrom<Operator>('floorDiv', 'mod', 'ceilDiv'), left: tie('e'), right: divisor }),
    fc.record({ is: fc.constantFrom<Operator>('max', 'min'), left: tie('e'), right: tie('e') }),
  ),
})).e;

export function assignments(least: number, most = 9): fc.Arbitrary<Assignment> {
  const size = fc.integer({ min: least, max: most });
  return fc.record(Object.fromEntries(IDS.map((id) => [id, size])));
}
