/** What PyTorch's functions, methods, operators and attributes do to layouts. */
export { attributeNames, getAttribute } from './attributes.ts';
export { callOp, rankDemanded } from './call.ts';
export type { Call, OpContext } from './context.ts';
export { getItem, setItem } from './indexing/index.ts';
export type { Entry } from './op.ts';
export { binary, compare, inplace, OPERATORS, unary } from './operators.ts';
export type { OpResult, Outcome, Write } from './outcome.ts';
export { entries, findOp, names, type Op } from './registry/index.ts';
export { isRowMajor } from './row-major.ts';
