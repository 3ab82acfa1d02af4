/** SIGNATURES ONLY for the moment; the bodies follow under the same names. */
import type { Decisions, Facts, SymInt, Truth } from '../symbols/index.ts';
import type { DType } from './dtype.ts';
import type { Result } from './fault.ts';
import type { Layout } from './layout.ts';
import type { Tensor } from './tensor.ts';

export * from './dtype.ts';
export * from './fault.ts';
export type { Layout } from './layout.ts';
export type { Origin, Storage, Tensor } from './tensor.ts';

type Ints = readonly SymInt[];

export type MemoryFormat = 'contiguous_format' | 'channels_last' | 'channels_last_3d' | 'preserve_format';

/** `demand` hears the pairs of sizes that PyTorch needs to be equal and that were not decided; they are then taken as equal. */
export interface Demands {
  readonly demand?: ((left: SymInt, right: SymInt) => void) | undefined;
}

// layout
/** A layout whose offset is 0 unless given; `stride` null: not known. */
export declare function layoutOf(shape: Ints, stride: Ints | null, offset?: SymInt | null): Layout;
export declare function contiguous(shape: Ints): Layout;
/** The same layout, its dim 0 standing for an unknown number of packed leading dims. */
export declare function withFront(layout: Layout): Layout;
/** A 0-dim operand: what a Python scalar is to TensorIterator. */
export declare const SCALAR: Layout;
export declare function numel(layout: Layout): SymInt;
/** The number of dims; an unknown front counts as one. */
export declare function ndim(layout: Layout): number;
export declare function wrapDim(layout: Layout, dim: number, extra?: number): Result<number>;
export declare function wrapDims(layout: Layout, dims: readonly number[]): Result<number[]>;
export declare function bindFront(layout: Layout, dims: Ints): Layout;
export declare function resolve(layout: Layout, facts: Facts): Layout;

// contiguity and memory formats
export declare function contiguousStride(shape: Ints): SymInt[];
export declare function channelsLastStride(shape: Ints): SymInt[];
export declare function strideFor(shape: Ints, format: MemoryFormat): SymInt[];
export declare function isContiguous(layout: Layout, ask: Decisions): Truth;
export declare function isChannelsLast(layout: Layout, ask: Decisions): Truth;
export declare function nonOverlappingAndDense(layout: Layout, ask: Decisions): Truth;
export declare function suggestMemoryFormat(layout: Layout, ask: Decisions): MemoryFormat | undefined;
/** What `cat` of these makes: the format that all suggest, else contiguous. */
export declare function catFormat(layouts: readonly Layout[], ask: Decisions): MemoryFormat | undefined;

// fresh results; an undecided order of strides gives `stride: null`, never a fault
export declare function preserve(layout: Layout, ask: Decisions): Result<Layout>;
export declare function elementwise(layouts: readonly Layout[], ask: Decisions, options?: Demands): Result<Layout>;
export declare function broadcast(shapes: readonly Ints[], ask: Decisions, options?: Demands): Result<SymInt[]>;
export declare function broadcastLayouts(
  layouts: readonly Layout[],
  ask: Decisions,
  options?: Demands,
): Result<{ readonly shape: Ints; readonly front: boolean }>;
/** Advanced indexing: `indices` has an entry per leading dim, null where that dim is not indexed. */
export declare function indexed(
  layout: Layout,
  indices: readonly (Layout | null)[],
  ask: Decisions,
  options?: Demands,
): Result<Layout>;

// view and reshape. `front`: size[0] stands for the layout's own unknown front, kept as it is
export interface SizeOptions extends Demands {
  readonly front?: boolean | undefined;
}
export declare function inferSize(size: Ints, old: Ints, ask: Decisions, options?: Demands): Result<SymInt[]>;
export declare function computeStride(layout: Layout, shape: Ints, ask: Decisions): Result<SymInt[] | null>;
export declare function view(layout: Layout, size: Ints, ask: Decisions, options?: SizeOptions): Result<Layout>;
/** `copies` undefined: a view or a copy, it cannot be told. */
export declare function reshape(
  layout: Layout,
  size: Ints,
  ask: Decisions,
  options?: SizeOptions,
): Result<{ readonly layout: Layout; readonly copies: Truth }>;
export declare function flatten(
  layout: Layout,
  start: number,
  end: number,
  ask: Decisions,
): Result<{ readonly layout: Layout; readonly how: 'same' | 'view' | 'copy' | 'either' }>;
export declare function unflatten(
  layout: Layout,
  dim: number,
  sizes: Ints,
  ask: Decisions,
  options?: Demands,
): Result<Layout>;

// views
export declare function expand(layout: Layout, size: Ints, ask: Decisions, options?: SizeOptions): Result<Layout>;
export declare function unsqueeze(layout: Layout, dim: number): Result<Layout>;
/** `dims` null: every dim of size 1. */
export declare function squeeze(layout: Layout, dims: readonly number[] | null, ask: Decisions): Result<Layout>;
export declare function permute(layout: Layout, dims: readonly number[]): Result<Layout>;
export declare function transpose(layout: Layout, dim0: number, dim1: number): Result<Layout>;
export declare function movedim(
  layout: Layout,
  source: readonly number[],
  destination: readonly number[],
): Result<Layout>;
export declare function select(layout: Layout, dim: number, index: SymInt, ask: Decisions): Result<Layout>;
/** `start` and `end` null: not given. */
export declare function slice(
  layout: Layout,
  dim: number,
  start: SymInt | null,
  end: SymInt | null,
  step: SymInt,
  ask: Decisions,
): Result<Layout>;
export declare function narrow(
  layout: Layout,
  dim: number,
  start: SymInt,
  length: SymInt,
  ask: Decisions,
): Result<Layout>;
export declare function diagonal(
  layout: Layout,
  offset: SymInt,
  dim1: number,
  dim2: number,
  ask: Decisions,
): Result<Layout>;
export declare function unfold(layout: Layout, dim: number, size: SymInt, step: SymInt, ask: Decisions): Result<Layout>;
export declare function unbind(layout: Layout, dim: number, ask: Decisions): Result<Layout[]>;
/** Pieces of one size, the last one possibly shorter. */
export declare function split(layout: Layout, size: SymInt, dim: number, ask: Decisions): Result<Layout[]>;
export declare function splitSizes(
  layout: Layout,
  sizes: Ints,
  dim: number,
  ask: Decisions,
  options?: Demands,
): Result<Layout[]>;
export declare function chunk(layout: Layout, chunks: number, dim: number, ask: Decisions): Result<Layout[]>;
export declare function tensorSplit(layout: Layout, sections: number, dim: number, ask: Decisions): Result<Layout[]>;
/** `offset` null: the layout's own. */
export declare function asStrided(layout: Layout, shape: Ints, stride: Ints, offset: SymInt | null): Result<Layout>;
export declare function viewDtype(layout: Layout, from: DType, to: DType, ask: Decisions): Result<Layout>;
export declare function viewAsReal(layout: Layout): Layout;
export declare function viewAsComplex(layout: Layout, ask: Decisions): Result<Layout>;
/** `.real` or `.imag` of a complex tensor. */
export declare function complexPart(layout: Layout, part: 'real' | 'imag'): Layout;

// overlap
export declare function internalOverlap(layout: Layout, ask: Decisions): 'no' | 'yes' | 'hard' | undefined;
/** What the in-place guard needs to know of a tensor. */
export type Placed = Pick<Tensor, 'id' | 'layout' | 'dtype' | 'storage'>;
export declare function pairOverlap(
  a: Placed,
  b: Placed,
  ask: Decisions,
): 'full' | 'partial' | 'no' | 'hard' | undefined;

// dtypes
export declare function itemsize(dtype: DType): number;
export declare function isFloat(dtype: DType): boolean;
export declare function isComplex(dtype: DType): boolean;
/** Integers, without bool. */
export declare function isIntegral(dtype: DType): boolean;
export declare function isIntegralOrBool(dtype: DType): boolean;
export declare function complexOf(dtype: DType): DType;
export declare function realOf(dtype: DType): DType;
/** The dtype that both promote to as tensors with dims; null where PyTorch has none. */
export declare function promote(a: DType, b: DType): DType | null;
/** `dim`: a tensor with dims; `zero`: a 0-dim tensor; `scalar`: a Python number. */
export type DTypeOperand =
  | { readonly kind: 'dim' | 'zero'; readonly dtype: DType | null }
  | { readonly kind: 'scalar'; readonly dtype: 'bool' | 'int' | 'float' | 'complex' };
/** Null where a dtype that matters is not known. */
export declare function resultType(operands: readonly DTypeOperand[], defaultDType?: DType): DType | null;
/** Whether an in-place result of dtype `from` may be written into a tensor of dtype `to`. */
export declare function canCast(from: DType, to: DType): boolean;

// storage
/** Elements from the first to the last that the layout touches, the offset left out; null where not known. */
export declare function span(layout: Layout): SymInt | null;
/** Bytes of a fresh storage for this layout. */
export declare function storageNbytes(layout: Layout, dtype: DType | null): SymInt | null;
