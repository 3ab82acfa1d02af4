import type { Body, ClassDef, Expression, FunctionDef } from '../../syntax/ast.ts';
import { bodiesOf, expressionsOf, partsOf } from '../../syntax/children.ts';
import type { FunctionInfo } from '../state/program.ts';
import type { Run } from '../state/run.ts';

/** Modules that give what they get, of the same sizes. */
const KEEPS = /(identity|drop\w*|norm\w*|scale\w*|act\w*|[A-Z]?e?lu|sigmoid|tanh|silu)\d?d?$/i;

/**
 * Where a method first calls a module of its own that keeps sizes in some objects and changes them in others that are
 * configured otherwise: what one object does from there on says nothing of the next. Null where it calls none.
 */
export function firstOptionalCall(run: Run, info: FunctionInfo, ofImages: boolean): number | null {
  const owner = info.owner === null ? undefined : run.classes[info.owner];
  const { definition } = info;
  if (!owner || definition.kind !== 'FunctionDef') return null;
  const { parts, images } = optionalParts(owner.definition);
  const optional = ofImages ? new Set([...parts, ...images]) : parts;
  if (optional.size === 0) return null;
  const calls = ofImages ? callsOnImages : callsOnAny;
  const known = calls.get(definition);
  if (known !== undefined) return known;
  const found = callsIn(definition.body, optional);
  const first = found.length === 0 ? null : Math.min(...found);
  calls.set(definition, first);
  return first;
}

const callsOnAny = new WeakMap<FunctionDef, number | null>();
const callsOnImages = new WeakMap<FunctionDef, number | null>();
const known = new WeakMap<ClassDef, OptionalParts>();

/** The modules that keep sizes in some objects only, and those that take images to have the channels first in some and last in others. */
interface OptionalParts {
  readonly parts: ReadonlySet<string>;
  readonly images: ReadonlySet<string>;
}

function optionalParts(owner: ClassDef): OptionalParts {
  const before = known.get(owner);
  if (before) return before;
  const kinds = new Map<string, Set<string>>();
  for (const method of owner.body)
    if (method.kind === 'FunctionDef' && method.name === '__init__') collect(method.body, new Map(), kinds);
  const differs = (made: ReadonlySet<string>): boolean => new Set([...made].map((one) => KEEPS.test(one))).size > 1;
  const turns = (made: ReadonlySet<string>): boolean => made.has('Linear') && made.has('Conv2d');
  const named = (is: (made: ReadonlySet<string>) => boolean): ReadonlySet<string> =>
    new Set([...kinds].flatMap(([name, made]) => (is(made) ? [name] : [])));
  const found = { parts: named(differs), images: named(turns) };
  known.set(owner, found);
  return found;
}

/** Adds for each attribute what may be put there; of None nothing is called. `makers`: the local names that stand for one class or another. */
function collect(body: Body, makers: Map<string, readonly string[]>, kinds: Map<string, Set<string>>): void {
  for (const node of body) {
    if (node.kind === 'Assign')
      for (const target of node.targets) {
        if (target.kind === 'Name' && node.value.kind === 'IfExp') makers.set(target.id, classesIn(node.value));
        if (target.kind === 'Attribute' && target.value.kind === 'Name' && target.value.id === 'self')
          kinds.set(target.attr, new Set([...(kinds.get(target.attr) ?? []), ...madeBy(node.value, makers)]));
      }
    for (const inner of bodiesOf(node)) collect(inner, makers, kinds);
  }
}

/** The names of what an expression makes, one for each of its ways. */
function madeBy(node: Expression, makers: ReadonlyMap<string, readonly string[]>): readonly string[] {
  if (node.kind === 'IfExp') return [...madeBy(node.body, makers), ...madeBy(node.orelse, makers)];
  return node.kind === 'Call' ? classesIn(node.func).flatMap((name) => makers.get(name) ?? [name]) : [];
}

/** `A` and `B` of `partial(A, k=1) if c else B`. */
function classesIn(node: Expression): readonly string[] {
  switch (node.kind) {
    case 'IfExp':
      return [...classesIn(node.body), ...classesIn(node.orelse)];
    case 'Call':
      return node.args.slice(0, 1).flatMap(classesIn);
    case 'Name':
      return [node.id];
    case 'Attribute':
      return [node.attr];
    default:
      return [];
  }
}

/** Where the calls of `self.name(…)` end. */
function callsIn(body: Body, names: ReadonlySet<string>): number[] {
  const within = (node: Expression): number[] => [
    ...(node.kind === 'Call' &&
    node.func.kind === 'Attribute' &&
    node.func.value.kind === 'Name' &&
    node.func.value.id === 'self' &&
    names.has(node.func.attr)
      ? [node.end]
      : []),
    ...partsOf(node).flatMap(within),
  ];
  return body.flatMap((node) => [
    ...expressionsOf(node).flatMap(within),
    ...bodiesOf(node).flatMap((inner) => callsIn(inner, names)),
  ]);
}
