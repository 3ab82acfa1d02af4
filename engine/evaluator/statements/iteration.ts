import { add, int, learnEqual, learnFactors, mul, type SymInt } from '../../symbols/index.ts';
import { intValue, unknown, type Value } from '../../values/value.ts';
import { entriesOf } from '../calls/mappings.ts';
import { itemsOfFields } from '../calls/named-tuples.ts';
import type { Elements } from '../expressions/displays.ts';
import { askedFor, partOfUnknown } from '../state/derived.ts';
import { isSequence } from '../state/heap.ts';
import { optionsOf } from '../state/join.ts';
import { currentTensor, factsOf, freshSymbol, heapRead, hintOf, learn, packedSymbol, type Run } from '../state/run.ts';
import { joinAll } from '../state/settled.ts';
import { pieceOf } from '../torch/autograd.ts';
import { children, isContainer } from '../torch/nn.ts';
import { callTorchQuietly } from '../torch/torch.ts';

const MOST_ITEMS = 64;

/** What iterating over a value yields. */
export function iterate(run: Run, value: Value): Elements {
  switch (value.kind) {
    case 'tuple':
      return value.front ? { items: [], rest: unknown('the rank is not known') } : { items: value.items, rest: null };
    case 'range': {
      const count = rangeLength(value.start, value.stop, value.step);
      if (count !== null && count <= MOST_ITEMS)
        return {
          items: Array.from({ length: count }, (_, i) => intValue(add(value.start, mul(value.step, int(i))))),
          rest: null,
        };
      return { items: [], rest: intValue(freshSymbol(run, 'i')) };
    }
    case 'tensor': {
      const { layout } = currentTensor(run, value);
      const size = layout.front ? null : (layout.shape[0]?.constant ?? null);
      const pick = (index: SymInt): Value =>
        pieceOf(callTorchQuietly(run, 'torch.select', [value, intValue(int(0)), intValue(index)]));
      if (size !== null && size <= MOST_ITEMS)
        return { items: Array.from({ length: size }, (_, i) => pick(int(i))), rest: null };
      return { items: [], rest: layout.front ? unknown('the rank is not known') : pick(freshSymbol(run, 'i')) };
    }
    case 'str':
      return value.value.length <= MOST_ITEMS
        ? { items: [...value.value].map((c): Value => ({ kind: 'str', value: c })), rest: null }
        : { items: [], rest: unknown('a character') };
    case 'ref': {
      const object = heapRead(run, value.ref);
      if (isSequence(object)) return { items: object.items, rest: object.rest };
      if (object?.object === 'dict')
        return {
          items: [...object.entries.values()].map((e) => e.key),
          rest: object.rest ? unknown('the keys are not known') : null,
        };
      if (object?.object === 'instance' && isContainer(object)) return iterate(run, children(object));
      const held = object?.object === 'instance' ? (entriesOf(object) ?? itemsOfFields(run, value.ref)) : null;
      if (held) return iterate(run, held);
      return { items: [], rest: unknown('what it yields is not known') };
    }
    case 'either': {
      const options = optionsOf(value)
        .filter((o) => o.kind !== 'none')
        .map((o) => iterate(run, o));
      const [only] = options;
      if (options.length === 1 && only) return only;
      return {
        items: [],
        rest: joinAll(
          run,
          options.flatMap((o) => [...o.items, ...(o.rest ? [o.rest] : [])]),
        ),
      };
    }
    case 'unknown':
      return { items: [], rest: partOfUnknown(run, value, '[…]') };
    default:
      return { items: [], rest: unknown('it cannot be iterated over') };
  }
}

function rangeLength(start: SymInt, stop: SymInt, step: SymInt): number | null {
  const [a, b, s] = [start.constant, stop.constant, step.constant];
  if (a === null || b === null || s === null || s === 0) return null;
  return Math.max(0, Math.ceil((b - a) / s));
}

/**
 * The parts of a value that is unpacked into `count` targets. A tensor's shape of unknown rank learns its rank from it;
 * `hints` are the targets' names.
 */
export function unpack(run: Run, value: Value, count: number, hints: readonly (string | null)[]): readonly Value[] {
  if (value.kind === 'tuple' && value.front) return unpackFront(run, value, count, hints);
  if (value.kind === 'tensor') {
    const { layout } = currentTensor(run, value);
    if (!layout.front && layout.shape[0]?.constant === null)
      return hints.map((_, i) =>
        pieceOf(callTorchQuietly(run, 'torch.select', [value, intValue(int(0)), intValue(int(i))])),
      );
  }
  const { items, rest } = iterate(run, value);
  if (rest === null && items.length === count) return items;
  const of = value.kind === 'unknown' ? value : null;
  return Array.from({ length: count }, (_, i) =>
    of ? partOfUnknown(run, of, `[${i}]`) : (items[i] ?? rest ?? unknown('the number of values is not known')),
  );
}

function unpackFront(
  run: Run,
  value: Extract<Value, { kind: 'tuple' }>,
  count: number,
  hints: readonly (string | null)[],
): readonly Value[] {
  const { items, front } = value;
  const id = front ? packedSymbol(front) : null;
  const leading = count - items.length;
  if (id === null || leading < 0) return Array.from({ length: count }, () => unknown('the rank is not known'));
  const dims = Array.from({ length: leading }, (_, i) => freshSymbol(run, hints[i] ?? `${hintOf(id).slice(1)}_${i}`));
  learn(run, learnFactors(factsOf(run), id, dims));
  dims.forEach((dim, i) => {
    const asked = askedFor(run, `[${i}]`, [id]);
    if (asked) learn(run, learnEqualFacts(run, asked, dim));
  });
  return [...dims.map(intValue), ...items];
}

const learnEqualFacts = (run: Run, a: SymInt, b: SymInt) => learnEqual(factsOf(run), a, b);
