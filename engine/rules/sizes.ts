import type { FunctionTrace } from '../evaluator/trace.ts';
import {
  abbreviate,
  formatInt,
  int,
  loneSymbol,
  mul,
  product,
  type SymInt,
  simplify,
  symbolsOf,
} from '../symbols/index.ts';
import { type DType, itemsize, type Layout, resolve } from '../tensor/index.ts';

/** An integer as this function's source would write it. */
export function written(trace: FunctionTrace, value: SymInt): string {
  return formatInt(abbreviate(simplify(value, trace.facts), trace.phrases), (id) => spoken(trace, trace.nameOf(id)));
}

/** A size of a parameter that the source has no name for: `x_1` and `x_last` are `x.shape[1]` and `x.shape[-1]`. */
export function spoken(trace: FunctionTrace, name: string): string {
  const [, of, dim] = /^(\w+)_(\d+|last)$/.exec(name) ?? [];
  const value = trace.parameters.find((parameter) => parameter.name === of)?.value;
  if (value?.kind !== 'tensor' || dim === undefined) return name;
  if (dim === 'last') return `${of}.shape[-1]`;
  return resolve(value.layout, trace.facts).front ? name : `${of}.shape[${dim}]`;
}

/** What the names in sizes stand for that are names of whole formulas: `y.shape[2]` is `(x.shape[2] - 3)//stride + 1`. */
export function spelledOut(
  trace: FunctionTrace,
  sizes: readonly SymInt[],
): readonly { readonly name: string; readonly formula: string }[] {
  const used = new Set(sizes.flatMap((size) => [...symbolsOf(abbreviate(simplify(size, trace.facts), trace.phrases))]));
  return trace.phrases.flatMap(({ value, by }) => {
    const id = loneSymbol(by);
    if (id === null || !used.has(id)) return [];
    const formula = formatInt(value, (each) => spoken(trace, trace.nameOf(each)));
    return formula.length > MOST_FORMULA ? [] : [{ name: trace.nameOf(id), formula }];
  });
}

/** A formula that is longer says nothing to a reader. */
const MOST_FORMULA = 120;

/** The same where it is a factor or an operand of a comparison: sums and quotients stand in parentheses. */
export function factor(trace: FunctionTrace, value: SymInt): string {
  const text = written(trace, value);
  return / [+-] |\/\/|%/.test(text.replace(/\(.*\)/g, '')) ? `(${text})` : text;
}

export function writtenShape(trace: FunctionTrace, shape: readonly SymInt[]): string {
  return `[${shape.map((size) => written(trace, size)).join(', ')}]`;
}

export function elements(layout: Layout): SymInt {
  return product(layout.shape);
}

/** Bytes that the elements take when packed; null where the dtype is not known. */
export function packedBytes(layout: Layout, dtype: DType | null): SymInt | null {
  return dtype === null ? null : mul(elements(layout), int(itemsize(dtype)));
}

/** Longer expressions are no help to a reader. */
export const MOST_WRITTEN = 56;

/** The elements, in the words of the dims where nothing in the source is called what is known of their product. */
function counted(trace: FunctionTrace, layout: Layout): SymInt {
  const count = simplify(elements(layout), trace.facts);
  const isSaid = (value: SymInt): boolean => [...symbolsOf(value)].every((id) => !id.startsWith('*'));
  return isSaid(count) ? count : product(layout.shape.map((size) => simplify(size, trace.facts)));
}

/** "B*T*C elements (4 bytes each)", "24 elements (96 bytes)"; "all elements" where their number takes too long to say. */
export function elementsPhrase(trace: FunctionTrace, layout: Layout, dtype: DType | null): string {
  const count = counted(trace, layout);
  if (written(trace, count).length > MOST_WRITTEN) return 'all elements';
  const noun = count.constant === 1 ? 'element' : 'elements';
  if (dtype === null) return `${written(trace, count)} ${noun}`;
  const { constant } = count;
  const size = itemsize(dtype);
  const bytes = constant === null ? `${bytesPhrase(size)} each` : bytesPhrase(constant * size);
  return `${written(trace, count)} ${noun} (${bytes})`;
}

/** The `bytes` of a finding. */
export function bytesText(trace: FunctionTrace, bytes: SymInt | null): string | null {
  return bytes === null ? null : written(trace, bytes);
}

function bytesPhrase(n: number): string {
  return n === 1 ? '1 byte' : `${n} bytes`;
}
