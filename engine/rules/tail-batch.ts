import type { FunctionTrace, OpEvent } from '../evaluator/trace.ts';
import { blockBytes, tailWaste } from '../memory/index.ts';
import { always, mod, type SymInt, simplify } from '../symbols/index.ts';
import type { For } from '../syntax/ast.ts';
import { resolve } from '../tensor/index.ts';
import { lastName, opEvents, tensorsIn } from './flow.ts';
import { addKeyword } from './library.ts';
import { type Batches, batchesOf } from './loaders.ts';
import { type CheckedFile, type Report, type ReportFix, rule } from './rule.ts';
import { factor, written } from './sizes.ts';
import { underNoGrad, valuesBound, valuesOfName } from './training.ts';
import { branches, calleeName, callsIn, is, rootOf, within } from './tree.ts';

const NAME = 'tail-batch';

export const tailBatch = rule({
  name: NAME,
  summary: 'The last batch of a DataLoader is shorter than the others where the code cannot take it',
  severity: 'warning',
  docs: `
Unless the batch size divides the number of samples, the last batch of a \`DataLoader\` is short. That raises, at the end of
the first epoch,

- where one row is left and goes through \`BatchNorm1d\` in training mode, which needs more than one value per channel;
- where a recurrent layer is given a hidden state that was made for the whole batch size.

Reported where the number of samples is known (\`TensorDataset\` of a tensor of known length), or a symbol: then the finding
names the sizes for which it does not hold.

Not reported: \`drop_last=True\`, evaluation (\`.eval()\`, \`no_grad\`), a hidden state sized by \`x.size(0)\`, and lengths that
nobody can tell.`,
  guides: ['storages'],
  examples: [
    {
      bad: `
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

norm = nn.BatchNorm1d(7)

def train():
    norm.train()
    for (x,) in DataLoader(TensorDataset(torch.randn(33, 7)), batch_size=8):  # warning[tail-batch]
        norm(x)`,
      good: `
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

norm = nn.BatchNorm1d(7)

def train():
    norm.train()
    for (x,) in DataLoader(TensorDataset(torch.randn(33, 7)), batch_size=8, drop_last=True):
        norm(x)`,
      fixed: true,
    },
  ],
  *check(trace, file) {
    if (trace.context !== null) return;
    for (const loop of branches(rootOf(file, trace))) {
      const batches = loop.kind === 'For' ? batchesOf(trace, file, loop.iter) : null;
      if (loop.kind !== 'For' || batches === null) continue;
      const rest = simplify(mod(batches.samples, batches.size), trace.facts);
      if (rest.constant === 0) continue;
      const report = singleRow(trace, file, loop, batches, rest) ?? nominalState(trace, file, loop, batches, rest);
      if (report !== null) yield report;
    }
  },
});

/** One row is left over for a batch norm in training mode. */
function singleRow(trace: FunctionTrace, file: CheckedFile, loop: For, batches: Batches, rest: SymInt): Report | null {
  if (rest.constant !== 1 || batches.ndim !== 2 || !isTraining(trace, file, loop)) return null;
  if (!normalises(trace, file, loop)) return null;
  const { samples, size } = batches;
  return {
    node: batches.call ?? loop.iter,
    message: `the last batch has 1 row (${written(trace, samples)} % ${written(trace, size)}): BatchNorm1d raises on it in training mode${wasteText(batches, rest)}; drop_last=True leaves it out`,
    fixes: dropLast(trace, file, batches),
  };
}

function isTraining(trace: FunctionTrace, file: CheckedFile, loop: For): boolean {
  const called = new Set(callsIn(file, trace).map(calleeName));
  if (called.has('eval') || underNoGrad(file, trace, loop)) return false;
  return called.has('train') || called.has('backward') || called.has('step');
}

/** Whether the loop calls a batch norm, itself or within a module of the file. */
function normalises(trace: FunctionTrace, file: CheckedFile, loop: For): boolean {
  const has = (of: FunctionTrace, holds: (event: OpEvent) => boolean): boolean =>
    opEvents(of).some((event) => lastName(event.op) === 'BatchNorm1d' && holds(event));
  if (has(trace, ({ node }) => within(file, trace, node, loop))) return true;
  return callsIn(file, trace).some((call) => {
    if (call.func.kind !== 'Name' || !within(file, trace, call, loop)) return false;
    const made = valuesOfName(file, trace, call.func.id).at(-1);
    const forward = made?.kind === 'Call' ? `${calleeName(made)}.forward` : null;
    return file.traces.some((other) => other.function === forward && has(other, () => true));
  });
}

/** A hidden state for as many rows as a whole batch has. */
function nominalState(
  trace: FunctionTrace,
  file: CheckedFile,
  loop: For,
  batches: Batches,
  rest: SymInt,
): Report | null {
  for (const event of opEvents(trace)) {
    if (!RECURRENT.test(event.op) || !is(event.node, 'Call') || !within(file, trace, event.node, loop)) continue;
    const state = event.node.args[1];
    if (state?.kind !== 'Name' || !isForWholeBatch(trace, state.id, batches.size)) continue;
    if (valuesBound(loop, state.id).some((value) => [...branches(value)].some(asksForSize))) continue;
    const size = factor(trace, batches.size);
    const rows = rest.constant === null ? `${factor(trace, batches.samples)} % ${size}` : String(rest.constant);
    const unless = rest.constant === null ? `, unless that is 0` : '';
    return {
      node: event.node,
      message: `\`${state.id}\` was made for ${size} rows, the last batch has ${rows}: will raise${unless}${wasteText(batches, rest)}; drop_last=True leaves it out`,
      related: batches.call === null ? [] : [{ node: batches.call, message: 'the last batch is kept here' }],
      fixes: dropLast(trace, file, batches),
    };
  }
  return null;
}

/** ", and its 28 bytes take a block of 512 on CUDA", where a good part of the block is waste. */
function wasteText({ sampleBytes }: Batches, rest: SymInt): string {
  const bytes = sampleBytes === null || rest.constant === null ? 0 : sampleBytes * rest.constant;
  return tailWaste(bytes) < NOTABLE ? '' : `, and its ${bytes} bytes take a block of ${blockBytes(bytes)} on CUDA`;
}

/** Most blocks have some bytes over; a quarter is worth a word. */
const NOTABLE = 0.25;

const RECURRENT = /(^|\.)(LSTM|GRU|RNN)$/;

const asksForSize = (node: { readonly kind: string; readonly attr?: string }): boolean =>
  node.kind === 'Attribute' && (node.attr === 'size' || node.attr === 'shape');

function isForWholeBatch(trace: FunctionTrace, name: string, size: SymInt): boolean {
  return trace.events.some((event) => {
    if (event.event !== 'value' || event.bound !== name) return false;
    return [...tensorsIn(event.value), ...event.outputs.map(({ tensor }) => tensor)].some(({ layout, storage }) => {
      const { shape, front } = resolve(layout, trace.facts);
      const rows = shape[1];
      if (rows === undefined || shape.length !== 3 || front || storage.origin.is !== 'fresh') return false;
      return always('equal', rows, size, trace.facts) === true;
    });
  });
}

function dropLast(trace: FunctionTrace, file: CheckedFile, { call }: Batches): readonly ReportFix[] {
  if (call === null) return [];
  return [
    {
      title: 'Leave out the short batch: drop_last=True',
      safe: false,
      edits: [addKeyword(file, trace, call, 'drop_last=True')],
    },
  ];
}
