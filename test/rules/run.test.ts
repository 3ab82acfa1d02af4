import { describe, expect, test } from 'vitest';
import type { Report } from '../../engine/rules/rule.ts';
import { runRules } from '../../engine/rules/run.ts';
import { unusedSuppression } from '../../engine/rules/unused-suppression.ts';
import { int } from '../../engine/symbols/index.ts';
import { contiguous, layoutOf } from '../../engine/tensor/index.ts';
import { argument, fileOf, node, saying, sizes, tensor, trace } from './traces.ts';

const report: Report = { node: node(0, 5), message: 'no' };
const parameter = (value: ReturnType<typeof tensor>) => [{ name: 'x', node: node(0, 1), value }];

describe('a finding', () => {
  test('is reported once a site, by its gravest analysis', () => {
    const generic = trace([]);
    const called = trace([], { context: 'f(x)' });
    const rule = saying(
      'some-rule',
      new Map([
        [generic, { ...report, severity: 'warning' }],
        [called, report],
      ]),
    );
    const findings = runRules([rule], fileOf('x = 1', [generic, called]), {});
    expect(findings.map(({ severity }) => severity)).toEqual(['error']);
  });

  test('that rests on an assumption is no error', () => {
    const generic = trace([]);
    const rule = saying('some-rule', new Map([[generic, { ...report, assumes: ['x'] }]]));
    const levels = { 'some-rule': 'error' } as const;
    expect(runRules([rule], fileOf('x = 1', [generic]), levels).map(({ severity }) => severity)).toEqual(['warning']);
  });

  test('is dropped where a caller disproves its assumption, and only there', () => {
    const generic = trace([], { parameters: parameter(argument('x', sizes('A', 'B'))) });
    const rule = saying('some-rule', new Map([[generic, { ...report, assumes: ['x'] }]]));
    const packed = trace([], { context: 'f(a)', parameters: parameter(tensor(contiguous([int(2), int(3)]))) });
    const turned = trace([], {
      context: 'f(b)',
      parameters: parameter(tensor(layoutOf([int(3), int(2)], [int(1), int(3)]))),
    });
    expect(runRules([rule], fileOf('x = 1', [generic, packed]), {})).toHaveLength(1);
    expect(runRules([rule], fileOf('x = 1', [generic, turned]), {})).toHaveLength(0);
  });

  test('that only informs stays where of a caller too little is known', () => {
    const generic = trace([], { parameters: parameter(argument('x', sizes('A', 'B'))) });
    const open = trace([], { context: 'f(c)', parameters: parameter(tensor(layoutOf(sizes('A', 'B'), null))) });
    const said = (severity: 'warning' | 'information') =>
      saying('some-rule', new Map([[generic, { ...report, severity, assumes: ['x'] }]]));
    expect(runRules([said('warning')], fileOf('x = 1', [generic, open]), {})).toHaveLength(0);
    expect(runRules([said('information')], fileOf('x = 1', [generic, open]), {})).toHaveLength(1);
  });

  test('takes the level that was asked for', () => {
    const generic = trace([]);
    const rule = saying('some-rule', new Map([[generic, report]]));
    const file = fileOf('x = 1', [generic]);
    expect(runRules([rule], file, { 'some-rule': 'hint' })[0]?.severity).toBe('hint');
    expect(runRules([rule], file, { 'some-rule': 'off' })).toEqual([]);
  });
});

describe('a suppression', () => {
  const run = (text: string, levels = {}) => {
    const generic = trace([]);
    const rule = saying('some-rule', new Map([[generic, report]]));
    return runRules([rule, unusedSuppression], fileOf(text, [generic]), levels);
  };
  const fixedBy = (text: string) => {
    const [finding] = run(text);
    return finding?.fixes[0]?.edits.reduce(
      (now, edit) => now.slice(0, edit.start) + edit.text + now.slice(edit.end),
      text,
    );
  };

  test('silences its rule on its line or in its file', () => {
    expect(run('x = 1  # stridelint: ignore[some-rule]')).toEqual([]);
    expect(run('x = 1  # why  # stridelint: ignore[some-rule]')).toEqual([]);
    expect(run('x = 1\n# stridelint: file-ignore[some-rule]')).toEqual([]);
    expect(run('x = 1\n# stridelint: ignore[some-rule]').map(({ rule }) => rule)).toEqual([
      'some-rule',
      'unused-suppression',
    ]);
  });

  test('that silences nothing can be removed', () => {
    expect(fixedBy('x = 1  # stridelint: ignore[some-rule, other]')).toBe('x = 1  # stridelint: ignore[some-rule]');
    const line = 'y = 2  # stridelint: ignore[some-rule]';
    const [, unused] = run(`x = 1\n${line}\nz = 3`);
    expect(unused?.rule).toBe('unused-suppression');
    expect(unused?.fixes[0]?.edits).toEqual([{ start: 11, end: 6 + line.length, text: '' }]);
  });

  test('that names no rule is told so, and silences nothing', () => {
    const [found, told] = run('x = 1  # stridelint: ignore');
    expect(found?.rule).toBe('some-rule');
    expect(told).toMatchObject({ rule: 'unused-suppression', start: 9, end: 27 });
    expect(told?.message).toContain('must name the rules');
  });

  test('of a rule that is off is not judged', () => {
    expect(run('y = 2\n# stridelint: ignore[some-rule]', { 'some-rule': 'off' })).toEqual([]);
  });
});
