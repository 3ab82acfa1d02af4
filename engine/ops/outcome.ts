import type { Guard, SymInt } from '../symbols/index.ts';
import type { DType } from '../tensor/dtype.ts';
import type { Fault } from '../tensor/fault.ts';
import type { Layout } from '../tensor/layout.ts';
import type { Tensor } from '../tensor/tensor.ts';
import type { Value } from '../values/value.ts';

/** One result of an op, before the evaluator gives it an identity and a storage. */
export type OpResult =
  /** The very object that went in. */
  | { readonly is: 'same'; readonly of: Tensor }
  /** A new tensor over the storage of `of`. */
  | { readonly is: 'view'; readonly of: Tensor; readonly layout: Layout; readonly dtype: DType | null }
  /**
   * A new tensor over a new storage. `elements` as in Tensor. `device` and `requiresGrad` are there where the call says
   * them; else the device is that of the first tensor that went in, and grad follows the inputs.
   */
  | {
      readonly is: 'fresh';
      readonly layout: Layout;
      readonly dtype: DType | null;
      readonly elements?: readonly number[];
      readonly device?: string | null;
      readonly requiresGrad?: boolean | null;
    }
  /** A view or a copy, PyTorch alone knows: the shape is sure, the sharing is not. */
  | { readonly is: 'either'; readonly of: Tensor; readonly layout: Layout; readonly dtype: DType | null }
  /** A Python value that is no tensor (`x.dim()`, `x.tolist()`). */
  | { readonly is: 'value'; readonly value: Value }
  /**
   * `fields` names the items of a named tuple: `values`, `indices`. Fresh items are views of one new tensor of layout
   * `whole`, where that is given.
   */
  | {
      readonly is: 'tuple' | 'list';
      readonly items: readonly OpResult[];
      readonly fields?: readonly string[];
      readonly whole?: Layout;
    };

/** `self` is written. `overlap` tells how the write meets memory that several elements share. */
export interface Write {
  readonly target: Tensor;
  /** Layout and dtype that the write changes (`t_`, `resize_`, `set_`), else null: only data is written. */
  readonly becomes: { readonly layout: Layout; readonly storage: Tensor['storage'] } | null;
  /** The written elements: differs from the target's layout for `x[key] = v`. */
  readonly region: Layout;
  /** `silent`: the written region has a stride-0 dim and PyTorch does not raise. `unknown`: or that it happens is not known. */
  readonly overlap: 'none' | 'silent' | 'unknown';
}

export interface Outcome {
  readonly result: OpResult | Fault;
  /** For which sizes the outcome would be another one: it is claimed only where none of these holds. */
  readonly guards: readonly Guard[];
  readonly writes: readonly Write[];
  /** What the call demands of its inputs to succeed: these pairs of integers are equal from here on. */
  readonly demands: readonly (readonly [SymInt, SymInt])[];
}
