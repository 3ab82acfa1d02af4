import type { SymInt } from '../symbols/index.ts';
import type { DType } from '../tensor/dtype.ts';
import type { Layout } from '../tensor/layout.ts';
import type { Tensor } from '../tensor/tensor.ts';
import type { MemoryFormat, Unknown, Value } from '../values/value.ts';
import { type Parameter, parseParameter } from './parameter.ts';

export type { Parameter } from './parameter.ts';

/**
 * A Python number; one whose value is not known keeps its type (`float` with value null). Where a parameter takes nothing
 * but a number, it may be Unknown.
 */
export type Scalar = Extract<Value, { kind: 'bool' | 'int' | 'float' | 'complex' | 'unknown' }>;

/**
 * What a parameter type of a signature gives to the body. `int`, `bool`, `float`, `str` and `MemoryFormat` must be known:
 * where they are not, the call is unsure. A `SymInt` that is not known becomes a fresh symbol, a dtype stays an Unknown.
 * `any` is handed over as it is: for arguments that change nothing the engine knows (`generator`, `p`).
 * `int[2]` and `SymInt[2]` take a lone number for both. `**axes: named` gathers every other keyword.
 */
export interface Atoms {
  Tensor: Tensor;
  'Tensor[]': readonly Tensor[];
  SymInt: SymInt;
  int: number;
  bool: boolean;
  float: number;
  str: string;
  'float[]': readonly number[];
  'bool[]': readonly boolean[];
  Scalar: Scalar;
  ScalarType: DType | Unknown;
  MemoryFormat: MemoryFormat;
  any: Value;
  named: ReadonlyMap<string, Value>;
}

type TypeOf<T extends string> = T extends `${infer A} | ${infer B}`
  ? TypeOf<A> | TypeOf<B>
  : T extends `${infer A}?`
    ? TypeOf<A> | null
    : T extends keyof Atoms
      ? Atoms[T]
      : T extends `SymInt[${string}]`
        ? readonly SymInt[]
        : T extends `int[${string}]`
          ? readonly number[]
          : never;

type NameOf<N extends string> = N extends `**${infer R}` ? R : N extends `*${infer R}` ? R : N;

type Parameters<P extends string, Known = unknown> = P extends `${infer First}, ${infer Rest}`
  ? Parameters<Rest, Known & ParameterOf<First>>
  : Known & ParameterOf<P>;

type ParameterOf<P extends string> = P extends `${infer N}: ${infer T} = ${string}`
  ? { readonly [K in NameOf<N>]: TypeOf<T> }
  : P extends `${infer N}: ${infer T}`
    ? { readonly [K in NameOf<N>]: TypeOf<T> }
    : unknown;

/** The typed arguments of a signature: `{ self: Tensor; dim0: number; dim1: number }`. */
export type Arguments<S extends string> = S extends `${string}(${infer P}) -> ${string}` ? Parameters<P> : never;

/** `One` for a signature that returns one tensor, a list of them for `Tensor[]` and `(values: Tensor, indices: Tensor)`. */
export type Returned<S extends string, One> = S extends `${string}) -> ${infer R}`
  ? R extends 'Tensor'
    ? One
    : R extends 'Tensor[]' | `(${string})`
      ? readonly One[]
      : never
  : never;

/** A fresh result: its sizes alone where it is contiguous. */
export type Shaped = Layout | readonly SymInt[];

export interface Signature {
  /** As the source of the signature says; `text` is what hover shows. */
  readonly text: string;
  readonly name: string;
  readonly parameters: readonly Parameter[];
  /** How many of them may stand by position: the first ones. */
  readonly positional: number;
  /** The parameter that gathers every other keyword. */
  readonly gathers: Parameter | null;
  /** `tensor` one, `tensors` a tuple of them, `value` anything else. */
  readonly returns: 'tensor' | 'tensors' | 'value';
  /** The names of a named tuple: `values`, `indices`. */
  readonly fields: readonly string[] | null;
}

/** Reads a signature. It is our own source, so a malformed one is a programming error and throws. */
export function parseSignature(text: string): Signature {
  const match = /^([\w.]+)\((.*?)\) -> (.+)$/.exec(text);
  const [, name, list, returns] = match ?? [];
  if (name === undefined || list === undefined || returns === undefined) throw new Error(`not a signature: ${text}`);
  const parameters: Parameter[] = [];
  let keywordOnly = false;
  for (const part of list === '' ? [] : list.split(', ')) {
    if (part === '*') keywordOnly = true;
    else parameters.push(parseParameter(part, keywordOnly));
  }
  const fields = returns.startsWith('(')
    ? [...returns.matchAll(/(\w+): Tensor/g)].map(([, field]) => field ?? '')
    : null;
  return {
    text,
    name,
    parameters,
    positional: parameters.filter((parameter) => !parameter.keywordOnly).length,
    gathers: parameters.find(({ types }) => types.includes('named')) ?? null,
    returns: returns === 'Tensor' ? 'tensor' : returns === 'Tensor[]' || returns.startsWith('(') ? 'tensors' : 'value',
    fields: fields?.length ? fields : null,
  };
}
