import { formatInt, type SymInt, simplify } from '../../symbols/index.ts';
import type { Value } from '../../values/value.ts';
import type { HeapObject } from '../state/heap.ts';
import { heapRead, type Run } from '../state/run.ts';

/** What is larger than this is told as far as this. */
const MOST_TOLD = 2000;

/** Symbols and objects are numbered in the order in which they occur: who are built alike have one text. */
interface Teller {
  readonly run: Run;
  readonly symbols: Map<string, number>;
  readonly refs: Map<number, number>;
  told: number;
}

/**
 * What an object was built with, and the objects in it, as far as it is known: classes, flags and numbers, and how the numbers
 * are related to each other and to the sizes that are passed.
 */
export function configuration(run: Run, sizes: readonly SymInt[], self: Value | null): string {
  const teller: Teller = { run, symbols: new Map(), refs: new Map(), told: 0 };
  for (const size of sizes) textOfInt(teller, size);
  return self === null ? '' : textOf(teller, self);
}

function textOf(teller: Teller, value: Value): string {
  if (teller.told++ > MOST_TOLD) return '';
  switch (value.kind) {
    case 'int':
      return textOfInt(teller, value.value);
    case 'bool':
    case 'float':
      return String(value.value);
    case 'str':
      return JSON.stringify(value.value);
    case 'torch':
      return value.name;
    case 'tensor':
      return value.layout.front ? 'T' : `T[${value.layout.shape.map((size) => textOfInt(teller, size)).join()}]`;
    case 'tuple':
      return `(${value.items.map((item) => textOf(teller, item)).join()})`;
    case 'either':
      return `<${value.options.map((option) => textOf(teller, option)).join()}>`;
    case 'program':
      return textOfProgram(teller, value.what, value.id);
    case 'ref':
      return textOfRef(teller, value.ref);
    default:
      return value.kind;
  }
}

function textOfInt({ run, symbols }: Teller, value: SymInt): string {
  if (value.constant !== null) return String(value.constant);
  return formatInt(simplify(value, run.layer.facts), (id) => {
    const number = symbols.get(id) ?? symbols.size;
    symbols.set(id, number);
    return `n${number}`;
  });
}

function textOfProgram({ run }: Teller, what: Extract<Value, { kind: 'program' }>['what'], id: number): string {
  if (what !== 'function' && what !== 'class') return what;
  const of = what === 'function' ? run.functions[id] : run.classes[id];
  return of ? `${of.file.path}:${of.qualname}` : what;
}

function textOfRef(teller: Teller, ref: number): string {
  const known = teller.refs.get(ref);
  if (known !== undefined) return `@${known}`;
  teller.refs.set(ref, teller.refs.size);
  const object = heapRead(teller.run, ref);
  return object ? textOfObject(teller, object) : '';
}

function textOfObject(teller: Teller, object: HeapObject): string {
  switch (object.object) {
    case 'instance': {
      const of = object.classId === null ? object.torchClass : textOfProgram(teller, 'class', object.classId);
      const attributes = [...object.attributes].map(([name, value]) => `${name}=${textOf(teller, value)}`);
      return `${of}{${attributes.join()}}`;
    }
    case 'dict':
      return `{${[...object.entries].map(([key, { value }]) => `${key}=${textOf(teller, value)}`).join()}}`;
    case 'list':
    case 'set':
    case 'iterator':
      return `[${[...object.items, ...(object.rest ? [object.rest] : [])].map((item) => textOf(teller, item)).join()}]`;
    default:
      return object.object;
  }
}
