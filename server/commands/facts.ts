import { facts, withCallers } from '../../engine/index.ts';
import { FACTS_CLOSING, FACTS_OPENING, factsJson } from '../report/json.ts';
import { positionsIn } from '../report/positions.ts';
import { crash, type Item, openBatch, type Problem } from './batch.ts';
import { complain } from './complaints.ts';
import type { Status, Terminal } from './terminal.ts';

export async function runFacts(
  named: readonly string[],
  torchVersion: string | null,
  terminal: Terminal,
): Promise<Status> {
  const batch = await openBatch(named, terminal, torchVersion);
  complain(terminal, batch.problems);
  let failed = batch.problems.length > 0;
  let separator = '\n';
  terminal.out(FACTS_OPENING);
  const items = [...batch.items()];
  // What one file calls in another is seen only when all have been analysed.
  const joined = withCallers(items.flatMap((item) => ('problem' in item ? [] : [item.analysis])));
  for (const item of items) {
    const outcome = factsOf(
      'problem' in item ? item : { ...item, analysis: joined.get(item.file.path) ?? item.analysis },
    );
    if ('problem' in outcome) {
      failed = true;
      complain(terminal, [outcome.problem]);
      continue;
    }
    terminal.out(separator + outcome.json);
    separator = ',\n';
  }
  terminal.out(FACTS_CLOSING);
  return failed ? 2 : 0;
}

function factsOf(item: Item): { readonly json: string } | { readonly problem: Problem } {
  if ('problem' in item) return item;
  try {
    return { json: factsJson(item.file.shown, facts(item.analysis), positionsIn(item.analysis.text)) };
  } catch (error) {
    return { problem: crash(item.file.shown, error) };
  }
}
