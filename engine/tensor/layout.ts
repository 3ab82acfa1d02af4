import type { SymInt } from '../symbols/index.ts';

/**
 * Where the elements of a tensor lie: sizes, strides and storage offset, all in elements.
 *
 * `stride` and `offset` are null where they are not known. Where `front` is set the rank is not known either: `shape[0]`
 * then stands for an unknown number (0 or more) of leading dims packed into one, its size being their product, and a
 * known `stride[0]` says that those dims are packed like one contiguous block of that stride. Such a layout may only be
 * addressed by negative dims that stay behind the front; `wrapDim` sees to that.
 */
export interface Layout {
  readonly shape: readonly SymInt[];
  readonly stride: readonly SymInt[] | null;
  readonly offset: SymInt | null;
  readonly front: boolean;
}
