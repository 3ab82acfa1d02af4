import type { FunctionTrace, StoreEvent } from '../evaluator/trace.ts';
import { decide, type SymInt, sum } from '../symbols/index.ts';
import type { Expression, Node } from '../syntax/ast.ts';
import { isFault, resolve, type Tensor } from '../tensor/index.ts';
import { captures } from './captures.ts';
import { innermostLoop } from './control.ts';
import { excessOf, excessText, inBytes, retained, timesOver } from './excess.ts';
import { opEvents, producerOf, resultOf, sharesStorage, tensorsIn, type ViewStep, viewChain } from './flow.ts';
import { type CheckedFile, insert, quoted, type Report, type ReportFix, rule } from './rule.ts';
import { elements, written } from './sizes.ts';
import { branches, calleeName, callsIn, dottedName, is, isPrimary, within } from './tree.ts';

const NAME = 'pinned-storage';

export const pinnedStorage = rule({
  name: NAME,
  summary: 'A small view that is kept and holds a much larger storage alive',
  severity: 'warning',
  docs: `
A view has no memory of its own. As long as it lives, so does the whole storage it was cut from: a list of \`h[:, 0]\`, one
for each batch, keeps every full \`h\`. The finding says what is kept and what would be enough.

Reported where a view that is less than a quarter of its storage is kept in an attribute, list, dict, global or closure
that outlives the function, and nothing else needs the storage; also where an attribute is replaced by a slice of
itself, which frees nothing.

Not reported: views of parameters, attributes and buffers, which live on anyway; views that together make up the storage; the window of an attribute that
each turn concatenates anew;
a view that is merely returned, which is the caller's matter.

A closure keeps each tensor that it names, as \`functools.partial\` keeps its arguments and a generator what it was given: a view
that one of them names is kept as long as it is, although no attribute says so.

\`.clone()\` packs the view. \`.contiguous()\` does not always: a leading slice is contiguous already, and comes back as it is.
\`.cpu()\` copies only what is on another device, so that on the CPU it keeps the storage too (information).`,
  guides: ['storages'],
  examples: [
    {
      bad: `
import torch

class Pooler(torch.nn.Module):
    def forward(self, n: int):
        hidden = torch.zeros(8, 128, 64)
        self.first = hidden[:, 0]  # warning[pinned-storage]
        return n`,
      good: `
import torch

class Pooler(torch.nn.Module):
    def forward(self, n: int):
        hidden = torch.zeros(8, 128, 64)
        self.first = hidden[:, 0].clone()
        return n`,
      fixed: true,
    },
  ],
  *check(trace, file) {
    for (const event of trace.events) {
      if (event.event !== 'store' || !event.outlives) continue;
      const data = parameterData(event.expression);
      const kept = data === null ? null : resultOf(trace, data);
      for (const tensor of kept === null ? tensorsIn(event.value) : [kept]) {
        const report =
          replacesItself(trace, file, event, tensor) ??
          pins(trace, file, keepingOf(event), tensor) ??
          pinsOnTheHost(trace, file, event, tensor);
        if (report === null) continue;
        yield report;
        break;
      }
    }
    for (const each of captures(trace, file)) {
      const report = pins(trace, file, { ...each, holder: each.keeper }, each.tensor);
      if (report === null) continue;
      const leaving = { node: each.leaves, message: `${each.keeper} outlives the function from here on` };
      yield { ...report, related: [...(report.related ?? []), leaving] };
    }
  },
});

/** What is kept, as it stands in the source, and by what. */
type Keeping = Pick<StoreEvent, 'expression' | 'holder'>;

/** A view that is kept although little of its storage is needed, and the storage is needed by nothing else. */
function pins(trace: FunctionTrace, file: CheckedFile, event: Keeping, view: Tensor): Report | null {
  const chain = viewChain(trace, view);
  const first = chain[chain.length - 1];
  if (first === undefined) return null;
  const excess = excessOf(trace, view, first.of);
  if (excess === null || livesOn(trace, first) || keptBeside(trace, file, view, excess.whole)) return null;
  const maker = makerOf(trace, first.of);
  if (maker === null || eachPartIsKept(trace, file, event, maker)) return null;
  const source = quoted(file, trace, event.expression, 'a view');
  return {
    node: event.expression,
    message: `${event.holder} keeps ${source}: ${excessText(trace, first.of, excess)}; keep a .clone()`,
    related: [
      { node: maker, message: 'the storage is made here' },
      ...(first.event.node === event.expression ? [] : [{ node: first.event.node, message: 'the view is taken here' }]),
    ],
    fixes: cloneOf(event, !isWrittenLater(trace, event.expression, view)),
    bytes: retained(trace, first.of, excess.whole),
    assumes: view.assumes,
  };
}

const keepingOf = ({ expression, holder }: StoreEvent): Keeping => ({ expression, holder: `\`${holder}\`` });

/** `.cpu()` hands back the view itself where that is on the CPU already. */
function pinsOnTheHost(trace: FunctionTrace, file: CheckedFile, event: StoreEvent, tensor: Tensor): Report | null {
  const producer = producerOf(trace, tensor);
  const [view] = producer?.inputs ?? [];
  if (producer?.op !== 'cpu' || view === undefined || isFault(producer.result) || producer.result.is !== 'either')
    return null;
  const report = pins(trace, file, keepingOf(event), view);
  if (report === null) return null;
  return {
    ...report,
    severity: 'information',
    message: report.message.replace(/;[^;]*$/, ', where it is on the CPU already$&'),
  };
}

/** `self.mask = self.mask[:n]`: whatever `n` is, the old storage stays. */
function replacesItself(trace: FunctionTrace, file: CheckedFile, event: StoreEvent, view: Tensor): Report | null {
  const chain = viewChain(trace, view);
  const first = chain[chain.length - 1];
  if (event.into !== 'attribute' || first === undefined || first.event.self === null) return null;
  if (dottedName(first.event.self) !== event.holder || !chain.some((step) => CUTS.has(step.event.op))) return null;
  const [part, whole] = [view, first.of].map((tensor) => elements(resolve(tensor.layout, trace.facts)));
  if (part === undefined || whole === undefined) return null;
  const all = decide(trace.facts).equal(part, whole);
  if (all === true || keptBeside(trace, file, view, whole) || isGrown(trace, file, event.holder)) return null;
  if (isMargin(event.expression)) return null;
  const source = quoted(file, trace, event.expression, 'a slice');
  return {
    node: event.expression,
    message: `${source} takes the place of \`${event.holder}\` but keeps its whole storage of ${written(trace, whole)} elements${inBytes(trace, first.of, whole)}${all === undefined ? ', unless it takes all of it' : ''}; keep a .clone()`,
    fixes: cloneOf(event),
    bytes: retained(trace, first.of, whole),
    assumes: [],
  };
}

/** `self.past = torch.cat((self.past, x))` packs what is kept into a new storage each time: a window that is cut from it keeps little more. */
function isGrown(trace: FunctionTrace, file: CheckedFile, holder: string): boolean {
  return callsIn(file, trace).some(
    (call) =>
      JOINS.has(calleeName(call) ?? '') &&
      call.args.some((part) =>
        branches(part).some(
          (each) => (each.kind === 'Attribute' || each.kind === 'Name') && dottedName(each) === holder,
        ),
      ),
  );
}

/** Whether the storage is kept by someone else whatever this function does. */
function livesOn(trace: FunctionTrace, first: ViewStep): boolean {
  const { origin } = first.of.storage;
  if (origin.is !== 'fresh' && origin.is !== 'unknown') return true;
  if (trace.function === '<module>') return true;
  const holder = first.event.self === null ? null : dottedName(first.event.self);
  return holder?.includes('.') ?? false;
}

/** Whether other views of the storage, together with this one, are kept or returned and make up a good part of it. */
function keptBeside(trace: FunctionTrace, file: CheckedFile, view: Tensor, whole: SymInt): boolean {
  // Views of the very same elements keep them once.
  const kept = new Map<string, SymInt>();
  const handed = trace.events.flatMap((event) =>
    event.event === 'return' || (event.event === 'store' && event.outlives) ? tensorsIn(event.value) : [],
  );
  for (const tensor of [...handed, ...captures(trace, file).map(({ tensor }) => tensor)]) {
    if (!sharesStorage(tensor, view)) continue;
    const layout = resolve(tensor.layout, trace.facts);
    const { shape, stride, offset } = layout;
    const cells = stride === null || offset === null ? null : [offset, ...shape, ...stride];
    kept.set(cells?.map(({ key }) => key).join(' ') ?? `${tensor.id}`, elements(layout));
  }
  if (kept.size < 2) return false;
  return timesOver(trace, whole, sum([...kept.values()])) === null;
}

/** What made the base in this function: an op or a call; null where it came from elsewhere. */
function makerOf(trace: FunctionTrace, base: Tensor): Node | null {
  const producer = producerOf(trace, base);
  if (producer !== null) return producer.node;
  const made = trace.events.find(
    (event) => event.event === 'value' && event.outputs.some(({ tensor }) => tensor.id === base.id),
  );
  return made !== undefined && is(made.node, 'Call') ? made.node : null;
}

/** A loop that keeps one part after the other of a storage made before it keeps, in the end, all of it. */
function eachPartIsKept(trace: FunctionTrace, file: CheckedFile, event: Keeping, maker: Node): boolean {
  const loop = innermostLoop(file, trace, event.expression);
  return loop !== null && !within(file, trace, maker, loop);
}

/** What is written into the storage behind the place of a copy does not reach the copy. */
function isWrittenLater(trace: FunctionTrace, place: Node, view: Tensor): boolean {
  return opEvents(trace).some(
    ({ node, writes }) => node.start >= place.end && writes.some(({ target }) => sharesStorage(target, view)),
  );
}

function cloneOf(event: Keeping, safe = true): readonly ReportFix[] {
  const inner = parameterData(event.expression) ?? event.expression;
  if (!isPrimary(inner)) return [];
  return [{ title: 'Keep a packed copy: .clone()', safe, edits: [insert(inner.end, '.clone()')] }];
}

/** `x` of `nn.Parameter(x)`, which has the storage of `x`. */
function parameterData(expression: Expression): Expression | null {
  if (expression.kind !== 'Call' || calleeName(expression) !== 'Parameter') return null;
  return expression.args[0] ?? null;
}

/** `x[:, 1:]`, `x[:-1]`, `x[:, : h - pad]`: what is left out is the edge of what is kept. */
function isMargin(node: Expression): boolean {
  if (node.kind !== 'Subscript') return false;
  const keys = node.slice.kind === 'Tuple' ? node.slice.elts : [node.slice];
  return keys.every((key) => {
    if (key.kind !== 'Slice') return key.kind === 'Constant' && key.value === null;
    const { lower, upper } = key;
    const low = lower === null || lower.kind === 'Constant';
    const high = upper === null || upper.kind === 'UnaryOp' || (upper.kind === 'BinOp' && upper.op === '-');
    return low && high;
  });
}

const JOINS: ReadonlySet<string> = new Set(['cat', 'concat', 'concatenate', 'vstack', 'hstack']);

const CUTS: ReadonlySet<string> = new Set(['getitem', 'narrow', 'select', 'slice', 'index_select']);
