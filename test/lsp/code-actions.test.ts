import { describe, expect, test } from 'vitest';
import type { Finding } from '../../engine/index.ts';
import { safeEdits } from '../../server/lsp/code-actions.ts';
import { suppress } from '../../server/lsp/suppression.ts';

function finding(start: number, end: number, edits: Finding['fixes'][number]['edits'] = [], safe = true): Finding {
  return {
    path: 'a.py',
    start,
    end,
    rule: 'hidden-copy',
    severity: 'information',
    message: 'copies',
    function: '<module>',
    related: [],
    fixes: edits.length === 0 ? [] : [{ title: 'fix', safe, edits }],
    bytes: null,
    assumes: [],
    unnecessary: false,
  };
}

function suppressed(text: string): string | null {
  const start = text.indexOf('f(');
  const edit = suppress(text, finding(start, start + 3));
  return edit === null ? null : text.slice(0, edit.start) + edit.text + text.slice(edit.end);
}

describe('the comment that allows a finding', () => {
  test('stands at the end of its line, whatever ends the line', () => {
    expect(suppressed('a\nf()  \nb')).toBe('a\nf()  # stridelint: ignore[hidden-copy]\nb');
    expect(suppressed('f()\r\nb')).toBe('f()  # stridelint: ignore[hidden-copy]\r\nb');
    expect(suppressed('f()')).toBe('f()  # stridelint: ignore[hidden-copy]');
  });

  test('joins what is there already', () => {
    expect(suppressed('f()  # why')).toBe('f()  # why  # stridelint: ignore[hidden-copy]');
    expect(suppressed('f()  # stridelint: ignore[other]')).toBe('f()  # stridelint: ignore[other, hidden-copy]');
    expect(suppressed('f()  # stridelint: ignore[]')).toBe('f()  # stridelint: ignore[hidden-copy]');
  });

  test('is not offered behind a backslash, where it would be an error', () => {
    expect(suppressed('f() + \\\n1')).toBeNull();
  });
});

test('all safe fixes: no unsafe one, and of two that touch each other the first', () => {
  const edits = safeEdits([
    finding(0, 9, [{ start: 2, end: 4, text: 'x' }]),
    finding(0, 9, [{ start: 4, end: 6, text: 'y' }]),
    finding(9, 12, [{ start: 9, end: 9, text: 'z' }], false),
    finding(20, 22, [
      { start: 22, end: 22, text: ')' },
      { start: 20, end: 20, text: '(' },
    ]),
  ]);
  expect(edits.map(({ text }) => text)).toEqual(['x', '(', ')']);
});
