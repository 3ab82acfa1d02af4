/** Arithmetic on bytes. Element addresses are PyTorch's own; cache lines, CUDA blocks and headers are not visible to it. */

export type { Address } from './address.ts';
export { addressOf, payloadBytes } from './address.ts';
export { blockBytes, blockBytesInDivisions, MIN_BLOCK, segmentBytes, tailWaste } from './cuda.ts';
export { HEADERS, hostBytes } from './headers.ts';
export type { Walk } from './lines.ts';
export { LINE, reuse, shareOfLine, walk } from './lines.ts';
