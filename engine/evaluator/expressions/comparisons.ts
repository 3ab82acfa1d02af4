import { compare } from '../../ops/index.ts';
import { always } from '../../symbols/index.ts';
import type { Compare, ComparisonOperator } from '../../syntax/ast.ts';
import { boolValue, NONE, unknown, type Value } from '../../values/value.ts';
import { numberIfUnknown, ofGuessedNumber } from '../roots/guessed.ts';
import { isPlain, sameValue } from '../state/join.ts';
import { type Activation, heapRead, type Run } from '../state/run.ts';
import { settled } from '../state/settled.ts';
import { iterate } from '../statements/iteration.ts';
import { runOutcome } from '../torch/torch.ts';
import { keyText } from './displays.ts';
import { evaluate } from './expressions.ts';
import { integer, isTensorLike } from './operators.ts';

export function evaluateCompare(run: Run, act: Activation, node: Compare): Value {
  let left = settled(run, evaluate(run, act, node.left));
  let truth: boolean | undefined = true;
  let leftNode = node.left;
  for (const [i, op] of node.ops.entries()) {
    const rightNode = node.comparators[i];
    if (!rightNode) break;
    const right = settled(run, evaluate(run, act, rightNode));
    if (
      op !== 'is' &&
      op !== 'is not' &&
      op !== 'in' &&
      op !== 'not in' &&
      (isTensorLike(run, left) || isTensorLike(run, right)) &&
      left.kind !== 'none' &&
      right.kind !== 'none'
    ) {
      const self = leftNode;
      const number = (value: Value): Value => (isPlain(run, value) ? numberIfUnknown(value) : value);
      return runOutcome(run, act, op, [left, right], { node, spelled: op, self }, (context, [x, y]) =>
        ofGuessedNumber(compare(op, number(x ?? NONE), number(y ?? NONE), context), [x ?? NONE, y ?? NONE]),
      );
    }
    const one = compareValues(run, op, left, right);
    truth = truth === false || one === false ? false : truth && one ? true : undefined;
    left = right;
    leftNode = rightNode;
  }
  return truth === undefined ? unknown('it is not known whether it holds') : boolValue(truth);
}

export function compareValues(run: Run, op: ComparisonOperator, a: Value, b: Value): boolean | undefined {
  const not = (truth: boolean | undefined): boolean | undefined => (truth === undefined ? undefined : !truth);
  switch (op) {
    case 'is not':
      return not(compareValues(run, 'is', a, b));
    case '!=':
      return not(compareValues(run, '==', a, b));
    case 'not in':
      return not(compareValues(run, 'in', a, b));
    case 'is':
      if (a.kind === 'none' || b.kind === 'none') return isNone(a.kind === 'none' ? b : a);
      if (a.kind === 'bool' && b.kind === 'bool') return a.value === b.value;
      if (a.kind === 'torch' && b.kind === 'torch') return a.name === b.name;
      if (a.kind === 'program' && b.kind === 'program') return a.what === b.what && a.id === b.id;
      if (isDefined(a) && isDefined(b)) return false;
      return a.kind === 'ref' && b.kind === 'ref' && a.ref === b.ref ? true : undefined;
    case 'in': {
      const all = iterate(run, b);
      const dict = b.kind === 'ref' ? heapRead(run, b.ref) : undefined;
      if (b.kind === 'str' && a.kind === 'str') return b.value.includes(a.value);
      if (dict?.object === 'dict') {
        const key = keyText(a);
        if (dict.entries.size === 0 && !dict.rest) return false;
        return key === null ? undefined : dict.entries.has(key) ? true : dict.rest ? undefined : false;
      }
      const found = all.items.map((item) => compareValues(run, '==', a, item));
      return found.includes(true) ? true : all.rest || found.includes(undefined) ? undefined : false;
    }
    case '==': {
      const [x, y] = [integer(run, a), integer(run, b)];
      if (x && y)
        return a.kind === 'unknown' || b.kind === 'unknown'
          ? x.key === y.key
            ? true
            : undefined
          : always('equal', x, y, run.layer.facts);
      if (a.kind === 'none' || b.kind === 'none') return isNone(a.kind === 'none' ? b : a);
      if (a.kind === 'str' && b.kind === 'str') return a.value === b.value;
      if (a.kind === 'dtype' && b.kind === 'dtype') return a.value === b.value;
      if (a.kind === 'tuple' && b.kind === 'tuple' && !a.front && !b.front) {
        if (a.items.length !== b.items.length) return false;
        const each = a.items.map((item, i) => compareValues(run, '==', item, b.items[i] ?? NONE));
        return each.includes(false) ? false : each.includes(undefined) ? undefined : true;
      }
      if (a.kind === 'float' && b.kind === 'float')
        return a.value === null || b.value === null ? undefined : a.value === b.value;
      if (a.kind === 'torch' && b.kind === 'torch') return a.name === b.name;
      if (a.kind === 'program' && b.kind === 'program') return a.what === b.what && a.id === b.id;
      if (isDefined(a) && isDefined(b)) return false;
      return sameValue(a, b) && a.kind !== 'unknown' && a.kind !== 'float' ? true : undefined;
    }
    case '<':
    case '>':
    case '<=':
    case '>=': {
      const [x, y] = [integer(run, a), integer(run, b)];
      if (x && y && a.kind !== 'unknown' && b.kind !== 'unknown')
        return op === '<'
          ? always('less', x, y, run.layer.facts)
          : op === '>'
            ? always('less', y, x, run.layer.facts)
            : op === '<='
              ? not(always('less', y, x, run.layer.facts))
              : not(always('less', x, y, run.layer.facts));
      const number = (value: Value): number | null =>
        value.kind === 'float' ? value.value : value.kind === 'int' ? value.value.constant : null;
      const [p, q] = [number(a), number(b)];
      if (p === null || q === null) return undefined;
      return op === '<' ? p < q : op === '>' ? p > q : op === '<=' ? p <= q : p >= q;
    }
  }
}

/** A function or class of the program is none of a library, and none of the other kind. */
const isDefined = (value: Value): boolean => value.kind === 'torch' || value.kind === 'program';

function isNone(value: Value): boolean | undefined {
  if (value.kind === 'none') return true;
  if (value.kind === 'unknown') return undefined;
  if (value.kind === 'either') return value.options.some((o) => o.kind === 'none') ? undefined : false;
  return false;
}
