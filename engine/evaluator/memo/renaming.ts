import type { SymInt } from '../../symbols/index.ts';
import type { Storage, Tensor } from '../../tensor/tensor.ts';
import type { Value } from '../../values/value.ts';
import type { HeapObject } from '../state/heap.ts';

/** What becomes of all that an analysis numbers where a value is carried from one call to another. */
export interface Renaming {
  symbol(id: string): string;
  int(value: SymInt): SymInt;
  ref(ref: number): number;
  tensor(id: number): number;
  /** The number of a storage. */
  block(id: number): number;
  storage(storage: Storage): Storage;
  program(value: Program): Value;
}

type Program = Extract<Value, { kind: 'program' }>;

export function renameValue(value: Value, by: Renaming): Value {
  switch (value.kind) {
    case 'tensor':
      return renameTensor(value, by);
    case 'int':
      return value.value.constant !== null ? value : { kind: 'int', value: by.int(value.value) };
    case 'unknown':
      return value.symbol === undefined ? value : { ...value, symbol: by.symbol(value.symbol) };
    case 'tuple': {
      const items = value.items.map((item) => renameValue(item, by));
      return value.front ? { ...value, items, front: by.int(value.front) } : { ...value, items };
    }
    case 'either':
      return { kind: 'either', options: value.options.map((option) => renameValue(option, by)) };
    case 'slice':
      return {
        kind: 'slice',
        start: renameValue(value.start, by),
        stop: renameValue(value.stop, by),
        step: renameValue(value.step, by),
      };
    case 'range':
      return { kind: 'range', start: by.int(value.start), stop: by.int(value.stop), step: by.int(value.step) };
    case 'ref':
      return { kind: 'ref', ref: by.ref(value.ref) };
    case 'program':
      return by.program(value);
    default:
      return value;
  }
}

function renameTensor(tensor: Tensor, by: Renaming): Tensor {
  const { shape, stride, offset, front, ways } = tensor.layout;
  return {
    ...tensor,
    id: by.tensor(tensor.id),
    layout: {
      shape: shape.map((size) => by.int(size)),
      stride: stride?.map((step) => by.int(step)) ?? null,
      offset: offset && by.int(offset),
      front,
      ...(ways ? { ways: ways.map((way) => way.map((step) => by.int(step))) } : {}),
    },
    storage: by.storage(tensor.storage),
  };
}

export function renameObject(object: HeapObject, by: Renaming): HeapObject {
  const renamed = (value: Value): Value => renameValue(value, by);
  switch (object.object) {
    case 'frame':
      return { object: 'frame', variables: renameMap(object.variables, renamed) };
    case 'instance':
      return { ...object, attributes: renameMap(object.attributes, renamed) };
    case 'dict': {
      const entries = new Map(
        [...object.entries].map(([key, entry]) => [key, { key: renamed(entry.key), value: renamed(entry.value) }]),
      );
      return { object: 'dict', entries, rest: object.rest && renamed(object.rest) };
    }
    case 'list':
    case 'set':
    case 'iterator':
      return {
        object: object.object,
        items: object.items.map(renamed),
        rest: object.rest && renamed(object.rest),
        length: object.length && by.int(object.length),
      };
    case 'rebound':
      return object;
  }
}

const renameMap = (values: ReadonlyMap<string, Value>, renamed: (value: Value) => Value): Map<string, Value> =>
  new Map([...values].map(([name, value]) => [name, renamed(value)]));
