import { int, type SymInt } from '../../symbols/index.ts';
import {
  contiguous,
  type Fault,
  isFault,
  isIntegralOrBool,
  type Layout,
  type Result,
  raises,
  unsure,
} from '../../tensor/index.ts';
import type { Value } from '../../values/value.ts';
import { type Call, since } from '../context.ts';
import { readNested } from '../families/literals.ts';

/** An index tensor: what `x[index]` needs to know of it. Elements, where known, are checked against the size. */
export interface Index {
  readonly layout: Layout;
  readonly elements: readonly number[] | null;
}

/** One part of a key, in the order of the dims. */
export type Part =
  | { readonly is: 'int'; readonly index: SymInt }
  | { readonly is: 'slice'; readonly start: Value; readonly stop: Value; readonly step: Value }
  | { readonly is: 'none' }
  | { readonly is: 'ellipsis' }
  /** True and False add a dim of size 1 and take all or nothing of it. */
  | { readonly is: 'flag'; readonly value: boolean }
  | { readonly is: 'index'; readonly index: Index }
  /** A mask takes as many dims as it has; `count` of its elements are true, null where that is not known. */
  | { readonly is: 'mask'; readonly shape: readonly SymInt[]; readonly count: number | null };

/** The dims of the indexed tensor that a part takes. */
export function dimsOf(part: Part): number {
  if (part.is === 'mask') return part.shape.length;
  return part.is === 'int' || part.is === 'slice' || part.is === 'index' ? 1 : 0;
}

/**
 * Reads a key. At the top a tuple is Python's tuple of parts; a list, or a tuple within it, is an index given by its
 * elements, so that a key that is a list comes as a tuple of that one part.
 */
export function readKey(key: Value, call: Call): Result<readonly Part[]> {
  const values = partsOf(key);
  const parts: Part[] = new Array(values.length);
  for (let i = 0; i < values.length; i++) {
    const value = values[i];
    if (value === undefined) continue;
    const part = readPart(value, call);
    if (isFault(part)) return part;
    parts[i] = part;
  }
  return parts;
}

/** `treatSequenceAsTuple`: a list that holds more than numbers is the tuple of what it holds. */
function partsOf(key: Value): readonly Value[] {
  if (key.kind !== 'tuple') return [key];
  const [only] = key.items;
  const spread = key.items.length === 1 && only?.kind === 'tuple' && only.items.some(({ kind }) => SPREADS.has(kind));
  return spread ? only.items : key.items;
}

const SPREADS: ReadonlySet<Value['kind']> = new Set(['tuple', 'tensor', 'slice', 'none', 'ellipsis']);

function readPart(value: Value, call: Call): Result<Part> {
  switch (value.kind) {
    case 'int':
      return { is: 'int', index: value.value };
    case 'slice':
      return { is: 'slice', start: value.start, stop: value.stop, step: value.step };
    case 'none':
    case 'ellipsis':
      return { is: value.kind };
    case 'bool':
      return { is: 'flag', value: value.value };
    case 'tensor':
      return readTensor(value, call);
    case 'tuple':
      return readList(value);
    case 'range':
      return readRange(value);
    case 'unknown':
      return unsure(value.reason);
    // An object may be an index (`__index__`), hold one (an array) or be a list of them. A string says rather that
    // what is indexed is no tensor but a mapping.
    case 'str':
    case 'ref':
    case 'torch':
    case 'program':
    case 'either':
      return unsure('what the index is cannot be told');
    default:
      return raises({ is: 'argument', name: 'index', got: `a ${value.kind}`, expects: 'an integer, slice or tensor' });
  }
}

function readTensor(tensor: Extract<Value, { kind: 'tensor' }>, call: Call): Result<Part> {
  const { dtype, layout, elements } = tensor;
  if (dtype === null) return unsure('the index may be a mask: its dtype is not known');
  if (layout.front) return unsure('the rank of the index is not known');
  if (dtype === 'bool' || dtype === 'uint8')
    return {
      is: 'mask',
      shape: layout.shape,
      count: elements === null ? null : elements.filter((value) => value !== 0).length,
    };
  if (dtype !== 'int64' && (dtype !== 'int32' || !since(call, 2, 6))) return notAnIndex(dtype);
  const [only] = elements ?? [];
  if (layout.shape.length > 0) return { is: 'index', index: { layout, elements } };
  return only === undefined ? unsure('the index is read from a tensor') : { is: 'int', index: int(only) };
}

const notAnIndex = (dtype: string): Fault =>
  raises({ is: 'argument', name: 'index', got: dtype, expects: 'an integer or bool tensor' });

function readList(value: Value): Result<Part> {
  const nested = readNested(value);
  if (isFault(nested)) return nested;
  const { dtype, shape, elements } = nested;
  const layout = contiguous(shape.map(int));
  if (shape[0] === 0) return { is: 'index', index: { layout, elements: [] } };
  if (dtype === 'bool')
    return { is: 'mask', shape: layout.shape, count: elements?.filter((element) => element !== 0).length ?? null };
  // A list of floats is let through, as no tensor of floats is.
  return dtype !== null && isIntegralOrBool(dtype)
    ? { is: 'index', index: { layout, elements } }
    : unsure('what the list holds is not known');
}

function readRange({ start, stop, step }: Extract<Value, { kind: 'range' }>): Result<Part> {
  if (start.constant === null || stop.constant === null || step.constant === null)
    return unsure('the range is not known');
  const elements: number[] = [];
  for (let i = start.constant; step.constant > 0 ? i < stop.constant : i > stop.constant; i += step.constant)
    elements.push(i);
  return { is: 'index', index: { layout: contiguous([int(elements.length)]), elements } };
}
