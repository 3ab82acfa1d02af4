import { cardText, hover } from '../../engine/index.ts';
import { positionsIn } from '../report/positions.ts';
import { crash, openBatch } from './batch.ts';
import { complain } from './complaints.ts';
import type { Status, Terminal } from './terminal.ts';

/** A place in a file, as Python counts: lines from 1, columns from 0 in bytes of UTF-8. */
export interface Place {
  readonly file: string;
  readonly lineno: number;
  readonly colOffset: number;
}

/** Prints the card that an editor shows at a place. */
export async function runHover(
  { file, lineno, colOffset }: Place,
  torchVersion: string | null,
  terminal: Terminal,
): Promise<Status> {
  const batch = await openBatch([file], terminal, torchVersion);
  complain(terminal, batch.problems);
  for (const item of batch.items()) {
    if ('problem' in item) {
      complain(terminal, [item.problem]);
      return 2;
    }
    const offset = positionsIn(item.analysis.text).offset(lineno, colOffset);
    if (offset === null) {
      terminal.err(`${file}:${lineno}:${colOffset}: the file has no such line or column\n`);
      return 2;
    }
    try {
      const found = hover(item.analysis, offset);
      terminal.out(found === null ? 'no tensor here\n' : `${cardText(found.card)}\n`);
      return 0;
    } catch (error) {
      complain(terminal, [crash(item.file.shown, error)]);
    }
  }
  return 2;
}
