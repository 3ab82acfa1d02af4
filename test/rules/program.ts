import { check, createEngine, type FileAnalysis, type Finding } from '../../engine/index.ts';
import { loadParser } from '../../server/grammar.ts';

const parser = loadParser();

/** The findings in a program of one file, every rule at its own level. */
export async function findingsIn(text: string, torchVersion?: string): Promise<readonly Finding[]> {
  return check(await analysisOf(text, torchVersion), {});
}

export async function analysisOf(text: string, torchVersion?: string): Promise<FileAnalysis> {
  const options = torchVersion === undefined ? {} : { torchVersion };
  const engine = createEngine({ resolve: () => null, read: () => null }, await parser, options);
  engine.update('program.py', text);
  return engine.analyze('program.py');
}

/** `LINE RULE SEVERITY` of each finding, lines from 1. */
export function places(text: string, findings: readonly Finding[]): readonly string[] {
  return findings.map(({ start, rule, severity }) => {
    const line = text.slice(0, start).split('\n').length;
    return `${line} ${severity}[${rule}]`;
  });
}
