/** The abstract interpreter: source files in, traces out. */
export { analyzeFile, analyzeInSlices, type FileAnalysis } from './analyze.ts';
export { joinCallers } from './callers.ts';
export type { Past } from './past.ts';
export { type Host, type SourceFile, sourceFile } from './program.ts';
export type { Files } from './run.ts';
export type * from './trace.ts';
