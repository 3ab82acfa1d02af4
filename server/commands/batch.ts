import path from 'node:path';
import { type FileAnalysis, rules } from '../../engine/index.ts';
import { loadParser } from '../grammar.ts';
import { type Config, type ConfigProblem, createConfigs } from '../workspace/config.ts';
import { discover, type SourceFile } from '../workspace/discovery.ts';
import type { Unreadable } from '../workspace/disk.ts';
import { createEngines } from '../workspace/engines.ts';
import { createImports } from '../workspace/imports.ts';
import { nodeDisk } from '../workspace/node-disk.ts';
import { readSource } from '../workspace/source.ts';
import type { Terminal } from './terminal.ts';

/** Something that kept the tool from its work on one path. */
export interface Problem {
  readonly path: string;
  /** 1-based; absent where the whole file is meant. */
  readonly line?: number;
  readonly message: string;
}

/** One file: what the engine saw in it, or why it saw nothing. */
export type Item =
  | { readonly file: SourceFile; readonly config: Config; readonly analysis: FileAnalysis }
  | { readonly file: SourceFile; readonly problem: Problem };

export interface Batch {
  /** Paths that do not exist, files that cannot be read, settings that make no sense. */
  readonly problems: readonly Problem[];
  readonly files: readonly SourceFile[];
  /** Analyses lazily, in order. A crash in one file is that file's problem; the rest goes on. */
  items(): Generator<Item>;
  /** The text of any file, in this batch or imported by it. */
  textOf(file: string): string | null;
  shown(file: string): string;
}

/** A workspace of any size fits into memory: what is dropped is read again. */
const MOST_TEXTS = 500;

/** `torchVersion` is what the command line asks for: it comes before any pyproject.toml. */
export async function openBatch(
  named: readonly string[],
  terminal: Terminal,
  torchVersion: string | null = null,
): Promise<Batch> {
  const configs = createConfigs(
    nodeDisk,
    rules.map((rule) => rule.name),
  );
  const { files, problems } = discover(nodeDisk, configs, named, terminal.folder);
  const texts = new Map<string, string | Unreadable>();
  const source = (file: string): string | Unreadable => {
    const before = texts.get(file);
    if (before !== undefined) return before;
    const text = readSource(nodeDisk, file);
    if (texts.size >= MOST_TEXTS) texts.clear();
    texts.set(file, text);
    return text;
  };
  const textOf = (file: string) => {
    const text = source(file);
    return typeof text === 'string' ? text : null;
  };
  const shownAs = new Map(files.map((file) => [file.path, file.shown]));
  const shown = (file: string) => shownAs.get(file) ?? relativeWithin(terminal.folder, file);
  const imports = createImports(nodeDisk, () => [terminal.folder]);
  const engines = createEngines(await loadParser(), imports, textOf);

  function* items(): Generator<Item> {
    for (const file of files) {
      const text = source(file.path);
      if (typeof text !== 'string') {
        yield { file, problem: { path: file.shown, message: text.problem } };
        continue;
      }
      const { config } = configs.forFile(file.path);
      const engine = engines.for(torchVersion ?? config.torchVersion);
      try {
        yield { file, config, analysis: engine.analyze(file.path) };
        engine.release(file.path);
      } catch (error) {
        yield { file, problem: crash(file.shown, error) };
      }
    }
  }

  const configProblems = [...new Set(files.flatMap((file) => configs.forFile(file.path).problems))];
  return {
    problems: [...problems, ...configProblems.map((problem) => located(problem, shown))],
    files,
    items,
    textOf,
    shown,
  };
}

/** An error of our own. It is named, with its place in our code, so that it can be reported; it costs one file. */
export function crash(shown: string, error: unknown): Problem {
  const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  const stack = error instanceof Error ? (error.stack ?? '') : '';
  const frame = /^ +at .*$/m.exec(stack)?.[0].trim() ?? '';
  const detail = process.env.STRIDELINT_DEBUG ? `\n${stack}` : frame === '' ? '' : ` (${frame})`;
  return {
    path: shown,
    line: 1,
    message: `not analysed: Stridelint failed on this file, please report it: ${message}${detail}`,
  };
}

function located(problem: ConfigProblem, shown: (file: string) => string): Problem {
  return { path: shown(problem.path), line: problem.line, message: problem.message };
}

function relativeWithin(folder: string, file: string): string {
  const relative = path.relative(folder, file);
  return relative === '' || relative.startsWith('..') || path.isAbsolute(relative) ? file : relative;
}
