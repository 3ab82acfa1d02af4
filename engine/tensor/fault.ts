import type { SymInt } from '../symbols/index.ts';
import type { DType } from './dtype.ts';
import type { Graph } from './tensor.ts';

/**
 * Why PyTorch rejects a call, as facts; rules put them into words. Sizes and strides are in elements, dims counted from 0.
 */
export type Cause =
  /** A view over dims `dim` and `dim + 1` of the input, whose strides do not merge: `stride` is not `expected`. */
  | {
      readonly is: 'dims-do-not-merge';
      readonly dim: number;
      readonly stride: SymInt;
      readonly expected: SymInt;
      readonly size: SymInt;
    }
  | { readonly is: 'numel-differs'; readonly from: SymInt; readonly to: readonly SymInt[] }
  /** Two sizes that must be equal (or, where `broadcast`, one of them 1). `what` names the place: "dim 1 of mat1". */
  | {
      readonly is: 'size-differs';
      readonly what: string;
      readonly left: SymInt;
      readonly right: SymInt;
      readonly broadcast: boolean;
    }
  | { readonly is: 'rank-differs'; readonly what: string; readonly expected: string; readonly got: number }
  | { readonly is: 'dim-out-of-range'; readonly dim: number; readonly ndim: number }
  | { readonly is: 'index-out-of-range'; readonly index: SymInt; readonly dim: number; readonly size: SymInt }
  | { readonly is: 'dtype-differs'; readonly what: string; readonly left: DType; readonly right: DType }
  | { readonly is: 'cannot-cast'; readonly from: DType; readonly to: DType }
  /** Several elements of the written tensor share memory: dim `dim` has stride 0. */
  | { readonly is: 'internal-overlap'; readonly dim: number; readonly size: SymInt }
  /** The written tensor and an input overlap in part. */
  | { readonly is: 'partial-overlap'; readonly input: string }
  /** Autograd rejects a write to a tensor that requires grad; what the tensor is to autograd says why. */
  | { readonly is: 'grad-write'; readonly of: 'leaf' | Exclude<Graph['view'], 'plain' | 'none'> }
  | { readonly is: 'last-stride'; readonly stride: SymInt; readonly expected: SymInt }
  | { readonly is: 'out-of-storage'; readonly needs: SymInt; readonly has: SymInt }
  /** A number that the dtype cannot hold; written as Python does. */
  | { readonly is: 'number-overflows'; readonly name: string; readonly number: string; readonly dtype: DType }
  /** Any other rejected argument; `expects` completes "expects …", as "a step above 0". */
  | {
      readonly is: 'argument';
      readonly name: string;
      readonly got: string;
      readonly expects: string;
      /** The call fits no signature; what Python would convert on the way is not looked at. */
      readonly signature?: true;
    };

/** PyTorch raises. */
export interface Raises {
  readonly fault: 'raises';
  readonly cause: Cause;
}

/** What PyTorch does cannot be told; `reason` completes "unknown because …". */
export interface Unsure {
  readonly fault: 'unsure';
  readonly reason: string;
}

export type Fault = Raises | Unsure;

/** Every layout function returns its value or a fault, and never throws. */
export type Result<T> = T | Fault;

/** Classes, so that a fault is told from any other value at one look: each step of each op asks. */
abstract class Failure {}

class Raised extends Failure implements Raises {
  readonly fault = 'raises';
  readonly cause: Cause;

  constructor(cause: Cause) {
    super();
    this.cause = cause;
  }
}

class Unknown extends Failure implements Unsure {
  readonly fault = 'unsure';
  readonly reason: string;

  constructor(reason: string) {
    super();
    this.reason = reason;
  }
}

export const raises = (cause: Cause): Raises => new Raised(cause);
export const unsure = (reason: string): Unsure => new Unknown(reason);

export const isFault = (value: unknown): value is Fault => value instanceof Failure;

/** The next step of a computation that may have failed before. */
export function chain<A, B>(result: Result<A>, next: (value: A) => Result<B>): Result<B> {
  return isFault(result) ? result : next(result);
}
