import { tupleOf, unknown, type Value } from '../../values/value.ts';
import type { Instance } from '../state/heap.ts';
import { objectWith } from '../state/objects.ts';
import { heapRead, type Run } from '../state/run.ts';
import { settled } from '../state/settled.ts';
import { iterate } from '../statements/iteration.ts';
import { arg, type Builtin } from './builtin-values.ts';
import type { Arguments } from './calls.ts';
import { mro } from './classes.ts';

type Tuple = Extract<Value, { kind: 'tuple' }>;

/** What a class that `collections.namedtuple` made is called by. */
export const NAMED_TUPLE = 'collections.namedtuple.call';

/** `namedtuple('Point', ['x', 'y'])`, `namedtuple('Point', 'x y')`: a class of tuples whose items have names. */
export const namedTuple: Builtin = (run, _, args) => {
  const fields = namesIn(run, args.items[1] ? arg(run, args, 1) : args.keywords.get('field_names'));
  if (fields === null) return unknown('the names of its fields are not known');
  const given = args.keywords.get('defaults');
  const defaults = given === undefined || given.kind === 'none' ? { items: [], rest: null } : iterate(run, given);
  if (defaults.rest) return unknown('the defaults of its fields are not known');
  return objectWith(
    run,
    new Map<string, Value>([
      ['__call__', { kind: 'torch', name: NAMED_TUPLE }],
      ['_fields', tupleOf(fields.map((value): Value => ({ kind: 'str', value })))],
      ['defaults of the last fields', tupleOf(defaults.items)],
    ]),
  );
};

function namesIn(run: Run, value: Value | undefined): readonly string[] | null {
  if (value?.kind === 'str') return value.value.split(/[\s,]+/).filter((name) => name !== '');
  if (value === undefined) return null;
  const { items, rest } = iterate(run, settled(run, value));
  const names = items.flatMap((item) => (item.kind === 'str' ? [item.value] : []));
  return rest || names.length !== items.length ? null : names;
}

/** A tuple of a class that `collections.namedtuple` made. */
export function callNamedTuple({ attributes }: Instance, args: Arguments): Value {
  const [names, defaults] = [attributes.get('_fields'), attributes.get('defaults of the last fields')];
  if (names?.kind !== 'tuple' || defaults?.kind !== 'tuple' || args.open || args.rest)
    return unknown('the items of a named tuple are not known');
  const fields = names.items.flatMap((item) => (item.kind === 'str' ? [item.value] : []));
  const items = fields.map(
    (name, i) =>
      args.items[i] ??
      args.keywords.get(name) ??
      defaults.items[i - fields.length + defaults.items.length] ??
      unknown(`\`${name}\` is not given`),
  );
  return { kind: 'tuple', items, fields };
}

/** The item of a named tuple that has this name. */
export const fieldOf = (tuple: Tuple, name: string): Value | undefined =>
  tuple.items[tuple.fields?.indexOf(name) ?? -1];

/** `point._replace(x=1)` */
export const withFields = (tuple: Tuple, keywords: ReadonlyMap<string, Value>): Value => ({
  ...tuple,
  items: tuple.items.map((item, i) => keywords.get(tuple.fields?.[i] ?? '') ?? item),
});

/** What an instance of `class Point(NamedTuple)` holds, in the order of its fields; null where it is none. */
export function itemsOfFields(run: Run, ref: number): Tuple | null {
  const object = heapRead(run, ref);
  if (object?.object !== 'instance' || object.classId === null) return null;
  const classes = mro(run, object.classId);
  const owner = classes.find(({ bases }) =>
    bases.some((base) => base.kind === 'torch' && base.name === 'typing.NamedTuple'),
  );
  if (!owner) return null;
  const fields = owner.definition.body.flatMap((node) =>
    node.kind === 'AnnAssign' && node.target.kind === 'Name' ? [node.target.id] : [],
  );
  const items = fields.map(
    (name) => object.attributes.get(name) ?? owner.namespace.get(name) ?? unknown(`\`${name}\` is not given`),
  );
  return { kind: 'tuple', items, fields };
}
