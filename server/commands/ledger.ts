import { type Account, type DType, didYouMean, functionsOf, ledger } from '../../engine/index.ts';
import { dtypeHint, ledgerJson, ledgerText } from '../report/ledger.ts';
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
        terminal.err(
          `${shown}: there is no function "${part.function}" here${nearText(functionsOf(item.analysis), part.function)}\n`,
        );
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
          : textOf(shown, wanted, positions, options, terminal),
      );
      return 0;
    } catch (error) {
      complain(terminal, [crash(shown, error)]);
    }
  }
  return 2;
}

/** Kinds of calls that the text shows; the data has all. */
const MOST_SHOWN = 3;

function textOf(
  shown: string,
  accounts: readonly Account[],
  positions: Positions,
  { dtype }: LedgerOptions,
  { colours }: Terminal,
): string {
  const texts = accounts.slice(0, MOST_SHOWN).map((account) => ledgerText(shown, account, positions, colours));
  const more = accounts.length - MOST_SHOWN;
  if (more > 0) texts.push(`It is called in ${more} more ${more === 1 ? 'way' : 'ways'}: \`--format json\` has all.\n`);
  const hint = dtype === null ? dtypeHint(accounts) : null;
  if (hint !== null) texts.push(hint);
  return texts.join('\n');
}

/** The functions of the file that may have been meant: those of the same last name, or a near one. */
function nearText(functions: readonly string[], name: string): string {
  const last = name.split('.').at(-1);
  const alike = functions.filter((each) => each.split('.').at(-1) === last);
  if (alike.length > 0)
    return `; there are ${alike.slice(0, MOST_NAMED).join(', ')}${alike.length > MOST_NAMED ? ' …' : ''}`;
  return didYouMean(name, functions);
}

const MOST_NAMED = 8;

/** The statement that a line is part of. */
function onLine(account: Account, lineno: number | null, positions: Positions): Account {
  if (lineno === null) return account;
  const lines = account.lines.filter(({ start, end }) => {
    const range = positions.range(start, end);
    return range.lineno <= lineno && lineno <= range.end_lineno;
  });
  return { ...account, lines };
}
