export { annotationShape } from './annotations.ts';
export { namedShapes, trailingShape } from './comments.ts';
export { docstringShapes } from './docstrings.ts';
export { functionShapes, trailingShapes } from './notes.ts';
export type { DimOperator, DimText, NamedShape, ShapeText } from './shape-text.ts';
