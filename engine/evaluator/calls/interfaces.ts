import type { Value } from '../../values/value.ts';
import type { Activation, Run } from '../state/run.ts';

/** Functions that are chosen between, by where they stand. */
interface Alternatives {
  readonly here: readonly Value[];
  readonly elsewhere: readonly Value[];
}

/** So many functions, of so many leading parameters of the same names, are ways to do one thing. */
const LEAST_FUNCTIONS = 3;
const LEAST_PARAMETERS = 4;

/**
 * Of the functions among which a name picks that is not known: those that take each other's place, because they take the
 * same arguments. The caller's own file has the one that it falls back on. Null where they are not of that kind.
 */
export function interchangeable(run: Run, act: Activation, options: readonly Value[]): Alternatives | null {
  if (options.length <= LEAST_FUNCTIONS) return null;
  const kinds = new Map<string, { readonly option: Value; readonly here: boolean }[]>();
  for (const option of options) {
    const info = option.kind === 'program' && option.what === 'function' ? run.functions[option.id] : undefined;
    const names = info?.definition.args.positional.slice(0, LEAST_PARAMETERS).map(({ name }) => name) ?? [];
    if (info === undefined || names.length < LEAST_PARAMETERS) return null;
    const kind = names.join();
    kinds.set(kind, [...(kinds.get(kind) ?? []), { option, here: info.file === act.file }]);
  }
  const [most = []] = [...kinds.values()].toSorted((a, b) => b.length - a.length);
  if (most.length < LEAST_FUNCTIONS) return null;
  const standing = (place: boolean): readonly Value[] =>
    most.filter(({ here }) => here === place).map(({ option }) => option);
  return { here: standing(true), elsewhere: standing(false) };
}
