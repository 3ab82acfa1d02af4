import type { FunctionTrace } from '../evaluator/trace.ts';
import type { Call, Expression, For } from '../syntax/ast.ts';
import type { Tensor } from '../tensor/index.ts';
import { failureIsExpected, innermostLoop } from './control.ts';
import { producerOf, tensorsIn } from './flow.ts';
import { addKeyword, boundTo, callsTo, deviceOf, isPinned, keywordIn, type LibraryCall, passed } from './library.ts';
import { type CheckedFile, type Report, rule } from './rule.ts';
import { branches, calleeName, callsIn, enclosing, is, namesIn, rootOf } from './tree.ts';

const NAME = 'pin-memory';

export const pinMemory = rule({
  name: NAME,
  summary: 'Page-locked memory asked for where it cannot be, or is not worth it, or missing where it is',
  severity: 'information',
  docs: `
\`DataLoader(..., pin_memory=True)\` copies every batch into page-locked host memory, from where a copy to the GPU can run beside
the computation. Three things go wrong with it:

- The data set hands out CUDA tensors. Only CPU tensors can be pinned: the loader raises at its first batch.
- It is left out although the loop copies every batch to the GPU. The copies then go through pageable memory, and
  \`non_blocking=True\` does nothing. Saying \`pin_memory=False\` shows that it is meant.
- Pages that are locked cannot be swapped out. Pinning a whole data set takes that much memory from everything else on the
  machine, and \`x.pin_memory().cuda()\` in a loop copies on the host what the transfer would have copied anyway.`,
  guides: ['loading'],
  examples: [
    {
      bad: `
import torch
from torch.utils.data import DataLoader

def train(model, dataset):
    loader = DataLoader(dataset, batch_size=64)  # information[pin-memory]
    for x, y in loader:
        model(x.cuda(), y.cuda())`,
      good: `
import torch
from torch.utils.data import DataLoader

def train(model, dataset):
    loader = DataLoader(dataset, batch_size=64, pin_memory=True)
    for x, y in loader:
        model(x.cuda(), y.cuda())`,
      fixed: true,
    },
    {
      bad: `
import torch
from torch.utils.data import DataLoader, TensorDataset

def loader():
    x = torch.zeros(64, 4, device="cuda")
    return DataLoader(TensorDataset(x), batch_size=8, pin_memory=True)  # error[pin-memory]`,
      good: `
import torch
from torch.utils.data import DataLoader, TensorDataset

def loader():
    x = torch.zeros(64, 4, device="cuda")
    return DataLoader(TensorDataset(x), batch_size=8)`,
      fixed: false,
    },
  ],
  *check(trace, file) {
    const datasets = callsTo(trace, DATASETS);
    for (const loader of callsTo(trace, LOADERS)) {
      const report = pinsCuda(trace, file, loader, datasets) ?? unpinnedLoop(trace, file, loader);
      if (report !== null) yield report;
    }
    for (const { event, call } of datasets) {
      const pins = event.arguments.some((value) => tensorsIn(value).some((tensor) => isPinned(trace, tensor)));
      if (pins)
        yield {
          node: call,
          message:
            'pins a whole data set: as much memory can no longer be swapped out; pin the batches, with pin_memory=True of the loader',
        };
    }
    for (const call of callsIn(file, trace)) {
      const report = pinnedInLoop(trace, file, call);
      if (report !== null) yield report;
    }
  },
});

const LOADERS: ReadonlySet<string> = new Set(['torch.utils.data.DataLoader', 'torch.utils.data.dataloader.DataLoader']);
const DATASETS: ReadonlySet<string> = new Set(['torch.utils.data.TensorDataset']);
const PIN_MEMORY_POSITION = 7;

/** A loader that is to pin what its data set keeps on the GPU. */
function pinsCuda(
  trace: FunctionTrace,
  file: CheckedFile,
  loader: LibraryCall,
  datasets: readonly LibraryCall[],
): Report | null {
  const { call } = loader;
  const pins = passed(loader, 'pin_memory', PIN_MEMORY_POSITION);
  if (pins?.kind !== 'bool' || !pins.value || failureIsExpected(file, trace, call)) return null;
  const source = call.args[0] ?? keywordIn(call, 'dataset')?.value;
  const dataset = source?.kind === 'Name' ? boundTo(trace, file, source.id) : source;
  if (dataset === undefined) return null;
  const made = datasets.find((each) => each.call === dataset);
  const places =
    made === undefined
      ? placesOfItems(file, dataset)
      : made.event.arguments.flatMap(tensorsIn).map((tensor) => placeOf(trace, tensor));
  const message = 'the loader will raise: only CPU tensors can be pinned, and the data set holds CUDA tensors';
  if (places.includes('cuda')) return { node: call, severity: 'error', message };
  const parameter = places.find((place) => place !== 'cuda' && place !== null);
  if (parameter === undefined || parameter === null) return null;
  return { node: call, severity: 'warning', message: `${message} where \`${parameter}\` is what its default says` };
}

/** Where the items of a data set class of this file are: what its `__getitem__` returns. */
function placesOfItems(file: CheckedFile, dataset: Expression): readonly (string | null)[] {
  if (dataset.kind !== 'Call' || dataset.func.kind !== 'Name') return [];
  const name = `${dataset.func.id}.__getitem__`;
  return file.traces.flatMap((trace) =>
    trace.function === name && trace.returned !== null
      ? tensorsIn(trace.returned).map((tensor) => placeOf(trace, tensor))
      : [],
  );
}

/** `cuda`, or the parameter that says so unless something else is passed; null where it is not known or elsewhere. */
function placeOf(trace: FunctionTrace, tensor: Tensor): string | null {
  const device = deviceOf(trace, tensor);
  if (device !== null) return device.startsWith('cuda') ? 'cuda' : null;
  const producer = producerOf(trace, tensor);
  const said = is(producer?.node, 'Call') ? keywordIn(producer.node, 'device')?.value : undefined;
  if (said?.kind !== 'Name') return null;
  return defaultsToCuda(trace, said.id) ? said.id : null;
}

/** `device` of `def train(model, device="cuda")`. */
function defaultsToCuda({ definition }: FunctionTrace, name: string): boolean {
  const parameters = definition === null ? [] : [...definition.args.positional, ...definition.args.keywordOnly];
  const said = parameters.find((parameter) => parameter.name === name)?.default;
  return said?.kind === 'Constant' && typeof said.value === 'string' && said.value.startsWith('cuda');
}

/** A loader that does not pin, in front of a loop that copies its batches to the GPU. */
function unpinnedLoop(trace: FunctionTrace, file: CheckedFile, loader: LibraryCall): Report | null {
  const { event, call } = loader;
  if (event.open || passed(loader, 'pin_memory', PIN_MEMORY_POSITION) !== undefined) return null;
  if (call.keywords.some(({ arg }) => arg === null)) return null;
  const [statement] = enclosing(file, trace, call);
  const [target] = statement?.kind === 'Assign' ? statement.targets : [];
  const copy = [...branches(rootOf(file, trace))]
    .filter((branch) => branch.kind === 'For')
    .filter(({ iter }) => (target?.kind === 'Name' ? readsLoader(iter, target.id) : iter === call))
    .map((loop) => copiedToCuda(trace, file, loop))
    .find((each) => each !== undefined);
  if (copy === undefined) return null;
  return {
    node: call,
    message:
      'its batches are copied to CUDA from pageable memory: pin_memory=True lets the copies run beside the computation',
    related: [{ node: copy, message: 'copied here' }],
    fixes: [{ title: 'Pin the batches', safe: false, edits: [addKeyword(file, trace, call, 'pin_memory=True')] }],
  };
}

/** `for batch in loader`, also through `enumerate` or a progress bar. */
function readsLoader(iter: Expression, loader: string): boolean {
  if (iter.kind === 'Name') return iter.id === loader;
  return iter.kind === 'Call' && iter.args[0] !== undefined && readsLoader(iter.args[0], loader);
}

/** `x.cuda()` or `x.to(device)` of what the loop binds, where the device is CUDA, at least if there is one. */
function copiedToCuda(trace: FunctionTrace, file: CheckedFile, loop: For): Call | undefined {
  const names = namesIn(loop.target);
  return loop.body
    .flatMap((statement) => [...branches(statement)])
    .filter((branch) => branch.kind === 'Call')
    .find((call) => {
      if (call.func.kind !== 'Attribute' || ![...namesIn(call.func.value)].some((name) => names.has(name)))
        return false;
      if (call.func.attr === 'cuda') return true;
      const [device] = call.args;
      return call.func.attr === 'to' && device !== undefined && saysCuda(trace, file, device);
    });
}

function saysCuda(trace: FunctionTrace, file: CheckedFile, device: Expression): boolean {
  const value = device.kind === 'Name' ? boundTo(trace, file, device.id) : device;
  if (value === undefined) return device.kind === 'Name' && defaultsToCuda(trace, device.id);
  return [...branches(value)].some(
    (branch) => branch.kind === 'Constant' && typeof branch.value === 'string' && branch.value.startsWith('cuda'),
  );
}

/** `x.pin_memory().to(device)` once a turn. */
function pinnedInLoop(trace: FunctionTrace, file: CheckedFile, call: Call): Report | null {
  if (calleeName(call) !== 'pin_memory' || call.func.kind !== 'Attribute') return null;
  const [method, moved] = [...enclosing(file, trace, call)];
  const moves = method?.kind === 'Attribute' && (method.attr === 'cuda' || method.attr === 'to');
  if (!moves || moved?.kind !== 'Call' || innermostLoop(file, trace, call) === null) return null;
  return {
    node: call,
    message:
      'each turn copies into page-locked memory first, while the caller waits; move it without, or let the loader pin: pin_memory=True',
  };
}
