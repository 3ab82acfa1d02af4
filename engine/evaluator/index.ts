/** The abstract interpreter: source files in, traces out. */
export { analyzeFile, analyzeInSlices, type FileAnalysis } from './roots/analyze.ts';
export { joinCallers } from './roots/callers.ts';
export { type Host, type SourceFile, sourceFile } from './state/program.ts';
export type { Files } from './state/run.ts';
export type * from './trace.ts';
export type { Past } from './units/past.ts';
