import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { type Edit, rules } from '../../engine/index.ts';
import { parseSpec } from '../harness/markdown.ts';
import { analysisOf, findingsIn } from './program.ts';

/** A program with a finding, and what a fix of it makes of the program. */
export interface FixSample {
  readonly rule: string;
  readonly from: string;
  readonly info: string;
  readonly before: string;
  readonly after: string;
  /** The last line of the finding, from 1. */
  readonly line: number;
  readonly title: string;
  readonly safe: boolean;
  /** Names the recording. */
  readonly key: string;
}

const SPECS = new URL('../spec/rules/', import.meta.url);
const MARK = /\s*# (?:error|warning|information|hint)\[[\w-]+\]$/gm;

/** The examples of the rules and the programs of their specifications. */
export function programs(root: URL = SPECS): readonly Program[] {
  const examples = rules.flatMap(({ name, examples: all }) =>
    all.map(({ bad }) => ({ from: `engine/rules/${name}.ts`, info: '', text: bad.replace(MARK, '') })),
  );
  const files = readdirSync(root).filter((path) => path.endsWith('.md'));
  const specified = files.flatMap((path) =>
    parseSpec(readFileSync(new URL(path, root), 'utf8'))
      .filter(({ torch }) => torch === null)
      .map(({ info, code, firstLine }) => {
        const from = `test/spec/rules/${path}:${firstLine}`;
        return { from, info, text: `import torch\n${code}\n` };
      }),
  );
  return [...examples, ...specified];
}

interface Program {
  /** Where it stands, for a person to find it. */
  readonly from: string;
  /** What the fence of a specification says of sizes; nothing for the example of a rule. */
  readonly info: string;
  readonly text: string;
}

/** Every fix of every finding in them. */
export async function fixSamples(root: URL = SPECS): Promise<readonly FixSample[]> {
  const samples: FixSample[] = [];
  for (const { from, info, text } of programs(root)) {
    for (const { rule, end, fixes } of await findingsIn(text)) {
      const line = text.slice(0, end).split('\n').length;
      for (const { title, safe, edits } of fixes) {
        const after = applied(text, edits);
        samples.push({ rule, from, info, before: text, after, line, title, safe, key: keyOf(info, text, after) });
      }
    }
  }
  return [...new Map(samples.map((sample) => [sample.key, sample])).values()];
}

export function applied(text: string, edits: readonly Edit[]): string {
  const last = edits.toSorted((a, b) => b.start - a.start);
  return last.reduce((now, edit) => now.slice(0, edit.start) + edit.text + now.slice(edit.end), text);
}

function keyOf(...parts: readonly string[]): string {
  return createHash('sha256').update(parts.join('\0')).digest('hex').slice(0, 16);
}

/** Whether every line is Python: what the parser cannot read costs its line and nothing more. */
export async function parsed(text: string): Promise<boolean> {
  const { module } = await analysisOf(text);
  return module.problems.length === 0;
}
