import type { FunctionTrace, OpEvent } from '../evaluator/trace.ts';
import type { Assign, Expression } from '../syntax/ast.ts';
import { resolve, type Tensor } from '../tensor/index.ts';
import { opEvents, resultOf } from './flow.ts';
import { type Asked, askedForLast, formatIn } from './formats.ts';
import { halfConvolutions } from './half-convolutions.ts';
import { failuresOf } from './raising.ts';
import { type CheckedFile, quotable, type Report, type ReportFix, replace, rule } from './rule.ts';
import { writtenShape } from './sizes.ts';
import { branches, is, rootOf } from './tree.ts';
import { calleeText, causeText, count } from './wording.ts';

const NAME = 'channels-last';

export const channelsLast = rule({
  name: NAME,
  summary: 'A memory format on the wrong rank, taken for an order of dims, or missing where half precision wants it',
  severity: 'error',
  docs: `
A memory format says in which order the elements lie in memory, and nothing else. After
\`x.to(memory_format=torch.channels_last)\` the shape is \`[N, C, H, W]\` as before; only the strides differ,
\`(H*W*C, 1, W*C, C)\`. Indexing, unpacking and permuting see no change.

- \`channels_last\` is for 4 dims, \`channels_last_3d\` for 5. Any other number of dims raises *required rank 4 tensor to use
  channels_last format*.
- \`B, H, W, C = x.shape\` after the conversion binds \`H\` to the channels. Nothing is raised; the numbers are wrong. So they are
  after \`x.permute(0, 3, 1, 2)\`, which takes \`[N, H, W, C]\` to \`[N, C, H, W]\` and here makes \`[N, W, C, H]\`. These are warnings.

- A network of convolutions in float16 or bfloat16 wants the format: cuDNN has its kernels for it there, and converts what lies
  otherwise at every layer. Where a file shows such a network, runs it in half precision and never says channels_last, that is
  information.

\`x.permute(0, 2, 3, 1)\` gives \`[N, H, W, C]\`, and of a channels_last tensor it is contiguous, for free.

To see it at run time: \`x.shape\` and \`x.stride()\` before and after;
\`x.is_contiguous(memory_format=torch.channels_last)\`.

Reported only where this function itself converts, or where the conversion is said: a tensor that merely lies so, as the
permuted view of an image does, is not.`,
  guides: ['layouts'],
  examples: [
    {
      bad: `
import torch

def mean_of_channels(x: torch.Tensor):
    x = x.to(memory_format=torch.channels_last)
    B, H, W, C = x.shape  # warning[channels-last]
    return x.sum() / C`,
      good: `
import torch

def mean_of_channels(x: torch.Tensor):
    x = x.to(memory_format=torch.channels_last)
    B, C, H, W = x.shape
    return x.sum() / C`,
      fixed: true,
    },
    {
      bad: `
import torch

def image():
    x = torch.zeros(3, 32, 32)
    return x.to(memory_format=torch.channels_last)  # error[channels-last]`,
      good: `
import torch

def image():
    x = torch.zeros(1, 3, 32, 32)
    return x.to(memory_format=torch.channels_last)`,
      fixed: false,
    },
  ],
  *check(trace, file) {
    for (const { event, cause } of failuresOf(NAME, trace, file)) {
      yield {
        node: event.node,
        message: `${calleeText(event)} will raise: ${rankText(event) ?? causeText(trace, cause, null)}`,
      };
    }
    for (const event of opEvents(trace)) {
      const report = event.op === 'permute' ? permuted(trace, file, event) : null;
      if (report !== null) yield report;
    }
    yield* halfConvolutions(trace, file);
    for (const branch of branches(rootOf(file, trace))) {
      const report = branch.kind === 'Assign' ? (unpacked(trace, file, branch) ?? lastSize(trace, file, branch)) : null;
      if (report !== null) yield report;
    }
  },
});

function rankText(event: OpEvent): string | null {
  const format = formatIn(event);
  const dims = event.inputs[0]?.layout.shape.length;
  if (format === null || dims === undefined) return null;
  return `${format} is for ${format === 'channels_last' ? 4 : 5} dims, and this tensor has ${count(dims, 'dim')}; ${otherFormat(format, dims)}`;
}

/** What to do about the rank: the format of that rank, or the dim of the batch. */
function otherFormat(format: string, dims: number): string {
  const other = dims === 4 ? 'channels_last' : dims === 5 ? 'channels_last_3d' : null;
  return other === null || other === format ? 'add the dim of the batch first' : `${dims} dims take ${other}`;
}

/** `B, H, W, C = x.shape`, or `x.size()`. */
function unpacked(trace: FunctionTrace, file: CheckedFile, assign: Assign): Report | null {
  const [target] = assign.targets;
  const tensor = sizedIn(trace, assign.value);
  const asked = tensor === null ? null : askedForLast(trace, tensor);
  if (tensor === null || asked === null || target?.kind !== 'Tuple') return null;
  const names = target.elts.map((each) => (each.kind === 'Name' ? each.id : ''));
  const [first, last] = [names[1], names.at(-1)];
  if (first === undefined || last === undefined || names.length !== tensor.layout.shape.length) return null;
  if (!SPATIAL.test(first) || !CHANNELS.test(last)) return null;
  return told(trace, file, assign, tensor, asked, `\`${last}\` is bound to the last spatial size`, [
    {
      title: `Unpack \`${inOrder(names).join(', ')}\``,
      safe: false,
      edits: [
        replace(
          target.elts[0]?.start ?? target.start,
          target.elts.at(-1)?.end ?? target.end,
          inOrder(names).join(', '),
        ),
      ],
    },
  ]);
}

/** The channels put where they are: behind the batch. */
function inOrder(names: readonly string[]): readonly string[] {
  return [...names.slice(0, 1), ...names.slice(-1), ...names.slice(1, -1)];
}

/** `C = x.shape[-1]`, `C = x.size(3)`. */
function lastSize(trace: FunctionTrace, file: CheckedFile, assign: Assign): Report | null {
  const [target] = assign.targets;
  if (target?.kind !== 'Name' || !CHANNELS.test(target.id)) return null;
  const { value } = assign;
  const index = value.kind === 'Subscript' ? value.slice : value.kind === 'Call' ? value.args[0] : undefined;
  const sized = value.kind === 'Subscript' ? value.value : value;
  const tensor = sizedIn(trace, sized);
  const asked = tensor === null ? null : askedForLast(trace, tensor);
  if (tensor === null || asked === null || index === undefined) return null;
  const dim = numberIn(index);
  const rank = tensor.layout.shape.length;
  if (dim !== -1 && dim !== rank - 1) return null;
  return told(trace, file, assign, tensor, asked, `\`${target.id}\` is bound to the last spatial size`, [
    { title: 'Take dim 1', safe: false, edits: [replace(index.start, index.end, '1')] },
  ]);
}

function permuted(trace: FunctionTrace, file: CheckedFile, event: OpEvent): Report | null {
  const tensor = event.inputs[0];
  const asked = tensor === undefined ? null : askedForLast(trace, tensor);
  if (tensor === undefined || asked === null) return null;
  const dims = event.arguments.flatMap((value) => (value.kind === 'tuple' ? value.items : [value]));
  const order = dims.flatMap((value) => (value.kind === 'int' ? [value.value.constant] : []));
  const rank = tensor.layout.shape.length;
  const fromLast = [0, rank - 1, ...Array.from({ length: rank - 2 }, (_, i) => i + 1)];
  if (order.length !== rank || order.some((dim, i) => dim !== fromLast[i])) return null;
  return told(
    trace,
    file,
    event.node,
    tensor,
    asked,
    'this order puts the last spatial size in the place of the channels',
    [],
  );
}

function told(
  trace: FunctionTrace,
  file: CheckedFile,
  node: Report['node'],
  tensor: Tensor,
  asked: Asked,
  what: string,
  fixes: readonly ReportFix[],
): Report {
  const { shape } = resolve(tensor.layout, trace.facts);
  const source = asked.at === null ? null : quotable(file, trace, asked.at);
  return {
    node,
    severity: 'warning',
    message: `channels_last changes strides, not the order of the dims: the shape is still ${writtenShape(trace, shape)}, and ${what}; read it as N, C, H, W`,
    related:
      asked.at === null
        ? []
        : [{ node: asked.at, message: source === null ? 'converted here' : `\`${source}\` converts` }],
    fixes,
  };
}

/** `x` of `x.shape`, `x.size()` and `x.size(dim)`. */
function sizedIn(trace: FunctionTrace, expression: Expression): Tensor | null {
  if (expression.kind === 'Attribute' && expression.attr === 'shape') return resultOf(trace, expression.value);
  if (expression.kind !== 'Call' || !is(expression.func, 'Attribute') || expression.func.attr !== 'size') return null;
  return resultOf(trace, expression.func.value);
}

function numberIn(expression: Expression): number | null {
  if (expression.kind === 'UnaryOp' && expression.op === '-' && expression.operand.kind === 'Constant')
    return typeof expression.operand.value === 'number' ? -expression.operand.value : null;
  return expression.kind === 'Constant' && typeof expression.value === 'number' ? expression.value : null;
}

const SPATIAL = /^(h|height|d|depth|hh|h_?\d|img_h|h_in|in_h)$/i;
const CHANNELS = /^(c|ch|chans?|channels?|n_?channels|num_channels|in_channels|in_chans|c_in|n_c|ch_in)$/i;
