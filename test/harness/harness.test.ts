import { describe, expect, test } from 'vitest';
import { evaluateSize } from './arithmetic.ts';
import { parseAssertions } from './assertion.ts';
import { parseSpec } from './markdown.ts';
import { compareWithPyTorch } from './pytorch.ts';
import type { Row } from './recording.ts';
import type { SeenTensor } from './seen.ts';

const TRANSPOSED: SeenTensor = {
  shape: ['2', '4', '3'],
  stride: ['12', '1', '4'],
  offset: '0',
  dtype: 'float32',
  byte: null,
  same: [],
  views: ['x'],
};

const ROW: Row = {
  line: 1,
  value: TRANSPOSED,
  bound: new Map(),
  live: { bytes: '96', storages: 1 },
  sizes: new Map([['B', 2]]),
  raised: null,
  copies: [],
  changed: [],
};

function complaints(line: string, row: Partial<Row> = {}): string[] {
  const [spec] = parseSpec(`# a title\n\n\`\`\`py\n${line}\n\`\`\`\n`);
  if (!spec) throw new Error('no block');
  return compareWithPyTorch(spec, [[{ ...ROW, ...row }]]).map((complaint) => complaint.is);
}

describe('an assertion', () => {
  test('that is right passes', () => {
    expect(
      complaints('y  # reveal: Tensor[2, 4, 3] strides (12, 1, 4) float32 view of x; live: 96 bytes in 1 storage'),
    ).toEqual([]);
    expect(complaints('y  # reveal: Tensor[B, 2*B, 3] view of x')).toEqual([]);
    expect(complaints('y  # reveal: Tensor[?, 4, 3] view of x')).toEqual([]);
  });

  test.each([
    ['shape', 'Tensor[2, 4] strides (12, 1, 4) view of x'],
    ['stride', 'Tensor[2, 4, 3] strides (12, 4, 1) view of x'],
    ['offset', 'Tensor[2, 4, 3] strides (12, 1, 4) offset 4 view of x'],
    ['dtype', 'Tensor[2, 4, 3] strides (12, 1, 4) float64 view of x'],
    ['storage', 'Tensor[2, 4, 3] strides (12, 1, 4)'],
    ['base', 'Tensor[2, 4, 3] strides (12, 1, 4) view of z'],
    ['identity', 'Tensor[2, 4, 3] strides (12, 1, 4) same as x'],
    ['symbol', 'Tensor[N, 4, 3] view of x'],
  ])('of a wrong %s fails', (_, tensor) => {
    expect(complaints(`y  # reveal: ${tensor}`)).toHaveLength(1);
  });

  test('of wrong bytes, storages or places fails', () => {
    expect(complaints('y  # live: 96 bytes in 2 storages')).toEqual(['96 bytes in 1 storage']);
    expect(complaints('y  # live: 192 bytes in 1 storage')).toEqual(['96 bytes in 1 storage']);
    const value = { ...TRANSPOSED, shape: [], stride: [], offset: '18', byte: '72' };
    expect(complaints('y[0]  # element: 18, byte 72', { value })).toEqual([]);
    expect(complaints('y[0]  # element: 17, byte 68', { value })).toEqual(['18, byte 72']);
  });

  test('that PyTorch never reached fails', () => {
    expect(complaints('y\nz  # reveal: Tensor[2]')).toEqual(['PyTorch never came here']);
  });

  test('that cannot be read fails', () => {
    expect(() => parseAssertions('reveal: Tensor[2, 3', 7)).toThrow('line 7');
    expect(() => parseAssertions('live: 5 bytes', 7)).toThrow('line 7');
    expect(() => complaints('y  # error[]')).toThrow('line 4');
  });
});

describe('a finding', () => {
  test('of an error rests on an exception, and an exception on a finding', () => {
    expect(complaints('y.view(6)  # error[incompatible-view]')).toEqual(['nothing is raised']);
    expect(complaints('y.view(6)  # error[incompatible-view]', { raised: 'RuntimeError: no' })).toEqual([]);
    expect(complaints('y.view(6)', { raised: 'RuntimeError: no' })).toEqual(['RuntimeError: no']);
  });

  test('of a hidden copy rests on a copy, and a copy on a finding', () => {
    expect(complaints('y.flatten()  # info[hidden-copy]')).toEqual(['no reshape copied']);
    expect(complaints('y.flatten()  # info[hidden-copy]', { copies: ['flatten'] })).toEqual([]);
    expect(complaints('y.flatten()', { copies: ['flatten'] })).toEqual(['flatten copied']);
    expect(complaints('y.flatten()  # stridelint: ignore[hidden-copy]', { copies: ['flatten'] })).toEqual([]);
  });
});

describe('a specification', () => {
  test('has a block for each fence, under the headers above it', () => {
    const specs = parseSpec(
      '# a\n\n## b\n\n```py C=4\nx = 1  # live: 0 bytes in 0 storages\n# info[hidden-copy]\n```\n\n## c\n\n```py\ny\n```\n',
    );
    expect(specs.map((spec) => [spec.title, spec.firstLine])).toEqual([
      ['a / b', 6],
      ['a / c', 13],
    ]);
    expect(specs[0]?.code).toBe('x = 1\n');
    expect(specs[0]?.assertions.get(1)?.map((assertion) => assertion.is)).toEqual(['live', 'finding']);
  });

  test('is named by its code, not by what it asserts', () => {
    const key = (code: string) => parseSpec(`\`\`\`py\n${code}\n\`\`\``)[0]?.key;
    expect(key('x = 1  # live: 4 bytes in 1 storage')).toBe(key('x = 1'));
    expect(key('x = 1  # a remark')).not.toBe(key('x = 1'));
  });
});

test.each([
  ['B*(C // 3) - 1', 7],
  ['-7 // 2 + max(1, C)', 8],
  ['-7 % 4', 1],
  ['ceil_div(C, 5)*self.heads', 9],
  ['2**3', 8],
  ['B*', null],
  ['unheard_of', null],
  ['(B', null],
])('%s is %s', (text, value) => {
  expect(
    evaluateSize(
      text,
      new Map([
        ['B', 2],
        ['C', 12],
        ['self.heads', 3],
      ]),
    ),
  ).toBe(value);
});
