import { intValue, NONE, tupleOf, unknown, type Value } from '../../values/value.ts';
import { objectWith } from '../state/objects.ts';
import { freshSymbol, type Run } from '../state/run.ts';
import { mode } from './builtin-objects.ts';
import { arg, type Builtin } from './builtin-values.ts';

/**
 * What a function returns of which no more is known than the kind.
 * - `bool`, `int`, `float`, `str`, `dtype`, `None`, `(int, int)`: as Python says
 * - `object`: something that is no tensor and not None
 * - `any`: what only the run tells, tensors perhaps
 * - `context`: a context manager that changes nothing the engine follows; as a decorator it returns its function
 * - `same`: its first argument, and where it is given none, a decorator that returns its function
 * - `wraps`: an object that keeps its first argument as `module`, and calls it when called
 */
const KINDS: Readonly<Record<string, Builtin>> = {
  bool: () => unknown('it is not known whether it holds'),
  int: (run) => count(run),
  float: () => ({ kind: 'float', value: null }),
  str: () => unknown('the text is not known'),
  dtype: () => unknown('the dtype is not known'),
  None: () => NONE,
  '(int, int)': (run) => tupleOf([count(run), count(run)]),
  object: (run) => objectWith(run, new Map()),
  any: () => unknown('only a run tells what it is'),
  context: (run, act, args, place) => mode('context')(run, act, args, place),
  same: (run, _, args) =>
    args.items.length > 0
      ? arg(run, args, 0)
      : (args.keywords.get('model') ?? args.keywords.get('module') ?? { kind: 'torch', name: 'typing.cast_first' }),
  wraps: (run, _, args) => wrapper(run, args.keywords.get('module') ?? arg(run, args, 0)),
};

const count = (run: Run): Value => intValue(freshSymbol(run, 'n'));

const wrapper = (run: Run, module: Value): Value =>
  objectWith(
    run,
    new Map([
      ['module', module],
      ['__call__', module],
    ]),
  );

/** Reads lines such as `torch.{cuda, xpu}.device_count -> int`: a name for every choice in braces. */
export function returning(lines: readonly string[]): ReadonlyMap<string, Builtin> {
  const functions = new Map<string, Builtin>();
  for (const line of lines) {
    const [pattern = '', kind = ''] = line.split(' -> ');
    const builtin = KINDS[kind];
    if (builtin === undefined) throw new Error(`no such kind: ${line}`);
    for (const name of spelledOut(pattern)) functions.set(name, builtin);
  }
  return functions;
}

function spelledOut(pattern: string): readonly string[] {
  const [, before, choices, after] = /^([^{]*)\{([^}]*)\}(.*)$/.exec(pattern) ?? [];
  if (before === undefined || choices === undefined || after === undefined) return [pattern];
  return choices.split(', ').flatMap((choice) => spelledOut(`${before}${choice}${after}`));
}
