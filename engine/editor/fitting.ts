import type { FunctionTrace } from '../evaluator/trace.ts';
import { loneSymbol, type SymInt, same } from '../symbols/index.ts';
import { isRowMajor } from '../tensor/index.ts';

/** Whether what is passed to one analysis of a function fits what another one is passed, sizes and strides. */
export function fits(general: FunctionTrace, special: FunctionTrace): boolean {
  const sizes = new Map<string, SymInt>();
  const isFitting = (size: SymInt, by: SymInt): boolean => {
    const id = loneSymbol(size);
    if (id === null) return size.constant === null || same(size, by);
    const known = sizes.get(id) ?? by;
    sizes.set(id, known);
    return same(known, by);
  };
  return general.parameters.every(({ name, value }) => {
    if (value.kind !== 'tensor' || value.layout.front) return true;
    const other = special.parameters.find((parameter) => parameter.name === name)?.value;
    if (other?.kind !== 'tensor') return false;
    if (other.layout.front) return true;
    const { shape } = other.layout;
    return (
      shape.length === value.layout.shape.length &&
      value.layout.shape.every((size, d) => isFitting(size, shape[d] ?? size)) &&
      (!isRowMajor(value.layout) || other.layout.stride === null || isRowMajor(other.layout))
    );
  });
}
