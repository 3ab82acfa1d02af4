import { NO_FACTS, symbol } from '../../symbols/index.ts';
import { isFault } from '../../tensor/index.ts';
import { callOp } from '../call.ts';
import type { OpContext } from '../context.ts';
import type { Entry } from '../op.ts';
import type { OpResult, Outcome } from '../outcome.ts';
import { readSample, sampleValue } from '../sample.ts';
import { since } from '../since.ts';
import { NEWEST } from '../versions.ts';
import { findOp, names, type Op } from './index.ts';

/** One public function or method of torch, as documentation lists it. */
export interface Row {
  readonly name: string;
  /** What comes out: `view`, `new storage`, `itself`, `value`; several where it depends on the arguments. */
  readonly results: readonly string[];
  readonly writes: boolean;
  /** Why nothing is told, where that is so. */
  readonly reason: string | null;
  /** The measured torch that is the first to have it, null where the oldest has. */
  readonly since: string | null;
}

const context: OpContext = { facts: NO_FACTS, fresh: symbol, training: true, grad: true, torch: NEWEST };

/** Every public name of torch that has an op, sorted, with what calling it on the op's own samples gives. */
export const operatorRows = (): readonly Row[] =>
  names()
    .filter((name) => name.startsWith('torch.') && !/\._/.test(name))
    .sort()
    .flatMap((name) => {
      const op = findOp(name);
      return op === null ? [] : [rowOf(op)];
    });

function rowOf(op: Op): Row {
  const outcomes = op.overloads.flatMap((entry) => sampled(op, entry));
  const results = new Set(outcomes.flatMap(({ result }) => (isFault(result) ? [] : kindsOf(result))));
  const reason = outcomes.length === 0 ? reasonOf(op) : null;
  if (results.size === 0 && reason === null) for (const { body } of op.overloads) results.add(BODIES[body]);
  return {
    name: op.name,
    results: ORDER.filter((kind) => results.has(kind)),
    writes: outcomes.some(({ writes }) => writes.length > 0) || /[a-z]_$/.test(op.name),
    reason,
    since: since(op.name)?.join('.') ?? null,
  };
}

const ORDER = ['itself', 'view', 'view or new storage', 'new storage', 'value', 'depends on the arguments'] as const;

const BODIES = { view: 'view', shape: 'new storage', value: 'value', maybe: 'depends on the arguments' } as const;

const KINDS = {
  same: 'itself',
  view: 'view',
  either: 'view or new storage',
  fresh: 'new storage',
  value: 'value',
} as const;

const kindsOf = (result: OpResult): readonly string[] =>
  'items' in result ? result.items.flatMap(kindsOf) : [KINDS[result.is]];

/** What the op answers on the samples of one of its overloads that do not raise. */
function sampled(op: Op, entry: Entry): readonly Outcome[] {
  const lone: Op = { ...op, overloads: [entry] };
  let count = 0;
  return entry.samples.flatMap((text) => {
    const { args, keywords, raises } = readSample(entry.signature, text);
    if (raises) return [];
    const value = (argument: (typeof args)[number]) => sampleValue(argument, () => count++);
    const named = new Map(Object.entries(keywords).map(([key, argument]) => [key, value(argument)] as const));
    return [callOp(lone, args.map(value), named, context)];
  });
}

/** The reason of an op that takes anything and tells nothing. */
function reasonOf(op: Op): string | null {
  const { result } = callOp(op, [], new Map(), context);
  return isFault(result) && result.fault === 'unsure' ? result.reason : null;
}
