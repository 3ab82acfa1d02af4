import { freeNames } from '../evaluator/memo/free-names.ts';
import type { FunctionTrace } from '../evaluator/trace.ts';
import type { Expression, FunctionDef, Lambda, Node } from '../syntax/ast.ts';
import { bodiesOf, parametersOf } from '../syntax/index.ts';
import type { Tensor } from '../tensor/index.ts';
import { resultOf } from './flow.ts';
import type { CheckedFile } from './rule.ts';
import { assignedTo, branches, calleeName, is, namesBoundIn, namesIn, rootOf } from './tree.ts';

/** A tensor that something callable or iterable keeps alive, which itself lives on when the function has returned. */
export interface Capture {
  /** What it is kept by, for the middle of a sentence: "the returned `look`". */
  readonly keeper: string;
  /** Where the keeper leaves the function. */
  readonly leaves: Node;
  /** The expression that made the tensor, or that hands it over. */
  readonly expression: Expression;
  readonly tensor: Tensor;
}

/**
 * A closure looks its names up in the frame that made it, so that each tensor among them lives as long as the closure; a lambda
 * keeps its defaults too, `functools.partial` its arguments, a generator what it was given or has yet to read.
 */
export function captures(trace: FunctionTrace, file: CheckedFile): readonly Capture[] {
  // At the top level all names live on anyway.
  if (trace.definition === null) return [];
  const found: Capture[] = [];
  for (const { how, leaves, expression } of leaving(trace)) {
    for (const { keeper, keeps } of keepersIn(trace, file, expression)) {
      for (const each of keeps) {
        const made = madeBy(trace, file, each);
        if (made) found.push({ keeper: `${how} ${keeper}`, leaves, ...made });
      }
    }
  }
  return found;
}

interface Leaving {
  readonly how: string;
  readonly leaves: Node;
  readonly expression: Expression;
}

/** What leaves the function, and how. */
function leaving(trace: FunctionTrace): readonly Leaving[] {
  return trace.events.flatMap((event): readonly Leaving[] => {
    if (event.event === 'store' && event.outlives)
      return [{ how: 'the stored', leaves: event.expression, expression: event.expression }];
    if (event.event !== 'return' || !is(event.node, 'Return') || event.node.value === null) return [];
    return [{ how: 'the returned', leaves: event.node, expression: event.node.value }];
  });
}

interface Keeper {
  readonly keeper: string;
  /** Names of this function, and expressions whose values are kept as they are. */
  readonly keeps: readonly (string | Expression)[];
}

/** The closures, partials and generators in what an expression hands over. */
function keepersIn(trace: FunctionTrace, file: CheckedFile, node: Expression, depth = 0): readonly Keeper[] {
  const inner = (each: Expression) => keepersIn(trace, file, each, depth + 1);
  if (depth > MOST_DEEP) return [];
  switch (node.kind) {
    case 'Lambda':
      return [{ keeper: 'lambda', keeps: [...freeIn(trace, file, node), ...defaultsOf(node)] }];
    case 'Comprehension':
      if (node.form !== 'generator') return [];
      return [{ keeper: 'generator', keeps: without(namesIn(node), namesBoundIn(node)) }];
    case 'Call':
      if (calleeName(node) === 'partial') {
        const [callee, ...given] = node.args;
        const own = { keeper: 'partial', keeps: [...given, ...node.keywords.map(({ value }) => value)] };
        return callee ? [own, ...inner(callee)] : [own];
      }
      return generatorsOf(trace, file, node);
    case 'Tuple':
    case 'List':
      return node.elts.flatMap(inner);
    case 'Dict':
      return node.values.flatMap(inner);
    case 'IfExp':
      return [...inner(node.body), ...inner(node.orelse)];
    case 'Name': {
      const local = localFunction(trace, file, node.id);
      if (local && !local.isGenerator)
        return [{ keeper: `\`${node.id}\``, keeps: [...freeIn(trace, file, local), ...defaultsOf(local)] }];
      const value = boundTo(trace, file, node.id);
      return value && value.kind !== 'Name' ? inner(value) : [];
    }
    default:
      return [];
  }
}

/** The frame of a generator of this file keeps the arguments, and that of a nested one its free names too. */
function generatorsOf(trace: FunctionTrace, file: CheckedFile, { func, args, keywords }: CallNode): readonly Keeper[] {
  if (func.kind !== 'Name') return [];
  const local = localFunction(trace, file, func.id);
  const given = [...args, ...keywords.map(({ value }) => value)];
  // What makes or gets no tensor need not be looked up in the whole file.
  if (!local && !given.some((each) => madeBy(trace, file, each))) return [];
  const definition = local ?? file.module.body.find((each) => is(each, 'FunctionDef') && each.name === func.id);
  if (!is(definition, 'FunctionDef') || !definition.isGenerator) return [];
  return [{ keeper: `generator of \`${func.id}\``, keeps: [...given, ...(local ? freeIn(trace, file, local) : [])] }];
}

type CallNode = Extract<Expression, { kind: 'Call' }>;

/** The names that a nested function or lambda looks up around itself, those of the nested functions that it names included. */
function freeIn(
  trace: FunctionTrace,
  file: CheckedFile,
  definition: FunctionDef | Lambda,
  seen: ReadonlySet<string> = new Set(),
): readonly string[] {
  const bound = definition.kind === 'Lambda' ? [] : definition.body.flatMap((each) => [...namesBoundIn(each)]);
  const own = new Set([...parametersOf(definition.args).map(({ name }) => name), ...bound]);
  const free = without(freeNames(definition), own);
  const further = free.flatMap((name) => {
    const local = seen.has(name) ? null : localFunction(trace, file, name);
    return local ? freeIn(trace, file, local, new Set([...seen, name])) : [];
  });
  return [...new Set([...free, ...further])];
}

const defaultsOf = ({ args }: FunctionDef | Lambda): readonly Expression[] =>
  parametersOf(args).flatMap((each) => each.default ?? []);

const without = (names: ReadonlySet<string>, others: ReadonlySet<string>): readonly string[] =>
  [...names].filter((name) => !others.has(name));

/** The function of that name which is defined in the function of the trace. */
function localFunction(trace: FunctionTrace, file: CheckedFile, name: string): FunctionDef | null {
  if (trace.definition === null) return null;
  for (const branch of branches(rootOf(file, trace))) {
    const bodies = branch.kind === 'FunctionDef' || is(branch, 'If') || is(branch, 'With') ? bodiesOf(branch) : [];
    const found = bodies.flat().find((each) => is(each, 'FunctionDef') && each.name === name);
    if (is(found, 'FunctionDef')) return found;
  }
  return null;
}

/** The expression that a name was bound to last. */
const boundTo = (trace: FunctionTrace, file: CheckedFile, name: string): Expression | null =>
  assignedTo(file, trace, name).at(-1) ?? null;

/** Of a name the tensor that it is bound to when the function ends, and the expression that made it. */
function madeBy(
  trace: FunctionTrace,
  file: CheckedFile,
  kept: string | Expression,
): { readonly expression: Expression; readonly tensor: Tensor } | null {
  const name = typeof kept === 'string' ? kept : kept.kind === 'Name' ? kept.id : null;
  const expression = name === null ? kept : boundTo(trace, file, name);
  if (expression === null || typeof expression === 'string') return null;
  const tensor = resultOf(trace, expression);
  return tensor && { expression, tensor };
}

/** A partial of a partial of a name that stands for another, and no further. */
const MOST_DEEP = 6;
