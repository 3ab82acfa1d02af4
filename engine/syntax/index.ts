/** Python's text to a typed tree. tree-sitter stays in here. */
export type * from './ast.ts';
export type { Grammar } from './backend.ts';
export { bodiesOf, expressionsOf, parametersOf, partsOf, partsOfParameter } from './children.ts';
export { type Counterparts, counterparts } from './counterparts.ts';
export { type Difference, difference } from './difference.ts';
export { type Directive, directivesOf, type RuleName } from './directives.ts';
export { enclosingFunctions, type Located, locate } from './locate.ts';
export { type Branch, dottedName, is } from './nodes.ts';
export { createParser, type Parser, parse } from './parser.ts';
export * from './positions.ts';
export { type Parsed, reparse } from './reparse.ts';
export * from './shapes/index.ts';
