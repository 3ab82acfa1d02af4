import { ONE, type SymInt, same, type Truth } from '../../symbols/index.ts';
import { broadcast, isFault, type Layout, preserve, type Result, raises, unsure } from '../../tensor/index.ts';
import type { Call } from '../context.ts';
import { since } from '../context.ts';
import { fresh, unstrided } from './format.ts';
import { agree, isEmpty } from './inquiry.ts';

export interface Attention {
  readonly query: Layout;
  readonly key: Layout;
  readonly value: Layout;
  /** Whether dropout happens, and whether a mask is given that requires grad. */
  readonly drops: Truth;
  readonly maskGrad: Truth;
  readonly grouped: boolean;
  /** False on a device whose kernels were not measured. */
  readonly cpu: boolean;
}

/**
 * `scaled_dot_product_attention` on CPU: the flash kernel keeps the layout of the query, the composite one is contiguous.
 * Which runs may turn on what is not known (dropout); then only the shape is.
 */
export function attention(call: Call, given: Attention): Result<Layout> {
  const { query } = given;
  const flash = takesFlash(call, given);
  const shape = attentionShape(call, given, flash);
  if (isFault(shape)) return shape;
  // Without elements the product is expanded from what it is not, and its strides are not told.
  if (shape.some((size) => isEmpty(size, call))) return unstrided(shape, query.front);
  if (flash === false) return fresh(shape, query.front);
  const kept = flash === undefined && query.stride === null ? unstrided(shape) : preserve(query, call.ask);
  if (isFault(kept)) return unstrided(shape, query.front);
  const packed = fresh(shape);
  if (flash === true || sameStrides(kept, packed)) return { ...kept, shape };
  const ways = kept.stride && packed.stride ? [kept.stride, packed.stride] : undefined;
  return { ...unstrided(shape, query.front), ...(ways ? { ways } : {}) };
}

/** The flash kernel takes as many values as it has keys, and looks at no more than those. */
function attentionShape(
  call: Call,
  { query, key, value, grouped }: Attention,
  flash: Truth,
): Result<readonly SymInt[]> {
  if (query.front || key.front || value.front) {
    const last = value.shape.at(-1);
    const alike = [key, value].every(({ front, shape }) => front && same(shape[0] ?? ONE, query.shape[0] ?? ONE));
    const batched = [key, value].every(
      ({ shape }) =>
        shape.length === query.shape.length &&
        shape.slice(1, -2).every((size, d) => same(size, query.shape[d + 1] ?? ONE)),
    );
    if (!alike || !batched || query.shape.length < 3 || last === undefined)
      return unsure('the rank of an operand of the attention is not known');
    return [...query.shape.slice(0, -1), last];
  }
  for (const [operand, what] of [
    [query, 'query'],
    [key, 'key'],
    [value, 'value'],
  ] as const)
    if (operand.shape.length < 2)
      return raises({ is: 'rank-differs', what, expected: '2 or more', got: operand.shape.length });
  // What is empty is not multiplied, and its sizes are not compared.
  const empty = [query, key, value].some(({ shape }) => shape.some((size) => isEmpty(size, call)));
  const differs = empty
    ? null
    : (agree(query.shape.at(-1) ?? ONE, key.shape.at(-1) ?? ONE, 'the last dim of key', call) ??
      (flash === false
        ? agree(key.shape.at(-2) ?? ONE, value.shape.at(-2) ?? ONE, `dim ${value.shape.length - 2} of value`, call)
        : null));
  if (differs !== null) return differs;
  const heads = grouped ? -3 : -2;
  const batch = broadcast(
    [query, key, value].map((operand) => operand.shape.slice(0, heads)),
    call.ask,
    { demand: call.demand },
  );
  if (isFault(batch)) return empty ? unsure('an operand of the attention is empty') : batch;
  return [...batch, ...query.shape.slice(heads, -1), value.shape.at(-1) ?? ONE];
}

/** `use_flash_attention_cpp` (aten/src/ATen/native/transformers/sdp_utils_cpp.cpp). */
function takesFlash(call: Call, given: Attention): Truth {
  const { ask } = call;
  const { query, key, value, drops, maskGrad, grouped } = given;
  if (query.front || key.front || value.front) return undefined;
  if (query.shape.length !== 4 || key.shape.length !== 4 || value.shape.length !== 4) return false;
  const conditions: Truth[] = [not(drops), not(maskGrad), given.cpu ? true : undefined];
  for (const operand of [query, key, value]) {
    const last = operand.stride?.at(-1);
    conditions.push(last === undefined ? undefined : ask.isOne(last));
  }
  const equal = (a: SymInt | undefined, b: SymInt | undefined): Truth =>
    a === undefined || b === undefined ? undefined : same(a, b) ? true : ask.equal(a, b);
  conditions.push(equal(query.shape[3], value.shape[3]));
  conditions.push(!isEmpty(query.shape[2] ?? ONE, call), !isEmpty(key.shape[2] ?? ONE, call));
  // What is broadcast is equal, unless it is 1.
  const broadcasts = (a: SymInt = ONE, b: SymInt = ONE): Truth =>
    a.constant === null && b.constant === null ? true : equal(a, b);
  for (const operand of [key, value]) {
    conditions.push(broadcasts(query.shape[0], operand.shape[0]));
    if (!grouped) conditions.push(broadcasts(query.shape[1], operand.shape[1]));
    else if (!since(call, 2, 13)) conditions.push(equal(query.shape[1], operand.shape[1]));
  }
  return conditions.includes(false) ? false : conditions.includes(undefined) ? undefined : true;
}

const not = (truth: Truth): Truth => (truth === undefined ? undefined : !truth);

const sameStrides = (a: Layout, b: Layout): boolean =>
  a.stride !== null &&
  b.stride !== null &&
  a.stride.length === b.stride.length &&
  a.stride.every((stride, d) => same(stride, b.stride?.[d] ?? stride));
