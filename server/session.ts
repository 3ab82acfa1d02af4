import type { TextDocument } from 'vscode-languageserver-textdocument';
import { check, type Engine, type FileAnalysis, type Finding, type Parser, rules } from '../engine/index.ts';
import { folderOf, isWithin, pathOf } from './lsp/paths.ts';
import { DEFAULT_SETTINGS, type Settings } from './lsp/settings.ts';
import { type ConfigProblem, createConfigs, levelsFor } from './workspace/config.ts';
import type { Disk } from './workspace/disk.ts';
import { createEngines, type Engines } from './workspace/engines.ts';
import { createImports, type Imports } from './workspace/imports.ts';
import { LARGEST_SOURCE, readSource } from './workspace/source.ts';

/** What the server knows: the open documents, the folders with their settings, and one engine for each folder and torch version. */
export interface Session {
  setFolders(uris: readonly string[]): void;
  folders(): readonly string[];
  setSettings(folder: string | null, settings: Settings): void;
  /** A document was opened or has changed. */
  update(document: TextDocument): void;
  close(document: TextDocument): void;
  /** Files that no editor holds open were changed, made or deleted. */
  filesChanged(uris: readonly string[]): void;
  document(uri: string): TextDocument | undefined;
  documents(): readonly TextDocument[];
  /**
   * Takes the analysis of a document one slice further; true where it stands, and what is asked about the document is answered at
   * once. A change of any text begins it anew. A crash is left to whoever asks.
   */
  advance(uri: string): boolean;
  /** Null where the document is not open or Stridelint is switched off for it. A crash of the analysis passes through. */
  analyze(uri: string): FileAnalysis | null;
  findings(uri: string): readonly Finding[];
  /** The text of any file, as the editor has it or else as the disk has it. */
  textOf(path: string): string | null;
  configProblems(): readonly ConfigProblem[];
}

interface Folder {
  readonly path: string;
  readonly imports: Imports;
  readonly engines: Engines;
}

export function createSession(disk: Disk, parser: Parser): Session {
  const documents = new Map<string, TextDocument>();
  const begun = new Map<string, ReturnType<Engine['slices']>>();
  const settings = new Map<string | null, Settings>();
  // An analysis is a value: what was found in it under the same levels is still found in it.
  const checked = new WeakMap<FileAnalysis, { readonly levels: string; readonly findings: readonly Finding[] }>();
  const configs = createConfigs(
    disk,
    rules.map((rule) => rule.name),
  );
  let folders: readonly Folder[] = [];

  const textOf = (path: string): string | null => {
    const open = documents.get(path);
    if (open !== undefined) return open.getText();
    const text = readSource(disk, path);
    return typeof text === 'string' ? text : null;
  };
  const createFolder = (path: string): Folder => {
    const imports = createImports(disk, () => [path]);
    return { path, imports, engines: createEngines(parser, imports, textOf) };
  };
  // Files outside every folder share what their imports are resolved from: nothing but their own surroundings.
  const outside = createFolder('');
  const all = () => [...folders, outside];
  const engines = () => all().flatMap((folder) => [...folder.engines.all()]);

  const folderFor = (path: string): Folder =>
    folders
      .filter((folder) => isWithin(folder.path, path))
      .reduce((best: Folder, folder) => (folder.path.length > best.path.length ? folder : best), outside);
  const settingsFor = (path: string): Settings =>
    settings.get(folderFor(path).path) ?? settings.get(null) ?? DEFAULT_SETTINGS;
  const engineFor = (path: string): Engine => {
    const { config } = configs.forFile(path);
    return folderFor(path).engines.for(config.torchVersion ?? settingsFor(path).torchVersion);
  };

  const update = (document: TextDocument): void => {
    const path = pathOf(document.uri);
    documents.set(path, document);
    begun.clear();
    // Every engine that exists may have read the file for another's import; those that have not ignore the text.
    for (const engine of new Set([...engines(), engineFor(path)])) engine.update(path, document.getText());
  };
  const forget = (path: string): void => {
    begun.clear();
    for (const engine of engines()) engine.forget(path);
  };
  const isAnalysed = (path: string): boolean => {
    const document = documents.get(path);
    return document !== undefined && settingsFor(path).enable && document.getText().length <= LARGEST_SOURCE;
  };
  const analyze = (uri: string): FileAnalysis | null => {
    const path = pathOf(uri);
    return isAnalysed(path) ? engineFor(path).analyze(path) : null;
  };
  const advance = (uri: string): boolean => {
    const path = pathOf(uri);
    if (!isAnalysed(path)) return true;
    const slices = begun.get(path) ?? engineFor(path).slices(path);
    begun.delete(path);
    try {
      if (slices.next().done) return true;
    } catch {
      return true;
    }
    begun.set(path, slices);
    return false;
  };

  return {
    setFolders(uris) {
      const before = new Map(folders.map((folder) => [folder.path, folder]));
      folders = uris.map(folderOf).map((path) => before.get(path) ?? createFolder(path));
      for (const document of documents.values()) update(document);
    },
    folders: () => folders.map((folder) => folder.path),
    setSettings(folder, value) {
      settings.set(folder, value);
      begun.clear();
    },
    update,
    close(document) {
      const path = pathOf(document.uri);
      documents.delete(path);
      forget(path);
    },
    filesChanged(uris) {
      configs.clear();
      begun.clear();
      for (const folder of all()) folder.imports.clear();
      for (const path of uris.map(pathOf)) if (!documents.has(path)) forget(path);
    },
    document: (uri) => documents.get(pathOf(uri)),
    documents: () => [...documents.values()],
    advance,
    analyze,
    findings(uri) {
      const path = pathOf(uri);
      const analysis = analyze(uri);
      if (analysis === null) return [];
      const levels = { ...settingsFor(path).rules, ...levelsFor(configs.forFile(path).config, path) };
      const asked = JSON.stringify(levels);
      const before = checked.get(analysis);
      if (before?.levels === asked) return before.findings;
      const findings = check(analysis, levels);
      checked.set(analysis, { levels: asked, findings });
      return findings;
    },
    textOf,
    configProblems: () => [...new Set([...documents.keys()].flatMap((path) => configs.forFile(path).problems))],
  };
}
