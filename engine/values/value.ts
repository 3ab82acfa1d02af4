import type { SymInt, Truth } from '../symbols/index.ts';
import type { DType } from '../tensor/dtype.ts';
import type { Tensor } from '../tensor/tensor.ts';

/**
 * The Python values that the evaluator carries. All are frozen. Mutable Python objects (lists, dicts, instances) are a
 * `ref` into the evaluator's heap, which says what they hold just now.
 */
export type Value =
  | Unknown
  | Tensor
  | { readonly kind: 'none' }
  | { readonly kind: 'ellipsis' }
  | { readonly kind: 'bool'; readonly value: boolean }
  | { readonly kind: 'int'; readonly value: SymInt }
  | { readonly kind: 'float'; readonly value: number | null }
  | { readonly kind: 'complex' }
  | { readonly kind: 'str'; readonly value: string }
  | { readonly kind: 'dtype'; readonly value: DType }
  | { readonly kind: 'device'; readonly value: string | null }
  | { readonly kind: 'memory-format'; readonly value: MemoryFormat }
  /** `torch.autocast(…)`, a context manager. */
  | { readonly kind: 'autocast'; readonly region: Autocast }
  /**
   * A tuple or a `torch.Size`. A `front` stands for an unknown number of further ints before `items`, whose product it is:
   * the leading sizes of a tensor of unknown rank. `fields` names the items of a named tuple: `values`, `indices`.
   */
  | {
      readonly kind: 'tuple';
      readonly items: readonly Value[];
      readonly front?: SymInt;
      readonly fields?: readonly string[];
    }
  | { readonly kind: 'slice'; readonly start: Value; readonly stop: Value; readonly step: Value }
  | { readonly kind: 'range'; readonly start: SymInt; readonly stop: SymInt; readonly step: SymInt }
  /** A list, dict, set, instance or iterator on the heap. */
  | { readonly kind: 'ref'; readonly ref: number }
  /** A function, class or constant of torch or another library that the engine models, by its qualified name. */
  | { readonly kind: 'torch'; readonly name: string }
  /** One of a few values, after a branch that could not be decided. */
  | { readonly kind: 'either'; readonly options: readonly Value[] }
  /** A function, class, bound method or module of the analysed program; the evaluator knows what `id` stands for. */
  | { readonly kind: 'program'; readonly what: 'function' | 'class' | 'method' | 'module'; readonly id: number };

/**
 * What `torch.autocast` does to the ops on one type of device: whether it is on, and in which dtype they then run. A
 * device or dtype that is not known is null.
 */
export interface Autocast {
  readonly device: string | null;
  readonly on: Truth;
  readonly dtype: DType | null;
}

export type MemoryFormat = 'contiguous_format' | 'channels_last' | 'channels_last_3d' | 'preserve_format';

/**
 * `reason` completes "unknown because …": "parameter `x` has no known shape". `symbol` names the integer that it is if it
 * is one, so that `config.hidden_size` is the same size wherever it is used.
 */
export interface Unknown {
  readonly kind: 'unknown';
  readonly reason: string;
  readonly symbol?: string;
}

export const NONE: Value = { kind: 'none' };
export const unknown = (reason: string): Unknown => ({ kind: 'unknown', reason });
export const intValue = (value: SymInt): Value => ({ kind: 'int', value });
export const boolValue = (value: boolean): Value => ({ kind: 'bool', value });
export const tupleOf = (items: readonly Value[]): Value => ({ kind: 'tuple', items });
