import { type Account, type DType, ledger } from '../../engine/index.ts';
import { ledgerJson, ledgerText } from '../report/ledger.ts';
import { type Positions, positionsIn } from '../report/positions.ts';
import { crash, openBatch } from './batch.ts';
import { complain } from './complaints.ts';
import type { Status, Terminal } from './terminal.ts';

/** A function of a file, `<module>` for its top level; perhaps one line of it, counted from 1. */
export interface Part {
  readonly file: string;
  readonly function: string;
  readonly lineno: number | null;
}

export interface LedgerOptions {
  readonly format: 'text' | 'json';
  readonly dtype: DType | null;
  readonly torchVersion: string | null;
}

/** Prints what a function does to memory, line by line. */
export async function runLedger(part: Part, options: LedgerOptions, terminal: Terminal): Promise<Status> {
  const batch = await openBatch([part.file], terminal, options.torchVersion);
  complain(terminal, batch.problems);
  for (const item of batch.items()) {
    if ('problem' in item) {
      complain(terminal, [item.problem]);
      return 2;
    }
    const { shown } = item.file;
    try {
      const positions = positionsIn(item.analysis.text);
      const accounts = ledger(item.analysis, part.function, options.dtype);
      if (accounts.length === 0) {
        terminal.err(`${shown}: there is no function "${part.function}" that was analysed\n`);
        return 2;
      }
      const wanted = accounts.map((account) => onLine(account, part.lineno, positions));
      if (wanted.every(({ lines }) => lines.length === 0)) {
        terminal.err(`${shown}: nothing of "${part.function}" stands on line ${part.lineno}\n`);
        return 2;
      }
      terminal.out(
        options.format === 'json'
          ? ledgerJson(shown, wanted, positions)
          : wanted.map((account) => ledgerText(shown, account, positions, terminal.colours)).join('\n'),
      );
      return 0;
    } catch (error) {
      complain(terminal, [crash(shown, error)]);
    }
  }
  return 2;
}

/** The statement that a line is part of. */
function onLine(account: Account, lineno: number | null, positions: Positions): Account {
  if (lineno === null) return account;
  const lines = account.lines.filter(({ start, end }) => {
    const range = positions.range(start, end);
    return range.lineno <= lineno && lineno <= range.end_lineno;
  });
  return { ...account, lines };
}
