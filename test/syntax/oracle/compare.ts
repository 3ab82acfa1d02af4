import { createReadStream, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { parse } from '../../../engine/syntax/index.ts';
import { parser } from '../parser.ts';
import { dump } from './dump.ts';

/** Compares our trees with those that dump.py wrote: `compare TREES.jsonl`. Exit status 1 where one differs. */
const [, , trees = ''] = process.argv;
let files = 0;
let same = 0;
let rows = 0;
for await (const line of createInterface({ input: createReadStream(trees) })) {
  const theirs: { path: string; rows?: string[] } = JSON.parse(line);
  if (theirs.rows === undefined) continue;
  files++;
  rows += theirs.rows.length;
  const text = readFileSync(theirs.path, 'utf8');
  const module = parse(parser, text);
  const ours = dump(module, text);
  const at = theirs.rows.findIndex((row, index) => row !== ours[index]);
  if (at === -1 && ours.length === theirs.rows.length) same++;
  else if (files - same < 40)
    console.log(
      `${theirs.path}\n  python ${theirs.rows[at] ?? 'ends'}\n  ours   ${ours[at] ?? 'ends'}`,
      module.problems[0] ?? '',
    );
}
console.log(`${same} of ${files} files are the same (${rows} rows)`);
process.exitCode = same === files ? 0 : 1;
