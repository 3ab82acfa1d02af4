import { ONE } from '../symbols/index.ts';
import { tupleOf, type Value } from '../values/value.ts';
import { type Converter, converterOf } from './convert.ts';
import { readLiteral } from './literal.ts';

export interface Parameter {
  readonly name: string;
  readonly types: readonly string[];
  readonly optional: boolean;
  /** The default as the signature writes it, null where the argument is required. */
  readonly default: string | null;
  readonly keywordOnly: boolean;
  /** `*tensors: Tensor[]` */
  readonly variadic: boolean;
  /** `SymInt[]` or `int[]`, of any length. */
  readonly isSizes: boolean;
  readonly convert: Converter;
  /** The argument, or a Refusal, that the default makes; undefined where there is none. */
  readonly fallback: unknown;
}

const TYPE =
  /^(Tensor|Tensor\[\]|SymInt|int|(SymInt|int)\[\d?\]|bool|bool\[\]|float|float\[\]|str|Scalar|ScalarType|MemoryFormat|any|named)$/;

/** Reads `name: Type = default`. It is our own source, so a malformed one is a programming error and throws. */
export function parseParameter(part: string, keywordOnly: boolean): Parameter {
  const [, star, name, annotation, fallback] = /^(\*{0,2})(\w+): (.*?)(?: = (.*))?$/.exec(part) ?? [];
  if (name === undefined || annotation === undefined) throw new Error(`not a parameter: ${part}`);
  const types = annotation.split(' | ').map((type) => type.replace(/\?$/, ''));
  const unknownType = types.find((type) => !TYPE.test(type));
  if (unknownType !== undefined) throw new Error(`no such type: ${unknownType} in ${part}`);
  const optional = annotation.includes('?');
  const variadic = star === '*';
  const convert = converterOf(name, types, optional);
  const value = variadic ? tupleOf([]) : fallback === undefined ? null : defaultOf(fallback);
  return {
    name,
    types,
    optional,
    default: fallback ?? null,
    keywordOnly: keywordOnly || star === '**',
    variadic,
    isSizes: types.some((type) => type === 'SymInt[]' || type === 'int[]'),
    convert,
    fallback: value === null ? undefined : convert(value, { fresh: () => ONE }),
  };
}

const defaults = new Map<string, Value>();

function defaultOf(text: string): Value {
  const known = defaults.get(text);
  if (known !== undefined) return known;
  const value = readLiteral(text);
  if (value === null) throw new Error(`not a default: ${text}`);
  defaults.set(text, value);
  return value;
}
