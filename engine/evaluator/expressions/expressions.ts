import { int } from '../../symbols/index.ts';
import type { Attribute, Constant, Expression } from '../../syntax/ast.ts';
import { boolValue, intValue, NONE, unknown, type Value } from '../../values/value.ts';
import { attributeOf, attributeRead } from '../calls/attributes.ts';
import { evaluateCall } from '../calls/calls.ts';
import { superAttribute } from '../calls/classes.ts';
import { lambdaValue } from '../calls/functions.ts';
import { recordRead } from '../record.ts';
import { type Activation, allocate, OUT_OF_BUDGET, type Run, step } from '../state/run.ts';
import { settled } from '../state/settled.ts';
import { assign } from '../statements/assignment.ts';
import { iterate } from '../statements/iteration.ts';
import { lookup } from '../statements/names.ts';
import { evaluateBool, evaluateIf } from './choices.ts';
import { evaluateCompare } from './comparisons.ts';
import { elements, evaluateComprehension, evaluateDict, tupleOfElements } from './displays.ts';
import { evaluateSubscript } from './items.ts';
import { evaluateBinary, evaluateUnary } from './operators.ts';

/** The value of an expression; what cannot be told is an unknown with its reason. */
export function evaluate(run: Run, act: Activation, node: Expression): Value {
  if (!step(run)) return OUT_OF_BUDGET;
  switch (node.kind) {
    case 'Name': {
      const value = settled(run, lookup(run, act, node.id));
      if (value.kind === 'tensor') recordRead(run, act, node, node.id, value);
      return value;
    }
    case 'Constant':
      return constantValue(node);
    case 'JoinedStr': {
      const parts = node.values.map((part) => (typeof part === 'string' ? part : evaluate(run, act, part)));
      return !node.formatted &&
        parts.every((part) => typeof part === 'string' || part.kind === 'str' || isKnownInt(part))
        ? { kind: 'str', value: parts.map(textOf).join('') }
        : unknown('the text is not known');
    }
    case 'Attribute':
      return evaluateAttribute(run, act, node, attributeRead);
    case 'Subscript':
      return evaluateSubscript(run, act, node);
    case 'Slice':
      return {
        kind: 'slice',
        start: optional(run, act, node.lower),
        stop: optional(run, act, node.upper),
        step: optional(run, act, node.step),
      };
    case 'Call':
      return evaluateCall(run, act, node);
    case 'BinOp':
      return evaluateBinary(run, act, node);
    case 'UnaryOp':
      return evaluateUnary(run, act, node);
    case 'BoolOp':
      return evaluateBool(run, act, node);
    case 'Compare':
      return evaluateCompare(run, act, node);
    case 'IfExp':
      return evaluateIf(run, act, node);
    case 'Lambda':
      return lambdaValue(run, act, node);
    case 'Tuple':
      return tupleOfElements(run, act, node.elts);
    case 'List':
    case 'Set': {
      const { items, rest } = elements(run, act, node.elts);
      return {
        kind: 'ref',
        ref: allocate(run, { object: node.kind === 'List' ? 'list' : 'set', items, rest, length: null }),
      };
    }
    case 'Dict':
      return evaluateDict(run, act, node.keys, node.values);
    case 'Comprehension':
      return evaluateComprehension(run, act, node);
    case 'Starred':
      return evaluate(run, act, node.value);
    case 'NamedExpr': {
      const value = evaluate(run, act, node.value);
      assign(run, act, node.target, value, node.value);
      return value;
    }
    case 'Await':
      return evaluate(run, act, node.value);
    case 'Yield': {
      const value = node.value ? evaluate(run, act, node.value) : NONE;
      act.yields.push(node.from ? (iterate(run, value).rest ?? unknown('it is a generator')) : value);
      return unknown('what is sent into a generator is not known');
    }
    case 'BadExpression':
      return unknown('this could not be parsed');
  }
}

function constantValue(node: Constant): Value {
  switch (node.literal) {
    case 'int':
      return typeof node.value === 'number' && Number.isSafeInteger(node.value)
        ? intValue(int(node.value))
        : unknown('the number is too large');
    case 'float':
      return { kind: 'float', value: typeof node.value === 'number' ? node.value : null };
    case 'complex':
      return { kind: 'complex' };
    case 'str':
      return { kind: 'str', value: String(node.value) };
    case 'bytes':
      return unknown('it is bytes');
    case 'bool':
      return boolValue(node.value === true);
    case 'none':
      return NONE;
    case 'ellipsis':
      return { kind: 'ellipsis' };
  }
}

const optional = (run: Run, act: Activation, node: Expression | null): Value =>
  node ? evaluate(run, act, node) : NONE;

const isKnownInt = (value: Value): boolean => value.kind === 'int' && value.value.constant !== null;

const textOf = (part: string | Value): string =>
  typeof part === 'string'
    ? part
    : part.kind === 'str'
      ? part.value
      : part.kind === 'int'
        ? String(part.value.constant)
        : '';

/** What is called: `x.view` of `x.view(2, 3)`. */
export const evaluateCallee = (run: Run, act: Activation, node: Expression): Value =>
  node.kind === 'Attribute' ? evaluateAttribute(run, act, node, attributeOf) : evaluate(run, act, node);

function evaluateAttribute(run: Run, act: Activation, node: Attribute, read: typeof attributeOf): Value {
  if (node.value.kind === 'Call' && node.value.func.kind === 'Name' && node.value.func.id === 'super')
    return superAttribute(run, act, node.attr, { node, spelled: node.attr, self: node.value });
  const of = settled(run, evaluate(run, act, node.value));
  return read(run, act, of, node.attr, { node, spelled: node.attr, self: node.value });
}
