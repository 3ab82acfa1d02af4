import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { getItem, type OpContext, setItem } from '../../engine/ops/index.ts';
import { sampleValue } from '../../engine/ops/sample.ts';
import { NO_FACTS, symbol } from '../../engine/symbols/index.ts';
import { isFault, type Tensor } from '../../engine/tensor/index.ts';
import type { Value } from '../../engine/values/value.ts';
import { keyValue, SUBSCRIPTS, type Subscript, subscriptKey } from './subscripts.ts';

const recorded: Readonly<Record<string, unknown>> = JSON.parse(
  readFileSync(new URL('./recordings/subscripts.json', import.meta.url), 'utf8'),
);

const context: OpContext = {
  facts: NO_FACTS,
  fresh: (hint) => symbol(hint),
  training: true,
  grad: true,
  torch: [2, 13],
};

let ids = 0;

function tensorOf(shape: readonly number[], stride: readonly number[] | null): Tensor {
  const value = sampleValue({ is: 'tensor', shape, stride, dtype: 'float32', elements: null }, () => ids++);
  if (value.kind !== 'tensor') throw new Error('a tensor was asked for');
  return value;
}

const assigned = (value: readonly number[] | number): Value =>
  typeof value === 'number' ? { kind: 'float', value } : tensorOf(value, null);

function answered({ shape, stride, key, value }: Subscript): unknown {
  const x = tensorOf(shape, stride);
  const { result } =
    value === null ? getItem(x, keyValue(key), context) : setItem(x, keyValue(key), assigned(value), context);
  if (isFault(result)) return result.fault === 'raises' ? '!' : `unsure: ${result.reason}`;
  if (!('layout' in result)) return null;
  const { layout, dtype } = result;
  const plain = { shape: layout.shape.map((n) => n.constant), stride: layout.stride?.map((n) => n.constant), dtype };
  return { ...plain, offset: layout.offset?.constant, ...(result.is === 'view' ? { of: 0 } : {}) };
}

it.each(SUBSCRIPTS.map((subscript) => [subscriptKey(subscript), subscript] as const))('x%s', (name, subscript) => {
  const expected = recorded[name];
  if (expected === undefined) throw new Error('no recording of this subscript: run test/oracle/op_samples.py');
  expect(answered(subscript)).toEqual(Array.isArray(expected) ? '!' : expected);
});

it('has no recording of a subscript that is gone', () => {
  expect(Object.keys(recorded).sort()).toEqual(SUBSCRIPTS.map(subscriptKey).sort());
});
