import type { Body, Expression, FunctionDef, Lambda, Statement } from '../../syntax/ast.ts';
import { bodiesOf, expressionsOf, partsOf } from '../../syntax/children.ts';
import type { Value } from '../../values/value.ts';
import { mro } from '../calls/classes.ts';
import { heapWrite, nextId, type Run, unknownRank } from './run.ts';

/**
 * The storages of the tensors that a constructor put into attributes to which another method assigns: when a method is
 * called, something else may stand there. Where `forward` itself assigns, or what it calls, that is the rule, and the
 * tensor there is one of any shape.
 */
export function openReplaceable(run: Run, ref: number): ReadonlySet<number> {
  const object = heapWrite(run, ref);
  if (object?.object !== 'instance' || object.classId === null) return new Set();
  const methods = mro(run, object.classId).flatMap(({ definition }) => definition.body.filter(isMethod));
  const names = new Set(methods.flatMap(assignedByMethod));
  const onTheWay = new Set(reachedFromForward(methods).flatMap(assignedByMethod));
  const storages = new Set<number>();
  for (const [name, value] of object.attributes) {
    if (!names.has(name) || value.kind !== 'tensor') continue;
    storages.add(value.storage.id);
    if (onTheWay.has(name))
      object.attributes.set(name, { ...value, id: nextId(run), layout: unknownRank(run, name, 1, false) });
  }
  return storages;
}

/** A method that was not followed to its end may have set each of the attributes to which it assigns to anything. */
export function forgetAssigned(run: Run, self: Value | null, definition: FunctionDef | Lambda, to: Value): void {
  const named = self?.kind === 'ref' && definition.kind === 'FunctionDef' ? assignedByMethod(definition) : [];
  const object = self?.kind === 'ref' && named.length > 0 ? heapWrite(run, self.ref) : undefined;
  if (object?.object === 'instance') for (const name of named) object.attributes.set(name, to);
}

const isMethod = (node: Statement): node is FunctionDef => node.kind === 'FunctionDef';

/** `forward`, and the methods that it calls, and those that these call. */
function reachedFromForward(methods: readonly FunctionDef[]): readonly FunctionDef[] {
  const reached = new Set<string>(['forward']);
  const found: FunctionDef[] = [];
  for (const name of reached)
    for (const method of methods) {
      if (method.name !== name) continue;
      found.push(method);
      const self = method.args.positional[0]?.name;
      if (self !== undefined) for (const called of calledIn(method.body, self)) reached.add(called);
    }
  return found;
}

const calledIn = (body: Body, self: string): readonly string[] =>
  body.flatMap((node) => [
    ...expressionsOf(node).flatMap((one) => calledBy(one, self)),
    ...bodiesOf(node).flatMap((inner) => calledIn(inner, self)),
  ]);

function calledBy(node: Expression, self: string): readonly string[] {
  const inner = partsOf(node).flatMap((part) => calledBy(part, self));
  return node.kind === 'Call' && node.func.kind === 'Attribute' && isSelf(node.func.value, self)
    ? [node.func.attr, ...inner]
    : inner;
}

const isSelf = (node: Expression, self: string): boolean => node.kind === 'Name' && node.id === self;

function assignedByMethod(node: FunctionDef): readonly string[] {
  if (node.name === '__init__') return [];
  const self = node.args.positional[0]?.name;
  return self === undefined ? [] : assignedIn(node.body, self);
}

function assignedIn(body: Body, self: string): readonly string[] {
  return body.flatMap((node) => {
    const targets = node.kind === 'Assign' ? node.targets : node.kind === 'AnnAssign' ? [node.target] : [];
    return [
      ...targets.flatMap((target) => attributes(target, self)),
      ...bodiesOf(node).flatMap((b) => assignedIn(b, self)),
    ];
  });
}

function attributes(target: Expression, self: string): readonly string[] {
  if (target.kind === 'Tuple' || target.kind === 'List') return target.elts.flatMap((one) => attributes(one, self));
  if (target.kind !== 'Attribute' || !isSelf(target.value, self)) return [];
  return [target.attr];
}
