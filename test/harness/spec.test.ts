import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { compareWithEngine } from './engine.ts';
import { parseSpec, type SpecCase } from './markdown.ts';
import { type Complaint, compareWithPyTorch } from './pytorch.ts';
import { readRecording } from './recording.ts';

const SPECS = new URL('../spec/', import.meta.url);
const RECORDINGS = new URL('../oracle/recordings/', import.meta.url);

for (const path of filesUnder(SPECS, '.md')) {
  const cases = parseSpec(readFileSync(new URL(path, SPECS), 'utf8'));
  const recording = readRecording(new URL(path.replace(/\.md$/, '.json'), RECORDINGS));

  describe(path, () => {
    describe.each(cases.map((spec) => [`${spec.title} (line ${spec.firstLine})`, spec] as const))('%s', (_, spec) => {
      const runs = recording.cases.get(spec.key);

      test('PyTorch', () => {
        if (!runs) expect.fail(`test/spec/${path}:${spec.firstLine}: no recording. Run test/oracle/record_specs.py`);
        report(path, spec, 'PyTorch', compareWithPyTorch(spec, runs));
      });

      test('the engine', () => {
        report(path, spec, 'engine', compareWithEngine(spec, runs ?? []));
      });
    });

    test('every recording belongs to a snippet', () => {
      const keys = new Set(cases.map((spec) => spec.key));
      expect([...recording.cases.keys()].filter((key) => !keys.has(key))).toEqual([]);
    });
  });
}

test('every file of recordings belongs to a specification', () => {
  const recorded = filesUnder(RECORDINGS, '.json').map((path) => path.replace(/\.json$/, '.md'));
  expect(recorded).toEqual(filesUnder(SPECS, '.md'));
});

function filesUnder(folder: URL, extension: string): string[] {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return paths.filter((path) => path.endsWith(extension)).sort();
}

/** Fails with the lines of the specification that are contradicted, each above what is the case. */
function report(path: string, spec: SpecCase, who: string, complaints: readonly Complaint[]): void {
  if (complaints.length === 0) return;
  const code = spec.code.split('\n');
  const blocks = complaints.map(({ specLine, says, is }) => {
    const source = (code[specLine - spec.firstLine] ?? '').trim();
    return `test/spec/${path}:${specLine}  ${source}\n  spec     ${says}\n  ${who.padEnd(8)} ${is}`;
  });
  expect.fail(`${spec.title}\n${[...new Set(blocks)].join('\n')}`);
}
