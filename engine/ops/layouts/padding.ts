import { add, always, int, neg, type SymInt, sub, type Truth, ZERO } from '../../symbols/index.ts';
import {
  type Fault,
  isContiguous,
  isFault,
  type Layout,
  narrow,
  preserve,
  type Result,
  raises,
  unsure,
} from '../../tensor/index.ts';
import { type Call, since } from '../context.ts';
import { fresh, suggested, suggests, unstrided } from './format.ts';

export type PadMode = 'constant' | 'reflect' | 'replicate' | 'circular';

/**
 * `pad`, whose amounts come in pairs from the last dim on: in the memory format that the input suggests, circular padding
 * contiguous (on 1.13 all but constant padding is). Where nothing grows, PyTorch clones the narrowed input.
 */
export function pad(layout: Layout, amounts: readonly SymInt[], mode: PadMode, call: Call): Result<Layout> {
  const { facts } = call.ask;
  const known = layout.front ? layout.shape.length - 1 : layout.shape.length;
  const pairs = amounts.length / 2;
  if (!Number.isInteger(pairs))
    return raises({
      is: 'argument',
      name: 'pad',
      got: `${amounts.length} amounts`,
      expects: 'an even number of amounts',
    });
  if (pairs > known)
    return layout.front
      ? unsure('the rank of the input is not known')
      : raises({ is: 'argument', name: 'pad', got: `${amounts.length} amounts`, expects: `at most ${2 * known}` });
  if (mode !== 'constant' && !layout.front && pairs !== known - 1 && pairs !== known - 2)
    return raises({ is: 'rank-differs', what: 'input', expected: `${pairs + 1} or ${pairs + 2}`, got: known });
  const shape = layout.shape.map((size, d) => {
    const back = layout.shape.length - 1 - d;
    return back < pairs ? add(size, amounts[2 * back] ?? ZERO, amounts[2 * back + 1] ?? ZERO) : size;
  });
  const negative = shape.findIndex((size) => always('less', size, ZERO, facts) === true);
  if (negative >= 0)
    return raises({
      is: 'argument',
      name: 'pad',
      got: `a size below 0 for dim ${negative}`,
      expects: 'sizes of at least 0',
    });
  const beyond = mode === 'constant' ? null : reachesBeyond(layout, amounts, mode, call);
  if (beyond !== null) return beyond;
  if (mode === 'circular' || (mode !== 'constant' && !since(call, 2, 6))) return fresh(shape, layout.front);
  if (mode === 'constant' && amounts.every((amount) => always('less', amount, int(1), facts) === true))
    return cropped(layout, amounts, call);
  // Amounts that may all be 0, as `(-H) % 8`, may make it a clone, which has another layout unless the input is contiguous.
  const grows = amounts.some((amount) => call.ask.less(ZERO, amount) === true);
  if (mode === 'constant' && !grows && isContiguous(layout, call.ask) !== true) return unstrided(shape, layout.front);
  if (!layout.front) return suggested(layout, shape, call.ask);
  return suggests(layout, call.ask) === 'contiguous_format' ? fresh(shape, true) : unstrided(shape, true);
}

/** Reflection reaches up to the far border, circular padding as far as once around. */
function reachesBeyond(layout: Layout, amounts: readonly SymInt[], mode: PadMode, { ask }: Call): Fault | null {
  if (mode === 'replicate') return null;
  for (const [i, amount] of amounts.entries()) {
    const size = layout.shape[layout.shape.length - 1 - Math.floor(i / 2)] ?? ZERO;
    const within =
      mode === 'reflect' ? always('less', amount, size, ask.facts) : not(always('less', size, amount, ask.facts));
    if (within === false)
      return raises({
        is: 'argument',
        name: 'pad',
        got: `${amount.constant ?? 'a size'}`,
        expects: `no more than the input has for ${mode} padding`,
      });
  }
  return null;
}

const not = (truth: Truth): Truth => (truth === undefined ? undefined : !truth);

function cropped(layout: Layout, amounts: readonly SymInt[], call: Call): Result<Layout> {
  let narrowed = layout;
  for (let back = 0; back < amounts.length / 2; back++) {
    const start = neg(amounts[2 * back] ?? ZERO);
    const d = narrowed.shape.length - 1 - back;
    const end = add(narrowed.shape[d] ?? ZERO, amounts[2 * back + 1] ?? ZERO);
    const next = narrow(narrowed, -1 - back, start, sub(end, start), call.ask);
    if (isFault(next)) return next;
    narrowed = next;
  }
  return preserve(narrowed, call.ask);
}
