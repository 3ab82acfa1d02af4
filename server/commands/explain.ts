import { didYouMean, rules } from '../../engine/index.ts';
import type { Status, Terminal } from './terminal.ts';

/** Prints the page of one rule. */
export function runExplain(name: string, terminal: Terminal): Status {
  const rule = rules.find((candidate) => candidate.name === name);
  if (rule === undefined) {
    const meant = didYouMean(
      name,
      rules.map((candidate) => candidate.name),
    );
    terminal.err(`there is no rule "${name}"${meant}${meant === '' ? '; `stridelint rules` lists them' : ''}\n`);
    return 2;
  }
  // The note to those who would edit the page is not for those who read it here.
  terminal.out(`${rule.documentation.replace(/^<!--.*-->\s*/, '').trimEnd()}\n`);
  return 0;
}

/** Prints the table of rules, one a line. */
export function runRules(format: 'text' | 'json', terminal: Terminal): Status {
  if (format === 'json') {
    const listed = rules.map(({ name, severity, summary }) => ({ name, severity, summary }));
    terminal.out(`${JSON.stringify({ version: 1, rules: listed })}\n`);
    return 0;
  }
  const width = Math.max(0, ...rules.map((rule) => rule.name.length));
  for (const { name, severity, summary } of rules) {
    terminal.out(
      `${terminal.colours.bold(name.padEnd(width))}  ${severity.padEnd('information'.length)}  ${summary}\n`,
    );
  }
  return 0;
}
