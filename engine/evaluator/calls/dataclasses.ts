import type { Expression } from '../../syntax/ast.ts';
import { NONE, unknown, type Value } from '../../values/value.ts';
import type { ClassInfo } from '../state/program.ts';
import { type Activation, allocate, heapRead, heapWrite, type Run } from '../state/run.ts';
import { arg, type Builtin } from './builtin-values.ts';
import { type Arguments, callValue, type Place, positional } from './calls.ts';
import { findInClass, mro } from './classes.ts';
import { callFunction } from './functions.ts';
import { entriesOfFields, giveEntries, isDictClass } from './mappings.ts';

/** Whether `@dataclass` writes the constructor: no class nearer than the dataclass has one of its own. */
export function generatedInit(run: Run, id: number): boolean {
  for (const info of mro(run, id)) {
    if (info.namespace.has('__init__')) return false;
    if (info.definition.decorators.some((node) => /(^|\.)dataclass$/.test(decoratorText(node)))) return true;
  }
  return false;
}

const decoratorText = (node: Expression): string =>
  node.kind === 'Call'
    ? decoratorText(node.func)
    : node.kind === 'Attribute'
      ? `.${node.attr}`
      : node.kind === 'Name'
        ? node.id
        : '';

/** A dataclass or the like: its annotated fields in order take the arguments, and `__post_init__` has the last word. */
export function bindFields(
  run: Run,
  act: Activation,
  info: ClassInfo,
  ref: number,
  args: Arguments,
  place: Place,
): void {
  const fields = mro(run, info.id)
    .slice()
    .reverse()
    .flatMap((c) => c.definition.body)
    .flatMap((s) => (s.kind === 'AnnAssign' && s.target.kind === 'Name' ? [s.target.id] : []));
  const names = [...new Set(fields)];
  const object = heapWrite(run, ref);
  if (object?.object !== 'instance') return;
  names.forEach((name, i) => {
    const value = args.items[i] ?? args.keywords.get(name);
    if (value) object.attributes.set(name, value);
  });
  // A dataclass that is a dict holds its fields.
  if (generatedInit(run, info.id) && isDictClass(run, info.id))
    giveEntries(
      object,
      entriesOfFields(run, names, (name) => object.attributes.get(name) ?? findInClass(run, info.id, name) ?? NONE),
    );
  finish(run, act, info.id, ref, place);
}

function finish(run: Run, act: Activation, id: number, ref: number, place: Place): void {
  const last = generatedInit(run, id) ? findInClass(run, id, '__post_init__') : undefined;
  const self: Value = { kind: 'ref', ref };
  if (last?.kind === 'program' && last.what === 'function')
    callFunction(run, act, last.id, positional([self]), self, place);
}

/** `dataclasses.replace`: another object of the class, with what is named in place of its own. */
export const replaceFields: Builtin = (run, act, args, place) => {
  const value = arg(run, args, 0);
  const object = value.kind === 'ref' ? heapRead(run, value.ref) : undefined;
  if (object?.object !== 'instance' || object.classId === null || args.open)
    return unknown('`dataclasses.replace` is not followed');
  const ref = allocate(run, { ...object, attributes: new Map([...object.attributes, ...args.keywords]) });
  finish(run, act, object.classId, ref, place);
  return { kind: 'ref', ref };
};

/** The default of a field, or what its factory makes. */
export const fieldDefault: Builtin = (run, act, { keywords }, place) => {
  const factory = keywords.get('default_factory');
  if (factory) return callValue(run, act, factory, positional([]), place);
  return keywords.get('default') ?? unknown('the field has no default');
};
