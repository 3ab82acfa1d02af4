import type { FunctionTrace } from '../evaluator/trace.ts';
import { directivesOf } from '../syntax/index.ts';
import { isDisproved } from './disproof.ts';
import { type Finding, RANK, type Severity, type Span } from './finding.ts';
import { asking } from './kept-reports.ts';
import { lineOf, lineStarts } from './lines.ts';
import type { CheckedFile, Report, Rule } from './rule.ts';
import { type Suppression, suppressionsOf, unusedIn } from './suppression.ts';
import { UNUSED_SUPPRESSION } from './unused-suppression.ts';

export type Level = Severity | 'off';

/** What the user asked for; a rule that is not named keeps its own severity. */
export type Levels = Readonly<Record<string, Level>>;

/**
 * What the rules have to say about a file. A finding counts if it holds for the function's generic analysis or for a call
 * that really stands in the workspace, once a site; one that rests on the contiguity of a parameter is no error, and is
 * dropped where a call shows the parameter to be otherwise.
 */
export function runRules(rules: readonly Rule[], file: CheckedFile, levels: Levels): readonly Finding[] {
  const on = rules.filter((rule) => levels[rule.name] !== 'off');
  const found = new Map<string, Finding>();
  const saidOf = asking(on, file);
  for (const trace of file.traces) {
    if (trace.plainCall) continue;
    for (const { rule, reports } of saidOf(trace)) {
      for (const report of reports) {
        if (isDisproved(rule, report, trace, file.traces, saidOf)) continue;
        const finding = findingOf(rule, report, trace, levels);
        const key = `${finding.rule} ${finding.start} ${finding.end}`;
        const other = found.get(key);
        if (other === undefined || RANK[finding.severity] < RANK[other.severity]) found.set(key, finding);
      }
    }
  }
  return suppressed(file, [...found.values()], rules, levels).toSorted(
    (a, b) => a.start - b.start || a.end - b.end || RANK[a.severity] - RANK[b.severity],
  );
}

function findingOf(rule: Rule, report: Report, trace: FunctionTrace, levels: Levels): Finding {
  const span = (node: { readonly start: number; readonly end: number }): Span => ({
    path: trace.path,
    start: trace.base + node.start,
    end: trace.base + node.end,
  });
  const assumes = report.assumes ?? [];
  return {
    ...span(report.node),
    rule: rule.name,
    severity: severityOf(rule, report.severity ?? rule.severity, levels, assumes.length > 0),
    message: `${assumption(assumes)}${report.message}`,
    function: trace.function,
    related: (report.related ?? []).map(({ node, message }) => ({ ...span(node), message })),
    fixes: (report.fixes ?? []).map((fix) => ({
      ...fix,
      edits: fix.edits.map((edit) => ({ ...edit, start: trace.base + edit.start, end: trace.base + edit.end })),
    })),
    bytes: report.bytes ?? null,
    assumes,
    unnecessary: report.unnecessary ?? false,
  };
}

/** "where `x` is contiguous, ", or nothing. */
function assumption(assumes: readonly string[]): string {
  const names = assumes.map((name) => `\`${name}\``);
  const [last, ...others] = names.toReversed();
  if (last === undefined) return '';
  const all = others.length === 0 ? last : `${others.toReversed().join(', ')} and ${last}`;
  return `where ${all} ${others.length === 0 ? 'is' : 'are'} contiguous, `;
}

function severityOf(rule: Rule, said: Severity, levels: Levels, assuming: boolean): Severity {
  const asked = levels[rule.name];
  // A level that is merely the rule's own does not flatten the differences that the rule makes.
  const severity = asked === undefined || asked === 'off' || asked === rule.severity ? said : asked;
  return assuming && severity === 'error' ? 'warning' : severity;
}

function suppressed(
  file: CheckedFile,
  findings: readonly Finding[],
  rules: readonly Rule[],
  levels: Levels,
): readonly Finding[] {
  const suppressions = suppressionsOf(file);
  const { problems } = directivesOf(file.module.comments);
  if (suppressions.length === 0 && problems.length === 0) return findings;
  const starts = lineStarts(file.text);
  const used = new Set<Suppression>();
  const left = findings.filter((finding) => {
    const [first, last] = [lineOf(starts, finding.start), lineOf(starts, finding.end)];
    const by = suppressions.filter(
      ({ rule, directive: { scope, line } }) =>
        rule === finding.rule && (scope === 'file' || (line >= first && line <= last)),
    );
    for (const suppression of by) used.add(suppression);
    return by.length === 0;
  });
  const judge = rules.find((rule) => rule.name === UNUSED_SUPPRESSION);
  if (judge === undefined || levels[judge.name] === 'off') return left;
  // A rule that is switched off cannot show whether its suppression is needed; a rule that does not exist never will.
  const unused = suppressions.filter((each) => !used.has(each) && levels[each.rule] !== 'off');
  const malformed = problems.map(({ message, ...span }) => ({
    ...judgement(file, span, judge, levels),
    message: `suppresses nothing: ${message}`,
    fixes: [],
  }));
  const names = rules.map((rule) => rule.name);
  return [
    ...left,
    ...malformed,
    ...unusedIn(file, unused, names).map(({ directive, ...said }) => ({
      ...judgement(file, directive, judge, levels),
      ...said,
    })),
  ];
}

/** What every finding about a suppression shares. */
function judgement(
  file: CheckedFile,
  span: { readonly start: number; readonly end: number },
  judge: Rule,
  levels: Levels,
) {
  return {
    path: file.path,
    start: span.start,
    end: span.end,
    rule: judge.name,
    severity: severityOf(judge, judge.severity, levels, false),
    function: '<module>',
    related: [],
    bytes: null,
    assumes: [],
    unnecessary: true,
  };
}
