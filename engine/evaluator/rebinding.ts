import { type Body, bodiesOf, type Expression, type Statement } from '../syntax/index.ts';
import { mro } from './classes.ts';
import { heapWrite, nextId, type Run, unknownRank } from './run.ts';

/**
 * Opens the tensors that a constructor put into attributes to which another method assigns: when a method is called, a
 * tensor of another shape may stand there. Gives their storages.
 */
export function openReplaceable(run: Run, ref: number): ReadonlySet<number> {
  const object = heapWrite(run, ref);
  if (object?.object !== 'instance' || object.classId === null) return new Set();
  const names = new Set(
    mro(run, object.classId).flatMap(({ definition }) => definition.body.flatMap(assignedByMethod)),
  );
  const storages = new Set<number>();
  for (const [name, value] of object.attributes) {
    if (!names.has(name) || value.kind !== 'tensor') continue;
    storages.add(value.storage.id);
    object.attributes.set(name, { ...value, id: nextId(run), layout: unknownRank(run, name, 1, false) });
  }
  return storages;
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
