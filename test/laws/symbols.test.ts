import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  add,
  ceilDiv,
  divideExactly,
  evaluateInt,
  floorDiv,
  formatInt,
  int,
  maximum,
  minimum,
  mod,
  mul,
  neg,
  ONE,
  product,
  same,
  sub,
  substitute,
  sum,
  symbol,
  symbolsOf,
  ZERO,
} from '../../engine/symbols/index.ts';
import { ceilDivLaws, floorDivLaws, type Law, maximumLaws, minimumLaws, modLaws } from '../../engine/symbols/laws.ts';
import { assignments, build, evaluate, expressions, IDS, polynomials } from './expressions.ts';
import { evaluatePython } from './python.ts';

const [B, T, C, N, h] = [symbol('B#1'), symbol('T#2'), symbol('C#10'), symbol('N#11'), symbol('h#3')];
const TWO = int(2);
const written = (id: string) => id.replace(/#\d+$/, '');
const show = (a: ReturnType<typeof int>) => formatInt(a, written);

describe('polynomials', () => {
  test('have the value of the expression that made them', () => {
    fc.assert(
      fc.property(expressions, assignments(0), (e, at) => {
        const value = evaluate(e, at);
        fc.pre(!Number.isNaN(value));
        expect(evaluateInt(build(e), (id) => at[id] ?? 0)).toBe(value === 0 ? 0 : value);
      }),
      { numRuns: 3000 },
    );
  });

  test('without operations are equal as keys exactly where they are equal as functions', () => {
    const points = fc.sample(assignments(0, 1000), { numRuns: 12, seed: 7 });
    fc.assert(
      fc.property(polynomials, polynomials, (e, f) => {
        const [a, b] = [build(e), build(f)];
        const equal = points.every((at) => evaluate(e, at) === evaluate(f, at));
        expect(same(a, b)).toBe(equal);
        expect(a.key === b.key).toBe(equal);
      }),
      { numRuns: 1000 },
    );
  });

  test('have equal keys exactly where they are structurally equal', () => {
    fc.assert(
      fc.property(expressions, expressions, (e, f) => {
        const [a, b] = [build(e), build(f)];
        expect(a.key === b.key).toBe(same(a, b));
        expect(same(add(a, b), add(b, a))).toBe(true);
        expect(same(mul(a, b), mul(b, a))).toBe(true);
        expect(sub(a, a).constant).toBe(0);
      }),
    );
  });

  test('are frozen, and constants say their value', () => {
    expect(Object.isFrozen(add(B, T))).toBe(true);
    expect([int(3), sub(B, B), mul(int(4), int(5))].map((a) => a.constant)).toEqual([3, 0, 20]);
    expect(add(B, T).constant).toBeNull();
    expect(sum([])).toBe(ZERO);
    expect(product([])).toBe(ONE);
  });

  test('stay small when a loop nests them in each other', () => {
    let a = h;
    for (let i = 0; i < 200; i++) a = add(mod(add(a, B), int(7)), mul(floorDiv(a, int(3)), maximum(a, T)));
    expect(a.key.length).toBeLessThan(100_000);
    let total = ZERO;
    for (let i = 0; i < 2000; i++) total = add(total, symbol(`s${i}`));
    expect(total.terms.length).toBeLessThanOrEqual(1024);
  });

  test('stay exact beyond the safe range, or opaque', () => {
    const huge = mul(int(2 ** 40), int(2 ** 40));
    expect(huge.constant).toBeNull();
    expect(show(huge)).toBe(String(2n ** 80n));
    expect(same(huge, mul(int(2 ** 40), int(2 ** 40)))).toBe(true);
    expect(same(huge, add(huge, ONE))).toBe(false);
    expect(show(add(int(Number.MAX_SAFE_INTEGER), ONE))).toBe(String(2n ** 53n));
  });
});

describe('substitution', () => {
  test('commutes with evaluation', () => {
    fc.assert(
      fc.property(expressions, expressions, fc.constantFrom(...IDS), assignments(1), (e, value, id, at) => {
        const inner = evaluate(value, at);
        fc.pre(inner >= 0);
        const expected = evaluate(e, { ...at, [id]: inner });
        fc.pre(!Number.isNaN(expected));
        const replaced = substitute(build(e), (other) => (other === id ? build(value) : undefined));
        expect(evaluateInt(replaced, (other) => at[other] ?? 0)).toBe(expected === 0 ? 0 : expected);
      }),
      { numRuns: 2000 },
    );
  });

  test('gives the very polynomial back where nothing is replaced', () => {
    const a = add(mul(B, floorDiv(h, TWO)), ONE);
    expect(substitute(a, () => undefined)).toBe(a);
  });

  test('symbols are found inside operations', () => {
    const a = add(maximum(B, mod(T, int(3))), ceilDiv(h, TWO));
    expect([...symbolsOf(a)].sort()).toEqual(['B#1', 'T#2', 'h#3']);
    expect(symbolsOf(int(7)).size).toBe(0);
  });
});

describe('laws', () => {
  const tables: readonly (readonly [string, readonly Law[], 'floorDiv' | 'mod' | 'ceilDiv' | 'max' | 'min'])[] = [
    ['//', floorDivLaws, 'floorDiv'],
    ['%', modLaws, 'mod'],
    ['ceil_div', ceilDivLaws, 'ceilDiv'],
    ['max', maximumLaws, 'max'],
    ['min', minimumLaws, 'min'],
  ];
  for (const [name, laws, is] of tables) {
    // A law is asked only where those before it are silent: so does the engine, so does the test.
    test.each(laws.map((law, i) => [i, law] as const))(`${name} law %i keeps the value`, (i, law) => {
      let spoken = 0;
      fc.assert(
        fc.property(operands, assignments(1), ([left, right], at) => {
          const [a, b] = [build(left), build(right)];
          if (laws.slice(0, i).some((earlier) => earlier(a, b) !== null)) return;
          const form = law(a, b);
          const value = evaluate({ is, left, right }, at);
          if (form === null || Number.isNaN(value)) return;
          spoken++;
          expect(evaluateInt(form, (id) => at[id] ?? 0)).toBe(value === 0 ? 0 : value);
        }),
        { numRuns: 1000 },
      );
      expect(spoken).toBeGreaterThan(0);
    });
  }

  test.each([
    [floorDiv(mul(C, N), N), 'C'],
    [floorDiv(add(mul(C, N), T), N), 'C + T//N'],
    [floorDiv(floorDiv(C, N), TWO), 'C//(2*N)'],
    [floorDiv(add(floorDiv(add(h, ONE), TWO), ONE), TWO), 'ceil_div(h, 4)'],
    [floorDiv(mul(B, C), mul(B, N)), 'C//N'],
    [floorDiv(add(mul(int(6), h), int(4)), int(4)), 'h + h//2 + 1'],
    [floorDiv(neg(h), int(-2)), 'h//2'],
    [floorDiv(int(-7), TWO), '-4'],
    [mod(int(-7), int(3)), '2'],
    [mod(int(7), int(-3)), '-2'],
    [mod(add(mul(N, T), h), N), 'h%N'],
    [mod(add(h, int(9)), int(4)), '(h + 1)%4'],
    [ceilDiv(int(-7), TWO), '-3'],
    [ceilDiv(mul(TWO, h), TWO), 'h'],
    [ceilDiv(h, TWO), 'ceil_div(h, 2)'],
    [ceilDiv(sub(h, ONE), TWO), 'h//2'],
    [add(floorDiv(sub(h, ONE), TWO), ONE), 'ceil_div(h, 2)'],
    [floorDiv(add(h, sub(N, ONE)), N), 'ceil_div(h, N)'],
    [ceilDiv(add(h, ONE), int(3)), 'h//3 + 1'],
    [maximum(h, add(h, ONE)), 'h + 1'],
    [maximum(h, ZERO), 'h'],
    [minimum(B, minimum(T, B)), 'min(B, T)'],
    [minimum(h, ZERO), '0'],
  ])('normal form %#', (a, text) => {
    expect(show(a)).toBe(text);
  });
});

/** Half of the pairs are free, half are built so that special laws have something to say. */
const operands = fc.oneof(
  fc.tuple(expressions, expressions),
  fc.tuple(expressions, expressions, expressions).map(([q, b, r]) => {
    const multiple = { is: 'mul', left: q, right: b } as const;
    return [{ is: 'add', left: multiple, right: r }, b] as const;
  }),
  // A dividend from 1 to its divisor.
  fc.tuple(expressions, expressions).map(([e, more]) => {
    const left = { is: 'add', left: e, right: { is: 'number', value: 1 } } as const;
    return [left, { is: 'add', left, right: more }] as const;
  }),
  // An extremum beside one of its items.
  fc
    .tuple(polynomials, polynomials, fc.constantFrom('max', 'min'))
    .map(([a, b, is]) => [a, { is, left: a, right: b }] as const),
  fc.tuple(polynomials, polynomials, polynomials).map(([x, y, g]) => {
    return [{ is: 'mul', left: x, right: g } as const, { is: 'mul', left: y, right: g } as const] as const;
  }),
  fc
    .tuple(expressions, fc.constantFrom(2, 3, 4), fc.constantFrom(-2, 2, 3, 6), fc.integer({ min: -3, max: 3 }))
    .chain(([e, m, n, k]) =>
      fc.constantFrom('floorDiv', 'ceilDiv', 'mod').map((is) => {
        const inner = { is, left: e, right: { is: 'number', value: m * (is === 'mod' ? Math.abs(n) : 1) } } as const;
        return [
          { is: 'add', left: inner, right: { is: 'number', value: k } },
          { is: 'number', value: n },
        ] as const;
      }),
    ),
  fc.tuple(fc.constantFrom(...IDS), fc.integer({ min: 1, max: 3 })).map(([id, k]) => {
    const s = { is: 'symbol', id } as const;
    return [s, { is: 'add', left: s, right: { is: 'number', value: k } } as const] as const;
  }),
  fc
    .tuple(expressions, expressions, expressions)
    .chain(([x, y, z]) => fc.constantFrom('max', 'min').map((is) => [{ is, left: x, right: y } as const, z] as const)),
);

describe('divideExactly', () => {
  test('inverts multiplication', () => {
    fc.assert(
      fc.property(polynomials, polynomials, (e, f) => {
        const [a, b] = [build(e), build(f)];
        fc.pre(b.constant !== 0);
        const quotient = divideExactly(mul(a, b), b);
        expect(quotient !== null && same(quotient, a)).toBe(true);
      }),
    );
  });

  test('is null where a remainder is left', () => {
    expect(divideExactly(add(mul(B, T), ONE), T)).toBeNull();
    expect(divideExactly(C, N)).toBeNull();
    expect(divideExactly(int(7), TWO)).toBeNull();
    expect(divideExactly(B, ZERO)).toBeNull();
  });
});

describe('formatInt', () => {
  test('writes Python that has the same value', () => {
    fc.assert(
      fc.property(expressions, assignments(1), (e, at) => {
        const a = build(e);
        const value = evaluateInt(a, (id) => at[id] ?? 0);
        fc.pre(!Number.isNaN(value));
        const names = Object.fromEntries(IDS.map((id) => [written(id), at[id] ?? 0]));
        expect(evaluatePython(show(a), names)).toBe(value);
      }),
      { numRuns: 2000 },
    );
  });

  test.each([
    [mul(C, T, B), 'B*T*C'],
    [add(floorDiv(h, TWO), ONE), 'h//2 + 1'],
    [sub(ONE, h), '1 - h'],
    [sub(C, mul(TWO, h)), 'C - 2*h'],
    [mul(N, floorDiv(C, N)), 'N*(C//N)'],
    [neg(floorDiv(h, TWO)), '-(h//2)'],
    [maximum(minimum(h, N), sub(T, ONE)), 'max(T - 1, min(h, N))'],
    [mul(symbol('self.num_heads'), symbol('layers[0].d')), 'layers[0].d*self.num_heads'],
    [neg(mul(B, T)), '-B*T'],
    [int(-3), '-3'],
  ])('reads as one writes it %#', (a, text) => {
    expect(show(a)).toBe(text);
  });
});
