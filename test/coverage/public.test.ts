import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { isKnown } from '../../engine/evaluator/torch/known.ts';

const namespaces: Readonly<Record<string, readonly string[]>> = JSON.parse(
  readFileSync(new URL('./public.json', import.meta.url), 'utf8'),
);

test.each(Object.entries(namespaces))('every public function of %s has an entry', (namespace, names) => {
  expect(names.filter((name) => !isKnown(`${namespace}.${name}`))).toEqual([]);
});
