import type { Assertion } from './assertion.ts';
import type { SpecCase } from './markdown.ts';
import type { Row, Run } from './recording.ts';
import { contradiction } from './seen.ts';

/** A line of a specification that something contradicts. */
export interface Complaint {
  readonly specLine: number;
  readonly says: string;
  readonly is: string;
}

/** Where the assertions of a snippet and what PyTorch did part. Nothing that PyTorch can confirm is taken on trust. */
export function compareWithPyTorch(spec: SpecCase, runs: readonly Run[]): Complaint[] {
  const complaints: Complaint[] = [];
  for (const run of runs) {
    for (const [line, assertions] of spec.assertions) {
      const rows = run.filter((row) => row.line === line);
      for (const assertion of assertions) {
        if (rows.length === 0 && runs[0] === run && observable(assertion)) {
          complaints.push({ specLine: assertion.specLine, says: assertion.text, is: 'PyTorch never came here' });
        }
        complaints.push(...compareRows(assertion, rows));
      }
    }
    for (const row of run) complaints.push(...unasserted(spec, row));
  }
  return complaints;
}

/** A line may run several times, or hold several statements: a finding may speak of any of them, a value is every one's. */
function compareRows(assertion: Assertion, rows: readonly Row[]): Complaint[] {
  const { specLine, text: says } = assertion;
  if (assertion.is === 'finding') {
    const reasons = rows.map((row) => unfounded(assertion, row));
    const [is] = reasons;
    return typeof is === 'string' && !reasons.includes(null) ? [{ specLine, says, is }] : [];
  }
  return rows.flatMap((row) => {
    const is = contradiction(assertion, row, row.sizes);
    return is === null ? [] : [{ specLine, says, is }];
  });
}

/** What PyTorch did that a finding of this kind should rest on, and did not. */
function unfounded(finding: Assertion & { readonly is: 'finding' }, row: Row): string | null {
  if (mustRaise(finding)) return row.raised === null ? 'nothing is raised' : null;
  if (finding.rule === 'hidden-copy') return row.copies.length === 0 ? 'no reshape copied' : null;
  const writes = finding.rule === 'stride-zero-write' || finding.rule === 'write-through-view';
  return writes && row.changed.length === 0 ? 'no named tensor changed' : null;
}

/** An exception or a hidden copy that no comment speaks of. */
function unasserted(spec: SpecCase, row: Row): Complaint[] {
  const findings = (spec.assertions.get(row.line) ?? []).filter((assertion) => assertion.is === 'finding');
  const source = spec.code.split('\n')[row.line - 1] ?? '';
  const suppressed = source.includes('stridelint: ignore') || spec.code.includes('stridelint: file-ignore');
  const specLine = spec.firstLine + row.line - 1;
  const complaints: Complaint[] = [];
  if (row.raised !== null && !suppressed && !findings.some(mustRaise)) {
    complaints.push({ specLine, says: 'no error', is: row.raised });
  }
  if (row.copies.length > 0 && !suppressed && !findings.some((finding) => finding.rule === 'hidden-copy')) {
    complaints.push({ specLine, says: 'no hidden-copy', is: `${row.copies.join(', ')} copied` });
  }
  return complaints;
}

const observable = (assertion: Assertion): boolean => assertion.is !== 'finding' || mustRaise(assertion);

/** A view that raises only where a parameter is contiguous is a warning. */
function mustRaise(finding: Assertion): boolean {
  if (finding.is !== 'finding') return false;
  return finding.severity === 'error' || finding.rule === 'incompatible-view' || finding.rule === 'shape-mismatch';
}
