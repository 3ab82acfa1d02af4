import type { DType } from '../../tensor/dtype.ts';
import type { Expression } from '../ast.ts';
import { dtypeOf } from './comments.ts';
import { looksLikeShape } from './dim-like.ts';
import { type DimText, dimEntries, dimOf, type ShapeText, shapeOf, UNKNOWN_DIM } from './shape-text.ts';

/**
 * The shape that an annotation gives: jaxtyping's `Float[Tensor, "b t c"]`, torchtyping's `TensorType["b", "t", 3]`,
 * `Annotated[Tensor, "B T C"]`, `Tensor[B, T]`. `Optional[...]` and `... | None` are seen through.
 */
export function annotationShape(annotation: Expression): ShapeText | null {
  if (annotation.kind === 'BinOp' && annotation.op === '|') {
    if (isNone(annotation.right)) return annotationShape(annotation.left);
    return isNone(annotation.left) ? annotationShape(annotation.right) : null;
  }
  if (annotation.kind !== 'Subscript') return null;
  const { slice } = annotation;
  const name = lastName(annotation.value);
  const entries = slice.kind === 'Tuple' ? slice.elts : [slice];
  const [first, second] = entries;
  if (first === undefined) return null;
  if (name === 'Optional') return annotationShape(first);
  if (name === 'TensorType' || name === 'Tensor') return tensorType(entries);
  if (second === undefined || !isTensor(first)) return null;
  if (name === 'Annotated') return annotated(second);
  if (JAXTYPING.has(name)) return second.kind === 'Constant' ? spaced(String(second.value), jaxDtype(name)) : null;
  return null;
}

/** `Float` and `Int` stand for several dtypes; those that name a width, for one. */
const JAXTYPING = new Set(
  [
    'Shaped Bool Key Num Real Inexact Float Float16 Float32 Float64 BFloat16 Half Complex Complex64 Complex128',
    'Integer Int Int4 Int8 Int16 Int32 Int64 UInt UInt4 UInt8 UInt16 UInt32 UInt64',
  ].flatMap((line) => line.split(' ')),
);

function jaxDtype(name: string): DType | null {
  return /\d$|^Bool$|^Half$/.test(name) ? dtypeOf(name.toLowerCase()) : null;
}

const isNone = (node: Expression): boolean => node.kind === 'Constant' && node.literal === 'none';

const isTensor = (node: Expression): boolean => /Tensor$|^Parameter$/.test(lastName(node));

function lastName(node: Expression): string {
  return node.kind === 'Name' ? node.id : node.kind === 'Attribute' ? node.attr : '';
}

/**
 * jaxtyping's language: sizes between spaces; `*batch` and `...` are any number of them, `#b` may be 1, `b=4` names a size, `_` says
 * nothing.
 */
function spaced(text: string, dtype: DType | null): ShapeText | null {
  const words = text.split(/\s+/).filter((word) => word !== '');
  const front = words[0] !== undefined && /^(?:\.\.\.|\*[#?]?\w+)$/.test(words[0]);
  const dims: DimText[] = [];
  for (const word of front ? words.slice(1) : words) {
    if (/^(?:\.\.\.|\*.*)$/.test(word)) return null;
    const named = /^\w+=(.+)$/.exec(word);
    const dim = /^[#?{]/.test(word) ? UNKNOWN_DIM : dimOf(named?.[1] ?? word);
    dims.push(dim ?? UNKNOWN_DIM);
  }
  return { ...shapeOf(dims, front), dtype };
}

/** `Annotated[Tensor, "B T C"]`, `"B, T, C"` or `("B", "T", 3)`. */
function annotated(node: Expression): ShapeText | null {
  if (node.kind === 'Tuple' || node.kind === 'List') return tensorType(node.elts);
  if (node.kind !== 'Constant' || typeof node.value !== 'string') return null;
  const text = node.value.trim().replace(/^[[(](.*)[\])]$/, '$1');
  const list = text.includes(',') ? dimEntries(text.split(','), null) : null;
  if (list !== null) return shapeOf(list.dims, list.front);
  const shape = text.split(/\s+/).every(isSize) ? spaced(text, null) : null;
  return shape !== null && looksLikeShape(shape.dims) ? shape : null;
}

const isSize = (word: string): boolean => /^(?:\.\.\.|\*\w+)$/.test(word) || dimOf(word) !== null;

/** torchtyping's entries: numbers, strings, `...`, `-1`, `"b": 3`, and dtypes. */
function tensorType(entries: readonly Expression[]): ShapeText | null {
  const [only] = entries;
  if (entries.length === 1 && only?.kind === 'Constant' && typeof only.value === 'string') {
    return annotated(only) ?? null;
  }
  const dims: DimText[] = [];
  let front = false;
  let dtype: DType | null = null;
  for (const [index, entry] of entries.entries()) {
    if (entry.kind === 'Constant' && entry.literal === 'ellipsis') {
      if (index > 0) return null;
      front = true;
      continue;
    }
    const said = entry.kind === 'Name' || entry.kind === 'Attribute' ? dtypeOf(lastName(entry)) : null;
    if (said !== null) dtype = said;
    else {
      const dim = dimOfExpression(entry);
      if (dim === null) return null;
      dims.push(dim);
    }
  }
  return { ...shapeOf(dims, front), dtype };
}

function dimOfExpression(node: Expression): DimText | null {
  switch (node.kind) {
    case 'Constant':
      if (node.literal === 'int' && typeof node.value === 'number') return { kind: 'int', value: node.value };
      return typeof node.value === 'string' ? dimOf(node.value) : null;
    case 'Name':
      return { kind: 'name', id: node.id };
    case 'UnaryOp':
      return UNKNOWN_DIM;
    case 'Slice':
      return node.upper === null ? null : (dimOfExpression(node.upper) ?? UNKNOWN_DIM);
    case 'BinOp': {
      const left = dimOfExpression(node.left);
      const right = dimOfExpression(node.right);
      const { op } = node;
      if (left === null || right === null) return null;
      return op === '+' || op === '-' || op === '*' || op === '//' || op === '%'
        ? { kind: 'operation', op, left, right }
        : null;
    }
    default:
      return null;
  }
}
