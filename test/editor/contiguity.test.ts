import { expect, test } from 'vitest';
import { contiguityText } from '../../engine/editor/contiguity.ts';
import { decide, int, mul, NO_FACTS, ONE, symbol, ZERO } from '../../engine/symbols/index.ts';
import { contiguous, type Layout, layoutOf } from '../../engine/tensor/index.ts';

const [B, C, H, W] = [symbol('B'), symbol('C'), symbol('H'), symbol('W')];
const CASES: readonly (readonly [string, Layout])[] = [
  ['contiguous', contiguous([B, C, H, W])],
  ['contiguous', layoutOf([B, ONE], [ONE, B])],
  ['channels_last', layoutOf([B, C, H, W], [mul(H, W, C), ONE, mul(W, C), C])],
  ['not contiguous: dims 0 and 1 are swapped', layoutOf([B, C], [ONE, B])],
  ['not contiguous: in memory the dims lie in the order 1, 2, 0', layoutOf([B, C, H], [ONE, mul(H, B), B])],
  ['not contiguous: stride 0 in dim 0 (expanded)', layoutOf([B, C], [ZERO, ONE])],
  ['not contiguous: gaps between the elements of dim 0', layoutOf([int(4), int(3)], [int(5), ONE])],
  ['not contiguous: gaps between the elements of dim 0', layoutOf([int(4)], [int(2)])],
  ['not contiguous: dims 0 and 1 are swapped, with gaps', layoutOf([int(4), int(5)], [int(2), int(16)])],
  ['strides not known', layoutOf([B], null)],
];

test.each(CASES)('%s', (text, layout) => {
  expect(contiguityText(layout, decide(NO_FACTS))).toBe(text);
});
