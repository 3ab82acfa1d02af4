import fc from 'fast-check';
import { expect, test } from 'vitest';
import { positionsIn } from '../../server/report/positions.ts';

const text = fc
  .array(fc.constantFrom('a', 'é', '日', '𝕏', '\n', '\r', '\r\n', '\t', '\f'))
  .map((parts) => parts.join(''));

test('columns count the bytes of UTF-8', () => {
  const positions = positionsIn('s = "é日𝕏"; y\n');
  expect(positions.range(11, 12)).toEqual({ lineno: 1, col_offset: 16, end_lineno: 1, end_col_offset: 17 });
});

test('lines end as in Python: at a line feed, a carriage return, or both; a form feed ends none', () => {
  expect(positionsIn('a\rb\r\nc\nd\fe').lineCount).toBe(4);
  expect(positionsIn('').lineCount).toBe(0);
  expect(positionsIn('a\n').lineCount).toBe(1);
});

test('a position leads back to its offset', () => {
  fc.assert(
    fc.property(text, fc.nat(), (source, seed) => {
      const offset = [...source].slice(0, seed % (source.length + 1)).join('').length;
      // Between the two characters of one line break there is no place.
      fc.pre(!(source[offset] === '\n' && source[offset - 1] === '\r'));
      const positions = positionsIn(source);
      const { lineno, col_offset } = positions.range(offset, offset);
      expect(positions.offset(lineno, col_offset)).toBe(offset);
    }),
  );
});
