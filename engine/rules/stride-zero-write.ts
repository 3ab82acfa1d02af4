import type { FunctionTrace, OpEvent } from '../evaluator/trace.ts';
import { type Decisions, decide, type Facts } from '../symbols/index.ts';
import type { Call, Expression } from '../syntax/ast.ts';
import { isFault, resolve, type Tensor } from '../tensor/index.ts';
import { sharedDims } from './cells.ts';
import { opEvents, producerOf, resultOf, viewChain } from './flow.ts';
import { layoutMaker } from './origin.ts';
import { failuresOf } from './raising.ts';
import { type CheckedFile, insert, type Report, type ReportFix, rule } from './rule.ts';
import { calleeName, callsIn, is, siteOf } from './tree.ts';
import { exceptions } from './unless.ts';
import { calleeText, causeText, dimsText } from './wording.ts';

const NAME = 'stride-zero-write';

export const strideZeroWrite = rule({
  name: NAME,
  summary: 'A write to an expanded tensor, whose elements share memory cells',
  severity: 'error',
  docs: `
\`expand\` repeats a dim without memory: its stride is 0, so all elements along it are one cell. Most in-place ops notice
that and raise *more than one element of the written-to tensor refers to a single memory location*. Some do not: a write
to a single element (\`table[1, 2] = 5\`) changes that element of every row, silently, and that is reported as a warning.

The rule also finds an expanded tensor that is made a Parameter or a buffer: the optimizer or \`load_state_dict\` will
write it later, and fail there.

\`.clone()\` after the expand gives every element a cell of its own. Reading an expanded tensor is fine.`,
  guides: ['storages'],
  examples: [
    {
      bad: `
import torch

def poses():
    eye = torch.eye(3)[None].expand(6, 3, 3)
    eye[:, 0] = torch.zeros(6, 3)  # error[stride-zero-write]
    return eye`,
      good: `
import torch

def poses():
    eye = torch.eye(3)[None].expand(6, 3, 3).clone()
    eye[:, 0] = torch.zeros(6, 3)
    return eye`,
      fixed: true,
    },
    {
      bad: `
import torch

def table():
    rows = torch.zeros(6)[None].expand(3, -1)
    rows[1, 2] = 5  # warning[stride-zero-write]
    return rows`,
      good: `
import torch

def table():
    rows = torch.zeros(6)[None].expand(3, -1).clone()
    rows[1, 2] = 5
    return rows`,
      fixed: true,
    },
  ],
  *check(trace, file) {
    for (const { event, cause } of failuresOf(NAME, trace, file)) {
      const target = event.writes[0]?.target ?? event.inputs[0];
      const { text } = exceptions(trace, event.guards, () => false);
      yield {
        node: siteOf(file, trace, event),
        message: `${calleeText(event)} will raise: ${causeText(trace, cause, null)}${text}; .clone() after the expand`,
        related: target === undefined ? [] : layoutMaker(trace, file, target),
        fixes: target === undefined ? [] : cloneExpand(trace, target, { safe: true }),
      };
    }
    for (const event of opEvents(trace)) {
      if (!isFault(event.result)) yield* silentWrites(trace, file, event);
    }
    yield* keptExpanded(trace, file);
  },
});

/** Writes that PyTorch lets pass although the written elements are shared. */
function* silentWrites(trace: FunctionTrace, file: CheckedFile, event: OpEvent): Generator<Report> {
  for (const write of event.writes) {
    if (write.becomes !== null) continue;
    const ask = decide(trace.facts);
    const expanded = expandedBase(trace, write.target, ask);
    if (expanded === null) continue;
    const dims = sharedDims(resolve(expanded.layout, trace.facts), ask);
    const { text } = exceptions(trace, ask.guards, (facts) => stillShared(expanded, facts));
    yield {
      node: siteOf(file, trace, event),
      severity: 'warning',
      message: `${calleeText(event)} writes a cell that all elements along ${dimsText(dims)} share: stride 0 after expand${text}; .clone() gives each a cell of its own`,
      related: layoutMaker(trace, file, expanded),
      // The shared cells were written so far: the values change, as is meant.
      fixes: cloneExpand(trace, expanded, { safe: false }),
      assumes: expanded.assumes,
    };
    return;
  }
}

/** The written tensor, or the one that it is an unnamed part of (`rows[1].add_(x)`), where that has shared dims. */
function expandedBase(trace: FunctionTrace, target: Tensor, ask: Decisions): Tensor | null {
  if (sharedDims(resolve(target.layout, trace.facts), ask).length > 0) return target;
  const [last] = viewChain(trace, target);
  if (last === undefined || !['getitem', 'select'].includes(last.event.op)) return null;
  return sharedDims(resolve(last.of.layout, trace.facts), ask).length > 0 ? last.of : null;
}

function stillShared(tensor: Tensor, facts: Facts): boolean {
  return sharedDims(resolve(tensor.layout, facts), decide(facts)).length > 0;
}

/** Expanded tensors that become a Parameter or a buffer. */
function* keptExpanded(trace: FunctionTrace, file: CheckedFile): Generator<Report> {
  for (const call of callsIn(file, trace)) {
    const kept = keptBy(call);
    const tensor = kept === null ? null : resultOf(trace, kept.expression);
    if (kept === null || tensor === null) continue;
    const ask = decide(trace.facts);
    const dims = sharedDims(resolve(tensor.layout, trace.facts), ask);
    if (dims.length === 0) continue;
    const { text } = exceptions(trace, ask.guards, (facts) => stillShared(tensor, facts));
    yield {
      node: call,
      severity: 'warning',
      message: `${kept.as} of an expanded tensor: ${dimsText(dims)} ${dims.length === 1 ? 'has' : 'have'} stride 0, so ${kept.writer} will fail to write it${text}; .clone() after the expand`,
      related: layoutMaker(trace, file, tensor),
      fixes: cloneExpand(trace, tensor, { safe: true }),
      assumes: tensor.assumes,
    };
  }
}

/** What a call makes a Parameter or a buffer of. A buffer that is not saved is a constant that nobody writes. */
function keptBy(call: Call): { readonly expression: Expression; readonly as: string; readonly writer: string } | null {
  const given = (name: string) => call.keywords.find((keyword) => keyword.arg === name)?.value;
  if (calleeName(call) === 'Parameter') {
    const expression = call.args[0] ?? given('data');
    return expression === undefined
      ? null
      : { expression, as: 'a Parameter', writer: 'the optimizer or load_state_dict' };
  }
  if (calleeName(call) !== 'register_buffer') return null;
  const expression = call.args[1] ?? given('tensor');
  const persistent = call.args[2] ?? given('persistent');
  if (expression === undefined || (persistent?.kind === 'Constant' && persistent.value === false)) return null;
  return { expression, as: 'a buffer', writer: 'load_state_dict' };
}

/** `.clone()` behind the expand that made the stride 0. */
function cloneExpand(trace: FunctionTrace, tensor: Tensor, { safe }: Pick<ReportFix, 'safe'>): readonly ReportFix[] {
  const made = [producerOf(trace, tensor), ...viewChain(trace, tensor).map((step) => step.event)].find(
    (event) => event !== null && EXPANDING.has(event.op) && is(event.node, 'Call'),
  );
  if (made === undefined || made === null) return [];
  const title = 'Give every element a cell of its own: .clone()';
  return [{ title, safe, edits: [insert(made.node.end, '.clone()')] }];
}

const EXPANDING: ReadonlySet<string> = new Set(['expand', 'expand_as', 'broadcast_to']);
