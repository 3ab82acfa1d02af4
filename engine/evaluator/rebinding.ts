import { type Body, bodiesOf, type Expression, type Statement } from '../syntax/index.ts';
import { mro } from './classes.ts';
import { heapRead, type Run } from './run.ts';

/**
 * The storages of the tensors that a constructor put into attributes to which another method assigns: when a method is
 * called, something else may stand there.
 */
export function replaceableStorages(run: Run, ref: number): ReadonlySet<number> {
  const object = heapRead(run, ref);
  if (object?.object !== 'instance' || object.classId === null) return new Set();
  const names = new Set(
    mro(run, object.classId).flatMap(({ definition }) => definition.body.flatMap(assignedByMethod)),
  );
  return new Set(
    [...object.attributes].flatMap(([name, value]) =>
      names.has(name) && value.kind === 'tensor' ? [value.storage.id] : [],
    ),
  );
}

function assignedByMethod(node: Statement): readonly string[] {
  if (node.kind !== 'FunctionDef' || node.name === '__init__') return [];
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
  if (target.kind !== 'Attribute' || target.value.kind !== 'Name' || target.value.id !== self) return [];
  return [target.attr];
}
