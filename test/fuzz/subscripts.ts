/** Keys of subscripts in all patterns: numbers, slices, ellipses, None, index tensors, masks, lists. */
import type { Bind } from './calls.ts';
import type { Chance } from './chance.ts';
import type { Readable } from './statement.ts';
import { tuple } from './tensors.ts';

export function anyKey(chance: Chance, of: Readable, bind: Bind): string {
  const parts: string[] = [];
  let dim = 0;
  const count = chance.between(0, of.shape.length);
  const skips = chance.happens(0.2) ? chance.below(count + 1) : -1;
  const advanced = chance.happens(0.45);
  const shared = indexShape(chance);
  for (let i = 0; i < count; i++) {
    if (i === skips) {
      parts.push('...');
      dim = of.shape.length - (count - i);
    }
    if (chance.happens(0.1)) parts.push('None');
    const size = of.shape[dim] ?? 1;
    parts.push(
      advanced && chance.happens(0.55) ? advancedPart(chance, of, dim, shared, bind) : basicPart(chance, size),
    );
    dim++;
  }
  if (parts.length === 0 || chance.happens(0.05)) parts.push(chance.pick(['None', '...', ':', 'True', 'False']));
  if (chance.happens(0.03)) parts.push('0');
  return parts.join(', ');
}

function basicPart(chance: Chance, size: number): string {
  const end = (): string => (chance.happens(0.4) ? '' : `${chance.between(-size - 1, size + 2)}`);
  if (chance.happens(0.3))
    return `${size === 0 || chance.happens(0.04) ? chance.between(-3, 3) : chance.between(-size, size - 1)}`;
  if (chance.happens(0.3)) return ':';
  return `${end()}:${end()}${chance.happens(0.4) ? `:${chance.pick([1, 2, 2, 3])}` : ''}`;
}

const indexShape = (chance: Chance): readonly number[] => chance.pick([[2], [3], [1], [2, 2], [1, 3], [0], []]);

function advancedPart(chance: Chance, { shape }: Readable, dim: number, shared: readonly number[], bind: Bind): string {
  const size = shape[dim] ?? 1;
  const index = chance.happens(0.8) ? shared : indexShape(chance);
  const layout = index.length > 1 && chance.happens(0.3) ? '.T' : '';
  const kinds: readonly [() => string, ...(() => string)[]] = [
    () => bind(`torch.zeros(${tuple(index)}, dtype=torch.int64)${layout}`),
    () => bind(`torch.zeros(${tuple(index)}, dtype=torch.${chance.pick(['int64', 'int32', 'uint8', 'int64'])})`),
    () => bind(`torch.ones((${size},), dtype=torch.bool)`),
    () => `[${Array.from({ length: chance.between(1, 3) }, () => chance.below(Math.max(size, 1))).join(', ')}]`,
    () => bind(`torch.tensor(${chance.below(Math.max(size, 1))})`),
  ];
  return chance.pick(kinds)();
}

/** What is assigned to a subscript: a number, or a tensor that may fit. */
export function anyValue(chance: Chance, of: Readable, readables: readonly Readable[], bind: Bind): string {
  const other = chance.oneOf(readables);
  if (chance.happens(0.15) && other) return other.text;
  const taken = of.shape.slice(chance.below(of.shape.length + 1));
  return chance.pick([
    () => '0',
    () => '1.5',
    () => bind(`torch.ones(${tuple(taken)})`),
    () => bind('torch.tensor(2.0)'),
  ])();
}
