import { add, int, type SymInt, ZERO } from '../../symbols/index.ts';
import { isFault, type Layout, type Result, raises, unsqueeze, unsure, view, wrapDim } from '../../tensor/index.ts';
import type { Call } from '../context.ts';
import { type Format, fresh, inFormat, suggests, unstrided } from './format.ts';
import { agree, isEmpty } from './inquiry.ts';

/** `cat`: channels_last only where every input suggests it; 1-D inputs of size 0 count for nothing but that. */
export function cat(inputs: readonly Layout[], dim: number, call: Call): Result<Layout> {
  const scalar = inputs.find((input) => !input.front && input.shape.length === 0);
  if (scalar !== undefined) return raises({ is: 'rank-differs', what: 'tensors', expected: '1 or more', got: 0 });
  const live = inputs.filter((input) => !isEmptyRow(input, call));
  const [first, ...others] = live;
  if (first === undefined)
    return inputs.length === 0
      ? raises({ is: 'argument', name: 'tensors', got: '[]', expects: 'a non-empty list of tensors' })
      : fresh([ZERO]);
  const axis = wrapDim(first, dim);
  if (isFault(axis)) return axis;
  const shape: SymInt[] = [...first.shape];
  for (const other of others) {
    if (other.front !== first.front) return unsure('the rank of an input of cat is not known');
    if (other.shape.length !== first.shape.length)
      return first.front
        ? unsure('the rank of an input of cat is not known')
        : raises({
            is: 'rank-differs',
            what: 'tensors',
            expected: `${first.shape.length}`,
            got: other.shape.length,
          });
    for (const [d, size] of other.shape.entries()) {
      if (d === axis) {
        shape[d] = add(shape[d] ?? ZERO, size);
        continue;
      }
      const differs = agree(first.shape[d] ?? ZERO, size, `dim ${d} of tensors`, call);
      if (differs !== null) return differs;
    }
  }
  const format = commonFormat(inputs, call);
  if (first.front) return format === 'contiguous_format' ? fresh(shape, true) : unstrided(shape, true);
  return inFormat(shape, format);
}

const isEmptyRow = (layout: Layout, call: Call): boolean =>
  !layout.front && layout.shape.length === 1 && layout.shape.every((size) => isEmpty(size, call));

function commonFormat(inputs: readonly Layout[], { ask }: Call): Format | undefined {
  const formats = inputs.map((input) => suggests(input, ask));
  const [first] = formats;
  if (formats.includes('contiguous_format')) return 'contiguous_format';
  if (formats.includes(undefined)) return undefined;
  return formats.every((format) => format === first) ? first : 'contiguous_format';
}

/**
 * `stack`: a cat along the same dim and a view of that, so a common channels_last shows in the 5-D result; at the last
 * position a cat of unsqueezed inputs.
 */
export function stack(inputs: readonly Layout[], dim: number, call: Call): Result<Layout> {
  const [first] = inputs;
  if (first === undefined)
    return raises({ is: 'argument', name: 'tensors', got: '[]', expects: 'a non-empty list of tensors' });
  for (const other of inputs) {
    if (other.front !== first.front || (first.front && other.shape.length !== first.shape.length))
      return unsure('the rank of an input of stack is not known');
    if (other.shape.length !== first.shape.length)
      return raises({
        is: 'rank-differs',
        what: 'tensors',
        expected: `${first.shape.length}`,
        got: other.shape.length,
      });
    for (const [d, size] of other.shape.entries()) {
      const differs = agree(first.shape[d] ?? ZERO, size, `dim ${d} of tensors`, call);
      if (differs !== null) return differs;
    }
  }
  const axis = wrapDim(first, dim, 1);
  if (isFault(axis)) return axis;
  if (axis === first.shape.length || first.front) {
    const wide: Layout[] = [];
    for (const input of inputs) {
      const unsqueezed = unsqueeze(input, dim);
      if (isFault(unsqueezed)) return unsqueezed;
      wide.push(unsqueezed);
    }
    return cat(wide, axis - first.shape.length - 1, call);
  }
  const joined = cat(inputs, axis, call);
  if (isFault(joined)) return joined;
  const shape = first.shape.toSpliced(axis, 0, int(inputs.length));
  if (joined.stride === null) return unstrided(shape);
  const viewed = view(joined, shape, call.ask, { demand: call.demand });
  return isFault(viewed) ? fresh(shape) : viewed;
}
