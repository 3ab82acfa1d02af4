import { ZERO } from '../symbols/index.ts';
import { type Fault, raises } from '../tensor/fault.ts';
import type { Call } from './context.ts';
import { kernelClassOf } from './kernel-classes.ts';
import { type Bound, type Entry, firstTensor, tensorsIn } from './op.ts';

/** A call for whose tensors, all of one class of dtypes and on the CPU, there is no kernel. */
export function withoutKernel({ lacks, tensors: names }: Entry, args: Bound, { ask }: Call): Fault | null {
  if (lacks === null || (args.dtype ?? null) !== null) return null;
  const first = firstTensor(args, names);
  const kind = kernelClassOf(first?.dtype ?? null);
  if (first === null || first.dtype === null || kind === null || !lacks.has(kind)) return null;
  const tensors = Object.values(tensorsIn(args)).filter((tensor) => tensor !== null);
  if (tensors.some(({ dtype, device }) => kernelClassOf(dtype) !== kind || device !== 'cpu')) return null;
  // Where there are no elements, nobody looks for a kernel.
  for (const { layout } of tensors)
    for (const size of layout.shape) {
      if (size.constant === 0) return null;
      if (size.constant === null) ask.leaveOut({ relation: 'equal', left: size, right: ZERO });
    }
  return raises({
    is: 'argument',
    name: 'self',
    got: first.dtype,
    expects: 'a dtype that the function has a kernel for',
  });
}
