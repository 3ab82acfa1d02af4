import type { FunctionDef, Lambda } from '../../syntax/ast.ts';
import { type Body, bodiesOf, type Expression, expressionsOf, partsOf } from '../../syntax/index.ts';
import { type Unknown, unknown, type Value } from '../../values/value.ts';
import type { FunctionInfo } from './program.ts';
import { heapRead, heapWrite, type Run } from './run.ts';

const HANDED: Unknown = unknown('a call that is not followed may have filled it');

/**
 * What a call that is not followed may do with what it is handed: a list or dict that is still empty is there to be filled,
 * and a function is there to be called, which adds to what it closes over.
 */
export function handOver(run: Run, values: Iterable<Value>): void {
  for (const value of values) {
    handOverFunction(run, value);
    if (value.kind === 'tuple') handOver(run, value.items);
    if (value.kind !== 'ref') continue;
    const object = heapRead(run, value.ref);
    if (object?.object === 'list' || object?.object === 'set') {
      if (isEmpty(object)) fill(run, value, 'added to');
      else handOver(run, object.items.filter(isHolder));
    } else if (object?.object === 'dict') {
      if (object.entries.size === 0 && !object.rest) fill(run, value, 'added to');
      else handOver(run, [...object.entries.values()].map((entry) => entry.value).filter(isHolder));
    }
  }
}

const isEmpty = ({ items, rest }: { readonly items: readonly Value[]; readonly rest: Value | null }): boolean =>
  items.length === 0 && rest === null;

/** Lists of lists are not looked through: only what is handed as it is, or one deep. */
const isHolder = (value: Value): boolean => value.kind === 'program' || value.kind === 'ref';

/**
 * A method is called on an object on which others were called before: the lists and dicts of its constructor hold what
 * these put there, and those that are empty hold what whoever made the object put there.
 */
export function openFilled(run: Run, ref: number, methods: Iterable<FunctionInfo>): void {
  const self: Value = { kind: 'ref', ref };
  for (const info of methods) leaveOpen(run, info, self);
  const object = heapRead(run, ref);
  if (object?.object !== 'instance' || object.torchClass !== null) return;
  handOver(
    run,
    [...object.attributes.values()].filter(({ kind }) => kind === 'ref'),
  );
}

/** Functions among the values are called at a time that nobody knows, as hooks are. */
export function handOverFunctions(run: Run, values: Iterable<Value>): void {
  for (const value of values) handOverFunction(run, value);
}

function handOverFunction(run: Run, value: Value): void {
  if (value.kind !== 'program') return;
  const method = value.what === 'method' ? run.methods[value.id] : undefined;
  const { callee } = method ?? { callee: value };
  if (callee.kind === 'torch' && method && GROWING.test(callee.name)) fill(run, method.receiver, 'added to');
  const info = callee.kind === 'program' && callee.what === 'function' ? run.functions[callee.id] : undefined;
  if (info) leaveOpen(run, info, method?.receiver ?? null);
}

/** What the body of a function that is called out of sight changes: lists and dicts by a method or an index. */
function leaveOpen(run: Run, info: FunctionInfo, self: Value | null): void {
  const own = info.definition.args.positional.map(({ name }) => name);
  for (const { holder, change } of changesIn(info.definition)) {
    const value = heldBy(run, info, holder, own, self);
    if (value) fill(run, value, change);
  }
}

function heldBy(
  run: Run,
  info: FunctionInfo,
  node: Expression,
  own: readonly string[],
  self: Value | null,
): Value | undefined {
  if (node.kind === 'Name') {
    const index = own.indexOf(node.id);
    if (index >= 0) return index === 0 ? (self ?? undefined) : undefined;
    for (const ref of info.closure) {
      const frame = heapRead(run, ref);
      const value = frame?.object === 'frame' ? frame.variables.get(node.id) : undefined;
      if (value) return value;
    }
    const globals = run.globals.get(info.file.path);
    const frame = globals === undefined ? undefined : heapRead(run, globals);
    return frame?.object === 'frame' ? frame.variables.get(node.id) : undefined;
  }
  if (node.kind !== 'Attribute') return undefined;
  const of = heldBy(run, info, node.value, own, self);
  const object = of?.kind === 'ref' ? heapRead(run, of.ref) : undefined;
  return object?.object === 'instance' ? object.attributes.get(node.attr) : undefined;
}

function fill(run: Run, value: Value, change: Change['change']): void {
  if (value.kind !== 'ref') return;
  const seen = heapRead(run, value.ref);
  if (seen?.object !== 'list' && seen?.object !== 'set' && seen?.object !== 'dict') return;
  const object = heapWrite(run, value.ref);
  if (object?.object === 'dict') {
    if (change === 'changed') object.entries.clear();
    object.rest = HANDED;
  } else if (object?.object === 'list' || object?.object === 'set') {
    if (change === 'changed') object.items = [];
    object.rest = HANDED;
    object.length = null;
  }
}

interface Change {
  readonly holder: Expression;
  readonly change: 'added to' | 'changed';
}

const known = new WeakMap<object, readonly Change[]>();

function changesIn(definition: FunctionDef | Lambda): readonly Change[] {
  const found = known.get(definition);
  if (found) return found;
  const changes = definition.kind === 'Lambda' ? inExpression(definition.body) : inBody(definition.body);
  known.set(definition, changes);
  return changes;
}

const inBody = (body: Body): readonly Change[] =>
  body.flatMap((node) => [
    ...(node.kind === 'Assign' ? node.targets : node.kind === 'AugAssign' ? [node.target] : []).flatMap(
      (target): readonly Change[] => (target.kind === 'Subscript' ? [{ holder: target.value, change: 'changed' }] : []),
    ),
    ...expressionsOf(node).flatMap(inExpression),
    ...bodiesOf(node).flatMap(inBody),
  ]);

function inExpression(node: Expression): readonly Change[] {
  const inner = partsOf(node).flatMap(inExpression);
  if (node.kind !== 'Call' || node.func.kind !== 'Attribute') return inner;
  const { attr, value: holder } = node.func;
  if (GROWING.test(attr)) return [{ holder, change: 'added to' }, ...inner];
  return CHANGING.has(attr) ? [{ holder, change: 'changed' }, ...inner] : inner;
}

const GROWING = /(^|\.)(append|extend|add)$/;

const CHANGING: ReadonlySet<string> = new Set(['insert', 'pop', 'clear', 'remove', 'update', 'setdefault']);
