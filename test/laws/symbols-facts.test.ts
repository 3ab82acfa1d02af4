import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  add,
  always,
  ceilDiv,
  decide,
  divideExactly,
  evaluateInt,
  type Facts,
  factorsOf,
  floorDiv,
  formatInt,
  type Guard,
  int,
  learnAtLeast,
  learnAtMost,
  learnDivisible,
  learnEqual,
  learnFactors,
  meet,
  minimum,
  mod,
  mul,
  NO_FACTS,
  ONE,
  type SymInt,
  same,
  simplify,
  sub,
  symbol,
  ZERO,
} from '../../engine/symbols/index.ts';
import {
  type Assignment,
  assignments,
  build,
  type Expression,
  evaluate,
  expressions,
  IDS,
  polynomials,
} from './expressions.ts';

const [B, T, C, N, h, d] = [
  symbol('B#1'),
  symbol('T#2'),
  symbol('C#10'),
  symbol('N#11'),
  symbol('h#12'),
  symbol('d#13'),
];
const written = (id: string) => id.replace(/#\d+$/, '');
const show = (a: SymInt) => formatInt(a, written);
const at = (a: SymInt, values: Assignment) => evaluateInt(a, (id) => values[id] ?? 0);

/** Something to learn, made true at an assignment by choosing its constant. */
interface Lesson {
  readonly is: 'equal' | 'divisible' | 'at least' | 'at most';
  readonly left: Expression;
  readonly right: Expression;
  readonly slack: number;
}

const lessons = fc.array(
  fc.record({
    is: fc.constantFrom<Lesson['is']>('equal', 'equal', 'divisible', 'at least', 'at most'),
    left: fc.oneof(polynomials, expressions),
    right: polynomials,
    slack: fc.integer({ min: 0, max: 2 }),
  }),
  { maxLength: 4 },
);

function learn(facts: Facts, { is, left, right, slack }: Lesson, values: Assignment): Facts {
  const [a, b] = [build(left), build(right)];
  const value = evaluate(left, values);
  if (Number.isNaN(value)) return facts;
  switch (is) {
    case 'equal':
      return learnEqual(facts, a, add(b, int(value - evaluate(right, values))));
    case 'divisible': {
      const by = evaluate(right, values);
      return by > 0 && divisorsArePositive(right)
        ? learnDivisible(facts, sub(a, int(value - by * Math.floor(value / by))), b)
        : facts;
    }
    case 'at least':
      return learnAtLeast(facts, a, value - slack);
    case 'at most':
      return learnAtMost(facts, a, value + slack);
  }
}

/** A divisor is a number or a size: what could be below 0 elsewhere is no divisor. */
function divisorsArePositive(e: Expression): boolean {
  if (e.is === 'number') return e.value > 0;
  return e.is === 'symbol' || (e.is !== 'sub' && divisorsArePositive(e.left) && divisorsArePositive(e.right));
}

function learnAll(taught: readonly Lesson[], values: Assignment): Facts {
  return taught.reduce((facts, lesson) => learn(facts, lesson, values), NO_FACTS);
}

const holds = (guard: Guard, values: Assignment): boolean =>
  guard.relation === 'equal'
    ? at(guard.left, values) === at(guard.right, values)
    : at(guard.left, values) < at(guard.right, values);

const RUNS = { numRuns: 400 };

describe('facts that hold at some sizes', () => {
  test('simplify keeps the value', () => {
    fc.assert(
      fc.property(lessons, expressions, assignments(1), (taught, e, values) => {
        const value = evaluate(e, values);
        fc.pre(!Number.isNaN(value));
        const simple = simplify(build(e), learnAll(taught, values));
        expect(at(simple, values)).toBe(value === 0 ? 0 : value);
      }),
      RUNS,
    );
  });

  test('what is always so is so at these sizes', () => {
    fc.assert(
      fc.property(lessons, expressions, expressions, assignments(1), (taught, e, f, values) => {
        const [x, y] = [evaluate(e, values), evaluate(f, values)];
        fc.pre(!Number.isNaN(x) && !Number.isNaN(y));
        const facts = learnAll(taught, values);
        expect([x === y, undefined]).toContain(always('equal', build(e), build(f), facts));
        expect([x < y, undefined]).toContain(always('less', build(e), build(f), facts));
      }),
      RUNS,
    );
  });

  test('what is decided for generic sizes is so where no guard holds', () => {
    fc.assert(
      fc.property(lessons, expressions, expressions, assignments(2), (taught, e, f, values) => {
        const [x, y] = [evaluate(e, values), evaluate(f, values)];
        fc.pre(!Number.isNaN(x) && !Number.isNaN(y));
        const facts = learnAll(taught, values);
        const equal = decide(facts);
        const answer = equal.equal(build(e), build(f));
        if (!equal.guards.some((guard) => holds(guard, values))) expect([x === y, undefined]).toContain(answer);
        const less = decide(facts);
        const order = less.less(build(e), build(f));
        if (!less.guards.some((guard) => holds(guard, values))) expect([x < y, undefined]).toContain(order);
      }),
      RUNS,
    );
  });

  test('division under facts inverts multiplication', () => {
    fc.assert(
      fc.property(lessons, polynomials, polynomials, assignments(1), (taught, e, f, values) => {
        const [a, b] = [build(e), build(f)];
        const [x, y] = [at(a, values), at(b, values)];
        const quotient = divideExactly(a, b, learnAll(taught, values));
        if (quotient !== null && y !== 0)
          expect(at(quotient, values) * y).toBe(x === 0 ? at(quotient, values) * y * 0 : x);
      }),
      RUNS,
    );
  });

  test('what two branches share holds on either', () => {
    fc.assert(
      fc.property(
        lessons,
        lessons,
        lessons,
        expressions,
        assignments(1),
        assignments(1),
        (shared, f, g, e, here, there) => {
          const [mine, other] = [learnAll([...shared, ...f], here), learnAll([...shared, ...g], there)];
          const both = meet(mine, other);
          for (const values of [here, there]) {
            const value = evaluate(e, values);
            if (!Number.isNaN(value)) expect(at(simplify(build(e), both), values)).toBe(value === 0 ? 0 : value);
          }
        },
      ),
      RUNS,
    );
  });

  test('no symbol stands for a value with a symbol that stands for another', () => {
    fc.assert(
      fc.property(lessons, assignments(1), (taught, values) => {
        const facts = learnAll(taught, values);
        for (const id of IDS) {
          const once = simplify(symbol(id), facts);
          expect(same(simplify(once, facts), once)).toBe(true);
        }
      }),
      RUNS,
    );
  });
});

describe('learning', () => {
  const heads = learnDivisible(NO_FACTS, C, N);
  const quotient = floorDiv(C, N);

  test('divisibility makes N * (C // N) the whole of C', () => {
    expect(show(simplify(mul(B, N, quotient), heads))).toBe('B*C');
    expect(show(simplify(quotient, heads))).toBe('C//N');
    expect(simplify(mod(C, N), heads).constant).toBe(0);
    expect(show(simplify(mul(N, quotient), NO_FACTS))).toBe('N*(C//N)');
  });

  test('an equality of N * (C // N) and C is divisibility, whatever size both are multiplied by', () => {
    for (const facts of [
      learnEqual(NO_FACTS, mul(N, quotient), C),
      learnEqual(NO_FACTS, mul(B, T, C), mul(B, T, N, quotient)),
      learnEqual(NO_FACTS, mod(C, N), ZERO),
    ]) {
      expect(show(simplify(mul(N, quotient), facts))).toBe('C');
    }
  });

  test('windows that cover a picture divide both its sides', () => {
    const [H, W, w] = [symbol('H#14'), symbol('W#15'), symbol('w#16')];
    const windows = mul(B, floorDiv(H, w), w, floorDiv(W, w), w, C);
    const facts = learnEqual(NO_FACTS, windows, mul(B, H, W, C));
    expect(show(simplify(mul(w, floorDiv(H, w)), facts))).toBe('H');
    expect(show(simplify(mul(w, floorDiv(W, w)), facts))).toBe('W');
  });

  test('only what follows is learned of nested quotients', () => {
    const A = symbol('A#17');
    // A = 7, C = 2, N = 3 satisfy it, and 2 does not divide 7.
    const facts = learnEqual(NO_FACTS, mul(N, floorDiv(A, mul(C, N))), floorDiv(A, C));
    const sizes: Assignment = { 'A#17': 7, 'C#10': 2, 'N#11': 3 };
    for (const a of [mod(A, C), mod(A, mul(C, N)), mul(C, floorDiv(A, C)), mul(C, N, floorDiv(A, mul(C, N)))])
      expect(at(simplify(a, facts), sizes)).toBe(at(a, sizes));
    expect(show(simplify(mul(N, floorDiv(A, mul(C, N))), facts))).toBe('A//C');
    const even = learnEqual(NO_FACTS, mul(int(2), floorDiv(A, int(12))), floorDiv(A, int(6)));
    expect(at(simplify(mod(A, int(6)), even), { 'A#17': 1 })).toBe(1);
  });

  test('a divisor computed from what it divides ends', () => {
    const A = symbol('A#17');
    const half = floorDiv(A, int(2));
    const started = performance.now();
    for (const n of [2, 3, 4, 6]) {
      const by = mul(int(n), half);
      const facts = learnEqual(NO_FACTS, mul(by, floorDiv(A, by)), A);
      expect(show(simplify(mul(by, floorDiv(A, by)), facts))).toBe('A');
      expect(simplify(half, facts)).toBe(half);
      learnDivisible(learnDivisible(facts, A, floorDiv(C, int(2))), C, half);
    }
    expect(performance.now() - started).toBeLessThan(500);
  });

  test('facts by the hundred, of sizes that grow out of each other, end soon', () => {
    const started = performance.now();
    let facts = NO_FACTS;
    for (let i = 0; i < 100; i++) {
      const [x, y, z] = [symbol(`x#${3 * i + 100}`), symbol(`x#${3 * i + 101}`), symbol(`x#${3 * i + 104}`)];
      facts = learnDivisible(facts, mul(x, y), floorDiv(z, int(3)));
      facts = learnEqual(facts, mul(x, floorDiv(y, int(2))), mul(z, floorDiv(x, int(5))));
      facts = learnAtLeast(facts, sub(mul(x, z), y), i);
      always('less', mul(x, y), mul(y, z), facts);
    }
    expect(performance.now() - started).toBeLessThan(3000);
  });

  test('halves that meet make an even whole', () => {
    for (const facts of [
      learnEqual(NO_FACTS, ceilDiv(h, int(2)), floorDiv(h, int(2))),
      learnEqual(NO_FACTS, sub(h, floorDiv(h, int(2))), floorDiv(h, int(2))),
    ]) {
      expect(show(simplify(mul(int(2), floorDiv(h, int(2))), facts))).toBe('h');
    }
  });

  test('a slice that has the size asked for was long enough', () => {
    const facts = learnEqual(NO_FACTS, minimum(T, N), T);
    expect(show(simplify(minimum(T, N), facts))).toBe('T');
    expect(always('less', N, T, facts)).toBe(false);
  });

  test('exact quotients divide', () => {
    expect(divideExactly(mul(B, C), N, heads)?.key).toBe(mul(B, quotient).key);
    expect(divideExactly(C, quotient, heads)?.key).toBe(N.key);
    expect(divideExactly(C, N)).toBeNull();
    const by4 = learnDivisible(NO_FACTS, h, int(4));
    expect(simplify(sub(h, mul(int(2), floorDiv(h, int(2)))), by4).constant).toBe(0);
    expect(simplify(mod(add(h, int(6)), int(4)), by4).constant).toBe(2);
  });

  test('the symbol created last gives way', () => {
    expect(show(simplify(h, learnEqual(NO_FACTS, h, C)))).toBe('C');
    expect(show(simplify(d, learnEqual(NO_FACTS, add(C, ONE), sub(d, h))))).toBe('C + h + 1');
    expect(show(simplify(C, learnEqual(NO_FACTS, C, mul(h, d))))).toBe('h*d');
    expect(show(simplify(T, learnEqual(NO_FACTS, mul(B, T), mul(int(2), B))))).toBe('2');
  });

  test('a size known later reaches what was learned before', () => {
    const packed = learnEqual(NO_FACTS, C, mul(h, d));
    const sized = learnEqual(learnEqual(packed, h, int(8)), d, int(64));
    expect(simplify(C, sized).constant).toBe(512);
    const divided = learnEqual(learnEqual(heads, N, int(12)), floorDiv(C, N), int(64));
    expect(simplify(C, divided).constant).toBe(768);
  });

  test('what cannot be solved is remembered', () => {
    const facts = learnEqual(NO_FACTS, mul(h, d), mul(N, T));
    expect(decide(facts).equal(mul(B, h, d), mul(B, N, T))).toBe(true);
  });

  test('facts that rewrite each other come to an end', () => {
    // T * h - 1 divides C, and T * h - 1 is itself T or h again.
    let facts = learnDivisible(NO_FACTS, C, sub(mul(T, h), ONE));
    facts = learnEqual(facts, mul(T, C), add(h, ONE));
    facts = learnEqual(facts, h, T);
    expect(show(simplify(h, facts))).toBe('T');
    expect(simplify(floorDiv(C, T), facts).constant).toBeNull();
  });

  test('a contradiction teaches nothing', () => {
    const three = learnEqual(NO_FACTS, h, int(3));
    expect(learnEqual(three, h, int(4))).toBe(three);
    expect(learnAtLeast(three, h, 5)).toBe(three);
    expect(learnEqual(NO_FACTS, mul(int(2), h), int(3))).toBe(NO_FACTS);
    expect(learnEqual(NO_FACTS, add(h, ONE), ZERO)).toBe(NO_FACTS);
    expect(learnDivisible(three, h, int(2))).toBe(three);
  });

  test('bounds decide, and a bound from both sides is an equality', () => {
    const facts = learnAtMost(learnAtLeast(NO_FACTS, h, 4), d, 3);
    expect(always('less', d, h, facts)).toBe(true);
    expect(simplify(h, learnAtMost(learnAtLeast(NO_FACTS, h, 4), h, 4)).constant).toBe(4);
    expect(always('less', h, T, learnAtLeast(NO_FACTS, sub(T, h), 1))).toBe(true);
  });

  test('the dims of a packed dim are known by its symbol', () => {
    const facts = learnFactors(NO_FACTS, 'front#20', [B, T]);
    expect(factorsOf(facts, 'front#20')?.map(show)).toEqual(['B', 'T']);
    expect(factorsOf(facts, 'B#1')).toBeNull();
    expect(show(simplify(symbol('front#20'), facts))).toBe('B*T');
    expect(factorsOf(learnEqual(facts, B, int(2)), 'front#20')?.map(show)).toEqual(['2', 'T']);
    expect(factorsOf(learnFactors(NO_FACTS, 'front#20', []), 'front#20')).toEqual([]);
  });

  test('branches that learn the same in other words share it', () => {
    const both = meet(learnEqual(NO_FACTS, mul(N, quotient), C), learnAtLeast(heads, T, 5));
    expect(show(simplify(mul(N, quotient), both))).toBe('C');
    expect(always('less', int(4), T, both)).toBeUndefined();
    expect(always('less', h, int(6), meet(learnAtMost(NO_FACTS, h, 5), learnEqual(NO_FACTS, h, int(3))))).toBe(true);
    expect(meet(heads, NO_FACTS)).toBe(NO_FACTS);
  });
});

describe('answers that were remembered', () => {
  test('are those of facts that were never asked', () => {
    fc.assert(
      fc.property(lessons, expressions, expressions, assignments(1), (taught, e, f, values) => {
        const [a, b] = [build(e), build(f)];
        const facts = learnAll(taught, values);
        const answers = (under: Facts) => {
          const ask = decide(under);
          const given = [ask.equal(a, b), ask.less(a, b), always('equal', a, b, under), always('less', a, b, under)];
          return [
            ...given,
            simplify(a, under).key,
            ...ask.guards.map((g) => `${g.left.key} ${g.relation} ${g.right.key}`),
          ];
        };
        const given = answers(facts);
        expect(answers(facts)).toEqual(given);
        expect(answers(learnAll(taught, values))).toEqual(given);
      }),
      RUNS,
    );
  });
});
