import type { Problem } from './batch.ts';
import type { Terminal } from './terminal.ts';

/** What the tool could not do, one line each, located where there is a place. */
export function complain(terminal: Terminal, problems: readonly Problem[]): void {
  for (const { path, line, message } of problems) {
    terminal.err(`${line === undefined ? path : `${path}:${line}`}: ${message}\n`);
  }
}
