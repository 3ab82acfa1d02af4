import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type Decisions,
  decide,
  evaluateInt,
  type Facts,
  floorDiv,
  formatInt,
  int,
  learnEqual,
  mul,
  NO_FACTS,
  ONE,
  type SymInt,
  sub,
  symbol,
} from '../../engine/symbols/index.ts';
import type { Layout, Result } from '../../engine/tensor/index.ts';
import * as tensor from '../../engine/tensor/index.ts';

/**
 * A claim about symbols holds for all numbers: random programs are evaluated once with symbols and once with numbers in
 * their place, and wherever no guard and no demand excludes the numbers both must say the same, to the last stride.
 */

const IDS = ['A#1', 'B#2', 'C#3', 'N#4'];
const SIZES: readonly SymInt[] = [...IDS.map(symbol), ...[1, 2, 3].map(int)];

/** How a call is made: with symbols, or with the numbers that stand in their place. */
interface Run {
  readonly ask: Decisions;
  readonly options: tensor.Demands;
  readonly size: (value: SymInt) => SymInt;
  readonly layout: (layout: Layout) => Layout;
}

type Call = (x: Layout, run: Run) => Result<Layout>;
/** Plans a call on the symbolic layout; the same call is then made twice. */
type Step = (x: Layout, choose: Choose) => Call | null;
/** A number below `below`. */
type Choose = (below: number) => number;

const pickOf = (choose: Choose, values: readonly SymInt[]): SymInt => values[choose(values.length)] ?? ONE;

/** A shape that could be asked of `view`: dims merged, split, or inserted. It depends on the symbolic shape only. */
function reshaped(shape: readonly SymInt[], choose: Choose): SymInt[] {
  const sizes = [...shape];
  for (let round = choose(3); round >= 0; round--) {
    const d = choose(Math.max(sizes.length, 1));
    const size = sizes[d] ?? ONE;
    switch (choose(5)) {
      case 0:
      case 1:
        if (d + 1 < sizes.length) sizes.splice(d, 2, mul(size, sizes[d + 1] ?? ONE));
        break;
      case 2: {
        const part = pickOf(choose, SIZES);
        // Quotients of quotients are for the laws of symbols to test.
        if (d < sizes.length && !size.key.includes('floorDiv')) sizes.splice(d, 1, part, floorDiv(size, part));
        break;
      }
      case 3:
        sizes.splice(d, 0, ONE);
        break;
      case 4:
        if (d + 1 < sizes.length) sizes.splice(d, 2, sizes[d + 1] ?? ONE, size);
    }
  }
  const whole = sizes.every((size) => !size.key.includes('floorDiv'));
  if (whole && sizes.length > 0 && choose(3) === 0) sizes[choose(sizes.length)] = int(-1);
  return sizes;
}

/** Like `x`, with some dims of size 1 or of another size, some leading dims missing, in another order of strides. */
function relative(x: Layout, choose: Choose): Layout {
  const shape = x.shape
    .map((size) => (choose(4) === 0 ? ONE : choose(6) === 0 ? pickOf(choose, SIZES) : size))
    .slice(choose(3) === 0 ? 1 : 0);
  const y = tensor.contiguous(shape);
  if (shape.length < 2 || choose(2) === 0) return y;
  const swapped = tensor.transpose(tensor.contiguous(shape.toReversed()), 0, -1);
  return shape.length === 2 && !tensor.isFault(swapped) ? swapped : y;
}

const anyDim = (x: Layout, choose: Choose): number => choose(Math.max(x.shape.length, 1));

const STEPS: readonly Step[] = [
  (x, choose) => {
    const order = shuffled(x.shape.length, choose);
    return (y) => tensor.permute(y, order);
  },
  (x, choose) => {
    const [a, b] = [anyDim(x, choose), anyDim(x, choose)];
    return (y) => tensor.transpose(y, a, b);
  },
  (x, choose) => {
    const sizes = reshaped(x.shape, choose);
    return (y, { ask, options, size }) => tensor.view(y, sizes.map(size), ask, options);
  },
  (x, choose) => {
    const sizes = reshaped(x.shape, choose);
    return (y, { ask, options, size }) => layoutIn(tensor.reshape(y, sizes.map(size), ask, options));
  },
  (x, choose) => {
    const [a, b] = [anyDim(x, choose), anyDim(x, choose)];
    return (y, { ask }) => layoutIn(tensor.flatten(y, Math.min(a, b), Math.max(a, b), ask));
  },
  (x, choose) => {
    const d = choose(x.shape.length + 1);
    return (y) => tensor.unsqueeze(y, d);
  },
  (x, choose) => {
    const dims = choose(2) === 0 ? null : [anyDim(x, choose)];
    return (y, { ask }) => tensor.squeeze(y, dims, ask);
  },
  (x, choose) => {
    const sizes = x.shape.map((n) => (n.constant === 1 ? pickOf(choose, SIZES) : choose(2) === 0 ? n : int(-1)));
    const leading = choose(3) === 0 ? [pickOf(choose, SIZES)] : [];
    return (y, { ask, options, size }) => tensor.expand(y, [...leading, ...sizes].map(size), ask, options);
  },
  (x, choose) => {
    const [d, index] = [anyDim(x, choose), int(choose(2) - 1)];
    return x.shape.length === 0 ? null : (y, { ask }) => tensor.select(y, d, index, ask);
  },
  (x, choose) => {
    const d = anyDim(x, choose);
    const whole = x.shape[d] ?? ONE;
    const bounds = [null, ONE, int(2), int(-1), floorDiv(whole, int(2)), pickOf(choose, SIZES), sub(whole, ONE)];
    const [start = null, end = null] = [bounds[choose(bounds.length)], bounds[choose(bounds.length)]];
    const step = int(1 + choose(2));
    if (x.shape.length === 0) return null;
    return (y, { ask, size }) => tensor.slice(y, d, start && size(start), end && size(end), step, ask);
  },
  (x, choose) => {
    const [d, which] = [anyDim(x, choose), choose(2)];
    if (x.shape.length === 0) return null;
    return (y, { ask }) => {
      const halves = tensor.chunk(y, 2, d, ask);
      return tensor.isFault(halves) ? halves : (halves[which] ?? tensor.unsure('one piece only'));
    };
  },
  (x, choose) => {
    const offset = int(choose(3) - 1);
    return x.shape.length < 2 ? null : (y, { ask }) => tensor.diagonal(y, offset, 0, -1, ask);
  },
  (x, choose) => {
    const d = anyDim(x, choose);
    return (y, { ask }) => tensor.unfold(y, d, ONE, ONE, ask);
  },
  () =>
    (y, { ask }) =>
      tensor.preserve(y, ask),
  () =>
    (y, { ask }) =>
      tensor.elementwise([y], ask),
  () =>
    (y, { ask }) =>
      tensor.elementwise([y, tensor.SCALAR], ask),
  (x, choose) => {
    const other = relative(x, choose);
    return (y, { ask, options, layout }) => tensor.elementwise([y, layout(other)], ask, options);
  },
  (x, choose) => {
    const other = relative(x, choose);
    return (y, { ask, options, layout }) => tensor.elementwise([layout(other), y], ask, options);
  },
  (x, choose) => {
    const index = tensor.contiguous([pickOf(choose, SIZES)]);
    const indexedDims = x.shape.map(() => choose(2) === 0);
    if (!indexedDims.includes(true)) return null;
    return (y, { ask, options, layout }) =>
      tensor.indexed(
        y,
        indexedDims.map((used) => (used ? layout(index) : null)),
        ask,
        options,
      );
  },
];

function layoutIn(result: Result<{ readonly layout: Layout }>): Result<Layout> {
  return tensor.isFault(result) ? result : result.layout;
}

function shuffled(count: number, choose: Choose): number[] {
  const left = Array.from({ length: count }, (_, i) => i);
  return Array.from({ length: count }, () => left.splice(choose(left.length), 1)[0] ?? 0);
}

/** What each step answers beside a layout: flags of the tensor so far. */
function flagsOf(x: Layout, ask: Decisions) {
  return [
    tensor.isContiguous(x, ask),
    tensor.nonOverlappingAndDense(x, ask),
    tensor.suggestMemoryFormat(x, ask),
    tensor.internalOverlap(x, ask),
  ];
}

const program = fc.record({
  shape: fc.array(fc.nat(SIZES.length - 1), { minLength: 1, maxLength: 4 }),
  steps: fc.array(fc.record({ step: fc.nat(STEPS.length - 1), seed: fc.nat(1_000_000) }), {
    minLength: 1,
    maxLength: 5,
  }),
  values: fc.array(fc.integer({ min: 1, max: 6 }), { minLength: IDS.length, maxLength: IDS.length }),
});

/** Numbers from a seed, so that both runs choose alike as long as they are asked alike. */
function chooser(seed: number): Choose {
  let state = seed + 1;
  return (below) => {
    state = (state * 48271) % 2147483647;
    return state % below;
  };
}

const LIMITS = { numRuns: 2500, seed: 7 };

test('what is claimed of symbols holds for numbers', () => {
  let claims = 0;
  let unknown = 0;
  fc.assert(
    fc.property(program, ({ shape, steps, values }) => {
      const numeric = (value: SymInt): number => evaluateInt(value, (id) => values[IDS.indexOf(id)] ?? 1);
      const size = (value: SymInt): SymInt => int(numeric(value));
      const layout = (l: Layout): Layout => ({
        ...l,
        shape: l.shape.map(size),
        stride: l.stride?.map(size) ?? null,
        offset: l.offset && size(l.offset),
      });
      let x = tensor.contiguous(shape.map((i) => SIZES[i] ?? ONE));
      let facts: Facts = NO_FACTS;
      let text = `${named(x)} ${shown(layout(x))}`;
      for (const { step, seed } of steps) {
        const call = STEPS[step]?.(x, chooser(seed));
        if (call === undefined || call === null) continue;
        text += ` -> step ${step}`;
        let excluded = false;
        const demand = (left: SymInt, right: SymInt) => {
          excluded ||= numeric(left) !== numeric(right);
          facts = learnEqual(facts, left, right);
        };
        const ask = decide(facts);
        const flags = flagsOf(x, ask);
        const claimed = call(x, { ask, options: { demand }, size: (value) => value, layout: (l) => l });
        excluded ||= ask.guards.some(({ relation, left, right }) =>
          relation === 'equal' ? numeric(left) === numeric(right) : numeric(left) < numeric(right),
        );
        if (excluded) return;
        const known = decide(NO_FACTS);
        const actual = call(layout(x), { ask: known, options: {}, size, layout });
        const actualFlags = flagsOf(layout(x), known);
        expect([text, flags.map((flag, i) => flag ?? actualFlags[i])]).toEqual([text, actualFlags]);
        if (tensor.isFault(claimed)) {
          if (claimed.fault === 'raises') expect([text, 'raises']).toEqual([text, verdictOf(actual)]);
          if (claimed.fault === 'unsure') unknown++;
          return;
        }
        // A view whose strides are not known may raise.
        if (claimed.stride === null && tensor.isFault(actual)) return;
        const numbers = layout(claimed);
        // Of tensors without elements nothing is claimed.
        if (numbers.shape.some((n) => n.constant === 0)) return;
        text += ` ${named(claimed)}`;
        expect([text, shown(numbers)]).toEqual([text, verdictOf(actual, numbers)]);
        claims++;
        if (claimed.stride === null) unknown++;
        x = tensor.resolve(claimed, facts);
        text += ` ${shown(numbers)}`;
      }
    }),
    LIMITS,
  );
  expect(claims).toBeGreaterThan(LIMITS.numRuns);
  expect(unknown).toBeLessThan(claims / 10);
});

/** What came out, as text; strides and offset that are not claimed are left out. */
function verdictOf(actual: Result<Layout>, claimed?: Layout): string {
  if (tensor.isFault(actual)) return actual.fault;
  const stride = claimed?.stride === null ? null : actual.stride;
  return shown({ ...actual, stride, offset: claimed?.offset === null ? null : actual.offset });
}

const named = ({ shape, stride, offset }: Layout) =>
  [shape, stride ?? [], offset === null ? [] : [offset]]
    .map((values) => values.map((value) => formatInt(value, (id) => id.charAt(0))).join(', '))
    .join(' | ');

const shown = (layout: Layout) =>
  JSON.stringify([
    layout.shape.map((size) => size.constant),
    layout.stride?.map((step) => step.constant) ?? null,
    layout.offset?.constant ?? null,
  ]);
