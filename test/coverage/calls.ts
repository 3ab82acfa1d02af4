/** Counts the calls of torch in source text, by the engine's own syntax, imports and lookups. */
import { analyzeFile, sourceFile } from '../../engine/evaluator/index.ts';
import { isKnown, libraryName } from '../../engine/evaluator/torch/known.ts';
import {
  bodiesOf,
  createParser,
  type Expression,
  expressionsOf,
  type Grammar,
  type Module,
  parametersOf,
  parse,
  partsOf,
  partsOfParameter,
  type Statement,
} from '../../engine/syntax/index.ts';

interface Count {
  add(path: string, text: string): void;
  /** `rest` are the names that have no entry, the most frequent first. */
  result(): { readonly calls: number; readonly known: number; readonly rest: readonly (readonly [string, number])[] };
}

export async function counter(grammar: Grammar, tensors: boolean): Promise<Count> {
  const parser = await createParser(grammar);
  const times = new Map<string, number>();
  return {
    add(path, text) {
      const module = parse(parser, text);
      const file = sourceFile(path, text, module);
      const host = { resolve: () => null, read: () => null };
      const receivers = tensors
        ? tensorSpans(analyzeFile({ host, load: () => null }, file, [2, 13]).analysis)
        : new Set<string>();
      for (const name of calledNames(module, receivers)) times.set(name, (times.get(name) ?? 0) + 1);
    },
    result() {
      const all = [...times].sort(([, a], [, b]) => b - a);
      const sum = (rows: readonly (readonly [string, number])[]) => rows.reduce((total, [, n]) => total + n, 0);
      return {
        calls: sum(all),
        known: sum(all.filter(([name]) => isKnown(name))),
        rest: all.filter(([name]) => !isKnown(name)),
      };
    },
  };
}

/** Where in the file an expression stands that is a tensor. */
function tensorSpans({ traces }: ReturnType<typeof analyzeFile>['analysis']): ReadonlySet<string> {
  const spans = new Set<string>();
  for (const { base, events } of traces)
    for (const event of events) {
      const tensor = event.event === 'read' || ('outputs' in event && event.outputs.some(({ path }) => path === ''));
      if (tensor) spans.add(`${base + event.node.start}:${base + event.node.end}`);
    }
  return spans;
}

function calledNames(module: Module, receivers: ReadonlySet<string>): readonly string[] {
  const names: string[] = [];
  const imports = new Map<string, string>();
  const calls: { readonly func: Expression; readonly base: number }[] = [];
  const expression = (node: Expression, base: number): void => {
    if (node.kind === 'Call') calls.push({ func: node.func, base });
    for (const part of partsOf(node)) expression(part, base);
  };
  const statement = (node: Statement, base: number): void => {
    bindImports(node, imports);
    for (const part of expressionsOf(node)) expression(part, base);
    const inner = node.kind === 'FunctionDef' ? base + node.start : base;
    if (node.kind === 'FunctionDef')
      for (const parameter of parametersOf(node.args))
        for (const part of partsOfParameter(parameter)) expression(part, inner);
    for (const body of bodiesOf(node)) for (const each of body) statement(each, inner);
  };
  for (const node of module.body) statement(node, 0);
  for (const { func, base } of calls) {
    const name = dotted(func, imports);
    if (name?.startsWith('torch.')) names.push(libraryName(name));
    else if (func.kind === 'Attribute' && receivers.has(`${base + func.value.start}:${base + func.value.end}`))
      names.push(`torch.Tensor.${func.attr}`);
  }
  return names;
}

/** What the imports of a statement bind, wherever in the file it stands. */
function bindImports(node: Statement, into: Map<string, string>): void {
  if (node.kind === 'Import')
    for (const { name, asname } of node.names) {
      const first = name.split('.')[0] ?? name;
      into.set(asname ?? first, asname === null ? first : name);
    }
  if (node.kind === 'ImportFrom' && node.level === 0)
    for (const { name, asname } of node.names) into.set(asname ?? name, `${node.module}.${name}`);
}

function dotted(node: Expression, imports: ReadonlyMap<string, string>): string | null {
  if (node.kind === 'Name') return imports.get(node.id) ?? null;
  if (node.kind !== 'Attribute') return null;
  const of = dotted(node.value, imports);
  return of === null ? null : `${of}.${node.attr}`;
}
