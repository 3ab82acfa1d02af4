import { ZERO } from '../../symbols/index.ts';
import { contiguousStride } from '../../tensor/index.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { unknown, type Value } from '../../values/value.ts';
import type { Arguments } from '../calls/calls.ts';
import { nextId, type Run } from '../state/run.ts';
import { settled } from '../state/settled.ts';
import { forOp } from './torch-arguments.ts';

/** `nn.Buffer(t)` */
export function buffer(run: Run, args: Arguments): Value {
  const data = settled(run, args.items[0] ?? args.keywords.get('data') ?? unknown('no data'));
  const known = data.kind === 'unknown' ? forOp(run, data, true) : data;
  if (known.kind !== 'tensor') return unknown('its data is not known');
  const [node] = args.nodes;
  const kept = keptContiguous(run, known, node?.kind === 'Name' ? node.id : 'data');
  return { ...kept, id: nextId(run), storage: { ...kept.storage, origin: { is: 'buffer', name: '' } } };
}

/** What a module keeps is assumed contiguous where nothing tells how it lies, as a parameter is, and said so. */
export function keptContiguous(run: Run, tensor: Tensor, name: string): Tensor {
  const { layout } = tensor;
  if (layout.stride !== null || layout.ways) return tensor;
  const assumed = { ...layout, stride: contiguousStride(layout.shape), offset: layout.offset ?? ZERO };
  return { ...tensor, id: nextId(run), layout: assumed, assumes: [...new Set([...tensor.assumes, name])] };
}
