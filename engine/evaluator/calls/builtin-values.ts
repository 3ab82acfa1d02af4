import { add, ceilDiv, int, maximum, type SymInt, sub } from '../../symbols/index.ts';
import { boolValue, intValue, NONE, tupleOf, unknown, type Value } from '../../values/value.ts';
import type { Elements } from '../expressions/displays.ts';
import { evaluate } from '../expressions/expressions.ts';
import { binaryValue, integer } from '../expressions/operators.ts';
import { partOfObject, partOfUnknown, symbolFor } from '../state/derived.ts';
import { iteratorOf } from '../state/objects.ts';
import { unknownNdim } from '../state/ranks.ts';
import { type Activation, currentTensor, freshSymbol, heapRead, namedUnknown, type Run } from '../state/run.ts';
import { joinAll, settled } from '../state/settled.ts';
import { iterate } from '../statements/iteration.ts';
import { truthOf } from '../statements/narrow.ts';
import { type Arguments, callValue, type Place, positional } from './calls.ts';

export type Builtin = (run: Run, act: Activation, args: Arguments, place: Place) => Value;

export const arg = (run: Run, args: Arguments, i: number): Value =>
  settled(run, args.items[i] ?? unknown('an argument is missing'));

export const opaque =
  (reason: string): Builtin =>
  () =>
    unknown(reason);

export const firstArgument: Builtin = (run, _, args) => arg(run, args, 0);

export function toInteger(run: Run, value: Value, round: (x: number) => number): Value {
  if (value.kind === 'float')
    return value.value === null ? intValue(freshSymbol(run, 'n')) : intValue(int(round(value.value)));
  const exact = integer(run, value);
  return exact
    ? value.kind === 'unknown'
      ? value
      : intValue(exact)
    : value.kind === 'tensor'
      ? unknown('it is read from a tensor')
      : intValue(freshSymbol(run, 'n'));
}

/** `int(a / b)` of integers is `a // b`; sizes are not negative. */
export function wholeQuotient(run: Run, act: Activation, args: Arguments): Value | null {
  const [node] = args.nodes;
  if (node?.kind !== 'BinOp' || node.op !== '/') return null;
  run.muted++;
  const [a, b] = [settled(run, evaluate(run, act, node.left)), settled(run, evaluate(run, act, node.right))];
  run.muted--;
  const whole = (value: Value): boolean =>
    value.kind === 'int' || (value.kind === 'unknown' && value.symbol !== undefined);
  return whole(a) && whole(b) ? binaryValue(run, act, '//', a, b, node, node.left) : null;
}

/** `int(a * ratio)`: what is not known to be an integer is none, or nobody would ask for one. */
export function fractionalProduct(run: Run, act: Activation, args: Arguments): Value | null {
  const [node] = args.nodes;
  if (node?.kind !== 'BinOp' || node.op !== '*') return null;
  run.muted++;
  const factors = [node.left, node.right].map((part) => settled(run, evaluate(run, act, part)));
  run.muted--;
  const sizes = factors.map((value) => integer(run, value));
  const [a, b] = sizes;
  return a && b && factors.some(({ kind }) => kind === 'unknown')
    ? intValue(symbolFor(run, 'int *', [a, b], 'n'))
    : null;
}

export function extreme(
  run: Run,
  args: Arguments,
  pick: (a: SymInt, b: SymInt) => SymInt,
  float: (...xs: number[]) => number,
): Value {
  const { items, rest } =
    args.items.length === 1 ? iterate(run, arg(run, args, 0)) : { items: args.items, rest: args.rest };
  if (rest || items.length === 0) return unknown('the values are not known');
  const ints = items.map((item) => integer(run, item));
  if (ints.every((x) => x !== null) && items.every((item) => item.kind === 'int' || item.kind === 'bool'))
    return intValue(ints.reduce((a, b) => pick(a, b)));
  const numbers = items.map((item) =>
    item.kind === 'float' ? item.value : item.kind === 'int' ? item.value.constant : null,
  );
  if (numbers.every((x) => x !== null)) return { kind: 'float', value: float(...numbers) };
  return items.every((item) => item.kind === 'float' || item.kind === 'int')
    ? { kind: 'float', value: null }
    : unknown('the values are not known');
}

export function length(run: Run, value: Value): Value {
  switch (value.kind) {
    case 'tuple':
      return value.front ? unknownNdim(run, value.front, value.items.length) : intValue(int(value.items.length));
    case 'str':
      return intValue(int(value.value.length));
    case 'tensor': {
      const { layout } = currentTensor(run, value);
      const [size] = layout.shape;
      return size && !layout.front ? intValue(size) : unknown('the rank is not known');
    }
    case 'range':
      return intValue(
        value.step.constant === 1
          ? maximum(sub(value.stop, value.start), int(0))
          : ceilDiv(sub(value.stop, value.start), value.step),
      );
    case 'ref': {
      const { items, rest } = iterate(run, value);
      const object = heapRead(run, value.ref);
      if (object?.object === 'instance' && object.classId !== null && object.torchClass === null)
        return partOfObject(run, value.ref, 'length', '.length');
      return rest ? partOfObject(run, value.ref, 'length', '.length') : intValue(int(items.length));
    }
    case 'unknown':
      return partOfUnknown(run, value, '.length');
    default:
      return unknown('it has no length');
  }
}

/** As many turns of a loop as are followed one by one. */
const MOST_ZIPPED = 8;

export const zip: Builtin = (run, _, args) => {
  const all = args.items.map((item) => iterate(run, settled(run, item)));
  if (args.rest) return iteratorOf(run, [], unknown('what it yields is not known'));
  const exact = all.filter((one) => one.rest === null);
  if (all.length > 0 && exact.length === all.length) {
    const count = Math.min(...all.map((one) => one.items.length));
    return iteratorOf(
      run,
      Array.from({ length: count }, (_x, i) => tupleOf(all.map((one) => one.items[i] ?? NONE))),
      null,
    );
  }
  // What is not known is as long as what is zipped with it.
  const known = exact.filter(({ items }) => items.length > 0);
  const count = Math.min(...known.map(({ items }) => items.length));
  if (known.length > 0 && count <= MOST_ZIPPED && all.every(({ items, rest }) => rest === null || items.length === 0)) {
    const values = args.items.map((item) => settled(run, item));
    const part = (one: Elements, i: number, k: number): Value => {
      const of = values[k];
      return one.items[i] ?? (of?.kind === 'unknown' ? partOfUnknown(run, of, `[${i}]`) : (one.rest ?? NONE));
    };
    return iteratorOf(
      run,
      Array.from({ length: count }, (_x, i) => tupleOf(all.map((one, k) => part(one, i, k)))),
      null,
    );
  }
  const parts = all.map(
    (one) => joinAll(run, [...one.items, ...(one.rest ? [one.rest] : [])]) ?? unknown('nothing is iterated over'),
  );
  return iteratorOf(run, [], tupleOf(parts));
};

/** As many equal items as a list may have that is written out. */
const MOST_REPEATED = 64;

export const repeat: Builtin = (run, _, args) => {
  const value = arg(run, args, 0);
  const times = args.items.length > 1 ? (integer(run, arg(run, args, 1))?.constant ?? null) : null;
  return times !== null && times <= MOST_REPEATED
    ? iteratorOf(
        run,
        Array.from({ length: times }, () => value),
        null,
      )
    : iteratorOf(run, [], value);
};

export const enumerate: Builtin = (run, _, args) => {
  const { items, rest } = iterate(run, arg(run, args, 0));
  const start = integer(run, args.items[1] ?? args.keywords.get('start') ?? intValue(int(0))) ?? int(0);
  const pairs = items.map((item, i) => tupleOf([intValue(add(start, int(i))), item]));
  return iteratorOf(
    run,
    pairs,
    rest ? tupleOf([partOfUnknown(run, namedUnknown(run, 'i', 'the index differs each time'), ''), rest]) : null,
  );
};

export const mapBuiltin: Builtin = (run, act, args, place) => {
  const over = iterate(run, arg(run, args, 1));
  const apply = (value: Value): Value =>
    callValue(run, act, arg(run, args, 0), positional([settled(run, value)]), place);
  return iteratorOf(run, over.items.map(apply), over.rest ? apply(over.rest) : null);
};

export const range: Builtin = (run, _, args) => {
  const ints = args.items.map((item) => integer(run, settled(run, item)));
  const [a, b, c] = ints;
  if (ints.length === 0 || ints.includes(null) || !a) return iteratorOf(run, [], unknown('the range is not known'));
  return ints.length === 1
    ? { kind: 'range', start: int(0), stop: a, step: int(1) }
    : { kind: 'range', start: a, stop: b ?? a, step: c ?? int(1) };
};

export const all =
  (wanted: boolean): Builtin =>
  (run, _, args) => {
    const { items, rest } = iterate(run, arg(run, args, 0));
    const truths = items.map((item) => truthOf(run, settled(run, item)));
    if (truths.includes(!wanted)) return boolValue(!wanted);
    return rest || truths.includes(undefined) ? unknown('it is not known whether it holds') : boolValue(wanted);
  };

export const roundDown =
  (round: (x: number) => number): Builtin =>
  (run, _, args) => {
    const value = arg(run, args, 0);
    return toInteger(run, value, round);
  };

/** `torch.nn.modules.utils._pair`: a number is repeated, anything that can be iterated becomes a tuple of what it holds. */
export const repeated =
  (count: number): Builtin =>
  (run, _, args) => {
    const value = arg(run, args, 0);
    if (value.kind === 'tuple') return value;
    if (value.kind === 'int' || value.kind === 'float' || value.kind === 'bool')
      return tupleOf(Array.from({ length: count }, () => value));
    return unknown('it is not known whether it is one number');
  };
