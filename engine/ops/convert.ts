import { int, type SymInt, symbol } from '../symbols/index.ts';
import { type Fault, isFault, unsure } from '../tensor/index.ts';
import type { Value } from '../values/value.ts';
import type { OpContext } from './context.ts';

/** Makes of a value the argument for one parameter, or says with a Refusal why it makes none. */
export type Converter = (value: Value, context: Fresh) => unknown;

/** All that an argument may need of the place of the call. */
type Fresh = Pick<OpContext, 'fresh'>;

/** MISMATCH: the value is of another type. */
export type Refusal = Fault | typeof MISMATCH;

export const MISMATCH = Object.freeze({ fault: 'mismatch' });

export const isRefusal = (converted: unknown): converted is Refusal => converted === MISMATCH || isFault(converted);

/** Tries the types of the parameter in order. */
export function converterOf(name: string, types: readonly string[], optional: boolean): Converter {
  const readers = types.map((type) => readerOf(type, name));
  const ofUnknown = unknownReader(name, types, optional);
  const [only, another] = readers;
  const read = only !== undefined && another === undefined ? only : firstOf(readers);
  return (value, context) => {
    if (value.kind === 'unknown') return ofUnknown(value, context);
    return optional && value.kind === 'none' ? null : read(value, context);
  };
}

const firstOf =
  (readers: readonly Converter[]): Converter =>
  (value, context) => {
    for (const read of readers) {
      const converted = read(value, context);
      if (converted !== MISMATCH) return converted;
    }
    return MISMATCH;
  };

type UnknownValue = Extract<Value, { kind: 'unknown' }>;

function unknownReader(
  name: string,
  types: readonly string[],
  optional: boolean,
): (value: UnknownValue, context: Fresh) => unknown {
  if (types.includes('any') || types.includes('ScalarType')) return (value) => value;
  if (types.length === 1 && !optional && types[0] === 'SymInt')
    return (value, context) => integerOf(value, name, context);
  if (types.length === 1 && types[0] === 'Scalar') return (value) => value;
  return ({ reason }) => unsure(reason);
}

/** The converter of one type; `name` is that of the parameter. */
function readerOf(type: string, name: string): Converter {
  switch (type) {
    case 'any':
      return (value) => value;
    case 'Tensor':
      return (value) => (value.kind === 'tensor' ? value : MISMATCH);
    case 'Scalar':
      return (value) => (isNumber(value) ? value : MISMATCH);
    case 'ScalarType':
      return (value) => (value.kind === 'dtype' ? value.value : MISMATCH);
    case 'MemoryFormat':
      return (value) => (value.kind === 'memory-format' ? value.value : MISMATCH);
    case 'SymInt':
      return (value, context) => toSymInt(value, name, context);
    case 'int':
      return (value) => toInt(value, name);
    case 'bool':
      return (value) => (value.kind === 'bool' ? value.value : MISMATCH);
    case 'float':
      return (value) => toFloat(value, name);
    case 'str':
      return (value) => (value.kind === 'str' ? value.value : MISMATCH);
    default:
      return listReader(type, name);
  }
}

const isNumber = ({ kind }: Value) => kind === 'bool' || kind === 'int' || kind === 'float' || kind === 'complex';

/** The integer that a value is, or is if it is one: an unknown that has a symbol is the same size wherever it is used. */
export function integerOf(value: Value, hint: string, context: Fresh): SymInt {
  if (value.kind === 'int') return value.value;
  return value.kind === 'unknown' && value.symbol !== undefined ? symbol(value.symbol) : context.fresh(hint);
}

function toSymInt(value: Value, name: string, context: Fresh): SymInt | Refusal {
  if (value.kind === 'int' || value.kind === 'unknown') return integerOf(value, name, context);
  if (value.kind !== 'tensor' || value.layout.shape.length > 0) return MISMATCH;
  const [element] = value.elements ?? [];
  return element === undefined ? context.fresh(name) : int(element);
}

function toInt(value: Value, name: string): number | Refusal {
  if (value.kind === 'int') return value.value.constant ?? unsure(`\`${name}\` is not a known number`);
  if (value.kind === 'unknown') return unsure(value.reason);
  if (value.kind !== 'tensor' || value.layout.shape.length > 0) return MISMATCH;
  const [element] = value.elements ?? [];
  return element ?? unsure(`\`${name}\` is read from a tensor`);
}

function toFloat(value: Value, name: string): number | Refusal {
  if (value.kind === 'int') return toInt(value, name);
  if (value.kind !== 'float') return MISMATCH;
  return value.value ?? unsure(`\`${name}\` is not a known number`);
}

/** `SymInt[]`, `int[2]`, `Tensor[]` and the like. A lone number stands for as many as the type says. */
function listReader(type: string, name: string): Converter {
  const [, element = '', digits = ''] = /^(\w+)\[(\d?)\]$/.exec(type) ?? [];
  if (element === '') return () => MISMATCH;
  const read = readerOf(element, name);
  const repeats = digits !== '' && element !== 'Tensor';
  const count = Number(digits);
  return (value, context) => {
    const items = itemsOf(value);
    if (items !== null) return converted(items, read, element === 'SymInt', context);
    if (!repeats) return MISMATCH;
    const only = read(value, context);
    return isRefusal(only) ? only : new Array<unknown>(count).fill(only);
  };
}

function converted(items: readonly Value[], read: Converter, sizes: boolean, context: Fresh): unknown {
  const list: unknown[] = new Array(items.length);
  for (let i = 0; i < items.length; i++) {
    const item = items[i];
    if (item === undefined) continue;
    if (item.kind === 'unknown' && !sizes) return unsure(item.reason);
    // By far the most lists are of sizes.
    const argument = sizes && item.kind === 'int' ? item.value : read(item, context);
    if (isRefusal(argument)) return argument;
    list[i] = argument;
  }
  return list;
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
