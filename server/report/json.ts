import type { FactRow, Finding } from '../../engine/index.ts';
import type { Positions, PythonRange } from './positions.ts';

/** A finding with its positions converted, as the JSON contract has it. */
export interface ReportedFinding extends PythonRange {
  readonly path: string;
  readonly rule: string;
  readonly severity: Finding['severity'];
  readonly message: string;
  readonly function: string;
  readonly related: readonly (PythonRange & { readonly path: string; readonly message: string })[];
  readonly fixes: readonly {
    readonly title: string;
    readonly safe: boolean;
    readonly edits: readonly (PythonRange & { readonly text: string })[];
  }[];
  readonly bytes: string | null;
  readonly assumes: readonly string[];
}

/** `positionsOf` gives the positions of any file that a finding mentions, `shown` the path to print for it. */
export function reportFinding(
  finding: Finding,
  positionsOf: (file: string) => Positions,
  shown: (file: string) => string,
): ReportedFinding {
  const here = positionsOf(finding.path);
  return {
    path: shown(finding.path),
    rule: finding.rule,
    severity: finding.severity,
    message: finding.message,
    ...here.range(finding.start, finding.end),
    function: finding.function,
    related: finding.related.map((span) => ({
      path: shown(span.path),
      ...positionsOf(span.path).range(span.start, span.end),
      message: span.message,
    })),
    fixes: finding.fixes.map((fix) => ({
      title: fix.title,
      safe: fix.safe,
      edits: fix.edits.map((edit) => ({ ...here.range(edit.start, edit.end), text: edit.text })),
    })),
    bytes: finding.bytes,
    assumes: finding.assumes,
  };
}

export function findingsJson(findings: readonly ReportedFinding[]): string {
  return `${JSON.stringify({ version: 1, findings })}\n`;
}

/** Facts are written file by file: those of a large library would not fit into one string. */
export const FACTS_OPENING = '{"version": 1, "files": [';
export const FACTS_CLOSING = ']}\n';

export function factsJson(shown: string, rows: readonly FactRow[], positions: Positions): string {
  const facts = rows.map(({ start, end, ...row }) => ({ ...row, ...positions.range(start, end) }));
  return JSON.stringify({ path: shown, facts });
}
