import { DTYPES, type DType } from '../../tensor/dtype.ts';
import { looksLikeShape } from './dim-like.ts';
import { dimList, type NamedShape, type ShapeText, shapeOf } from './shape-text.ts';

/** The text of a comment, without its `#`, that says shapes of names: `x: [B, T, C]`, `q, k, v: [B, H, T, D] float16`. */
export function namedShapes(comment: string): readonly NamedShape[] {
  const found: NamedShape[] = [];
  for (let rest = comment.trim(); rest !== ''; ) {
    const match = NAMED.exec(rest);
    const [whole = '', names = '', bracketed = ''] = match ?? [];
    const shape = match === null ? null : bracketedShape(bracketed);
    if (shape === null) {
      if (found.length === 0 || !/^[-–—;.,#(]/.test(rest)) return [];
      // Prose about the one name; a wide gap, as in a table, ends it.
      return [...found, ...namedShapes(/ {2,}(?=[A-Za-z_]\w* *: *[[(])(.*)$/.exec(rest)?.[1] ?? '')];
    }
    const words = trailingWords(rest.slice(whole.length));
    for (const name of names.split(',')) found.push({ name: name.trim(), shape: { ...shape, ...words.said } });
    rest = words.rest.replace(/^[,;]\s*(?=(?:[A-Za-z_]\w*\s*,\s*)*[A-Za-z_]\w*\s*:)/, '');
  }
  return found;
}

const NAMED =
  /^(?!type\b)((?:[A-Za-z_]\w*\s*,\s*)*[A-Za-z_]\w*)(?:\s*:|\s*\.shape\s*(?:==?|:)|\s+shape\s*:|\s*:\s*shape\s*:?)\s*(\[[^[\]]*\]|\([^()]*(?:\([^()]*\)[^()]*)*\))\s*/;

/** In parentheses one size alone needs its comma, as in Python, and words alone must look like sizes. */
function bracketedShape(bracketed: string): ShapeText | null {
  const inner = bracketed.slice(1, -1);
  const list = dimList(inner);
  if (list === null) return null;
  if (bracketed.startsWith('(')) {
    if (list.dims.length === 1 && !list.front && !inner.includes(',')) return null;
    const numbers = list.dims.every((dim) => dim.kind === 'int');
    if (!numbers && !looksLikeShape(list.dims)) return null;
  }
  return shapeOf(list.dims, list.front);
}

/** Words after a shape that say more of the tensor, and what follows them. */
function trailingWords(text: string): { said: Partial<ShapeText>; rest: string } {
  let said: Partial<ShapeText> = {};
  let rest = text.trimStart();
  for (;;) {
    const [whole = '', word = ''] = /^,?\s*((?:torch\.)?[A-Za-z][\w.]*(?::\d+)?)(?=[\s,;.]|$)\s*/.exec(rest) ?? [];
    const says = whole === '' ? null : saidBy(word.replace(/^torch\./, ''));
    if (says === null) return { said, rest };
    said = { ...said, ...says };
    rest = rest.slice(whole.length);
  }
}

function saidBy(word: string): Partial<ShapeText> | null {
  const dtype = dtypeOf(word);
  if (dtype !== null) return { dtype };
  if (word === 'contiguous' || word === 'contiguous_format') return { memoryFormat: 'contiguous_format' };
  if (word === 'channels_last' || word === 'channels_last_3d') return { memoryFormat: word };
  // Whether it requires grad is no matter of shape, and what the dims are called is plain from their order; neither is prose.
  if (word === 'requires_grad' || /^N(?:CD?HW|D?HWC)$/.test(word)) return {};
  return /^(?:cuda|cpu|mps|xpu|meta)(?::\d+)?$/.test(word) ? { device: word } : null;
}

const SHORT: Readonly<Record<string, DType>> = {
  fp16: 'float16',
  half: 'float16',
  bf16: 'bfloat16',
  fp32: 'float32',
  float: 'float32',
  fp64: 'float64',
  double: 'float64',
  int: 'int32',
  short: 'int16',
  long: 'int64',
};

export function dtypeOf(word: string): DType | null {
  return DTYPES.find((dtype) => dtype === word) ?? (Object.hasOwn(SHORT, word) ? (SHORT[word] ?? null) : null);
}

/**
 * The shape that a comment at the end of a line gives the line's value: `# (B, T, C)`, `# [B, C, H, W] float16`, and of a chain
 * of arrows the last one. Prose, and lists of numbers alone, are none.
 */
export function trailingShape(comment: string): ShapeText | null {
  const text = comment.trim().replace(/^(?:shape|size)\b\s*[:=]?\s*(?=[[(])/i, '');
  const said = text !== comment.trim();
  let shape: ShapeText | null = null;
  for (const step of text.split(/\s*(?:-+>|=+>|→)\s*/)) {
    const [whole, bracketed = ''] = /^(\[[^[\]]*\]|\([^()]*(?:\([^()]*\)[^()]*)*\))/.exec(step) ?? [];
    if (whole === undefined) return null;
    const inner = bracketed.slice(1, -1);
    const list = dimList(inner);
    const after = trailingWords(step.slice(whole.length).replace(/^\s*(?:shape\b|tensor\b)/, ''));
    if (list === null || !/^\s*(?:$|[#;.])/.test(after.rest)) return null;
    if (list.dims.length === 0 || (!said && !looksLikeShape(list.dims))) return null;
    if (list.dims.length === 1 && !list.front && bracketed.startsWith('(') && !inner.includes(',')) return null;
    shape = { ...shapeOf(list.dims, list.front), ...after.said };
  }
  return shape;
}

/**
 * The shape that a list of numbers in square brackets gives: `# [4, 128, 64]`. One that counts up, or has a 0 in it, is more
 * likely what the value holds.
 */
export function numbersAsShape(comment: string): ShapeText | null {
  const inner = /^\[\s*(\d+(?:\s*,\s*\d+)+)\s*\]$/.exec(comment.trim())?.[1];
  const list = inner === undefined ? null : dimList(inner);
  if (list === null || list.dims.length > MOST_DIMS) return null;
  const sizes = list.dims.flatMap((dim) => (dim.kind === 'int' ? [dim.value] : []));
  const countsUp = sizes.every((size, dim) => dim === 0 || size === (sizes[dim - 1] ?? 0) + 1);
  return sizes.includes(0) || countsUp ? null : shapeOf(list.dims, list.front);
}

const MOST_DIMS = 6;
