import type { SymInt } from '../symbols/index.ts';
import type { DType } from './dtype.ts';
import type { Layout } from './layout.ts';

/** Where a storage came from. `name` is what the source calls it. */
export type Origin =
  /** `loose`: what is known of its shape is what a docstring says, which may be out of date. */
  | { readonly is: 'parameter'; readonly name: string; readonly loose?: true }
  | { readonly is: 'attribute'; readonly name: string }
  | { readonly is: 'module-parameter'; readonly name: string }
  | { readonly is: 'buffer'; readonly name: string }
  | { readonly is: 'fresh'; readonly op: string }
  | { readonly is: 'numpy' }
  | { readonly is: 'file' }
  | { readonly is: 'unknown' };

/** A block of memory that tensors share. `nbytes` is null where it is not known. */
export interface Storage {
  readonly id: number;
  readonly nbytes: SymInt | null;
  readonly origin: Origin;
}

/**
 * Where a tensor stands in the graph of autograd. `leaf`: it is known that no op with a gradient computed it. `view`: what
 * autograd takes it for, which the in-place check (`check_inplace` in VariableTypeUtils.h) asks: a view of a leaf that
 * requires grad, one of the several views that one call gives, a view made under `no_grad`, any other view, or none.
 */
export interface Graph {
  readonly leaf: boolean;
  readonly view: 'of-leaf' | 'one-of-many' | 'without-grad' | 'plain' | 'none';
}

/** A tensor without its data. `id` is the identity of the Python object: two variables of one object share it. */
export interface Tensor {
  readonly kind: 'tensor';
  readonly id: number;
  readonly layout: Layout;
  readonly dtype: DType | null;
  readonly device: string | null;
  readonly requiresGrad: boolean | null;
  /** Null or absent where it is not known. */
  readonly graph?: Graph | null;
  readonly storage: Storage;
  /** The parameters whose assumed contiguity the layout rests on. */
  readonly assumes: readonly string[];
  /** The integer elements, where the tensor is a small one of known values (`torch.tensor([0, 2])`), in order. */
  readonly elements: readonly number[] | null;
}
