import { type SymInt, same, symbol } from '../../symbols/index.ts';
import type { Value } from '../../values/value.ts';
import type { Activation } from './run.ts';

/** An integer that a local name was bound to. */
export interface Binding {
  readonly name: string;
  readonly value: SymInt;
  /** On which way it was. */
  readonly way: string;
  /** Where ways meet: the branch, and what the name was bound to on each. */
  readonly joined: { readonly branch: string; readonly of: readonly SymInt[] } | null;
}

/** The integer that a value is, or may be, where that is not a constant. */
export function numberOf(value: Value | undefined): SymInt | null {
  if (value?.kind === 'unknown' && value.symbol !== undefined) return symbol(value.symbol);
  return value?.kind === 'int' && value.value.constant === null ? value.value : null;
}

/** Takes down that the ways of a branch meet, and the number that a local name is from there on. */
export function bindJoined(
  act: Activation,
  branch: string,
  where: string,
  values: readonly (Value | undefined)[],
  joined: Value | undefined,
): void {
  const own = `${act.frame}.`;
  const value = numberOf(joined);
  if (!value || !where.startsWith(own)) return;
  const of = values.map(numberOf).filter((number) => number !== null);
  if (of.length === values.length)
    act.named?.push({ name: where.slice(own.length), value, way: act.way ?? '', joined: { branch, of } });
}

/** Whether the number that a name was bound to is the same name's number on another way, or where the ways meet again. */
export function isAnother(earlier: Binding, later: Binding): boolean {
  if (later.joined === null) return areExclusive(earlier.way, later.way);
  const { branch, of } = later.joined;
  return earlier.way.startsWith(branch) && of.some((value) => same(value, earlier.value));
}

/** Whether two ways part at some branch. */
export function areExclusive(a: string, b: string): boolean {
  const [ours, theirs] = [a.split('/'), b.split('/')];
  const parts = ours.findIndex((turn, i) => turn !== theirs[i]);
  const [x, y] = [ours[parts]?.split(':'), theirs[parts]?.split(':')];
  return x !== undefined && y !== undefined && x[0] === y[0];
}
