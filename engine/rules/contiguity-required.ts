import type { FunctionTrace, OpEvent } from '../evaluator/trace.ts';
import { decide } from '../symbols/index.ts';
import type { Call } from '../syntax/ast.ts';
import { isContiguous, resolve, suggestMemoryFormat, type Tensor } from '../tensor/index.ts';
import { lastName, opEvents, resultOf } from './flow.ts';
import { layoutMaker } from './origin.ts';
import { type CheckedFile, insert, quoted, type Report, type ReportFix, rule } from './rule.ts';
import { written } from './sizes.ts';
import { type Branch, branches, calleeName, callsIn, dottedName, enclosing, is, isPrimary, rootOf } from './tree.ts';

const NAME = 'contiguity-required';

export const contiguityRequired = rule({
  name: NAME,
  summary: 'A tensor that is not contiguous where only memory in order will do',
  severity: 'warning',
  docs: `
Most of PyTorch takes any strides. Three kinds of callee do not:

- collectives. NCCL raises *Tensors must be contiguous* for \`all_reduce\`, \`broadcast\`, \`all_gather\` and the others; other backends
  take some of them and refuse \`all_to_all\`, so that a test on the CPU does not show it.
- whoever is given \`x.data_ptr()\` and nothing else: a CUDA, Triton or ctypes kernel. A pointer carries no strides. The kernel reads
  what lies behind it, which for a transposed tensor or a column are the wrong elements, and nothing is raised.
- recurrent layers on a GPU. cuDNN raises *rnn: hx is not contiguous* for a state that was transposed to put the batch first, and
  wants its weights in order; a test on the CPU shows neither.

\`.contiguous()\` packs the elements, and is free where they are packed already. Keep the result in a name as long as the
pointer is used. A collective that writes must write into a tensor that is kept: communicate a packed one, and copy back.

To see it at run time: \`x.is_contiguous()\`, \`x.stride()\`.

Not reported: channels_last tensors in collectives, which take dense memory as it lies; a pointer that goes along with
\`x.stride(…)\`, or is only compared or printed.`,
  examples: [
    {
      bad: `
import torch

def launch(kernel):
    x = torch.zeros(8, 16).t()
    kernel(x.data_ptr(), 16, 8)  # warning[contiguity-required]`,
      good: `
import torch

def launch(kernel):
    x = torch.zeros(8, 16).t().contiguous()
    kernel(x.data_ptr(), 16, 8)`,
      fixed: false,
    },
    {
      bad: `
import torch
import torch.distributed as dist

def share():
    x, every = torch.zeros(8, 16), torch.zeros(32, 8)
    dist.all_gather_into_tensor(every, x.t())  # warning[contiguity-required]`,
      good: `
import torch
import torch.distributed as dist

def share():
    x, every = torch.zeros(8, 16), torch.zeros(32, 8)
    dist.all_gather_into_tensor(every, x.t().contiguous())`,
      fixed: true,
    },
  ],
  *check(trace, file) {
    for (const event of opEvents(trace)) {
      const report = isCollective(event) ? communicated(trace, file, event) : recurrentState(trace, file, event);
      if (report !== null) yield report;
    }
    for (const node of branches(rootOf(file, trace))) {
      const report = recurrentWeight(trace, file, node);
      if (report !== null) yield report;
    }
    for (const call of callsIn(file, trace)) {
      const report = calleeName(call) === 'data_ptr' ? pointedAt(trace, file, call) : null;
      if (report !== null) yield report;
    }
  },
});

function isCollective({ op, node }: OpEvent): boolean {
  if (COLLECTIVES.test(op)) return true;
  return AMBIGUOUS.test(op) && is(node, 'Call') && /(^|\.)dist(ributed)?\.\w+$/.test(dottedName(node.func) ?? '');
}

function communicated(trace: FunctionTrace, file: CheckedFile, event: OpEvent): Report | null {
  const tensor = event.inputs.find((input) => isScattered(trace, input) && !isDenseImage(trace, input));
  if (tensor === undefined) return null;
  return {
    node: event.node,
    message: `${lastName(event.op)} is given a tensor that is not contiguous (${stridesText(trace, tensor)}): NCCL raises; pass .contiguous()`,
    related: layoutMaker(trace, file, tensor),
    fixes: packed(event, trace, tensor),
    assumes: tensor.assumes,
  };
}

/** `lstm(x, (h.transpose(0, 1), c))`: cuDNN takes states in order alone, whatever the input is. */
function recurrentState(trace: FunctionTrace, file: CheckedFile, event: OpEvent): Report | null {
  if (!RECURRENT.test(event.op)) return null;
  const state = event.inputs.slice(1).find((input) => isScattered(trace, input));
  if (state === undefined) return null;
  return {
    node: event.node,
    message: `${lastName(event.op)} is given a state that is not contiguous (${stridesText(trace, state)}): on a GPU cuDNN raises; pass .contiguous()`,
    related: layoutMaker(trace, file, state),
    fixes: packed(event, trace, state),
    assumes: state.assumes,
  };
}

/** `rnn.weight_hh_l0 = nn.Parameter(w.t())`: cuDNN wants all weights in one stretch of memory, each in order. */
function recurrentWeight(trace: FunctionTrace, file: CheckedFile, node: Branch): Report | null {
  if (node.kind !== 'Assign') return null;
  const [target] = node.targets;
  const weight = target?.kind === 'Attribute' && target.attr === 'data' ? target.value : target;
  if (weight?.kind !== 'Attribute' || !RNN_WEIGHT.test(weight.attr)) return null;
  const { value } = node;
  const given = value.kind === 'Call' && calleeName(value) === 'Parameter' ? (value.args[0] ?? value) : value;
  const tensor = resultOf(trace, given);
  if (tensor === null || !isScattered(trace, tensor)) return null;
  const edits = isPrimary(given) ? [insert(given.end, '.contiguous()')] : [];
  return {
    node,
    message: `\`${weight.attr}\` of an RNN is set to a tensor that is not contiguous (${stridesText(trace, tensor)}), which cuDNN takes in order alone; set .contiguous() and call flatten_parameters()`,
    related: layoutMaker(trace, file, tensor),
    fixes: edits.length === 0 ? [] : [{ title: 'Pack it: .contiguous()', safe: true, edits }],
    assumes: tensor.assumes,
  };
}

/** `kernel(x.data_ptr(), …)` */
function pointedAt(trace: FunctionTrace, file: CheckedFile, call: Call): Report | null {
  if (call.func.kind !== 'Attribute' || call.args.length > 0) return null;
  const self = call.func.value;
  const tensor = resultOf(trace, self);
  if (tensor === null || !isScattered(trace, tensor)) return null;
  const receiver = receiverOf(trace, file, call);
  if (receiver === null) return null;
  const source = quoted(file, trace, self, 'the tensor');
  return {
    node: call,
    message: `${source} is not contiguous (${stridesText(trace, tensor)}), which a pointer does not tell: who reads from it gets other elements; take it of .contiguous()`,
    related: layoutMaker(trace, file, tensor),
    assumes: tensor.assumes,
  };
}

/** The call that a pointer is handed to, where that is not told the strides too and does more than look at a number. */
function receiverOf(trace: FunctionTrace, file: CheckedFile, pointer: Call): Call | null {
  for (const at of enclosing(file, trace, pointer)) {
    if (at.kind === 'Call') {
      const name = calleeName(at) ?? '';
      if (WRAPS.test(name)) continue;
      if (LOOKS.has(name)) return null;
      const isTold = [...branches(at)].some((each) => each.kind === 'Call' && calleeName(each) === 'stride');
      return isTold ? null : at;
    }
    if (at.kind !== 'Tuple' && at.kind !== 'List' && at.kind !== 'BinOp' && at.kind !== 'Starred') return null;
  }
  return null;
}

function isScattered(trace: FunctionTrace, { layout }: Tensor): boolean {
  return isContiguous(resolve(layout, trace.facts), decide(trace.facts)) === false;
}

/** `is_contiguous(suggest_memory_format())` is what the process groups ask. */
function isDenseImage(trace: FunctionTrace, { layout }: Tensor): boolean {
  return suggestMemoryFormat(resolve(layout, trace.facts), decide(trace.facts)) !== 'contiguous_format';
}

function stridesText(trace: FunctionTrace, tensor: Tensor): string {
  const { stride } = resolve(tensor.layout, trace.facts);
  const steps = (stride ?? []).map((each) => written(trace, each)).join(', ');
  return `strides (${steps}${stride?.length === 1 ? ',' : ''})`;
}

/** Only where it is read alone: what is written to a packed copy would be lost. */
function packed(event: OpEvent, trace: FunctionTrace, tensor: Tensor): readonly ReportFix[] {
  if (!is(event.node, 'Call')) return [];
  const argument = event.node.args.find((each) => resultOf(trace, each)?.id === tensor.id);
  const isTarget = event.writes.some(({ target }) => target.storage.id === tensor.storage.id);
  if (argument === undefined || !isPrimary(argument) || isTarget) return [];
  return [{ title: 'Pack it: .contiguous()', safe: true, edits: [insert(argument.end, '.contiguous()')] }];
}

const COLLECTIVES =
  /(^|\.)(all_reduce|broadcast|all_gather|all_gather_into_tensor|reduce_scatter|reduce_scatter_tensor|all_to_all|all_to_all_single|isend|irecv)$/;

const RECURRENT = /(^|\.)(LSTM|GRU|RNN)$/;

const RNN_WEIGHT = /^(weight|bias)_(ih|hh)_l\d+(_reverse)?$/;

/** What tensors have an op of that name for, too, which takes any strides. */
const AMBIGUOUS = /(^|\.)(gather|scatter|reduce)$/;

/** What makes of a pointer another kind of pointer. */
const WRAPS = /^(c_void_p|c_longlong|int|cast|POINTER|from_address)$/;

const LOOKS: ReadonlySet<string> = new Set([
  'print',
  'hex',
  'str',
  'repr',
  'hash',
  'append',
  'add',
  'get',
  'setdefault',
  'id',
  'format',
  'assertEqual',
  'assertNotEqual',
]);
