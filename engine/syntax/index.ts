export type * from './ast.ts';
export type { Grammar } from './backend.ts';
export { createParser, type Parser, parse } from './parser.ts';
export * from './positions.ts';
