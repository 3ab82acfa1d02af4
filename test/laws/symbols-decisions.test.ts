import { describe, expect, test } from 'vitest';
import {
  add,
  decide,
  type Facts,
  floorDiv,
  formatInt,
  int,
  learnAtLeast,
  learnDivisible,
  mod,
  mul,
  NO_FACTS,
  ONE,
  type SymInt,
  symbol,
} from '../../engine/symbols/index.ts';

const [B, T, C, N, h, d] = [
  symbol('B#1'),
  symbol('T#2'),
  symbol('C#10'),
  symbol('N#11'),
  symbol('h#12'),
  symbol('d#13'),
];
const show = (a: SymInt) => formatInt(a, (id) => id.replace(/#\d+$/, ''));

describe('generic decisions', () => {
  const asked = (question: (ask: ReturnType<typeof decide>) => unknown, facts: Facts = NO_FACTS) => {
    const ask = decide(facts);
    const answer = question(ask);
    return [
      answer,
      ...ask.guards.map((g) => `${show(g.left)} ${g.relation === 'equal' ? '==' : '<'} ${show(g.right)}`),
    ];
  };
  const half = floorDiv(h, int(2));
  const whole = mul(N, floorDiv(C, N));

  test.each([
    ['numbers need no guard', asked((ask) => ask.equal(int(2), int(3))), [false]],
    ['a size is not 1', asked((ask) => ask.isOne(h)), [false, 'h == 1']],
    ['nor 0', asked((ask) => ask.isZero(mul(B, T))), [false, 'B*T == 0']],
    ['a size and one more is never 0', asked((ask) => ask.isZero(add(h, ONE))), [false]],
    ['two sizes differ', asked((ask) => ask.equal(B, T)), [false, 'B == T']],
    ['common factors cancel', asked((ask) => ask.equal(mul(T, C), C)), [false, 'T == 1']],
    ['a quotient is not 1', asked((ask) => ask.isOne(half)), [false, 'h//2 == 1']],
    ['a convolution keeps more than one', asked((ask) => ask.isOne(add(half, ONE))), [false, 'h//2 + 1 == 1']],
    ['a quotient and an unrelated size differ', asked((ask) => ask.equal(half, T)), [false, 'h//2 == T']],
    ['without the fact nobody knows', asked((ask) => ask.equal(whole, C)), [undefined]],
    ['with the fact it is so', asked((ask) => ask.equal(whole, C), learnDivisible(NO_FACTS, C, N)), [true]],
    ['a remainder may be anything', asked((ask) => ask.isZero(mod(h, int(2)))), [undefined]],
    ['a product is larger than its factor', asked((ask) => ask.less(C, mul(T, C))), [true, '1 == T']],
    ['and not smaller', asked((ask) => ask.less(mul(T, C), C)), [false, 'T < 1']],
    ['more factors', asked((ask) => ask.less(mul(B, T, C), mul(T, C))), [false, 'B < 1']],
    ['unrelated products are not ordered', asked((ask) => ask.less(mul(h, d), mul(T, d))), [undefined]],
    ['what is asked twice is guarded once', asked((ask) => [ask.isOne(h), ask.isOne(h)].length), [2, 'h == 1']],
    [
      'a case of another guard is none of its own',
      asked((ask) => [ask.isOne(mul(B, T, C)), ask.isOne(C), ask.isOne(mul(T, C))].length),
      [3, 'C == 1'],
    ],
    [
      'a product is 0 where a factor is',
      asked((ask) => [ask.isZero(B), ask.isZero(mul(B, T))].length),
      [2, 'B*T == 0'],
    ],
    ['a known bound outdoes genericity', asked((ask) => ask.isOne(h), learnAtLeast(NO_FACTS, h, 2)), [false]],
  ])('%s', (_, answer, expected) => {
    expect(answer).toEqual(expected);
  });
});
