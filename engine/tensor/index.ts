/** What a tensor is without its data: the layout, the views of it, and the layouts of fresh results. */

export { broadcast, broadcastLayouts } from './broadcast.ts';
export { isContiguous, nonOverlappingAndDense, preserve } from './contiguity.ts';
export * from './dtype.ts';
export { elementwise } from './elementwise.ts';
export * from './fault.ts';
export { indexed } from './indexing.ts';
export { inferSize } from './infer-size.ts';
export {
  contiguous,
  contiguousStride,
  isRowMajor,
  type Layout,
  layoutOf,
  ndim,
  numel,
  SCALAR,
  withFront,
  wrapDim,
  wrapDims,
} from './layout.ts';
export {
  catFormat,
  channelsLastStride,
  isChannelsLast,
  isInFormat,
  type MemoryFormat,
  strideFor,
  suggestMemoryFormat,
} from './memory-format.ts';
export { computeStride } from './merge.ts';
export { internalOverlap, type Placed, pairOverlap } from './overlap.ts';
export { canCast, type DTypeOperand, promote, resultType } from './promotion.ts';
export { type Constant, floatingLimits, holds, integerLimits } from './range.ts';
export { asStrided, complexPart, viewAsComplex, viewAsReal, viewDtype } from './reinterpret.ts';
export { type Flattened, flatten, type Reshaped, reshape, type SizeOptions, unflatten, view } from './reshape.ts';
export { bindFront, resolve } from './resolve.ts';
export type { Demands, Ints } from './sizes.ts';
export { diagonal, narrow, select, slice, unbind, unfold } from './slicing.ts';
export { chunk, split, splitSizes, tensorSplit } from './split.ts';
export { bytesNeeded, fitsStorage, span, storageNbytes } from './storage.ts';
export type { Graph, Origin, Storage, Tensor } from './tensor.ts';
export { expand, movedim, permute, squeeze, transpose, unsqueeze } from './views.ts';
