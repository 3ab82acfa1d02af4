import type { FunctionTrace } from '../evaluator/trace.ts';
import type { Tensor } from '../tensor/index.ts';
import { viewChain } from './flow.ts';
import { type CheckedFile, quotable } from './rule.ts';

/** The line that made a layout what it is: the last view that was taken on the way to `tensor`. */
export function layoutMaker(
  trace: FunctionTrace,
  file: CheckedFile,
  tensor: Tensor,
): readonly { readonly node: { readonly start: number; readonly end: number }; readonly message: string }[] {
  for (const step of viewChain(trace, tensor)) {
    if (!CHANGES_ORDER.has(step.event.op)) continue;
    const source = quotable(file, trace, step.event.node);
    return [
      {
        node: step.event.node,
        message: source === null ? 'the strides come from here' : `\`${source}\` sets the strides`,
      },
    ];
  }
  return [];
}

/** Views after which the elements no longer lie in the order of the dims. */
const CHANGES_ORDER: ReadonlySet<string> = new Set([
  'transpose',
  'permute',
  't',
  'T',
  'mT',
  'H',
  'mH',
  'adjoint',
  'movedim',
  'moveaxis',
  'swapaxes',
  'swapdims',
  'expand',
  'expand_as',
  'broadcast_to',
  'getitem',
  'slice',
  'narrow',
  'select',
  'unfold',
  'as_strided',
  'diagonal',
  'rearrange',
  'einsum',
  'chunk',
  'split',
  'unbind',
  'flip',
  'unsafe_chunk',
  'unsafe_split',
  'tensor_split',
]);
