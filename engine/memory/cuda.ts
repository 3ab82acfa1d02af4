/**
 * What a request costs in PyTorch's CUDA caching allocator. The constants are those of torch 2.13
 * (c10/core/AllocatorConfig.h: kMinBlockSize, kSmallSize, kSmallBuffer, kMinLargeAlloc, kRoundLarge, large_segment_size). They
 * cannot be confirmed on a machine without a GPU, so nothing here is tested against PyTorch.
 */
const MIB = 1024 * 1024;

/** Every block is a multiple of this many bytes. */
export const MIN_BLOCK = 512;

/** Bytes of the block that serves a request (`round_size` with default settings): at least 512, else the next multiple of it. */
export function blockBytes(nbytes: number): number {
  return Math.max(1, Math.ceil(nbytes / MIN_BLOCK)) * MIN_BLOCK;
}

/**
 * The same under `PYTORCH_CUDA_ALLOC_CONF=roundup_power2_divisions:N`: above 512 * N bytes, the next of the N steps between two
 * powers of two; a power of two stays what it is.
 */
export function blockBytesInDivisions(nbytes: number, divisions: number): number {
  if (divisions <= 1 || nbytes <= MIN_BLOCK * divisions) return blockBytes(nbytes);
  const power = 2 ** Math.floor(Math.log2(nbytes));
  if (power === nbytes) return nbytes;
  const step = power / 2 ** Math.floor(Math.log2(divisions));
  return Math.ceil(nbytes / step) * step;
}

/** Bytes that the allocator asks of CUDA where no cached segment has room for a block. */
export function segmentBytes(block: number): number {
  if (block <= MIB) return 2 * MIB;
  if (block < 10 * MIB) return 20 * MIB;
  return Math.ceil(block / (2 * MIB)) * 2 * MIB;
}

/** Bytes of the block that the request leaves unused, over the whole block. A request of 0 bytes takes no block. */
export function tailWaste(nbytes: number): number {
  return nbytes === 0 ? 0 : 1 - nbytes / blockBytes(nbytes);
}
