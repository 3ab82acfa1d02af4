import { ONE, type SymInt, ZERO } from '../../symbols/index.ts';
import {
  computeStride,
  diagonal,
  elementwise,
  type Fault,
  isFault,
  type Layout,
  movedim,
  type Result,
  raises,
  unsure,
} from '../../tensor/index.ts';
import type { Call } from '../context.ts';
import { since } from '../context.ts';
import { ELLIPSIS, type Equation, parseEquation } from './equation.ts';
import { fresh, unstrided } from './format.ts';
import { agree } from './inquiry.ts';

/** What einsum makes: one operand without a sum is a view of it, all else is new. */
export interface Einsum {
  readonly layout: Layout;
  readonly view: boolean;
}

/**
 * `einsum` (aten/src/ATen/native/Linear.cpp, 2.13): every operand is permuted to the order "output labels, then summed
 * labels sorted", missing labels being size 1, and the operands are contracted pairwise from the left (PyTorch follows
 * another path for three and more where the package opt_einsum is installed).
 */
export function einsum(text: string, operands: readonly Layout[], call: Call): Result<Einsum> {
  const equation = parseEquation(text, operands.length);
  if (isFault(equation)) return equation;
  const covered = ellipsisRank(equation, operands);
  if (isFault(covered)) return covered;
  const axes = axesOf(equation, covered.count);
  const arranged: Layout[] = [];
  for (const [index, operand] of operands.entries()) {
    const layout = arrange(operand, equation.inputs[index] ?? [], axes, covered.count, call);
    if (isFault(layout)) return layout;
    arranged.push(layout);
  }
  const kept = axes.findIndex((axis) => axis.summed);
  const outputs = kept < 0 ? axes.length : kept;
  const [only] = arranged;
  if (only !== undefined && arranged.length === 1) {
    if (outputs === axes.length) return { layout: { ...only, front: covered.packed }, view: true };
    return { layout: fresh(only.shape.slice(0, outputs), covered.packed), view: false };
  }
  const result = contractAll(arranged, outputs, call);
  if (isFault(result)) return result;
  return { layout: { ...dropSummed(result, outputs, call), front: covered.packed }, view: false };
}

interface Axis {
  readonly label: string;
  readonly summed: boolean;
}

interface Covered {
  readonly count: number;
  /** The ellipsis covers an unknown front, taken as one packed dim. */
  readonly packed: boolean;
}

function ellipsisRank({ inputs, output }: Equation, operands: readonly Layout[]): Result<Covered> {
  let count = 0;
  let packed = false;
  for (const [index, operand] of operands.entries()) {
    const labels = inputs[index] ?? [];
    const named = labels.filter((label) => label !== ELLIPSIS).length;
    const spare = operand.shape.length - named;
    if (labels.includes(ELLIPSIS)) {
      if (operand.front && (labels[0] !== ELLIPSIS || spare !== 1))
        return unsure('the rank of an operand is not known');
      if (spare < 0) return tooFew(named, operand);
      packed ||= operand.front;
      count = Math.max(count, spare);
    } else {
      if (operand.front) return unsure('the rank of an operand is not known');
      if (spare !== 0) return tooFew(named, operand);
    }
  }
  const fits = (labels: readonly string[], front: boolean) => !labels.includes(ELLIPSIS) || front;
  if (packed && (output[0] !== ELLIPSIS || !inputs.every((labels, i) => fits(labels, operands[i]?.front ?? false))))
    return unsure('the rank of an operand is not known');
  return { count, packed };
}

const tooFew = (named: number, operand: Layout): Fault =>
  raises({ is: 'rank-differs', what: 'an operand', expected: `${named}`, got: operand.shape.length });

/** The axes of the arranged operands: one per label, one per dim of the ellipsis, those of the output first. */
function axesOf({ inputs, output }: Equation, covered: number): readonly Axis[] {
  const all = new Set(inputs.flat());
  const summed = [...all].filter((label) => label !== ELLIPSIS && !output.includes(label)).sort();
  const open = (label: string) =>
    label === ELLIPSIS ? Array.from({ length: covered }, (_, i) => `${ELLIPSIS}${i}`) : [label];
  return [
    ...output.flatMap(open).map((label) => ({ label, summed: false })),
    ...(all.has(ELLIPSIS) && !output.includes(ELLIPSIS) ? open(ELLIPSIS) : []).map((label) => ({
      label,
      summed: true,
    })),
    ...summed.map((label) => ({ label, summed: true })),
  ];
}

function arrange(
  operand: Layout,
  labels: readonly string[],
  axes: readonly Axis[],
  covered: number,
  call: Call,
): Result<Layout> {
  const spare = operand.shape.length - labels.filter((label) => label !== ELLIPSIS).length;
  const names = labels.flatMap((label) =>
    label === ELLIPSIS ? Array.from({ length: spare }, (_, i) => `${ELLIPSIS}${covered - spare + i}`) : [label],
  );
  let layout = operand;
  for (let d = 0; d < names.length; d++) {
    const before = names.indexOf(names[d] ?? '');
    if (before === d) continue;
    const differs = agree(layout.shape[before] ?? ONE, layout.shape[d] ?? ONE, `label ${names[d]}`, call);
    if (differs !== null) return differs;
    const crossed = diagonal(layout, ZERO, before, d, call.ask);
    if (isFault(crossed)) return crossed;
    const moved = movedim(crossed, [-1], [before]);
    if (isFault(moved)) return moved;
    layout = moved;
    names.splice(d--, 1);
  }
  const place = axes.map((axis) => names.indexOf(axis.label));
  return {
    shape: place.map((d) => layout.shape[d] ?? ONE),
    stride: layout.stride === null ? null : place.map((d) => layout.stride?.[d] ?? ONE),
    offset: layout.offset,
    front: false,
  };
}

function contractAll(arranged: readonly Layout[], outputs: number, call: Call): Result<Layout> {
  const [first, ...others] = arranged;
  if (first === undefined) return unsure('einsum has no operands');
  const { ask } = call;
  const width = first.shape.length;
  /** How many operands still have the dim at a size other than 1. */
  const counts = Array.from(
    { length: width },
    (_, d) => arranged.filter((operand) => ask.isOne(operand.shape[d] ?? ONE) !== true).length,
  );
  let left = first;
  for (const next of others) {
    let right = next;
    const both: number[] = [];
    const sumLeft: number[] = [];
    const sumRight: number[] = [];
    for (let d = outputs; d < width; d++) {
      const wideLeft = ask.isOne(left.shape[d] ?? ONE) !== true;
      const wideRight = ask.isOne(right.shape[d] ?? ONE) !== true;
      const count = counts[d] ?? 0;
      if (wideLeft && wideRight) {
        counts[d] = count - 1;
        if (count === 2) both.push(d);
      } else if (count === 1 && (wideLeft || wideRight)) (wideLeft ? sumLeft : sumRight).push(d);
    }
    left = summedAway(left, sumLeft);
    right = summedAway(right, sumRight);
    const product = contract(left, right, both, call);
    if (isFault(product)) return product;
    left = product;
  }
  return left;
}

const summedAway = (layout: Layout, dims: readonly number[]): Layout =>
  dims.length === 0 ? layout : fresh(layout.shape.map((size, d) => (dims.includes(d) ? ONE : size)));

/** `sumproduct_pair`: a bmm of (both and kept) x (left only) x (right only), seen in the order of the axes. */
function contract(left: Layout, right: Layout, both: readonly number[], call: Call): Result<Layout> {
  const { ask } = call;
  if (both.length === 0) return elementwise([left, right], ask, { demand: call.demand });
  const shared: number[] = [];
  let leftOnly: number[] = [];
  let rightOnly: number[] = [];
  const shape: SymInt[] = [];
  let told = true;
  for (const [d, a] of left.shape.entries()) {
    const b = right.shape[d] ?? ONE;
    const oneLeft = ask.isOne(a);
    const oneRight = ask.isOne(b);
    if (oneLeft === undefined || oneRight === undefined) told = false;
    if (oneLeft !== true && oneRight !== true) {
      const differs = agree(a, b, `dim ${d} of the operands`, call);
      if (differs !== null) return differs;
    }
    shape.push(both.includes(d) ? ONE : oneLeft === true ? b : a);
    if (both.includes(d)) continue;
    (oneLeft === true ? rightOnly : oneRight === true ? leftOnly : shared).push(d);
  }
  if (!told) return unstrided(shape);
  const [firstLeft] = leftOnly;
  const lastRight = rightOnly.at(-1);
  if (since(call, 2, 13) && firstLeft !== undefined && lastRight !== undefined && lastRight < firstLeft)
    [leftOnly, rightOnly] = [rightOnly, leftOnly];
  const memory = [...shared, ...leftOnly, ...both, ...rightOnly];
  const dense = fresh(memory.map((d) => shape[d] ?? ONE));
  return { ...dense, shape, stride: shape.map((_, d) => dense.stride?.[memory.indexOf(d)] ?? ONE) };
}

/** The summed dims are of size 1 by now; a view drops them, which recomputes strides of size-1 dims. */
function dropSummed(layout: Layout, outputs: number, call: Call): Layout {
  const shape = layout.shape.slice(0, outputs);
  if (layout.stride === null || outputs === layout.shape.length) return { ...layout, shape };
  const stride = computeStride(layout, shape, call.ask);
  return { ...layout, shape, stride: isFault(stride) ? null : stride };
}
