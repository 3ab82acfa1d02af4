import type { Body, ClassDef, Expression, FunctionDef, Lambda, Module, Statement } from '../../syntax/ast.ts';
import type { Autocast, Value } from '../../values/value.ts';

/** What the engine asks of the world outside: where a module lies, and its text. */
export interface Host {
  /** The path of a module by its dotted name; `level` counts the leading dots of a relative import in file `from`. */
  resolve(module: string, level: number, from: string): string | null;
  read(path: string): string | null;
}

/** A source file: what its top level defines, name by name, so that an import evaluates only what it takes. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
  readonly module: Module;
  readonly definitions: ReadonlyMap<string, Definition>;
  /** Modules whose names a star import brings in. */
  readonly stars: readonly { readonly module: string; readonly level: number }[];
}

export type Definition =
  | { readonly by: 'def'; readonly node: FunctionDef | ClassDef }
  | { readonly by: 'value'; readonly value: Expression; readonly target: Expression }
  | {
      readonly by: 'import';
      readonly module: string;
      readonly level: number;
      readonly name: string | null;
      readonly whole: boolean;
    };

export interface FunctionInfo {
  readonly id: number;
  readonly definition: FunctionDef | Lambda;
  readonly file: SourceFile;
  readonly qualname: string;
  readonly base: number;
  /** The frames that its free names are looked up in, innermost first. */
  readonly closure: readonly number[];
  /** The class whose body holds it. */
  readonly owner: number | null;
  readonly decoration: 'none' | 'static' | 'class' | 'property';
  readonly noGrad: boolean;
  /** The regions of `torch.autocast` that its decorators lay around it. */
  readonly autocast: readonly Autocast[];
  readonly defaults: ReadonlyMap<string, Value>;
}

export const isConstructor = ({ definition }: FunctionInfo): boolean =>
  definition.kind === 'FunctionDef' && definition.name === '__init__';

export interface ClassInfo {
  readonly id: number;
  readonly definition: ClassDef;
  readonly file: SourceFile;
  readonly qualname: string;
  readonly bases: readonly Value[];
  readonly namespace: ReadonlyMap<string, Value>;
  readonly closure: readonly number[];
  readonly base: number;
}

/** A bound method: a function and its `self` or `cls`. */
export interface MethodInfo {
  readonly id: number;
  readonly receiver: Value;
  readonly callee: Value;
}

export function sourceFile(path: string, text: string, module: Module): SourceFile {
  const definitions = new Map<string, Definition>();
  const stars: { module: string; level: number }[] = [];
  collect(module.body, definitions, stars);
  return { path, text, module, definitions, stars };
}

/** The last plain definition of a name wins; of a `try` the body is preferred to its handlers. */
function collect(body: Body, into: Map<string, Definition>, stars: { module: string; level: number }[]): void {
  for (const statement of body) collectStatement(statement, into, stars);
}

function collectStatement(
  node: Statement,
  into: Map<string, Definition>,
  stars: { module: string; level: number }[],
): void {
  switch (node.kind) {
    case 'FunctionDef':
    case 'ClassDef':
      into.set(node.name, { by: 'def', node });
      return;
    case 'Assign':
      for (const target of node.targets) collectTarget(target, node.value, into);
      return;
    case 'AnnAssign':
      if (node.value) collectTarget(node.target, node.value, into);
      return;
    case 'Import':
      for (const { name, asname } of node.names) {
        const bound = asname ?? name.split('.')[0] ?? name;
        into.set(bound, { by: 'import', module: asname ? name : bound, level: 0, name: null, whole: true });
      }
      return;
    case 'ImportFrom':
      for (const { name, asname } of node.names)
        if (name === '*') stars.push({ module: node.module, level: node.level });
        else into.set(asname ?? name, { by: 'import', module: node.module, level: node.level, name, whole: false });
      return;
    case 'If':
      collectAbsent(node.orelse, into, stars);
      collect(node.body, into, stars);
      return;
    case 'With':
      collect(node.body, into, stars);
      return;
    case 'Try':
      for (const handler of node.handlers) collectAbsent(handler.body, into, stars);
      collect(node.body, into, stars);
      collect(node.orelse, into, stars);
      collect(node.finalbody, into, stars);
      return;
    default:
  }
}

function collectAbsent(body: Body, into: Map<string, Definition>, stars: { module: string; level: number }[]): void {
  const found = new Map<string, Definition>();
  collect(body, found, stars);
  for (const [name, definition] of found) if (!into.has(name)) into.set(name, definition);
}

function collectTarget(target: Expression, value: Expression, into: Map<string, Definition>): void {
  if (target.kind === 'Name') into.set(target.id, { by: 'value', value, target });
  else if (target.kind === 'Tuple' || target.kind === 'List')
    for (const element of target.elts)
      if (element.kind === 'Name') into.set(element.id, { by: 'value', value, target });
}
