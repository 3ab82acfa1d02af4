import type { FunctionTrace, OpEvent } from '../evaluator/trace.ts';
import type { Call } from '../syntax/ast.ts';
import type { Tensor } from '../tensor/index.ts';
import { opEvents, producerOf, resultOf, viewChain } from './flow.ts';
import { type Arrival, arrivalsIn, earlyRead } from './host-reads.ts';
import { addKeyword, boundTo, deviceSaid, dropKeyword, isLiteral, isPinned, keywordIn, saysTrue } from './library.ts';
import { type CheckedFile, insert, mentions, type Report, type ReportFix, rule } from './rule.ts';
import { callsIn, dottedName, is, isPrimary } from './tree.ts';

const NAME = 'non-blocking-transfer';

export const nonBlockingTransfer = rule({
  name: NAME,
  summary: 'non_blocking=True where it does nothing, or where the copy is read before it is there',
  severity: 'warning',
  docs: `
**To the device.** A copy is asynchronous only if its source is page-locked. From ordinary, pageable memory, such as what
\`torch.zeros\` or \`torch.from_numpy\` give, CUDA first copies to a buffer of its own while the caller waits, whatever
\`non_blocking\` says. \`pin_memory=True\` where the tensor is made, or in the \`DataLoader\`, lets the two overlap.

**To the host.** \`x.to("cpu", non_blocking=True)\` returns at once, with a page-locked tensor that the device is still
writing. Nothing makes the host wait: \`numpy()\`, \`item()\` or any arithmetic reads what happens to be there. Call
\`torch.cuda.synchronize()\` (or wait for an event or the stream) before, or leave \`non_blocking\` out.

Not reported: tensors known to be page-locked, copies from one place in host memory to another, and copies that something
waits for in between, be it another copy that blocks.`,
  guides: ['loading'],
  examples: [
    {
      bad: `
import torch

def mean(x):
    host = x.to("cpu", non_blocking=True)
    return host.mean().item()  # warning[non-blocking-transfer]`,
      good: `
import torch

def mean(x):
    host = x.to("cpu")
    return host.mean().item()`,
      fixed: true,
    },
    {
      bad: `
import torch

def batch(n):
    x = torch.zeros(n, 3)
    return x.to("cuda", non_blocking=True)  # warning[non-blocking-transfer]`,
      good: `
import torch

def batch(n):
    x = torch.zeros(n, 3, pin_memory=True)
    return x.to("cuda", non_blocking=True)`,
      fixed: true,
    },
  ],
  *check(trace, file) {
    for (const event of opEvents(trace)) {
      const transfer = transferOf(event);
      if (transfer === null) continue;
      const report = pageable(trace, file, transfer);
      if (report !== null) yield report;
    }
    if (!mentions(file, '\\btorch\\b')) return;
    for (const call of callsIn(file, trace)) {
      const report = ofArray(trace, file, call);
      if (report !== null) yield report;
    }
    for (const arrival of arrivalsIn(trace, file)) {
      const report = readTooSoon(trace, file, arrival);
      if (report !== null) yield report;
    }
  },
});

/** A copy that is asked for without waiting. `to` is null where the call does not say. */
interface Transfer {
  readonly event: OpEvent;
  readonly source: Tensor;
  readonly to: string | null;
}

function transferOf(event: OpEvent): Transfer | null {
  const call = event.node;
  if (!is(call, 'Call') || !TRANSFERS.has(event.op)) return null;
  const [self, other] = event.inputs;
  if (!saysTrue(call, 'non_blocking') || self === undefined) return null;
  if (event.op === 'copy_') return other === undefined ? null : { event, source: other, to: self.device };
  const [made] = event.outputs;
  if (made === undefined) return null;
  return { event, source: self, to: deviceSaid(event) ?? made.tensor.device };
}

const TRANSFERS: ReadonlySet<string> = new Set(['to', 'cuda', 'copy_']);

const isHost = (device: string | null): boolean => device === 'cpu';
const isCuda = (device: string | null): boolean => device?.startsWith('cuda') === true;

function pageable(trace: FunctionTrace, file: CheckedFile, { event, source, to }: Transfer): Report | null {
  if (!isCuda(to) || !isHost(source.device)) return null;
  const base = viewChain(trace, source).at(-1)?.of ?? source;
  const producer = producerOf(trace, base);
  if (producer === null || isPinned(trace, base) || !isPageable(base, producer)) return null;
  return {
    node: event.node,
    message: 'non_blocking has no effect: the copy is from pageable memory; pin it first, or leave it out',
    related: [{ node: producer.node, message: 'made here, not page-locked' }],
    fixes: pinned(trace, file, event, producer),
  };
}

/** `torch.from_numpy(array).cuda(non_blocking=True)`: whatever the array, NumPy allocates pageable memory. */
function ofArray(trace: FunctionTrace, file: CheckedFile, call: Call): Report | null {
  if (call.func.kind !== 'Attribute' || !saysTrue(call, 'non_blocking')) return null;
  const { attr, value } = call.func;
  const toCuda = attr === 'cuda' || (attr === 'to' && isLiteral(call.args[0], 'cuda'));
  const source = value.kind === 'Name' ? boundTo(trace, file, value.id) : value;
  if (!toCuda || source?.kind !== 'Call' || dottedName(source.func) !== 'torch.from_numpy') return null;
  return {
    node: call,
    message: 'non_blocking has no effect: the copy is from pageable memory; pin it first, or leave it out',
    related: [{ node: source, message: 'the memory is an array of NumPy' }],
    fixes: isPrimary(value)
      ? [{ title: 'Pin it first', safe: false, edits: [insert(value.end, '.pin_memory()')] }]
      : [],
  };
}

/** What host ops make is pageable, save what is asked or known to be pinned. */
function isPageable({ storage: { origin } }: Tensor, { node, op, spelled }: OpEvent): boolean {
  if (origin.is !== 'fresh' && origin.is !== 'numpy') return false;
  if (spelled === 'pin_memory' || MAY_BE_PINNED.has(op)) return false;
  return !is(node, 'Call') || (keywordIn(node, 'pin_memory') === null && keywordIn(node, 'out') === null);
}

const MAY_BE_PINNED: ReadonlySet<string> = new Set(['pin_memory', 'to', 'cpu', 'cuda', 'share_memory_']);

function pinned(trace: FunctionTrace, file: CheckedFile, event: OpEvent, producer: OpEvent): readonly ReportFix[] {
  const title = 'Make it in page-locked memory';
  if (is(producer.node, 'Call') && FACTORIES.has(dottedName(producer.node.func) ?? ''))
    return [{ title, safe: false, edits: [addKeyword(file, trace, producer.node, 'pin_memory=True')] }];
  const source = event.op === 'copy_' ? null : event.self;
  return source !== null && isPrimary(source)
    ? [{ title, safe: false, edits: [insert(source.end, '.pin_memory()')] }]
    : [];
}

/** Those that take `pin_memory`. */
const FACTORIES: ReadonlySet<string> = new Set(
  ['zeros', 'ones', 'empty', 'full', 'rand', 'randn', 'tensor', 'arange', 'eye'].map((name) => `torch.${name}`),
);

/** What reads a copy to the host, where nothing waited for it. */
function readTooSoon(trace: FunctionTrace, file: CheckedFile, arrival: Arrival): Report | null {
  const { call } = arrival;
  const keyword = keywordIn(call, 'non_blocking');
  if (keyword === null || call.func.kind !== 'Attribute' || isBetweenHosts(trace, call)) return null;
  const destination = opEvents(trace).find((event) => event.node === call)?.inputs[0];
  const onHost = arrival.onHost || isHost(destination?.device ?? null);
  const node = earlyRead(trace, file, { ...arrival, onHost });
  if (node === null) return null;
  return {
    node,
    message:
      'reads a non_blocking copy from the device before anything waited for it; call torch.cuda.synchronize() first',
    related: [{ node: call, message: 'the copy is begun here' }],
    fixes: [{ title: 'Wait for the copy: drop non_blocking', safe: true, edits: [dropKeyword(call, keyword)] }],
  };
}

/** Whether the source is on the host already. */
function isBetweenHosts(trace: FunctionTrace, { func, args }: Call): boolean {
  if (func.kind !== 'Attribute') return false;
  const source = func.attr === 'copy_' ? args[0] : func.value;
  return source !== undefined && isHost(resultOf(trace, source)?.device ?? null);
}
