import type { Expression } from '../../syntax/ast.ts';
import { unknown, type Value } from '../../values/value.ts';
import { isBuiltin } from '../calls/builtins.ts';
import { defineClass } from '../calls/classes.ts';
import { functionValue } from '../calls/functions.ts';
import { evaluate } from '../expressions/expressions.ts';
import { numberOf } from '../state/bindings.ts';
import type { Definition, SourceFile } from '../state/program.ts';
import {
  type Activation,
  activation,
  forProgram,
  heapRead,
  heapWrite,
  namedUnknown,
  nextId,
  type Run,
} from '../state/run.ts';
import { isNamespace, libraryValue, starredValue } from '../torch/library.ts';
import { readAgain, readingOnce } from '../units/reading.ts';
import { assign } from './assignment.ts';

/** The value of a name: local, in an enclosing function, of the module, or built in. */
export function lookup(run: Run, act: Activation, name: string): Value {
  if (!act.globalNames.has(name)) {
    const own = variable(run, act.frame, name);
    if (act.frame === run.globals.get(run.own)) run.reading.names.add(name);
    if (own !== undefined) return own;
    for (const ref of act.closure) {
      const value = variable(run, ref, name);
      if (value !== undefined) return value;
    }
  }
  return globalValue(run, act.file, name) ?? builtin(run, name);
}

function variable(run: Run, ref: number, name: string): Value | undefined {
  const frame = heapRead(run, ref);
  return frame?.object === 'frame' ? frame.variables.get(name) : undefined;
}

function builtin(run: Run, name: string): Value {
  if (isBuiltin(name)) return { kind: 'torch', name: `builtins.${name}` };
  if (name === '__name__') return { kind: 'str', value: '__main__' };
  return namedConstant(run, `unbound ${name}`, name, `\`${name}\` is not defined here`);
}

/** An unknown by name that is the same each time. */
function namedConstant(run: Run, key: string, name: string, reason: string): Value {
  const found = run.constants.get(key);
  if (found) return found;
  const made = forProgram(run, () => namedUnknown(run, name, reason));
  run.constants.set(key, made);
  return made;
}

export function globalFrame(run: Run, file: SourceFile): number {
  const found = run.globals.get(file.path);
  if (found !== undefined) return found;
  const ref = forProgram(run, () => nextId(run));
  run.root.own.set(ref, { object: 'frame', variables: new Map() });
  run.globals.set(file.path, ref);
  return ref;
}

/** A name of a module's top level. Of an imported module only what is asked for is evaluated, and once. */
export function globalValue(run: Run, file: SourceFile, name: string): Value | undefined {
  if (file.path === run.own) run.reading.names.add(name);
  const value = variable(run, globalFrame(run, file), name);
  if (value !== undefined) return value;
  const constants = constantsOf(run, file);
  const key = `${file.path} ${name}`;
  if (constants.has(name)) {
    readAgain(run, key);
    return constants.get(name);
  }
  const definition = file.definitions.get(name);
  if (definition === undefined) {
    // modules may import each other by stars
    constants.set(name, undefined);
    const found = readingOnce(run, key, () => starValue(run, file, name));
    constants.set(name, found);
    return found;
  }
  constants.set(name, unknown(`\`${name}\` is defined by itself`));
  const made = readingOnce(run, key, () => atRoot(run, file, (act) => define(run, act, file, name, definition)));
  constants.set(name, made);
  return made;
}

function constantsOf(run: Run, file: SourceFile): Map<string, Value | undefined> {
  const found = run.definitions.get(file);
  if (found) return found;
  const made = new Map<string, Value | undefined>();
  run.definitions.set(file, made);
  return made;
}

/** A package that only gathers so many modules is not read through for one name. */
const MOST_STARS = 64;

function starValue(run: Run, file: SourceFile, name: string): Value | undefined {
  if (file.stars.length > MOST_STARS) return undefined;
  for (const { module, level } of file.stars) {
    const library = level === 0 ? starredValue(`${module}.${name}`) : null;
    if (library) return library;
    const path = run.files.host.resolve(module, level, file.path);
    const from = path === null || path === file.path ? null : run.files.load(path);
    const value = from ? globalValue(run, from, name) : undefined;
    if (value !== undefined) return value;
  }
  return undefined;
}

/** Steps that one name of a module may take: it is evaluated once, and costs the function that asks for it first nothing. */
const ROOT_BUDGET = 20_000;

/** Evaluates at the top level of a file, in the layer that every analysis of this run shares, without events. */
function atRoot(run: Run, file: SourceFile, evaluateIn: (act: Activation) => Value): Value {
  const { layer, grad, budget } = run;
  run.layer = run.root;
  run.budget = ROOT_BUDGET;
  run.grad = true;
  run.muted++;
  const act = moduleActivation(run, file);
  run.stack.push(act);
  const value = forProgram(run, () => evaluateIn(act));
  run.stack.pop();
  run.muted--;
  run.budget = budget;
  run.layer = layer;
  // what was allocated at the root is seen from every layer
  run.grad = grad;
  return value;
}

/** What an expression is that stands in some function of a file, but speaks of top-level names alone; the same each time. */
export function evaluateAtTop(run: Run, file: SourceFile, node: Expression, spelled: string): Value {
  const key = `= ${file.path} ${spelled}`;
  const found = run.constants.get(key);
  if (found) {
    readAgain(run, key);
    return found;
  }
  const made = readingOnce(run, key, () => atRoot(run, file, (act) => evaluate(run, act, node)));
  run.constants.set(key, made);
  return made;
}

export function moduleActivation(run: Run, file: SourceFile): Activation {
  return activation({
    frame: globalFrame(run, file),
    closure: [],
    file,
    base: 0,
    qualname: '<module>',
    body: file.module.body,
    info: null,
    self: null,
  });
}

function define(run: Run, act: Activation, file: SourceFile, name: string, definition: Definition): Value {
  switch (definition.by) {
    case 'def':
      return definition.node.kind === 'FunctionDef'
        ? functionValue(run, act, definition.node, null, name, [])
        : defineClass(run, act, definition.node, name);
    case 'import':
      return importValue(run, file, definition.module, definition.level, definition.whole ? null : definition.name);
    case 'value': {
      const value = evaluate(run, act, definition.value);
      if (definition.target.kind === 'Name') return value;
      assign(run, act, definition.target, value, definition.value);
      const frame = heapRead(run, act.frame);
      return (frame?.object === 'frame' ? frame.variables.get(name) : undefined) ?? unknown('it is unpacked');
    }
  }
}

/** What `import module` or `from module import name` binds. */
export function importValue(run: Run, file: SourceFile, module: string, level: number, name: string | null): Value {
  const full = name === null ? module : `${module}.${name}`;
  if (level === 0) {
    const library = libraryValue(full);
    if (library) return library;
  }
  const path = run.files.host.resolve(module, level, file.path);
  const from = path === null ? null : run.files.load(path);
  if (from && name === null) return moduleValue(run, from);
  const own = from && name !== null && from.path !== file.path ? from : null;
  if (own && name !== null && own.definitions.has(name)) {
    const value = globalValue(run, own, name);
    if (value !== undefined) return value;
  }
  if (name !== null) {
    const submodule = run.files.host.resolve(module === '' ? name : full, level, file.path);
    const source = submodule === null ? null : run.files.load(submodule);
    if (source) return moduleValue(run, source);
    const value = own ? globalValue(run, own, name) : undefined;
    if (value !== undefined) return value;
  }
  if (level === 0 && isNamespace(full)) return { kind: 'torch', name: full };
  const last = full.split('.').at(-1) ?? full;
  return namedConstant(
    run,
    `import ${level} ${full} ${level > 0 ? file.path : ''}`,
    last,
    `\`${full}\` could not be found`,
  );
}

export function moduleValue(run: Run, file: SourceFile): Value {
  let id = run.modules.indexOf(file.path);
  if (id < 0) id = run.modules.push(file.path) - 1;
  return { kind: 'program', what: 'module', id };
}

/** `module.name` of a program module. */
export function moduleAttribute(run: Run, id: number, name: string): Value {
  const path = run.modules[id];
  const file = path === undefined ? null : run.files.load(path);
  if (!file) return unknown('the module could not be read');
  const value = globalValue(run, file, name);
  if (value !== undefined) return value;
  const submodule = run.files.host.resolve(name, 1, file.path);
  const source = submodule === null || submodule === file.path ? null : run.files.load(submodule);
  return source
    ? moduleValue(run, source)
    : namedConstant(run, `${path} ${name}`, name, `\`${name}\` is not defined in its module`);
}

/** Binds a name in the frame that Python would. */
export function bind(run: Run, act: Activation, name: string, value: Value): void {
  const ref = act.globalNames.has(name) ? globalFrame(run, act.file) : act.frame;
  if (ref === run.globals.get(run.own)) run.binds.add(name);
  const frame = heapWrite(run, ref);
  if (frame?.object === 'frame') frame.variables.set(name, value);
  const number = name === '_' ? null : value.kind === 'int' ? value.value : numberOf(value);
  if (number) act.named?.push({ name, value: number, way: act.way ?? '', joined: null });
}

export function unbind(run: Run, act: Activation, name: string): void {
  if (act.frame === run.globals.get(run.own)) run.binds.add(name);
  const frame = heapWrite(run, act.frame);
  if (frame?.object === 'frame') frame.variables.delete(name);
}
