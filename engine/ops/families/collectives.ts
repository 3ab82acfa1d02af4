import { isFault, type Result, type Tensor } from '../../tensor/index.ts';
import { NONE, unknown, type Value } from '../../values/value.ts';
import type { Call } from '../context.ts';
import { type Entry, op } from '../op.ts';
import type { Write } from '../outcome.ts';
import { writeAll } from '../writing.ts';

const GROUP = 'group: any = None, async_op: any = False';

/** None, or the handle of what is still under way. */
const handle = (async_op: Value): Value =>
  async_op.kind === 'bool' && !async_op.value ? NONE : unknown('it is a handle of what is under way');

function written(targets: readonly Tensor[], call: Call): Result<readonly Write[]> {
  const writes: Write[] = [];
  for (const target of targets) {
    const write = writeAll(target, {}, 'silent', call);
    if (isFault(write)) return write;
    writes.push(write);
  }
  return writes;
}

/** Every process gets the numbers in the tensor that it hands over; nothing else of it changes. */
export const collectives: readonly Entry[] = [
  ...(
    [
      ['all_reduce', 'op: any = None'],
      ['broadcast', 'src: any = None'],
      ['reduce', 'dst: any = None, op: any = None'],
    ] as const
  ).map(([name, more]) =>
    op(
      `torch.distributed.${name}(tensor: Tensor, ${more}, ${GROUP}, group_src: any = None, group_dst: any = None) -> any` as 'f(tensor: Tensor, async_op: any = False) -> any',
      {
        value: ({ async_op }) => handle(async_op),
        writes: ({ tensor }, call) => written([tensor], call),
        samples: [],
      },
    ),
  ),
  op(`torch.distributed.all_gather(tensor_list: Tensor[], tensor: Tensor, ${GROUP}) -> any`, {
    value: ({ async_op }) => handle(async_op),
    writes: ({ tensor_list }, call) => written(tensor_list, call),
    samples: [],
  }),
  op(`torch.distributed.reduce_scatter(output: Tensor, input_list: Tensor[], op: any = None, ${GROUP}) -> any`, {
    value: ({ async_op }) => handle(async_op),
    writes: ({ output }, call) => written([output], call),
    samples: [],
  }),
  ...(['all_gather_into_tensor', 'all_gather_single'] as const).map((name) =>
    op(`torch.distributed.${name}(output_tensor: Tensor, input_tensor: Tensor, ${GROUP}) -> any`, {
      value: ({ async_op }) => handle(async_op),
      writes: ({ output_tensor }, call) => written([output_tensor], call),
      samples: [],
    }),
  ),
  ...(['reduce_scatter_tensor', 'reduce_scatter_single'] as const).map((name) =>
    op(`torch.distributed.${name}(output: Tensor, input: Tensor, op: any = None, ${GROUP}) -> any`, {
      value: ({ async_op }) => handle(async_op),
      writes: ({ output }, call) => written([output], call),
      samples: [],
    }),
  ),
  op(
    `torch.distributed.all_to_all_single(output: Tensor, input: Tensor, output_split_sizes: any = None, input_split_sizes: any = None, ${GROUP}) -> any`,
    {
      value: ({ async_op }) => handle(async_op),
      writes: ({ output }, call) => written([output], call),
      samples: [],
    },
  ),
  op(`torch.distributed.all_to_all(output_tensor_list: Tensor[], input_tensor_list: any, ${GROUP}) -> any`, {
    value: ({ async_op }) => handle(async_op),
    writes: ({ output_tensor_list }, call) => written(output_tensor_list, call),
    samples: [],
  }),
  op(
    `torch.distributed.scatter(tensor: Tensor, scatter_list: any = None, src: any = None, ${GROUP}, group_src: any = None) -> any`,
    {
      value: ({ async_op }) => handle(async_op),
      writes: ({ tensor }, call) => written([tensor], call),
      samples: [],
    },
  ),
  op(
    `torch.distributed.gather(tensor: Tensor, gather_list: Tensor[]? = None, dst: any = None, ${GROUP}, group_dst: any = None) -> any`,
    {
      value: ({ async_op }) => handle(async_op),
      writes: ({ gather_list }, call) => written(gather_list ?? [], call),
      samples: [],
    },
  ),
  ...(['recv', 'irecv'] as const).map((name) =>
    op(
      `torch.distributed.${name}(tensor: Tensor, src: any = None, group: any = None, tag: any = 0, group_src: any = None) -> any`,
      {
        value: () => unknown('who sent it is not known'),
        writes: ({ tensor }, call) => written([tensor], call),
        samples: [],
      },
    ),
  ),
];
