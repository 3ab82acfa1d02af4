import { formatInt, isTold, type SymInt, simplify, textOfRelations, textOfSymbol } from '../../symbols/index.ts';
import type { Storage, Tensor } from '../../tensor/tensor.ts';
import type { Autocast, Unknown, Value } from '../../values/value.ts';
import type { HeapObject } from '../state/heap.ts';
import type { FunctionInfo } from '../state/program.ts';
import { currentTensor, heapRead, hintOf, type Run, reboundUnknown } from '../state/run.ts';
import { RAISES } from '../torch/torch-results.ts';
import { formOf, formText } from './forms.ts';
import { freeNames } from './free-names.ts';
import { type Description, MOST_VALUES, newPen, numbered, type Pen } from './pen.ts';

/** What a call of a function with these variables sees; null where that is too much. */
export function describe(
  run: Run,
  info: FunctionInfo,
  variables: ReadonlyMap<string, Value>,
  self: Value | null,
): Description | null {
  const pen = newPen(run, false);
  let text = `${identityOf(info.definition)} ${modes(run)} ${self === null ? '' : textOf(pen, self)}`;
  for (const value of variables.values()) text += `,${textOf(pen, value)}`;
  text += closureText(pen, info);
  text += textOfFacts(pen);
  return pen.values > MOST_VALUES ? null : { ...pen, text };
}

/** Of several objects one of each kind, the first. */
export function distinct(run: Run, values: readonly Value[]): readonly Value[] {
  const kinds = new Set<string>();
  return values.filter((value) => {
    const kind = kindOf(run, value);
    const isNew = kind === null || !kinds.has(kind);
    if (kind !== null) kinds.add(kind);
    return isNew;
  });
}

/** Objects are of a kind that differ in nothing but what is inside them alone; null for what is no object, or too large. */
export function kindOf(run: Run, value: Value): string | null {
  if (value.kind !== 'ref') return null;
  const pen = newPen(run, false);
  const text = `${textOf(pen, value)}${textOfFacts(pen)}`;
  return pen.values > MOST_VALUES ? null : `${text} ${pen.symbols.keys.join()}`;
}

const identities = new WeakMap<object, number>();
let latest = 0;

/** A number for a definition, the same for all functions that one `def` makes. */
function identityOf(definition: object): number {
  const known = identities.get(definition) ?? ++latest;
  identities.set(definition, known);
  return known;
}

/** The state of PyTorch and of the analysis on which the outcome of a call depends. */
function modes(run: Run): string {
  const regions = run.autocast.map(regionText).join();
  const defaults = `${run.defaultDType} ${run.defaultDevice}`;
  // What the fields of configurations are taken to be.
  const label = run.instancesOf.size > 0 ? run.label : null;
  const self = `${run.selfOpen} ${run.frozen} ${label} ${run.entry}`;
  return `${run.grad} ${run.training} ${regions} ${run.autocastOpen} ${run.dtypesOpen} ${defaults} ${self}`;
}

const regionText = ({ device, on, dtype }: Autocast): string => `${device} ${on} ${dtype}`;

function textOf(pen: Pen, value: Value): string {
  if (pen.values++ > MOST_VALUES) return '';
  switch (value.kind) {
    case 'none':
    case 'ellipsis':
    case 'complex':
      return value.kind;
    case 'int':
      return intText(pen, value.value);
    case 'bool':
    case 'float':
    case 'dtype':
    case 'device':
    case 'memory-format':
      return `${value.kind} ${value.value}`;
    case 'str':
      return JSON.stringify(value.value);
    case 'torch':
      return value.name;
    case 'autocast':
      return `autocast ${regionText(value.region)}`;
    case 'tensor':
      return tensorText(pen, pen.form ? value : currentTensor(pen.run, value));
    case 'unknown':
      return unknownText(pen, value);
    case 'tuple': {
      const front = value.front ? intText(pen, value.front) : '';
      return `(${front}|${value.items.map((item) => textOf(pen, item)).join()}${value.fields ? `:${value.fields}` : ''})`;
    }
    case 'either':
      return `<${value.options.map((option) => textOf(pen, option)).join()}>`;
    case 'slice':
      return `${textOf(pen, value.start)}:${textOf(pen, value.stop)}:${textOf(pen, value.step)}`;
    case 'range':
      return `range(${[value.start, value.stop, value.step].map((bound) => intText(pen, bound)).join()})`;
    case 'program':
      return programText(pen, value.what, value.id);
    case 'ref':
      return refText(pen, value.ref);
  }
}

function intText(pen: Pen, value: SymInt): string {
  if (value.constant !== null) return String(value.constant);
  return formatInt(pen.form ? value : simplify(value, pen.run.layer.facts), (id) => symbolText(pen, id));
}

/** The name of packed sizes matters, and so does that of an unknown: other sizes are called after them. */
function symbolText(pen: Pen, id: string): string {
  const number = numbered(pen.symbols, id);
  return id.startsWith('*') ? `*${number}${hintOf(id)}` : `#${number}`;
}

const optionalText = (pen: Pen, value: SymInt | null): string => (value === null ? '?' : intText(pen, value));

function tensorText(pen: Pen, tensor: Tensor): string {
  const { layout, storage } = tensor;
  let text = `T${numbered(pen.tensors, tensor.id)}[${layout.front}`;
  for (const size of layout.shape) text += ` ${intText(pen, size)}`;
  text += '/';
  if (layout.stride === null) text += layout.ways?.map((way) => `?${way.map((step) => intText(pen, step))}`) ?? '?';
  else for (const step of layout.stride) text += ` ${intText(pen, step)}`;
  text += `/${optionalText(pen, layout.offset)}]${tensor.dtype} ${tensor.device} ${tensor.requiresGrad} ${tensor.graph?.leaf} ${tensor.graph?.view} ${tensor.assumes}`;
  return `${text}${tensor.elements === null ? '' : tensor.elements} ${storageText(pen, storage)}`;
}

function storageText(pen: Pen, storage: Storage): string {
  const { id, origin, nbytes } = storage;
  const known = pen.storages.numbers.get(id);
  if (known !== undefined) return `S${known}`;
  const number = numbered(pen.storages, id);
  pen.blocks.push(storage);
  const named = 'name' in origin && origin.name !== '';
  const marks = `${named} ${pen.run.replaceable.has(id)} ${pen.run.written.has(id)}`;
  return `S${number}${origin.is} ${marks} ${optionalText(pen, nbytes)}`;
}

/** An unknown by its identity; what it turned out to be is told with the facts. */
function unknownText(pen: Pen, { symbol, reason }: Unknown): string {
  const { run } = pen;
  if (symbol === undefined) return reason === RAISES ? '!' : '?';
  const number = pen.symbols.numbers.get(symbol);
  if (number !== undefined) return `?${number}`;
  const parameter = run.parameters.get(symbol) ?? '';
  return `?${numbered(pen.symbols, symbol)}${hintOf(symbol)} ${parameter} ${run.plain.has(symbol)} ${run.instancesOf.get(symbol)}`;
}

function programText(pen: Pen, what: 'function' | 'class' | 'method' | 'module', id: number): string {
  const { run } = pen;
  if (what === 'method') {
    const method = run.methods[id];
    return method ? `${textOf(pen, method.receiver)}.${textOf(pen, method.callee)}` : '';
  }
  const info = what === 'function' ? run.functions[id] : undefined;
  return `${what}${id}${info ? closureText(pen, info) : ''}${what === 'class' ? classText(pen, id) : ''}`;
}

/** What a function sees of the functions around it and, while the top level runs, of that. */
function closureText(pen: Pen, { closure, definition, file }: FunctionInfo): string {
  const { run } = pen;
  let text = '';
  for (const ref of closure) text += `@${numbered(pen.refs, ref)}${frameText(pen, definition, ref)}`;
  const top = run.running && file.path === run.own ? run.globals.get(run.own) : undefined;
  return top === undefined ? text : text + frameText(pen, definition, top);
}

function frameText(pen: Pen, definition: FunctionInfo['definition'], ref: number): string {
  const seen = `${identityOf(definition)} ${ref}`;
  if (pen.closures.has(seen)) return '';
  pen.closures.add(seen);
  const frame = heapRead(pen.run, ref);
  if (frame?.object !== 'frame') return '';
  const names = freeNames(definition);
  let text = '';
  for (const [name, value] of frame.variables) if (names.has(name)) text += `${name}=${textOf(pen, value)};`;
  return text;
}

/** What the methods of a class see of the top level while it runs; afterwards that is the same for all calls. */
function classText(pen: Pen, id: number): string {
  const info = pen.run.running ? pen.run.classes[id] : undefined;
  const seen = `class ${id}`;
  if (info === undefined || pen.closures.has(seen)) return '';
  pen.closures.add(seen);
  return [...info.bases, ...info.namespace.values()].map((value) => textOf(pen, value)).join();
}

function refText(pen: Pen, ref: number): string {
  const number = pen.refs.numbers.get(ref);
  if (number !== undefined) return `@${number}`;
  if (pen.run.memory.described.has(ref)) pen.cyclic = true;
  const object = heapRead(pen.run, ref);
  if (!object) return '@';
  const form = object.object === 'instance' ? formOf(pen.run, ref) : null;
  return form ? formText(pen, form) : `@${numbered(pen.refs, ref)}${objectText(pen, object)}`;
}

export function objectText(pen: Pen, object: HeapObject): string {
  switch (object.object) {
    case 'instance': {
      const ofClass = object.classId === null ? '' : `${object.classId}${classText(pen, object.classId)}`;
      let text = `${ofClass}${object.torchClass}${object.entry !== null}{`;
      for (const [name, value] of object.attributes) text += `${name}=${textOf(pen, value)};`;
      return `${text}}`;
    }
    case 'dict': {
      let text = '{';
      for (const [key, entry] of object.entries) text += `${key}${textOf(pen, entry.key)}=${textOf(pen, entry.value)};`;
      return `${text}}${object.rest ? textOf(pen, object.rest) : ''}`;
    }
    case 'list':
    case 'set':
    case 'iterator': {
      const items = object.items.map((item) => textOf(pen, item)).join();
      return `${object.object}[${items}|${object.rest ? textOf(pen, object.rest) : ''}|${optionalText(pen, object.length)}]`;
    }
    case 'frame':
    case 'rebound':
      return object.object;
  }
}

// ---- what is known of the symbols ----------------------------------------------------------------------

/** The facts about the symbols so far, and about those that these bring in. */
function textOfFacts(pen: Pen): string {
  const { run } = pen;
  const { facts } = run.layer;
  const name = (id: string): string => symbolText(pen, id);
  let text = '';
  let [symbol, ref] = [0, 0];
  while (symbol < pen.symbols.keys.length || ref < pen.refs.keys.length) {
    const id = pen.symbols.keys[symbol];
    if (id !== undefined) {
      const said = textOfSymbol(facts, id, name);
      const whole = run.pieces.get(id);
      const known = reboundUnknown(run, { kind: 'unknown', reason: '', symbol: id });
      if (said !== '') text += ` ${symbol}${said}`;
      if (whole) text += ` ${symbol}of${intText(pen, whole)}`;
      if (known) text += ` ${symbol}->${textOf(pen, known)}`;
      text += partsText(pen, id);
      symbol++;
    } else {
      const at = pen.refs.keys[ref++];
      if (at !== undefined) text += partsText(pen, at);
    }
  }
  text += textOfRelations(facts, (id) => concerns(pen, id), name);
  for (const id of pen.symbols.keys) text += derivationText(pen, id);
  return text;
}

/** A symbol that is made of others which the call sees: it may make the same one. */
function derivationText(pen: Pen, id: string): string {
  const { derivations } = pen.run.symbols;
  const made = derivations.get(id);
  if (!made) return '';
  let text = ` ${pen.symbols.numbers.get(id)}<${made.what}`;
  for (const part of made.of) {
    const number =
      typeof part === 'string'
        ? pen.symbols.numbers.get(part)
        : typeof part === 'number'
          ? pen.refs.numbers.get(part)
          : -1;
    if (number === undefined) return '';
    text += ` ${typeof part === 'object' ? formatInt(part, (symbol) => `#${pen.symbols.numbers.get(symbol) ?? '?'}`) : number}`;
  }
  return text;
}

/** Parts of an unknown or of an object of which something is known already. */
function partsText(pen: Pen, of: string | number): string {
  const { run } = pen;
  const parts = run.symbols.parts.get(of);
  if (parts === undefined) return '';
  let text = '';
  for (const id of parts) {
    const inner = run.symbols.parts.has(id) ? partsText(pen, id) : '';
    if (
      inner === '' &&
      !isTold(run.layer.facts, id) &&
      reboundUnknown(run, { kind: 'unknown', reason: '', symbol: id }) === undefined
    )
      continue;
    text += ` ${typeof of === 'string' ? pen.symbols.numbers.get(of) : pen.refs.numbers.get(of)}${run.symbols.derivations.get(id)?.what}=${symbolText(pen, id)}${inner}`;
  }
  return text;
}

const concerns = (pen: Pen, id: string): boolean => {
  if (pen.symbols.numbers.has(id)) return true;
  const made = pen.run.symbols.derivations.get(id);
  return made?.of.some((part) => typeof part === 'string' && concerns(pen, part)) ?? false;
};
