import path from 'node:path';
import ignore from 'ignore';
import { parse, TomlError } from 'smol-toml';
import { didYouMean, readTorchVersion, type Severity } from '../../engine/index.ts';
import { type Disk, isUnreadable } from './disk.ts';

export type Level = Severity | 'off';
export type Levels = Readonly<Record<string, Level>>;

/** What `[tool.stridelint]` of a pyproject.toml asks for. */
export interface Config {
  /** The pyproject.toml itself, or null where none speaks of Stridelint. */
  readonly file: string | null;
  readonly levels: Levels;
  /** Levels for the files that a pattern matches; a later entry wins. Patterns are those of .gitignore, relative to the file. */
  readonly perFile: readonly { readonly pattern: string; readonly levels: Levels }[];
  readonly exclude: readonly string[];
  readonly torchVersion: string | null;
}

export interface ConfigProblem {
  readonly path: string;
  /** 1-based. */
  readonly line: number;
  readonly message: string;
}

export interface Configured {
  readonly config: Config;
  readonly problems: readonly ConfigProblem[];
}

export const NO_CONFIG: Config = { file: null, levels: {}, perFile: [], exclude: [], torchVersion: null };
const LEVELS: readonly Level[] = ['error', 'warning', 'information', 'hint', 'off'];
const KEYS = ['rules', 'per-file', 'exclude', 'torch-version'];

/** The levels that hold for one file: the project's, then those of the patterns that match it. */
export function levelsFor(config: Config, file: string): Levels {
  if (config.file === null || config.perFile.length === 0) return config.levels;
  const relative = path.relative(path.dirname(config.file), file).split(path.sep).join('/');
  if (relative === '' || relative.startsWith('..')) return config.levels;
  const matching = config.perFile.filter((entry) => ignore().add(entry.pattern).ignores(relative));
  return Object.assign({}, config.levels, ...matching.map((entry) => entry.levels));
}

/** Finds the nearest pyproject.toml with a `[tool.stridelint]` above a folder, and remembers what it found. */
export function createConfigs(disk: Disk, ruleNames: readonly string[]) {
  const known = new Map<string, Configured>();
  const forFolder = (folder: string): Configured => {
    const before = known.get(folder);
    if (before !== undefined) return before;
    const file = path.join(folder, 'pyproject.toml');
    const here = disk.kind(file) === 'file' ? readConfig(disk, file, ruleNames) : null;
    const parent = path.dirname(folder);
    const found = here ?? (parent === folder ? { config: NO_CONFIG, problems: [] } : forFolder(parent));
    known.set(folder, found);
    return found;
  };
  return {
    /** An unsaved buffer has no folder, and so no config. */
    forFile: (file: string) =>
      path.isAbsolute(file) ? forFolder(path.dirname(file)) : { config: NO_CONFIG, problems: [] },
    forFolder,
    clear: () => known.clear(),
  };
}

export type Configs = ReturnType<typeof createConfigs>;

/** Null where the file does not speak of Stridelint. What is wrong is left out of the config and named in the problems. */
export function readConfig(disk: Disk, file: string, ruleNames: readonly string[]): Configured | null {
  const bytes = disk.read(file);
  if (isUnreadable(bytes)) return null;
  const text = new TextDecoder('utf-8').decode(bytes);
  if (!text.includes('stridelint')) return null;
  let document: Record<string, unknown>;
  try {
    document = parse(text);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const message = `not TOML: ${(error.message.split('\n')[0] ?? '').replace('Invalid TOML document: ', '')}`;
    return { config: { ...NO_CONFIG, file }, problems: [{ path: file, line: error.line, message }] };
  }
  const tool = document.tool;
  const section = isTable(tool) ? tool.stridelint : undefined;
  return section === undefined ? null : validate(file, text, section, ruleNames);
}

function validate(file: string, text: string, section: unknown, ruleNames: readonly string[]): Configured {
  const problems: ConfigProblem[] = [];
  const complain = (key: string, message: string) => problems.push({ path: file, line: lineOf(text, key), message });

  const levels = (key: string, value: unknown): Levels => {
    if (!isTable(value)) {
      complain(key, `"${key}" must be a table of rules and levels, such as { hidden-copy = "warning" }`);
      return {};
    }
    const kept: Record<string, Level> = {};
    for (const [rule, level] of Object.entries(value)) {
      const known = LEVELS.find((name) => name === level);
      if (!ruleNames.includes(rule)) complain(rule, `there is no rule "${rule}"${didYouMean(rule, ruleNames)}`);
      else if (known === undefined) complain(rule, wrongLevel(rule, level));
      else kept[rule] = known;
    }
    return kept;
  };

  if (!isTable(section)) {
    complain('stridelint', '"tool.stridelint" must be a table');
    return { config: { ...NO_CONFIG, file }, problems };
  }
  for (const key of Object.keys(section)) {
    if (!KEYS.includes(key)) complain(key, `[tool.stridelint] has no setting "${key}"${didYouMean(key, KEYS)}`);
  }
  const perFile = section['per-file'];
  if (perFile !== undefined && !isTable(perFile)) {
    complain('per-file', '"per-file" must be a table of patterns, such as { "tests/**" = { hidden-copy = "off" } }');
  }
  const exclude = section.exclude ?? [];
  const excluded = Array.isArray(exclude) ? exclude.filter((item) => typeof item === 'string') : null;
  if (excluded === null || !Array.isArray(exclude) || excluded.length !== exclude.length) {
    complain('exclude', '"exclude" must be a list of patterns, such as ["vendored/"]');
  }
  const version = section['torch-version'];
  const read = readTorchVersion(typeof version === 'string' ? version : '');
  const torchVersion = typeof version === 'string' && typeof read !== 'string' ? version : null;
  if (version !== undefined && typeof read === 'string') complain('torch-version', `"torch-version" ${read}`);
  const config: Config = {
    file,
    levels: section.rules === undefined ? {} : levels('rules', section.rules),
    perFile: isTable(perFile)
      ? Object.entries(perFile).map(([pattern, value]) => ({ pattern, levels: levels(pattern, value) }))
      : [],
    exclude: excluded ?? [],
    torchVersion,
  };
  return { config, problems: problems.sort((a, b) => a.line - b.line) };
}

export function isLevel(value: unknown): value is Level {
  return LEVELS.some((name) => name === value);
}

function wrongLevel(rule: string, level: unknown): string {
  const meant = typeof level === 'string' ? didYouMean(level, LEVELS) : '';
  return `"${rule}" has the level ${JSON.stringify(level)}, but a level is one of ${LEVELS.join(', ')}${meant}`;
}

/** Where a key stands below the `stridelint` table, by its text: the TOML parser keeps no positions of keys. */
function lineOf(text: string, key: string): number {
  const lines = text.split(/\r\n|\n/);
  const header = Math.max(
    0,
    lines.findIndex((line) => /^\s*\[\s*tool\s*\.\s*["']?stridelint/.test(line)),
  );
  const at = lines.findIndex((line, i) => i >= header && mentions(line, key));
  return (at < 0 ? header : at) + 1;
}

function mentions(line: string, key: string): boolean {
  const code = line.split('#')[0] ?? '';
  return (
    code.split(/[\s={},[\].]+/).some((word) => word.replace(/^["']|["']$/g, '') === key) || code.includes(`"${key}"`)
  );
}

function isTable(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
