import { same as sameInt } from '../symbols/index.ts';
import { type DType, type Fault, isFault, type Layout, layoutOf, raises, unsure } from '../tensor/index.ts';
import { NONE, type Value } from '../values/value.ts';
import { refusedOut } from './autograd.ts';
import { type Call, since } from './context.ts';
import { type Bound, type Entry, same, tensorsIn } from './op.ts';
import type { OpResult, Write } from './outcome.ts';
import { cannotCast, writeAll } from './writing.ts';

interface Written {
  readonly result: OpResult | Fault;
  readonly writes: readonly Write[];
}

/** The fresh result goes into the `out=` tensor, which keeps its strides where it has the right shape and is resized where not. */
export function writeOut(entry: Entry, result: OpResult, out: Value, args: Bound, call: Call): Written {
  if (out.kind === 'tuple' && result.is === 'tuple' && out.items.length === result.items.length) {
    const pairs = result.items.map((item, i) => writeOut(entry, item, out.items[i] ?? NONE, args, call));
    const failed = pairs.find(({ result }) => isFault(result));
    const items = pairs.flatMap(({ result }) => (isFault(result) ? [] : [result]));
    return failed ?? { result: { ...result, items }, writes: pairs.flatMap(({ writes }) => writes) };
  }
  if (out.kind !== 'tensor' || result.is !== 'fresh')
    return { result: unsure('`out` is not one tensor whose layout is known'), writes: [] };
  const refused = otherDType(entry, result.dtype, out.dtype);
  if (refused !== null) return { result: refused, writes: [] };
  const tensors = [out, ...Object.values(tensorsIn(args)).filter((tensor) => tensor !== null)];
  const recorded = refusedOut(entry.signature.name, result, tensors, call.context.grad);
  if (recorded !== null) return { result: raises(recorded), writes: [] };
  const fits = sameShape(result.layout, out.layout, call);
  if (fits === undefined) return { result: unsure('the shape of `out` is not known to fit'), writes: [] };
  const target = fits ? out : { ...out, layout: resized(out.layout, result.layout) };
  const looked = entry.outSince === null || since(call, ...entry.outSince);
  const write = writeAll(target, tensorsIn(args), looked ? (entry.out ?? 'unchecked') : 'unchecked', call);
  if (isFault(write)) return { result: write, writes: [] };
  const becomes = fits ? null : { layout: target.layout, storage: { ...out.storage, nbytes: null } };
  return { result: same(out), writes: [{ ...write, target: out, becomes }] };
}

/** Structured kernels and gathers want the very dtype, fills and sums convert to any, all else must be able to cast. */
function otherDType({ signature }: Entry, from: DType | null, to: DType | null): Fault | null {
  const name = signature.name.slice(signature.name.lastIndexOf('.') + 1);
  if (from === null || to === null || from === to || CONVERTING.test(name)) return null;
  return EXACT.test(name) ? raises({ is: 'dtype-differs', what: 'out', left: to, right: from }) : cannotCast(from, to);
}

const CONVERTING = /^(sum|prod|cumsum|cumprod|arange|zeros|ones|full|empty|linspace|randperm|eye)$/;
const EXACT =
  /^((log_)?softmax|mm|bmm|matmul|addmm|index_select|gather|scatter\w*|arg(max|min)|take|masked_select|where|tri[lu]|mv|dot|cross|diag|amax|amin|inner|norm)$/;

/** `resize_output` and `as_strided_`: the strides that the op would have chosen, at the offset of the tensor. */
const resized = (from: Layout, to: Layout): Layout => layoutOf(to.shape, to.stride, from.offset);

function sameShape(a: Layout, b: Layout, { ask }: Call): boolean | undefined {
  if (a.front || b.front) return undefined;
  if (a.shape.length !== b.shape.length) return false;
  let all: boolean | undefined = true;
  for (const [d, size] of a.shape.entries()) {
    const other = b.shape[d] ?? size;
    const equal = sameInt(size, other) ? true : ask.equal(size, other);
    if (equal === false) return false;
    if (equal === undefined) all = undefined;
  }
  return all;
}
