import { describe, expect, test } from 'vitest';
import { type Card, cardMarkdown, cardText, type TensorCard } from '../../engine/editor/index.ts';

const TENSOR: TensorCard = {
  path: '',
  shape: ['B', 'T', 'h', 'd'],
  names: [],
  dtype: 'float32',
  device: null,
  stride: ['h*T*d', 'd', 'T*d', '1'],
  offset: '0',
  contiguity: 'not contiguous: dims 1 and 2 are swapped',
  origin: { how: 'view of', name: 'att', line: 41 },
  storageBytes: 'B*T*h*d*4',
  sharedBy: ['q', 'k'],
  steps: [],
  assumes: ['att'],
};

const CARD: Card = { name: 'x', tensors: [TENSOR], more: 0, unknown: null, raises: null, context: null };

describe('a card', () => {
  test('says the shape first, then the layout, then the storage', () => {
    expect(cardText(CARD).split('\n')).toEqual([
      'x: Tensor[B, T, h, d] float32',
      'strides (h*T*d, d, T*d, 1)  offset 0  not contiguous: dims 1 and 2 are swapped',
      'view of att (line 41) · storage B*T*h*d*4 bytes, shared by q, k',
      'assumes att contiguous · eager',
    ]);
    expect(cardMarkdown(CARD)).toContain('```py\nx: Tensor[B, T, h, d] float32\n```');
  });

  test('says what the names in the sizes stand for', () => {
    const tensor = { ...TENSOR, names: [{ name: 'T', formula: 'n//2 + 1' }] };
    expect(cardText({ ...CARD, tensors: [tensor] }).split('\n')[3]).toBe('T is n//2 + 1');
    expect(cardMarkdown({ ...CARD, tensors: [tensor] })).toContain('`T` is `n//2 + 1`');
  });

  test('of a tuple tells the parts by their paths', () => {
    const parts = [
      { ...TENSOR, path: '[0]' },
      { ...TENSOR, path: '[1]', shape: ['B'] },
    ];
    expect(
      cardText({ ...CARD, tensors: parts, more: 1 })
        .split('\n')
        .slice(0, 3),
    ).toEqual(['x[0]: Tensor[B, T, h, d] float32', 'x[1]: Tensor[B] float32', 'and 1 more']);
  });

  test('of an unknown says why, and what would tell', () => {
    const unknown = {
      reason: 'parameter `x` has no known shape',
      advice: 'a comment `# x: [B, T, C]` with its shape would tell',
    };
    expect(cardText({ ...CARD, tensors: [], unknown }).split('\n')).toEqual([
      'x: unknown',
      'unknown because parameter `x` has no known shape',
      'a comment `# x: [B, T, C]` with its shape would tell',
    ]);
  });
});
