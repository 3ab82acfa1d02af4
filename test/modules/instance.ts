import { construct, findModule, type ModuleEntry } from '../../engine/modules/index.ts';
import type { OpContext } from '../../engine/ops/index.ts';
import { readLiteral } from '../../engine/ops/literal.ts';
import { NO_FACTS, type SymInt, symbol } from '../../engine/symbols/index.ts';
import { contiguous, isFault, type Tensor } from '../../engine/tensor/index.ts';
import { unknown, type Value } from '../../engine/values/value.ts';
import { className, type ModuleQuestion } from './samples.ts';

let made = 0;

export const contextOf = ({ training, grad }: Pick<ModuleQuestion, 'training' | 'grad'>): OpContext => ({
  facts: NO_FACTS,
  fresh: (hint) => symbol(`fresh ${hint} ${made++}`),
  training,
  grad,
  torch: [2, 13],
});

/** The module class that a constructor call names. */
export const entryOf = ({ construction }: ModuleQuestion): ModuleEntry | null => findModule(className(construction));

/** A module as its constructor makes it, its parameters as tensors; null where the constructor raises. */
export function instanceOf(question: ModuleQuestion, next: () => number) {
  const entry = entryOf(question);
  if (entry === null) throw new Error('no such module');
  const { args, keywords } = argumentsOf(question.construction);
  const construction = construct(entry, args, keywords, contextOf(question));
  if (isFault(construction)) return null;
  const attributes = new Map(construction.attributes);
  for (const { name, shape, dtype, buffer } of construction.parameters)
    attributes.set(name, tensorOf(shape, dtype, !buffer, next));
  return { entry, construction, attributes };
}

/** The arguments of `Conv2d(3, 8, 3, padding=1)` as values; another module among them is an object, as for the evaluator. */
export function argumentsOf(text: string): { args: Value[]; keywords: Map<string, Value> } {
  const [, inside = ''] = /^[\w.]+\((.*)\)$/.exec(text) ?? [];
  const args: Value[] = [];
  const keywords = new Map<string, Value>();
  for (const [part] of inside.matchAll(/(?:\w+=)?(?:\w*\([^)]*\)|\[[^\]]*\]|'[^']*'|[^,\s][^,]*)/g)) {
    const [, keyword, literal] = /^([A-Za-z]\w*)=(.*)$/.exec(part) ?? [];
    const written = (literal ?? part).trim();
    const value = /^[A-Z]\w*\(/.test(written) ? unknown('it is an object') : readLiteral(written);
    if (value === null) throw new Error(`not a literal: ${part}`);
    if (keyword === undefined) args.push(value);
    else keywords.set(keyword, value);
  }
  return { args, keywords };
}

export const tensorOf = (
  shape: readonly SymInt[],
  dtype: Tensor['dtype'],
  requiresGrad: boolean,
  next: () => number,
): Tensor => ({
  kind: 'tensor',
  id: next(),
  layout: contiguous(shape),
  dtype,
  device: 'cpu',
  requiresGrad,
  storage: { id: next(), nbytes: null, origin: { is: 'unknown' } },
  assumes: [],
  elements: null,
});
