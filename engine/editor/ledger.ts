import type { FunctionTrace } from '../evaluator/trace.ts';
import { tensorsIn } from '../rules/flow.ts';
import { add, type SymInt, simplify, ZERO } from '../symbols/index.ts';
import type { Body, Expression, Node, Statement } from '../syntax/ast.ts';
import type { Tensor } from '../tensor/index.ts';

/** A tensor within a value, with its access path: `[0]`, `[0][1]`, empty for the value itself. */
export interface Held {
  readonly path: string;
  readonly tensor: Tensor;
}

/** The tensors that each name of a scope reaches. */
export type Names = ReadonlyMap<string, readonly Held[]>;

/** What a simple statement does to the names of its scope. */
export interface LedgerLine {
  readonly statement: Statement;
  /** The tensors in the value that the statement assigns, returns or evaluates. */
  readonly value: readonly Held[];
  readonly before: Names;
  readonly after: Names;
}

export interface Live {
  /** Bytes of the distinct storages; null where one of them is of unknown size. */
  readonly bytes: SymInt | null;
  readonly storages: number;
}

/**
 * The simple statements of a scope in the order of the source, with the names that hold tensors before and after each.
 * Both branches of an `if` are gone through, one after the other, and so is the body of a loop, once.
 */
export function ledger(trace: FunctionTrace, body: Body): readonly LedgerLine[] {
  const evaluated = outputsByNode(trace);
  const lines: LedgerLine[] = [];
  let names: Names = new Map(trace.parameters.map(({ name, value }) => [name, heldIn(value)] as const));

  const held = (expression: Expression): readonly Held[] => {
    switch (expression.kind) {
      case 'Tuple':
      case 'List':
      case 'Set':
        return expression.elts.flatMap((element, index) => below(`[${index}]`, held(element)));
      case 'Dict':
        return expression.values.flatMap((value, index) => below(`[${index}]`, held(value)));
      case 'IfExp':
        return [...held(expression.body), ...held(expression.orelse)];
      case 'Starred':
      case 'Await':
        return held(expression.value);
      default: {
        const known = evaluated.get(expression);
        return known ?? (expression.kind === 'Name' ? (names.get(expression.id) ?? []) : []);
      }
    }
  };

  const step = (statement: Statement, value: readonly Held[], after: Names): void => {
    lines.push({ statement, value, before: names, after });
    names = after;
  };

  const run = (statements: Body): void => {
    for (const statement of statements) {
      switch (statement.kind) {
        case 'Assign': {
          const value = held(statement.value);
          const bound = statement.targets.reduce((after, target) => assign(after, target, value), names);
          step(statement, value, bound);
          break;
        }
        case 'AnnAssign': {
          const value = statement.value === null ? [] : held(statement.value);
          step(statement, value, statement.value === null ? names : assign(names, statement.target, value));
          break;
        }
        case 'AugAssign': {
          const value = evaluated.get(statement) ?? [];
          step(statement, value, value.length > 0 ? assign(names, statement.target, value) : names);
          break;
        }
        case 'Expr':
          step(statement, held(statement.value), stored(trace, statement, names));
          break;
        case 'Return':
          step(statement, statement.value === null ? [] : held(statement.value), names);
          break;
        case 'Delete': {
          const deleted = new Map(names);
          for (const target of statement.targets.flatMap(parts)) if (target.kind === 'Name') deleted.delete(target.id);
          step(statement, [], deleted);
          break;
        }
        case 'If':
        case 'For':
        case 'While':
          run(statement.body);
          run(statement.orelse);
          break;
        case 'With':
          run(statement.body);
          break;
        case 'Try':
          for (const part of [statement.body, ...statement.handlers.map((h) => h.body), statement.orelse]) run(part);
          run(statement.finalbody);
          break;
        case 'Match':
          for (const matched of statement.cases) run(matched.body);
          break;
        default:
          break;
      }
    }
  };

  run(body);
  return lines;
}

/** The storages that the names keep alive. Views count once, with all of their storage. */
export function live(trace: FunctionTrace, names: Names): Live {
  const storages = new Map<number, SymInt | null>();
  for (const held of names.values())
    for (const { tensor } of held) storages.set(tensor.storage.id, tensor.storage.nbytes);
  let bytes: SymInt | null = ZERO;
  for (const nbytes of storages.values()) bytes = bytes === null || nbytes === null ? null : add(bytes, nbytes);
  return { bytes: bytes && simplify(bytes, trace.facts), storages: storages.size };
}

/** What came out of each expression, by its node; where it ran several times, the last time. */
function outputsByNode(trace: FunctionTrace): ReadonlyMap<Node, readonly Held[]> {
  const outputs = new Map<Node, readonly Held[]>();
  for (const event of trace.events) {
    if (event.event === 'op' || event.event === 'value') outputs.set(event.node, event.outputs);
    if (event.event === 'read') outputs.set(event.node, [{ path: '', tensor: event.tensor }]);
  }
  return outputs;
}

function assign(names: Names, target: Expression, value: readonly Held[]): Names {
  switch (target.kind) {
    case 'Name':
      return new Map(names).set(target.id, value);
    case 'Tuple':
    case 'List': {
      const starred = target.elts.some((element) => element.kind === 'Starred');
      return target.elts.reduce(
        (after, element, index) => assign(after, element, starred ? value : within(`[${index}]`, value)),
        names,
      );
    }
    case 'Starred':
      return assign(names, target.value, value);
    case 'Attribute':
    case 'Subscript': {
      const holder = root(target);
      // What the holder lost by this is not known: an element that is written over counts on.
      return holder === null || value.length === 0
        ? names
        : new Map(names).set(holder, union(names.get(holder), value));
    }
    default:
      return names;
  }
}

/** `xs.append(x)`: the holder reaches what was stored. */
function stored(trace: FunctionTrace, statement: Statement, names: Names): Names {
  const after = new Map(names);
  for (const event of trace.events) {
    if (event.event !== 'store' || event.node.start < statement.start || event.node.end > statement.end) continue;
    const holder = /^\w+/.exec(event.holder)?.[0];
    if (holder !== undefined) after.set(holder, union(after.get(holder), heldIn(event.value)));
  }
  return after;
}

const heldIn = (value: Parameters<typeof tensorsIn>[0]): readonly Held[] =>
  tensorsIn(value).map((tensor, index, all) => ({ path: all.length === 1 ? '' : `[${index}]`, tensor }));

/** The tensors of a container, those that it had before in front. */
const union = (held: readonly Held[] | undefined, more: readonly Held[]): readonly Held[] => [...(held ?? []), ...more];

const below = (prefix: string, held: readonly Held[]): readonly Held[] =>
  held.map(({ path, tensor }) => ({ path: prefix + path, tensor }));

const within = (prefix: string, held: readonly Held[]): readonly Held[] =>
  held.flatMap(({ path, tensor }) => (path.startsWith(prefix) ? [{ path: path.slice(prefix.length), tensor }] : []));

const parts = (target: Expression): readonly Expression[] =>
  target.kind === 'Tuple' || target.kind === 'List' ? target.elts.flatMap(parts) : [target];

function root(target: Expression): string | null {
  if (target.kind === 'Name') return target.id;
  return target.kind === 'Attribute' || target.kind === 'Subscript' ? root(target.value) : null;
}
