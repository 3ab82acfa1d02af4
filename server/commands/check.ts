import { check, type Finding, type Severity } from '../../engine/index.ts';
import { findingsJson, type ReportedFinding, reportFinding } from '../report/json.ts';
import { type Positions, positionsIn } from '../report/positions.ts';
import { findingText, summary } from '../report/text.ts';
import { levelsFor } from '../workspace/config.ts';
import { type Batch, crash, type Item, openBatch, type Problem } from './batch.ts';
import { complain } from './complaints.ts';
import { plural, type Status, type Terminal } from './terminal.ts';

export interface CheckOptions {
  readonly format: 'text' | 'json';
  readonly exitLevel: Severity;
  readonly torchVersion: string | null;
}

const RANK: Readonly<Record<Severity, number>> = { hint: 0, information: 1, warning: 2, error: 3 };

export async function runCheck(named: readonly string[], options: CheckOptions, terminal: Terminal): Promise<Status> {
  const batch = await openBatch(named, terminal, options.torchVersion);
  const problems: Problem[] = [...batch.problems];
  const reported: ReportedFinding[] = [];
  let [files, lines, truncated] = [0, 0, 0];
  // Said before the work and not after it: a wrong path or setting is what a person wants to see first.
  complain(terminal, batch.problems);
  for (const item of batch.items()) {
    const outcome = findingsOf(item);
    if ('problem' in outcome) {
      problems.push(outcome.problem);
      complain(terminal, [outcome.problem]);
      continue;
    }
    const positions = positionsIn(outcome.text);
    files += 1;
    lines += positions.lineCount;
    if (outcome.truncated) truncated += 1;
    const positionsOf = (file: string) => (file === item.file.path ? positions : positionsElsewhere(batch, file));
    const here = outcome.findings.map((finding) => reportFinding(finding, positionsOf, batch.shown));
    reported.push(...here);
    if (options.format === 'json') continue;
    const shownPositions = new Map([[item.file.shown, positions]]);
    for (const span of outcome.findings.flatMap((finding) => finding.related)) {
      shownPositions.set(batch.shown(span.path), positionsOf(span.path));
    }
    for (const finding of here) {
      terminal.out(findingText(finding, (shown) => shownPositions.get(shown) ?? null, terminal));
    }
  }
  // Since the process started: what a person waited for.
  const seconds = performance.now() / 1000;
  const closing = `${summary({ findings: reported, files, lines, seconds })}\n`;
  if (options.format === 'json') terminal.out(findingsJson(reported));
  if (truncated > 0) terminal.err(`${plural(truncated, 'file')} analysed only in part: too much to follow\n`);
  if (files === 0 && problems.length === 0) terminal.err('no Python files there\n');
  if (options.format === 'json') terminal.err(closing);
  else terminal.out(terminal.colours.bold(closing));
  if (problems.length > 0) return 2;
  return reported.some((finding) => RANK[finding.severity] >= RANK[options.exitLevel]) ? 1 : 0;
}

type Outcome =
  | { readonly text: string; readonly findings: readonly Finding[]; readonly truncated: boolean }
  | { readonly problem: Problem };

function findingsOf(item: Item): Outcome {
  if ('problem' in item) return item;
  try {
    const { analysis, config, file } = item;
    const findings = [...check(analysis, levelsFor(config, file.path))].sort(
      (a, b) => a.start - b.start || a.end - b.end,
    );
    return { text: analysis.text, findings, truncated: analysis.truncated };
  } catch (error) {
    return { problem: crash(item.file.shown, error) };
  }
}

function positionsElsewhere(batch: Batch, file: string): Positions {
  return positionsIn(batch.textOf(file) ?? '');
}
