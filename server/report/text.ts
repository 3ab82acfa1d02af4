import type { Severity } from '../../engine/index.ts';
import { type Colours, plural, type Terminal } from '../commands/terminal.ts';
import { frame, printed } from './frame.ts';
import type { ReportedFinding } from './json.ts';
import type { Positions } from './positions.ts';

/** A finding as a person reads it: what, where, why, and what to do. */
export function findingText(
  finding: ReportedFinding,
  positionsOf: (shown: string) => Positions | null,
  terminal: Pick<Terminal, 'colours' | 'width'>,
): string {
  const { colours, width } = terminal;
  const mark = marker(colours, finding.severity);
  const place = `${finding.path}:${finding.lineno}:${finding.col_offset}`;
  const lines = [
    `${colours.bold(printed(place))} ${mark(`${finding.severity}[${finding.rule}]`)} ${colours.bold(printed(finding.message))}`,
  ];
  const here = positionsOf(finding.path);
  if (here !== null) lines.push(...frame(finding, here, { colours, mark, sign: '^', width }));
  for (const span of finding.related) {
    const where = span.path === finding.path ? `line ${span.lineno}` : printed(`${span.path}:${span.lineno}`);
    lines.push(`  ${colours.cyan('why:')} ${printed(span.message)} ${colours.dim(`(${where})`)}`);
    const there = positionsOf(span.path);
    const shownAlready = span.path === finding.path && span.lineno === finding.lineno;
    if (there !== null && !shownAlready) {
      lines.push(...frame(span, there, { colours, mark: colours.cyan, sign: '-', width }));
    }
  }
  for (const fix of finding.fixes) {
    lines.push(
      `  ${colours.green('fix:')} ${printed(fix.title)}${fix.safe ? '' : colours.dim(' (may change what the program does)')}`,
    );
  }
  return `${lines.join('\n')}\n\n`;
}

const SEVERITIES: readonly Severity[] = ['error', 'warning', 'information', 'hint'];

export interface Tally {
  readonly findings: readonly { readonly severity: Severity }[];
  readonly files: number;
  readonly lines: number;
  readonly seconds: number;
}

export function summary({ findings, files, lines, seconds }: Tally): string {
  const counts = SEVERITIES.map((severity) => ({
    severity,
    count: findings.filter((finding) => finding.severity === severity).length,
  })).filter(({ count }) => count > 0);
  const parts = counts.map(({ severity, count }) => `${count} ${PLURALS[severity][count === 1 ? 0 : 1]}`);
  const total = `${plural(findings.length, 'finding')} in ${plural(files, 'file')} (${plural(lines, 'line')}) in ${seconds.toFixed(2)} s`;
  return parts.length === 0 ? total : `${total}: ${parts.join(', ')}`;
}

const PLURALS: Readonly<Record<Severity, readonly [string, string]>> = {
  error: ['error', 'errors'],
  warning: ['warning', 'warnings'],
  information: ['information', 'informations'],
  hint: ['hint', 'hints'],
};

function marker(colours: Colours, severity: Severity): (text: string) => string {
  switch (severity) {
    case 'error':
      return colours.red;
    case 'warning':
      return colours.yellow;
    case 'information':
      return colours.blue;
    case 'hint':
      return colours.dim;
  }
}
