import { add, always, floorDiv, formatInt, int, mul, ONE, type SymInt, sub, ZERO } from '../../symbols/index.ts';
import {
  type DType,
  type Fault,
  isContiguous,
  isFault,
  type Layout,
  type Result,
  raises,
  squeeze,
  unsqueeze,
  unsure,
} from '../../tensor/index.ts';
import { type Format, fresh, inFormat, suggests, unstrided } from './format.ts';
import { agree, type Inquiry, isEmpty } from './inquiry.ts';
import { outOfBounds } from './windows.ts';

export interface Convolution {
  /** 1, 2 or 3. */
  readonly spatial: number;
  readonly stride: readonly SymInt[];
  readonly padding: readonly SymInt[] | 'same' | 'valid';
  readonly dilation: readonly SymInt[];
  readonly groups: SymInt;
  /** Set for a transposed convolution. */
  readonly outputPadding: readonly SymInt[] | null;
  readonly dtype: DType | null;
}

/** One entry per spatial dim: PyTorch takes a single number for all of them. */
export function spread(values: readonly SymInt[], count: number): readonly SymInt[] {
  const [only] = values;
  return values.length === 1 && only !== undefined ? new Array<SymInt>(count).fill(only) : values;
}

const at = (values: readonly SymInt[], index: number, otherwise: SymInt): SymInt => values[index] ?? otherwise;

/**
 * Convolution on CPU. The result is channels_last where input or weight suggests it. 1-D runs as 2-D of height 1 over a
 * contiguous input, and an input without a batch as a batch of one.
 */
export function convolution(input: Layout, weight: Layout, conv: Convolution, inquiry: Inquiry): Result<Layout> {
  if (input.front) return unsure('the rank of the input is not known');
  if (weight.front) return unsure('the rank of the weight is not known');
  const { spatial } = conv;
  if (weight.shape.length !== spatial + 2)
    return raises({ is: 'rank-differs', what: 'weight', expected: `${spatial + 2}`, got: weight.shape.length });
  if (input.shape.length === spatial + 1) {
    const batched = unsqueeze(input, 0);
    if (isFault(batched)) return batched;
    const result = convolution(batched, weight, conv, inquiry);
    return isFault(result) ? result : squeeze(result, [0], inquiry.ask);
  }
  if (input.shape.length !== spatial + 2)
    return raises({
      is: 'rank-differs',
      what: 'input',
      expected: `${spatial + 1} or ${spatial + 2}`,
      got: input.shape.length,
    });
  const shape = convolutionShape(input, weight, conv, inquiry);
  if (isFault(shape)) return shape;
  // Without elements no kernel is asked for a layout: the sizes are a view of a product that has those of the input.
  if (input.shape.some((size) => isEmpty(size, inquiry))) return ofNothing(input, shape, inquiry);
  if (spatial !== 1) return inFormat(shape, convolutionFormat(input, weight, conv, inquiry));
  return convolutionOfRows(input, weight, shape, inquiry);
}

function ofNothing(input: Layout, shape: readonly SymInt[], inquiry: Inquiry): Layout {
  const flat = isEmpty(input.shape[1] ?? ONE, inquiry);
  const alike = input.shape.every((size, d) => size.key === shape[d]?.key);
  return alike && !flat ? unstrided(shape) : fresh(shape);
}

function convolutionOfRows(input: Layout, weight: Layout, shape: readonly SymInt[], inquiry: Inquiry): Result<Layout> {
  const packed = isContiguous(input, inquiry.ask);
  // A row of one element may have any stride, where it is kept as it is.
  if (packed === undefined && input.shape.some((size) => inquiry.ask.isOne(size) !== false)) return unstrided(shape);
  const dense = packed === true ? input : fresh(input.shape);
  const tall = unsqueeze(dense, 2);
  if (isFault(tall)) return tall;
  const kernel = unsqueeze(weight, 2);
  if (isFault(kernel)) return kernel;
  const [batch = ONE, channels = ONE, length = ONE] = shape;
  const format = either(suggests(tall, inquiry.ask), suggests(kernel, inquiry.ask));
  return squeeze(inFormat([batch, channels, ONE, length], format), [2], inquiry.ask);
}

function convolutionFormat(input: Layout, weight: Layout, conv: Convolution, inquiry: Inquiry): Format | undefined {
  const format = either(suggests(input, inquiry.ask), suggests(weight, inquiry.ask));
  if (conv.spatial !== 3 || format === 'contiguous_format') return format;
  const mkldnn = usesMkldnn(input, weight, conv, inquiry);
  return mkldnn === undefined ? undefined : mkldnn ? format : 'contiguous_format';
}

function either(input: Format | undefined, weight: Format | undefined): Format | undefined {
  if (input !== undefined && input !== 'contiguous_format') return input;
  if (weight !== undefined && weight !== 'contiguous_format') return weight;
  return input === undefined || weight === undefined ? undefined : 'contiguous_format';
}

/** `ConvParams::use_mkldnn` (aten/src/ATen/native/Convolution.cpp, 2.13): only oneDNN keeps channels_last_3d. */
function usesMkldnn(input: Layout, weight: Layout, conv: Convolution, { ask, demand }: Inquiry): boolean | undefined {
  if (conv.dtype === null || conv.dtype === 'float16' || conv.dtype === 'bfloat16') return undefined;
  if (conv.dtype !== 'float32') return false;
  const large = usesMkldnnOfMany(input, weight, conv, { ask, demand });
  if (large !== true) return large;
  // Filters of one row and column are left to other kernels where there is a single thread.
  const { stride, dilation } = conv;
  const wide = weight.shape.slice(-2).some((size) => ask.isOne(size) === false);
  const steps = [...stride, ...dilation].some((step) => always('equal', step, ONE, ask.facts) === false);
  return wide || steps || always('less', input.shape[0] ?? ONE, int(16), ask.facts) === false ? true : undefined;
}

function usesMkldnnOfMany(input: Layout, weight: Layout, conv: Convolution, { ask }: Inquiry): boolean | undefined {
  const one = ask.isOne(conv.groups);
  if (one !== true) return one === undefined ? undefined : true;
  const kernel = weight.shape.slice(-2).map((size) => ask.less(int(3), size));
  if (kernel.every((above) => above === true)) return true;
  const [batch = ONE] = input.shape;
  const single = ask.isOne(batch);
  if (single === false) return true;
  if (single === undefined) return undefined;
  return ask.less(
    int(20480),
    input.shape.slice(0, 4).reduce((a, b) => mul(a, b), ONE),
  );
}

/** Of no channels come none, however many filters there are. */
function convolutionShape(
  input: Layout,
  weight: Layout,
  conv: Convolution,
  inquiry: Inquiry,
): Result<readonly SymInt[]> {
  const [batch = ONE, channels = ONE, ...sizes] = input.shape;
  const [first = ONE, second = ONE, ...kernel] = weight.shape;
  const { spatial, groups, outputPadding } = conv;
  const wrong =
    outOfBounds('stride', conv.stride, spatial, 1) ??
    (typeof conv.padding === 'string' ? null : outOfBounds('padding', conv.padding, spatial, 0)) ??
    outOfBounds('dilation', conv.dilation, spatial, 1) ??
    (outputPadding === null ? null : outOfBounds('output_padding', outputPadding, spatial, 0)) ??
    outOfBounds('groups', [groups], 1, 1) ??
    outOfBounds('kernel_size', kernel, spatial, 1) ??
    undivided(first, groups);
  if (wrong !== null) return wrong;
  const expected = outputPadding === null ? mul(second, groups) : first;
  const differs = agree(channels, expected, 'dim 1 of input', inquiry);
  if (differs !== null) return differs;
  const stride = spread(conv.stride, spatial);
  const dilation = spread(conv.dilation, spatial);
  const padding = typeof conv.padding === 'string' ? conv.padding : spread(conv.padding, spatial);
  const out: SymInt[] = [];
  for (const [d, size] of sizes.entries()) {
    const step = at(stride, d, ONE);
    const reach = mul(at(dilation, d, ONE), sub(at(kernel, d, ONE), ONE));
    if (padding === 'same') {
      if (always('equal', step, ONE, inquiry.ask.facts) === false) return strided(step);
      out.push(size);
      continue;
    }
    const both = padding === 'valid' ? int(0) : mul(int(2), at(padding, d, int(0)));
    if (outputPadding !== null) {
      const extra = at(spread(outputPadding, spatial), d, int(0));
      const largest = [step, at(dilation, d, ONE)].every(
        (by) => always('less', extra, by, inquiry.ask.facts) === false,
      );
      if (largest) return paddedTooFar(extra);
      const grown = add(mul(sub(size, ONE), step), reach, extra, ONE);
      out.push(sub(grown, both));
      continue;
    }
    const padded = add(size, both);
    if (always('less', padded, add(reach, ONE), inquiry.ask.facts) === true) return kernelTooLarge(reach, padded);
    out.push(add(floorDiv(sub(sub(padded, reach), ONE), step), ONE));
  }
  const filters = outputPadding === null ? first : mul(second, groups);
  // An input without channels has a result without.
  if (channels.constant === null) inquiry.ask.leaveOut({ relation: 'equal', left: channels, right: ZERO });
  return [batch, isEmpty(channels, inquiry) ? ZERO : filters, ...out];
}

/** The weight's first dim is parted among the groups, and none goes without. */
function undivided(first: SymInt, groups: SymInt): Fault | null {
  const [have, parts] = [first.constant, groups.constant];
  return have !== null && parts !== null && (have < parts || have % parts !== 0)
    ? raises({ is: 'argument', name: 'weight', got: `${have} in dim 0`, expects: `a multiple of groups, ${parts}` })
    : null;
}

const plain = (size: SymInt) => formatInt(size, (id) => id);

const paddedTooFar = (extra: SymInt): Fault =>
  raises({
    is: 'argument',
    name: 'output_padding',
    got: plain(extra),
    expects: 'less than the stride or the dilation',
  });

const strided = (step: SymInt): Fault =>
  raises({ is: 'argument', name: 'stride', got: plain(step), expects: "a stride of 1 with padding='same'" });

const kernelTooLarge = (reach: SymInt, padded: SymInt): Fault =>
  raises({
    is: 'argument',
    name: 'kernel_size',
    got: plain(add(reach, ONE)),
    expects: `a kernel no larger than the padded input, ${plain(padded)}`,
  });
