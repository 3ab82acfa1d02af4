import type { FunctionTrace, OpEvent, StoreEvent } from '../evaluator/trace.ts';
import type { Expression } from '../syntax/ast.ts';
import type { Tensor } from '../tensor/index.ts';
import { opEvents, viewChain } from './flow.ts';
import { keptHookOutput } from './hooks.ts';
import { type CheckedFile, insert, quoted, type Report, type ReportFix, rule } from './rule.ts';
import { keptState } from './state-dicts.ts';
import { type Loop, loopsAround } from './training.ts';
import { branches, calleeName, enclosing, is, isPrimary, rootOf, within } from './tree.ts';

const NAME = 'stored-alias';

export const storedAlias = rule({
  name: NAME,
  summary: 'One storage is kept as if it were several values: what is kept changes with it',
  severity: 'warning',
  docs: `
Storing a tensor stores a reference. What is written in place afterwards changes what was stored:

- \`buffer.append(obs)\` in a loop that updates \`obs\` in place: every entry holds the newest values;
- \`best = model.state_dict()\` (also with \`.copy()\`, which copies the dict alone): the next optimizer step changes \`best\`;
- a forward hook that keeps its \`output\`, or \`output.detach()\`, where the next layer works in place
  (\`nn.ReLU(inplace=True)\`): it keeps what that layer made of it.

Reported where the same storage is stored by each turn of a loop that also writes it, where a state dict is read again after
training went on, and where a hook of a file with in-place layers keeps its output.

Not reported: tensors that each turn makes anew, views of different parts of one tensor, and state dicts that are saved to a
file at once.

\`.clone()\` stores a copy; \`copy.deepcopy(model.state_dict())\` copies the tensors too.`,
  guides: ['storages'],
  examples: [
    {
      bad: `
import torch

def rollout(steps: int):
    obs = torch.zeros(3)
    seen = []
    for _ in range(steps):
        obs += 1
        seen.append(obs)  # warning[stored-alias]
    return seen`,
      good: `
import torch

def rollout(steps: int):
    obs = torch.zeros(3)
    seen = []
    for _ in range(steps):
        obs += 1
        seen.append(obs.clone())
    return seen`,
      fixed: true,
    },
    {
      bad: `
import copy

def fit(model, optimizer, batches):
    best, least = None, float("inf")
    for x, y in batches:
        loss = (model(x) - y).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        if loss.item() < least:
            least = loss.item()
            best = model.state_dict()  # warning[stored-alias]
        optimizer.step()
    return best`,
      good: `
import copy

def fit(model, optimizer, batches):
    best, least = None, float("inf")
    for x, y in batches:
        loss = (model(x) - y).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        if loss.item() < least:
            least = loss.item()
            best = copy.deepcopy(model.state_dict())
        optimizer.step()
    return best`,
      fixed: true,
    },
  ],
  *check(trace, file) {
    for (const event of trace.events) {
      if (event.event !== 'store') continue;
      const report =
        storedAgain(trace, file, event) ?? (trace.context === null ? keptHookOutput(trace, file, event) : null);
      if (report !== null) yield report;
    }
    if (trace.context === null) yield* keptState(trace, file);
  },
});

/** The tensor that each turn of a loop stores and writes. */
function storedAgain(trace: FunctionTrace, file: CheckedFile, event: StoreEvent): Report | null {
  if ((event.into !== 'list' && event.into !== 'dict') || event.value.kind !== 'tensor') return null;
  if (!isWhole(trace, event.value)) return null;
  // `kept[i] += x` leaves what it writes where it was.
  const [parent] = enclosing(file, trace, event.expression);
  if (is(parent, 'AugAssign')) return null;
  const write = writeBeside(trace, file, event, event.value) ?? writeByOther(trace, file, event.value);
  if (write === null) return null;
  const source = quoted(file, trace, event.expression, 'the tensor');
  return {
    node: event.expression,
    message: `\`${event.holder}\` keeps ${source} itself, which ${write} in place: all that is stored shows the newest values; store .clone()`,
    fixes: cloned(event.expression),
  };
}

/** Views of one part each are different values; a view of all of it is the same ones. */
const isWhole = (trace: FunctionTrace, tensor: Tensor): boolean =>
  viewChain(trace, tensor).every((step) => WHOLE.has(step.event.op));

const WHOLE: ReadonlySet<string> = new Set([
  'detach',
  'data',
  'view',
  'reshape',
  'flatten',
  'squeeze',
  'unsqueeze',
  't',
  'T',
]);

/** A write in a loop around the store, of a tensor that is older than the loop. */
function writeBeside(trace: FunctionTrace, file: CheckedFile, event: StoreEvent, tensor: Tensor): string | null {
  const [loop] = loopsAround(file, trace, event.expression);
  if (loop === undefined || !comesFromBefore(trace, file, loop, event.expression, tensor)) return null;
  const write = opEvents(trace).find((other) => changesAll(other, tensor) && within(file, trace, other.node, loop));
  return write === undefined ? null : 'the loop writes';
}

function comesFromBefore(
  trace: FunctionTrace,
  file: CheckedFile,
  loop: Loop,
  stored: Expression,
  tensor: Tensor,
): boolean {
  const makers = opEvents(trace).filter(
    ({ result, outputs }) =>
      'is' in result &&
      result.is !== 'same' &&
      result.is !== 'view' &&
      outputs.some((each) => each.tensor.storage.id === tensor.storage.id),
  );
  if (makers.some(({ node }) => within(file, trace, node, loop))) return false;
  const bound = new Set(
    [...branches(loop)].flatMap((each) => {
      if (each.kind === 'Assign') return each.targets.flatMap(namesBound);
      return each.kind === 'For' ? namesBound(each.target) : [];
    }),
  );
  return ![...branches(stored)].some((each) => each.kind === 'Name' && bound.has(each.id));
}

const namesBound = (target: Expression): readonly string[] => {
  if (target.kind === 'Name') return [target.id];
  return target.kind === 'Tuple' || target.kind === 'List' ? target.elts.flatMap(namesBound) : [];
};

/** A write by another function of the file to what was passed in, where a loop calls both. */
function writeByOther(trace: FunctionTrace, file: CheckedFile, tensor: Tensor): string | null {
  if (trace.place !== 'call') return null;
  const writer = file.traces.find(
    (other) =>
      other.place === 'call' &&
      other.function !== trace.function &&
      !/__init__$/.test(other.function) &&
      opEvents(other).some((event) => changesAll(event, tensor)) &&
      calledTogether(file, shortName(trace), shortName(other)),
  );
  return writer === undefined ? null : `\`${writer.function}\` writes`;
}

const shortName = (trace: FunctionTrace): string => trace.function.slice(trace.function.lastIndexOf('.') + 1);

function calledTogether(file: CheckedFile, one: string, other: string): boolean {
  return file.traces.some((trace) =>
    [...branches(rootOf(file, trace))].some((loop) => {
      if (loop.kind !== 'For' && loop.kind !== 'While') return false;
      const called = new Set([...branches(loop)].map((each) => (each.kind === 'Call' ? calleeName(each) : null)));
      return called.has(one) && called.has(other);
    }),
  );
}

const changesAll = (event: OpEvent, tensor: Tensor): boolean =>
  event.writes.some((write) => write.becomes === null && write.target.storage.id === tensor.storage.id);

function cloned(expression: Expression): readonly ReportFix[] {
  return isPrimary(expression)
    ? [{ title: 'Store a copy: .clone()', safe: false, edits: [insert(expression.end, '.clone()')] }]
    : [];
}
