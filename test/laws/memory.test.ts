import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  addressOf,
  blockBytes,
  blockBytesInDivisions,
  hostBytes,
  LINE,
  MIN_BLOCK,
  payloadBytes,
  reuse,
  segmentBytes,
  shareOfLine,
  tailWaste,
  walk,
} from '../../engine/memory/index.ts';
import { formatInt, int, mul, symbol, ZERO } from '../../engine/symbols/index.ts';
import { DTYPES, itemsize } from '../../engine/tensor/dtype.ts';
import type { Layout } from '../../engine/tensor/layout.ts';

const layout = (shape: readonly number[], stride: readonly number[], offset = 0): Layout => ({
  shape: shape.map(int),
  stride: stride.map(int),
  offset: int(offset),
  front: false,
});

describe('addresses', () => {
  // As torch 2.13 gives them, by storage_offset() and data_ptr() of the indexed element.
  test.each([
    [layout([2, 4, 3], [12, 1, 4]), [1, 2, 1], 'float32', 18, 72],
    [layout([2, 3, 3], [12, 1, 4], 1), [1, 2, 1], 'float32', 19, 76],
    [layout([2, 2, 3], [16, 8, 1], 1), [1, 1, 2], 'float64', 27, 216],
  ] as const)('are offset + index * stride %#', (of, index, dtype, element, byte) => {
    const address = addressOf(of, index.map(int), dtype);
    expect(address?.element.constant).toBe(element);
    expect(address?.byte?.constant).toBe(byte);
  });

  test('are symbolic where the layout is', () => {
    const [C, T] = [symbol('C'), symbol('T')];
    const rows: Layout = { shape: [T, C], stride: [C, int(1)], offset: ZERO, front: false };
    const address = addressOf(rows, [symbol('i'), int(2)], 'float16');
    expect(address && formatInt(address.element, (id) => id)).toBe('C*i + 2');
    expect(address?.byte && formatInt(address.byte, (id) => id)).toBe('2*C*i + 4');
    expect(payloadBytes(rows, 'float16').key).toBe(mul(C, T, int(2)).key);
  });

  test('are null where something is not known', () => {
    expect(addressOf({ shape: [int(2)], stride: null, offset: ZERO, front: false }, [ZERO], 'float32')).toBeNull();
    expect(addressOf(layout([2, 2], [2, 1]), [ZERO], 'float32')).toBeNull();
    expect(addressOf(layout([2], [1]), [ZERO], null)?.byte).toBeNull();
  });
});

describe('cache lines', () => {
  test('neighbours share a line, distant elements have one each', () => {
    expect(walk(layout([64], [1]), 0, 'float32')).toMatchObject({ lines: [0, 1, 2, 3], used: 1 });
    const apart = walk(layout([64, 8, 8], [64, 8, 1]), 0, 'float32');
    expect(apart?.lines.length).toBe(64);
    expect(apart?.used).toBe(1 / 16);
    expect(walk(layout([3, 4], [1, 3]), 1, 'float32')).toMatchObject({ bytes: [0, 12, 24, 36], lines: [0] });
  });

  test('one cell is read where the stride is 0', () => {
    expect(walk(layout([5], [0], 20), 0, 'float32')).toMatchObject({
      bytes: [80, 80, 80, 80, 80],
      lines: [1],
      used: 1 / 16,
    });
  });

  test('every byte that a walk reads lies in a line it touches', () => {
    const strides = fc.integer({ min: 0, max: 70 });
    const sizes = fc.integer({ min: 1, max: 40 });
    fc.assert(
      fc.property(sizes, strides, fc.nat(99), fc.constantFrom(...DTYPES), (size, stride, offset, dtype) => {
        const walked = walk(layout([size], [stride], offset), 0, dtype);
        const lines = new Set(walked?.bytes.map((byte) => Math.floor(byte / LINE)));
        expect(new Set(walked?.lines)).toEqual(lines);
        const read = (stride === 0 ? 1 : size) * itemsize(dtype);
        expect((walked?.used ?? 0) * LINE * lines.size).toBeCloseTo(read);
      }),
    );
  });

  test('a long walk uses the share that its stride leaves', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 64 }), fc.constantFrom(...DTYPES), (stride, dtype) => {
        expect(walk(layout([4096], [stride]), 0, dtype)?.used).toBeCloseTo(shareOfLine(stride, dtype), 1);
      }),
    );
    expect(reuse(1, 'float32')).toBe(1);
    expect(reuse(3, 'float32')).toBe(3);
    expect(reuse(224 * 224, 'float32')).toBe(16);
    expect(reuse(0, 'float32')).toBe(1);
  });

  test('nothing is said of unknown or endless walks', () => {
    expect(walk({ shape: [symbol('T')], stride: [int(1)], offset: ZERO, front: false }, 0, 'float32')).toBeNull();
    expect(walk(layout([1 << 20], [1]), 0, 'float32')).toBeNull();
    expect(walk(layout([0], [1]), 0, 'float32')).toBeNull();
  });
});

describe('CUDA blocks', () => {
  test.each([
    [4, 512],
    [512, 512],
    [513, 1024],
    [4000, 4096],
    [68, 512],
    [12_042_240, 12_042_240],
  ])('%i bytes take a block of %i', (nbytes, block) => {
    expect(blockBytes(nbytes)).toBe(block);
  });

  test('are the least multiple of 512 that holds the request', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2 ** 40 }), (nbytes) => {
        const block = blockBytes(nbytes);
        expect(block % MIN_BLOCK).toBe(0);
        expect(block - nbytes).toBeGreaterThanOrEqual(0);
        expect(block - nbytes).toBeLessThan(MIN_BLOCK);
        expect(tailWaste(nbytes)).toBeCloseTo((block - nbytes) / block);
      }),
    );
    expect(tailWaste(0)).toBe(0);
  });

  test('divisions of powers of two', () => {
    expect(blockBytesInDivisions(2500, 4)).toBe(2560);
    expect(blockBytesInDivisions(4096, 4)).toBe(4096);
    expect(blockBytesInDivisions(2000, 4)).toBe(2048);
    expect(blockBytesInDivisions(2500, 1)).toBe(2560);
  });

  test('segments', () => {
    const mib = 1024 * 1024;
    expect([512, mib, mib + 512, 10 * mib, 11 * mib].map(segmentBytes)).toEqual([2, 2, 20, 10, 12].map((n) => n * mib));
  });
});

test('many small tensors cost their headers', () => {
  expect(hostBytes(1000, 4)).toEqual({ low: 444_000, high: 464_000 });
});
