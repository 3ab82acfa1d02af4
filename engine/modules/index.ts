/** nn.Module entries: constructor, parameters, forward in terms of ops. */
import { failed } from '../ops/call.ts';
import type { OpContext } from '../ops/context.ts';
import type { Outcome } from '../ops/outcome.ts';
import { missing } from '../ops/since.ts';
import { type Fault, isFault, type Tensor, unsure } from '../tensor/index.ts';
import { NONE, type Value } from '../values/value.ts';
import { bindConstructor, type Construction, type ModuleEntry } from './module.ts';
import { MODULES } from './registry.ts';

export type { Construction, ModuleEntry } from './module.ts';

const table: ReadonlyMap<string, ModuleEntry> = new Map(MODULES.flat().map((entry) => [entry.name, entry]));

/** The module class of a qualified name, `torch.nn.Linear`. */
export const findModule = (name: string): ModuleEntry | null => table.get(canonical(name)) ?? null;

/** `torch.nn.modules.linear.Linear` is where `torch.nn.Linear` is defined. */
const canonical = (name: string): string => name.replace(/^torch\.nn\.modules\.\w+\./, 'torch.nn.');

/** What the `__init__` of the class sets. */
export function construct(
  entry: ModuleEntry,
  args: readonly Value[],
  keywords: ReadonlyMap<string, Value>,
  context: OpContext,
): Construction | Fault {
  const absent = missing(entry.name, context.torch);
  if (absent !== null) return unsure(absent);
  const bound = bindConstructor(entry, args, keywords, context);
  return isFault(bound) ? bound : entry.construct(bound, context);
}

/** What calling an instance does; `attributes` holds its parameters and buffers too. */
export function forward(
  entry: ModuleEntry,
  attributes: ReadonlyMap<string, Value>,
  args: readonly Value[],
  keywords: ReadonlyMap<string, Value>,
  context: OpContext,
): Outcome {
  const absent = missing(entry.name, context.torch);
  if (absent !== null) return failed(unsure(absent));
  return entry.forward((name) => attributes.get(name) ?? NONE, args, keywords, context);
}

/** The rank that the forward demands of its first input, where that is not known. */
export function rankDemandedBy(
  entry: ModuleEntry,
  attributes: ReadonlyMap<string, Value>,
  args: readonly Value[],
): readonly { readonly argument: Tensor; readonly ndim: number }[] {
  const [input] = args;
  if (input?.kind !== 'tensor' || !input.layout.front) return [];
  const ndim = entry.ndim((name) => attributes.get(name) ?? NONE);
  return ndim === null ? [] : [{ argument: input, ndim }];
}
