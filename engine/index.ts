/** The only door to the engine: text in, plain frozen values out. */
import { type Account, accountOf } from './editor/account.ts';
import { type FactRow, factRows } from './editor/facts.ts';
import {
  analyzeInSlices,
  type FileAnalysis,
  type Files,
  type Host,
  joinCallers,
  type Past,
  type SourceFile,
  sourceFile,
} from './evaluator/index.ts';
import { NEWEST, readTorchVersion } from './ops/versions.ts';
import { checkFile, type Finding, type Levels } from './rules/index.ts';
import { type Parser, parse, reparse } from './syntax/index.ts';
import { DTYPES, type DType } from './tensor/index.ts';

export type { Account, AccountLine } from './editor/account.ts';
export type { FactRow } from './editor/facts.ts';
export { type Card, cardMarkdown, cardText, hover, type TensorCard } from './editor/index.ts';
export type { FileAnalysis, FunctionTrace, Host, TraceEvent } from './evaluator/index.ts';
export { readTorchVersion } from './ops/versions.ts';
export type { Edit, Finding, Fix, Level, Levels, RuleInfo, Severity, Span } from './rules/index.ts';
export { didYouMean, rules } from './rules/index.ts';
export { createParser, type Grammar, type Module, type Parser } from './syntax/index.ts';
export type { DType } from './tensor/index.ts';

export interface EngineOptions {
  /** `2.6`; the newest that is modelled where none is given, or one that is not known. */
  readonly torchVersion?: string;
}

export interface Engine {
  /** The text of a file as it is in an editor; it takes the place of what the host would read. */
  update(path: string, text: string): void;
  /** The file is closed or changed on disk: the host is asked again. */
  forget(path: string): void;
  /** Throws nothing; a file that cannot be read is analysed as empty. */
  analyze(path: string): FileAnalysis;
  /** Nobody will ask for this analysis again: whoever goes through many files holds but one. */
  release(path: string): void;
  /**
   * The same in slices: whoever asks rests between them, and goes on or drops the rest at any time. Files that change
   * meanwhile make what comes out one of the texts as they were; it is not kept.
   */
  slices(path: string): Generator<void, FileAnalysis>;
}

export function createEngine(host: Host, parser: Parser, options: EngineOptions = {}): Engine {
  const texts = new Map<string, string>();
  const sources = new Map<string, SourceFile | null>();
  const analyses = new Map<string, Analysed>();
  /** Of each file what its last analyses leave for the next one, the latest last: an edit that is undone finds its own. */
  const pasts = new Map<string, readonly Left[]>();
  const earlier = new Map<string, SourceFile>();
  /** Files that were ever asked for: any other may be what an import could not find before. */
  const asked = new Set<string>();
  let reading = new Set<string>();
  const load = (path: string): SourceFile | null => {
    reading.add(path);
    const known = sources.get(path);
    if (known !== undefined) {
      // Behind the others again: those that nobody has asked for longest are dropped first.
      sources.delete(path);
      sources.set(path, known);
      return known;
    }
    const text = texts.get(path) ?? host.read(path);
    const before = earlier.get(path);
    const read = (now: string): SourceFile =>
      pasts.get(path)?.find(({ file }) => file.text === now)?.file ??
      sourceFile(path, now, before ? reparse(parser, before, now) : parse(parser, now));
    const file = text === null ? null : read(text);
    asked.add(path);
    sources.set(path, file);
    return file;
  };
  const files: Files = { host, load };
  let changes = 0;
  const changed = (path: string): void => {
    changes++;
    const file = sources.get(path);
    if (file && pasts.has(path)) earlier.set(path, file);
    sources.delete(path);
    if (!asked.has(path)) {
      analyses.clear();
      pasts.clear();
    }
    for (const [other, { read }] of analyses) if (read.has(path)) analyses.delete(other);
    for (const [other, left] of pasts)
      if (other !== path && left.some(({ read }) => read.has(path))) pasts.delete(other);
  };
  const version = readTorchVersion(options.torchVersion ?? '');
  const torch = typeof version === 'string' ? NEWEST : version;
  function* inSlices(path: string): Generator<void, FileAnalysis> {
    const known = analyses.get(path);
    if (known) return known.analysis;
    dropOldest(sources, MOST_TEXT, (file) => file?.text.length ?? 0);
    const started = changes;
    const mine = new Set<string>();
    const reads = <Result>(work: () => Result): Result => {
      const outer = reading;
      reading = mine;
      const result = work();
      reading = outer;
      return result;
    };
    const file = reads(() => load(path)) ?? sourceFile(path, '', parse(parser, ''));
    const undone = pasts.get(path)?.find((left) => left.file === file);
    if (undone) {
      keep(undone);
      return undone.analysis;
    }
    const before = pasts.get(path)?.at(-1);
    const slices = analyzeInSlices(files, file, torch, before?.past ?? null);
    for (;;) {
      const slice = reads(() => slices.next());
      if (!slice.done) {
        yield;
        continue;
      }
      const { analysis, past } = slice.value;
      if (changes === started) keep({ file, analysis, past, read: new Set([...(before?.read ?? []), ...mine]) });
      return analysis;
    }
  }
  const keep = (left: Left): void => {
    const { path } = left.file;
    analyses.set(path, left);
    const others = (pasts.get(path) ?? []).filter(({ file }) => file !== left.file);
    pasts.delete(path);
    pasts.set(path, [...others, left].slice(-MOST_UNDONE));
    earlier.delete(path);
    dropOldest(analyses, MOST_ANALYSES, () => 1);
    dropOldest(pasts, MOST_PASTS, () => 1);
  };
  return {
    update(path, text) {
      texts.set(path, text);
      changed(path);
    },
    forget(path) {
      texts.delete(path);
      changed(path);
    },
    analyze(path) {
      const slices = inSlices(path);
      for (;;) {
        const slice = slices.next();
        if (slice.done) return slice.value;
      }
    },
    release(path) {
      analyses.delete(path);
      pasts.delete(path);
    },
    slices: inSlices,
  };
}

/** An analysis, and the files that it rests on. */
interface Analysed {
  readonly analysis: FileAnalysis;
  readonly read: ReadonlySet<string>;
}

/** What an analysis leaves for the next one of the file; `read`: also what that rests on which was taken over. */
interface Left extends Analysed {
  readonly file: SourceFile;
  readonly past: Past;
}

/** Texts that a file had of late. */
const MOST_UNDONE = 3;

/** Files that are being edited, more or less. */
const MOST_PASTS = 8;

/** What is kept for the next question, so that a workspace of any size fits: analyses, and characters of parsed text. */
const MOST_ANALYSES = 48;
const MOST_TEXT = 3_000_000;

function dropOldest<T>(kept: Map<string, T>, most: number, sizeOf: (value: T) => number): void {
  let size = 0;
  for (const value of kept.values()) size += sizeOf(value);
  for (const [key, value] of kept) {
    if (size <= most) return;
    size -= sizeOf(value);
    kept.delete(key);
  }
}

/** What the rules have to say; `levels` overrides the severities of single rules. */
export function check(analysis: FileAnalysis, levels: Levels): readonly Finding[] {
  return checkFile(analysis, levels);
}

/** Each file with the kinds of call that the others make into it; by path. */
export function withCallers(analyses: readonly FileAnalysis[]): ReadonlyMap<string, FileAnalysis> {
  return new Map(joinCallers(analyses).map((analysis) => [analysis.path, analysis]));
}

/**
 * What a function does to memory, an account for each analysis of it, the generic one first; none where there is no such
 * function. It is named by its qualified name, or by its last part.
 */
export function ledger(analysis: FileAnalysis, name: string, dtype: DType | null): readonly Account[] {
  const exact = analysis.traces.filter((trace) => trace.function === name);
  const traces = exact.length > 0 ? exact : analysis.traces.filter((trace) => trace.function.endsWith(`.${name}`));
  return traces.map((trace) => accountOf(trace, (trace.definition ?? analysis.module).body, dtype));
}

/** The qualified names of the functions that were analysed. */
export function functionsOf(analysis: FileAnalysis): readonly string[] {
  return [...new Set(analysis.traces.map((trace) => trace.function))];
}

/** The rows of `stridelint facts`; `more` are analyses of calls into this file from others. */
export function facts(analysis: FileAnalysis): readonly FactRow[] {
  return factRows(analysis.traces, analysis.others);
}

/** `float16`, `torch.float16`, `half`, `fp16`; null for what is no dtype. */
export function readDType(text: string): DType | null {
  const name = text.replace(/^torch\./, '');
  return DTYPES.find((dtype) => dtype === (ALIASES.get(name) ?? name)) ?? null;
}

const ALIASES: ReadonlyMap<string, DType> = new Map([
  ['half', 'float16'],
  ['fp16', 'float16'],
  ['bf16', 'bfloat16'],
  ['float', 'float32'],
  ['fp32', 'float32'],
  ['double', 'float64'],
  ['fp64', 'float64'],
]);
