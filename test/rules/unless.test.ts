import { describe, expect, test } from 'vitest';
import { crossingDims, sharedDims, shifted } from '../../engine/rules/cells.ts';
import { hiddenCopy } from '../../engine/rules/hidden-copy.ts';
import { incompatibleView } from '../../engine/rules/incompatible-view.ts';
import { add, decide, int, mul, NO_FACTS, ONE, symbol, ZERO } from '../../engine/symbols/index.ts';
import { isFault, layoutOf, reshape, transpose, unfold, view } from '../../engine/tensor/index.ts';
import { argument, fileOf, node, opEvent, tensor, trace } from './traces.ts';

const [B, H, T, D] = [symbol('B'), symbol('H'), symbol('T'), symbol('D')];

/** `y.transpose(1, 2)` of a contiguous [B, H, T, D]. */
function heads() {
  const turned = transpose(argument('y', [B, H, T, D]).layout, 1, 2);
  if (isFault(turned)) throw new Error('a transpose of four dims');
  return tensor(turned);
}

describe('what is said of sizes', () => {
  test('a copy names the sizes for which there would be none, and no others', () => {
    const ask = decide(NO_FACTS);
    const input = heads();
    const result = reshape(input.layout, [B, T, mul(H, D)], ask);
    if (isFault(result)) throw new Error('a reshape of the same elements');
    const event = opEvent('reshape', node(0, 9), {
      inputs: [input],
      result: { is: 'fresh', layout: result.layout, dtype: 'float32' },
      guards: ask.guards,
    });
    const seen = trace([event]);
    const [report] = [...hiddenCopy.check(seen, fileOf('y.reshape', [seen]))];
    expect(report?.message).toBe(
      'reshape copies B*D*H*T elements (4 bytes each): dims 2 and 3 do not merge (stride D*T is not D), unless T == 1 or H == 1 or D == 1; where it is meant there is nothing to do',
    );
    expect(report?.bytes).toBe('4*B*D*H*T');
  });

  test('so does a view that raises', () => {
    const ask = decide(NO_FACTS);
    const input = heads();
    const result = view(input.layout, [B, T, mul(H, D)], ask);
    if (!isFault(result)) throw new Error('a view that cannot be');
    const event = opEvent('view', node(0, 6), { inputs: [input], result, guards: ask.guards });
    const seen = trace([event]);
    const [report] = [...incompatibleView.check(seen, fileOf('y.view', [seen]))];
    expect(report?.message).toBe(
      'view will raise: dims 2 and 3 do not merge (stride D*T is not D), unless T == 1 or H == 1 or D == 1; use .reshape(…), which copies here',
    );
  });
});

describe('cells that are shared', () => {
  test('by an expanded dim of more than one element', () => {
    const ask = decide(NO_FACTS);
    expect(sharedDims(layoutOf([B, int(3)], [ZERO, ONE]), ask)).toEqual([0]);
    expect(sharedDims(layoutOf([ONE, int(3)], [ZERO, ONE]), ask)).toEqual([]);
    expect(sharedDims(layoutOf([int(2), ZERO], [ZERO, ONE]), ask)).toEqual([]);
  });

  test('by windows that overlap, not by those that do not', () => {
    const ask = decide(NO_FACTS);
    const windows = (step: number) => {
      const layout = unfold(layoutOf([int(6)], [ONE]), 0, int(3), int(step), ask);
      if (isFault(layout)) throw new Error('windows of six elements');
      return crossingDims(layout, ask);
    };
    expect(windows(1)).toEqual([0, 1]);
    expect(windows(2)).toEqual([0, 1]);
    expect(windows(3)).toBeNull();
    expect(crossingDims(layoutOf([B, T], [T, ONE]), ask)).toBeNull();
  });

  test('by a region and its source, shifted by less than a dim', () => {
    const ask = decide(NO_FACTS);
    const columns = (offset: number) => layoutOf([int(4), int(5)], [int(6), ONE], int(offset));
    expect(shifted(columns(1), columns(0), ask)).toBe(true);
    expect(shifted(columns(0), columns(0), ask)).toBe(false);
    const halves = (offset: number) => layoutOf([int(3)], [ONE], int(offset));
    expect(shifted(halves(3), halves(0), ask)).toBeUndefined();
    const rows = (offset: typeof T) => layoutOf([T], [ONE], offset);
    expect(shifted(rows(add(T, T)), rows(ZERO), ask)).toBeUndefined();
  });
});
