import { describe, expect, test } from 'vitest';
import {
  decide,
  type Facts,
  floorDiv,
  formatInt,
  int,
  learnAtMost,
  learnEqual,
  learnFactors,
  mul,
  NO_FACTS,
  type SymInt,
  sub,
  symbol,
} from '../../engine/symbols/index.ts';
import type { Layout } from '../../engine/tensor/index.ts';
import * as tensor from '../../engine/tensor/index.ts';

/** The number after `#` is the order of creation, in which sizes are written in products. */
const named = (name: string, created: number) => symbol(`${name}#${created}`);
const B = named('B', 1);
const T = named('T', 2);
const H = named('H', 3);
const W = named('W', 4);
const C = named('C', 5);
const n = named('n', 6);
const w = named('w', 7);
const D = named('D', 8);
const F = named('F', 0);
const MINUS = int(-1);
const show = (value: SymInt) => formatInt(value, (id) => id.replace(/#.*/, ''));
const shape = (layout: Layout) => layout.shape.map(show);
const stride = (layout: Layout) => layout.stride?.map(show) ?? null;

/** Runs one call and says what it decided on: the guards and the demands, as text, and the facts from then on. */
function asked<X>(
  facts: Facts,
  call: (ask: ReturnType<typeof decide>, options: tensor.SizeOptions) => tensor.Result<X>,
) {
  const ask = decide(facts);
  const demands: string[] = [];
  let learned = facts;
  const value = call(ask, {
    demand: (left, right) => {
      demands.push(`${show(left)} == ${show(right)}`);
      learned = learnEqual(learned, left, right);
    },
  });
  const guards = ask.guards.map((g) => `${show(g.left)} ${g.relation === 'equal' ? '==' : '<'} ${show(g.right)}`);
  return { value, guards, demands, facts: learned };
}

function must<X>(value: tensor.Result<X>): X {
  if (tensor.isFault(value)) throw new Error(JSON.stringify(value));
  return value;
}

describe('heads', () => {
  const d = floorDiv(C, n);
  const x = tensor.contiguous([B, T, C]);
  const split = asked(NO_FACTS, (ask, options) => tensor.view(x, [B, T, n, d], ask, options));

  test('a view that splits a dim demands that the sizes divide', () => {
    expect(stride(must(split.value))).toEqual(['T*C', 'C', 'C//n', '1']);
    expect(split.demands).toEqual(['C == n*(C//n)']);
    expect(split.guards).toEqual([]);
  });

  test('heads that were swapped do not merge unless there is one of something', () => {
    const swapped = must(tensor.transpose(must(tensor.resolve(must(split.value), split.facts)), 1, 2));
    expect(stride(swapped)).toEqual(['T*C', 'C//n', 'C', '1']);
    const y = tensor.contiguous([B, n, T, d]);
    const back = must(tensor.transpose(y, 1, 2));
    const merged = asked(split.facts, (ask, options) => tensor.reshape(back, [B, T, C], ask, options));
    expect(must(merged.value).copies).toBe(true);
    expect(stride(must(merged.value).layout)).toEqual(['T*C', 'C', '1']);
    expect(merged.guards.sort()).toEqual(['C//n == 1', 'T == 1', 'n == 1']);
    expect(merged.demands).toEqual([]);
    expect(asked(split.facts, (ask) => tensor.view(back, [B, T, C], ask)).value).toMatchObject({
      fault: 'raises',
      cause: { is: 'dims-do-not-merge', dim: 2 },
    });
  });

  test('three projections in one are split, permuted and unbound', () => {
    const qkv = tensor.contiguous([B, T, mul(int(3), C)]);
    const five = asked(NO_FACTS, (ask, options) => tensor.reshape(qkv, [B, T, int(3), H, D], ask, options));
    expect(five.demands).toEqual(['3*C == 3*H*D']);
    const moved = must(tensor.permute(must(five.value).layout, [2, 0, 3, 1, 4]));
    const parts = must(tensor.unbind(tensor.resolve(moved, five.facts), 0, decide(five.facts)));
    expect(parts.map(shape)).toEqual(new Array(3).fill(['B', 'H', 'T', 'D']));
    expect(parts.map((part) => part.offset && show(part.offset))).toEqual(['0', 'H*D', '2*H*D']);
  });
});

test('windows: the -1 comes out as the product of what is left', () => {
  const x = tensor.contiguous([B, H, W, C]);
  const cut = asked(NO_FACTS, (ask, options) =>
    tensor.view(x, [B, floorDiv(H, w), w, floorDiv(W, w), w, C], ask, options),
  );
  const windows = tensor.contiguous(must(tensor.permute(must(cut.value), [0, 1, 3, 2, 4, 5])).shape);
  const flat = asked(cut.facts, (ask, options) => tensor.view(windows, [MINUS, w, w, C], ask, options));
  expect(shape(must(flat.value))).toEqual(['B*(H//w)*(W//w)', 'w', 'w', 'C']);
  expect(flat.demands).toEqual([]);
  expect(flat.guards).toEqual([]);
});

test('a -1 beside heads is what the heads leave', () => {
  const x = tensor.contiguous([B, T, C]);
  const heads = asked(NO_FACTS, (ask, options) => tensor.view(x, [B, MINUS, n, floorDiv(C, n)], ask, options));
  expect(shape(must(heads.value))).toEqual(['B', 'T', 'n', 'C//n']);
  expect(heads.demands).toEqual(['C == n*(C//n)']);
});

test('patches demand that both sizes divide', () => {
  const image = tensor.contiguous([B, C, H, W]);
  const patches = [B, C, floorDiv(H, w), w, floorDiv(W, w), w];
  const cut = asked(NO_FACTS, (ask, options) => tensor.reshape(image, patches, ask, options));
  expect(cut.demands).toEqual(['H == w*(H//w)', 'W == w*(W//w)']);
  expect(stride(must(cut.value).layout)).toEqual(['H*W*C', 'H*W', 'W*w', 'W', 'w', '1']);
});

test('heads repeated by expand copy unless there is nothing to repeat', () => {
  const wide = must(tensor.unsqueeze(tensor.contiguous([B, H, T, D]), 2));
  const repeated = must(tensor.expand(wide, [B, H, n, T, D], decide(NO_FACTS)));
  const merged = asked(NO_FACTS, (ask, options) => tensor.reshape(repeated, [B, mul(H, n), T, D], ask, options));
  expect(must(merged.value).copies).toBe(true);
  expect(merged.guards.sort()).toEqual(['H == 1', 'n == 1']);
});

test('rows without the first one do not merge', () => {
  const rest = must(tensor.slice(tensor.contiguous([B, T, C]), 1, int(1), null, int(1), decide(NO_FACTS)));
  const merged = asked(NO_FACTS, (ask, options) => tensor.reshape(rest, [MINUS, C], ask, options));
  expect(must(merged.value).copies).toBe(true);
  expect(merged.guards).toContain('B == 1');
  expect(merged.guards).not.toContain('C == 0');
});

describe('contiguity', () => {
  test('is decided without guards where the strides say so', () => {
    const ask = decide(NO_FACTS);
    expect(tensor.isContiguous(tensor.contiguous([B, T, C]), ask)).toBe(true);
    expect(tensor.nonOverlappingAndDense(must(tensor.permute(tensor.contiguous([B, T, C]), [2, 0, 1])), ask)).toBe(
      true,
    );
    expect(ask.guards).toEqual([]);
  });

  test('a transposed tensor is contiguous only if a dim has size 1', () => {
    const asking = asked(NO_FACTS, (ask) => {
      expect(tensor.isContiguous(must(tensor.transpose(tensor.contiguous([B, T, C]), 1, 2)), ask)).toBe(false);
      return 0;
    });
    expect(asking.guards.sort()).toEqual(['C == 1', 'T == 1']);
  });

  test('channels_last is seen from the strides', () => {
    const nhwc = must(tensor.permute(tensor.contiguous([B, H, W, C]), [0, 3, 1, 2]));
    expect(tensor.suggestMemoryFormat(nhwc, decide(NO_FACTS))).toBe('channels_last');
    expect(tensor.suggestMemoryFormat(tensor.contiguous([B, C, H, W]), decide(NO_FACTS))).toBe('contiguous_format');
  });
});

describe('broadcasting', () => {
  test('of two unrelated sizes demands that they are equal', () => {
    const sum = asked(NO_FACTS, (ask, options) => tensor.broadcast([[B, T], [n]], ask, options));
    expect(must(sum.value).map(show)).toEqual(['B', 'T']);
    expect(sum.demands).toEqual(['T == n']);
    expect(sum.guards).toEqual(['T == 1', 'n == 1']);
  });

  test('of different numbers raises', () => {
    expect(asked(NO_FACTS, (ask) => tensor.broadcast([[B, int(3)], [int(4)]], ask)).value).toMatchObject({
      fault: 'raises',
      cause: { is: 'size-differs', broadcast: true },
    });
  });

  test('an elementwise result keeps the order of the dims of its first operand', () => {
    const x = must(tensor.transpose(tensor.contiguous([B, T, C]), 1, 2));
    const sum = asked(NO_FACTS, (ask) => tensor.elementwise([x, tensor.SCALAR], ask));
    expect(stride(must(sum.value))).toEqual(['T*C', '1', 'C']);
    const bias = asked(NO_FACTS, (ask) =>
      tensor.elementwise([tensor.contiguous([B, T, C]), tensor.contiguous([C])], ask),
    );
    expect(stride(must(bias.value))).toEqual(['T*C', 'C', '1']);
    expect(bias.guards).toEqual([]);
  });
});

test('a copy of a slice closes the gaps, whatever the slice keeps', () => {
  const ask = decide(NO_FACTS);
  const some = must(tensor.slice(tensor.contiguous([B, T, C]), 1, null, n, int(1), ask));
  for (const copy of [must(tensor.preserve(some, ask)), must(tensor.elementwise([some], ask))]) {
    expect(stride(copy)).toEqual(['C*min(T, n)', 'C', '1']);
  }
});

describe('slices', () => {
  const x = tensor.contiguous([B, T, C]);
  const cut = (start: SymInt | null, end: SymInt | null, facts = NO_FACTS) =>
    shape(must(asked(facts, (ask) => tensor.slice(x, 1, start, end, int(1), ask)).value))[1];

  test('are clamped to the size', () => {
    expect(cut(int(1), null)).toBe('T - 1');
    expect(cut(null, MINUS)).toBe('T - 1');
    expect(cut(MINUS, null)).toBe('1');
    expect(cut(null, int(8))).toBe('min(8, T)');
    expect(cut(null, n)).toBe('min(T, n)');
    expect(cut(null, floorDiv(T, int(2)))).toBe('T//2');
    expect(cut(null, n, learnAtMost(NO_FACTS, sub(n, T), 0))).toBe('n');
  });

  test('move the offset', () => {
    const tail = must(tensor.slice(x, 1, int(-2), null, int(1), decide(NO_FACTS)));
    expect([shape(tail), stride(tail), tail.offset && show(tail.offset)]).toEqual([
      ['B', '2', 'C'],
      ['T*C', 'C', '1'],
      'T*C - 2*C',
    ]);
  });

  test('and halves come back together', () => {
    const [left, right] = must(tensor.chunk(tensor.contiguous([B, mul(int(2), C)]), 2, -1, decide(NO_FACTS)));
    expect([left, right].map((half) => half && shape(half))).toEqual([
      ['B', 'C'],
      ['B', 'C'],
    ]);
  });
});

describe('an unknown front', () => {
  const x = tensor.withFront(tensor.contiguous([F, C]));
  const ask = decide(NO_FACTS);

  test('is addressed from behind only', () => {
    expect(tensor.wrapDim(x, -1)).toBe(1);
    expect(tensor.wrapDim(x, -2)).toMatchObject({ fault: 'unsure' });
    expect(tensor.wrapDim(x, 0)).toMatchObject({ fault: 'unsure' });
    expect(tensor.permute(x, [1, 0])).toMatchObject({ fault: 'unsure' });
    expect(shape(must(tensor.unsqueeze(x, -1)))).toEqual(['F', 'C', '1']);
  });

  test('merges with the rest where it is contiguous', () => {
    expect(tensor.isContiguous(x, ask)).toBe(true);
    const rows = must(tensor.reshape(x, [MINUS, C], ask));
    expect([shape(rows.layout), rows.copies, rows.layout.front]).toEqual([['F', 'C'], false, false]);
    const heads = must(tensor.view(x, [F, n, floorDiv(C, n)], ask, { front: true, demand: () => undefined }));
    expect([shape(heads), heads.front]).toEqual([['F', 'n', 'C//n'], true]);
    const swapped = must(tensor.transpose(heads, -1, -2));
    expect(must(tensor.reshape(swapped, [F, C], ask, { front: true })).copies).toBe(true);
  });

  test('broadcasts with what does not reach into it', () => {
    const sum = must(tensor.elementwise([x, tensor.contiguous([C])], ask));
    expect([shape(sum), stride(sum), sum.front]).toEqual([['F', 'C'], ['C', '1'], true]);
    expect(tensor.elementwise([x, tensor.contiguous([B, T, C])], ask)).toMatchObject({ fault: 'unsure' });
    expect(must(tensor.elementwise([x, x], ask)).front).toBe(true);
  });

  test('unpacks into dims', () => {
    const bound = tensor.bindFront(must(tensor.transpose(tensor.withFront(tensor.contiguous([F, H, D])), -1, -2)), [
      B,
      T,
    ]);
    expect([shape(bound), stride(bound), bound.front]).toEqual([
      ['B', 'T', 'D', 'H'],
      ['T*H*D', 'H*D', '1', 'D'],
      false,
    ]);
    const known = tensor.resolve(x, learnFactors(NO_FACTS, 'F#0', [B, T]));
    expect([shape(known), stride(known), known.front]).toEqual([['B', 'T', 'C'], ['T*C', 'C', '1'], false]);
  });
});

test('unknown strides leave the shape known', () => {
  const x = tensor.layoutOf([B, T, C], null, null);
  const ask = decide(NO_FACTS);
  expect(shape(must(tensor.reshape(x, [mul(B, T), C], ask)).layout)).toEqual(['B*T', 'C']);
  expect(must(tensor.reshape(x, [mul(B, T), C], ask)).copies).toBeUndefined();
  expect(must(tensor.elementwise([x, tensor.contiguous([C])], ask))).toMatchObject({ stride: null });
  expect(must(tensor.transpose(x, 0, 1))).toMatchObject({ stride: null });
});
