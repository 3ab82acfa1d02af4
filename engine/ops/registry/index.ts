import type { Entry } from '../op.ts';
import { FAMILIES } from './families.ts';

/** A function or method of torch, under the name by which it was found. */
export interface Op {
  readonly name: string;
  /** The last name of its first entry, the same for all aliases: `transpose` for `torch.Tensor.swapaxes`. */
  readonly canonical: string;
  readonly overloads: readonly Entry[];
}

const table: ReadonlyMap<string, Op> = tabulate();

/** The op of a qualified name: `torch.reshape`, `torch.Tensor.reshape`, `torch.nn.functional.linear`, `einops.rearrange`. */
export const findOp = (name: string): Op | null => table.get(name) ?? null;

/** Every entry, once. */
export const entries = (): readonly Entry[] => FAMILIES.flat();

/** Every name that `findOp` knows. */
export const names = (): readonly string[] => [...table.keys()];

function tabulate(): ReadonlyMap<string, Op> {
  const ops = new Map<string, Op>();
  for (const entry of FAMILIES.flat())
    for (const name of entry.names) {
      const known = ops.get(name);
      const canonical = entry.signature.name.slice(entry.signature.name.lastIndexOf('.') + 1);
      ops.set(
        name,
        known ? { ...known, overloads: [...known.overloads, entry] } : { name, canonical, overloads: [entry] },
      );
    }
  return ops;
}
