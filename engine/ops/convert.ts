import { int, type SymInt, symbol } from '../symbols/index.ts';
import { type Fault, unsure } from '../tensor/index.ts';
import type { Value } from '../values/value.ts';
import type { OpContext } from './context.ts';
import type { Parameter } from './signature.ts';

/** The argument that a value makes for a parameter; `mismatch` says that it is of another type. */
export type Converted = { readonly is: 'argument'; readonly argument: unknown } | Fault | { readonly is: 'mismatch' };

const MISMATCH: Converted = { is: 'mismatch' };
const argument = (value: unknown): Converted => ({ is: 'argument', argument: value });

/** Tries the types of the parameter in order. */
export function convert(value: Value, parameter: Parameter, context: OpContext): Converted {
  if (value.kind === 'none' && parameter.optional) return argument(null);
  if (value.kind === 'unknown') return convertUnknown(value.reason, value, parameter, context);
  for (const type of parameter.types) {
    const converted = convertTo(type, value, parameter.name, context);
    if (!('is' in converted) || converted.is === 'argument') return converted;
  }
  return MISMATCH;
}

function convertUnknown(
  reason: string,
  value: Value,
  { types, optional, name }: Parameter,
  context: OpContext,
): Converted {
  if (types.includes('any') || types.includes('ScalarType')) return argument(value);
  if (types.length === 1 && !optional && types[0] === 'SymInt') return argument(integerOf(value, name, context));
  if (types.length === 1 && types[0] === 'Scalar') return argument(value);
  return unsure(reason);
}

function convertTo(type: string, value: Value, name: string, context: OpContext): Converted {
  switch (type) {
    case 'any':
      return argument(value);
    case 'Tensor':
      return value.kind === 'tensor' ? argument(value) : MISMATCH;
    case 'Scalar':
      return isNumber(value) ? argument(value) : MISMATCH;
    case 'ScalarType':
      return value.kind === 'dtype' ? argument(value.value) : MISMATCH;
    case 'MemoryFormat':
      return value.kind === 'memory-format' ? argument(value.value) : MISMATCH;
    case 'SymInt':
      return toSymInt(value, name, context);
    case 'int':
      return toInt(value, name);
    case 'bool':
      return value.kind === 'bool' ? argument(value.value) : MISMATCH;
    case 'float':
      return toFloat(value, name);
    case 'str':
      return value.kind === 'str' ? argument(value.value) : MISMATCH;
    default:
      return toList(type, value, name, context);
  }
}

const isNumber = ({ kind }: Value) => kind === 'bool' || kind === 'int' || kind === 'float' || kind === 'complex';

/** The integer that a value is, or is if it is one: an unknown that has a symbol is the same size wherever it is used. */
export function integerOf(value: Value, hint: string, context: OpContext): SymInt {
  if (value.kind === 'int') return value.value;
  return value.kind === 'unknown' && value.symbol !== undefined ? symbol(value.symbol) : context.fresh(hint);
}

function toSymInt(value: Value, name: string, context: OpContext): Converted {
  if (value.kind === 'int' || value.kind === 'unknown') return argument(integerOf(value, name, context));
  if (value.kind !== 'tensor' || value.layout.shape.length > 0) return MISMATCH;
  const [element] = value.elements ?? [];
  return argument(element === undefined ? context.fresh(name) : int(element));
}

function toInt(value: Value, name: string): Converted {
  if (value.kind === 'unknown') return unsure(value.reason);
  if (value.kind === 'int')
    return value.value.constant === null ? unsure(`\`${name}\` is not a known number`) : argument(value.value.constant);
  if (value.kind !== 'tensor' || value.layout.shape.length > 0) return MISMATCH;
  const [element] = value.elements ?? [];
  return element === undefined ? unsure(`\`${name}\` is read from a tensor`) : argument(element);
}

function toFloat(value: Value, name: string): Converted {
  if (value.kind === 'int') return toInt(value, name);
  if (value.kind !== 'float') return MISMATCH;
  return value.value === null ? unsure(`\`${name}\` is not a known number`) : argument(value.value);
}

/** `SymInt[]`, `int[2]`, `Tensor[]` and the like. A lone number stands for as many as the type says. */
function toList(type: string, value: Value, name: string, context: OpContext): Converted {
  const [, element = '', count = ''] = /^(\w+)\[(\d?)\]$/.exec(type) ?? [];
  const items = itemsOf(value);
  if (items === null) {
    if (count === '' || element === 'Tensor') return MISMATCH;
    const only = convertTo(element, value, name, context);
    if (!('is' in only) || only.is === 'mismatch') return only;
    return argument(Array.from({ length: Number(count) }, () => only.argument));
  }
  const list: unknown[] = [];
  for (const item of items) {
    if (item.kind === 'unknown' && element !== 'SymInt') return unsure(item.reason);
    const converted = convertTo(element, item, name, context);
    if (!('is' in converted) || converted.is === 'mismatch') return converted;
    list.push(converted.argument);
  }
  return argument(list);
}

function itemsOf(value: Value): readonly Value[] | null {
  if (value.kind === 'tuple') return value.items;
  if (value.kind !== 'range') return null;
  const [start, stop, step] = [value.start, value.stop, value.step].map((bound: SymInt) => bound.constant);
  if (typeof start !== 'number' || typeof stop !== 'number' || typeof step !== 'number' || step === 0) return null;
  const items: Value[] = [];
  for (let i = start; step > 0 ? i < stop : i > stop; i += step) items.push({ kind: 'int', value: int(i) });
  return items;
}
