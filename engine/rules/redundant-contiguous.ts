import type { FunctionTrace, OpEvent } from '../evaluator/trace.ts';
import { decide, type Facts } from '../symbols/index.ts';
import type { Assign, Call } from '../syntax/ast.ts';
import { isContiguous, isFault, resolve, type Tensor, view } from '../tensor/index.ts';
import { explicitView } from './explicit-view.ts';
import { lastName, opEvents, producerOf, viewChain } from './flow.ts';
import { formatIn } from './formats.ts';
import { withoutMethod } from './removal.ts';
import { type CheckedFile, quotable, type Report, type ReportFix, rule } from './rule.ts';
import { bytesText, elementsPhrase, packedBytes } from './sizes.ts';
import { calleeName, enclosing, is, statementAfter } from './tree.ts';
import { exceptions } from './unless.ts';
import { calleeText } from './wording.ts';

const NAME = 'redundant-contiguous';

export const redundantContiguous = rule({
  name: NAME,
  summary: 'A contiguous() that returns its input, or that a reshape would make up for',
  severity: 'hint',
  docs: `
\`x.contiguous()\` copies only where \`x\` is not contiguous; otherwise it returns \`x\` itself. After ops that always pack their
result (\`cat\`, \`stack\`, a linear layer, an embedding, a row picked by an index tensor) it therefore does nothing, at no
cost but the reader's: it looks as if the layout had been wrong.

Right before a \`reshape\` or \`flatten\` that cannot be a view it does nothing either. \`reshape\` would make the very same
copy; with \`contiguous()\` in front the copy is made there, and the reshape is free. Either remove it, or say \`view\` after it,
which shows that there is one copy and where.

To see it at run time: \`x.contiguous() is x\`, or \`x.is_contiguous()\` before the call.

Not reported: a \`contiguous()\` that copies, also where the copy merely changes the layout of what follows; one on a
parameter of the function, which guards against callers; one that names a memory format; and tensors whose layout depends
on the kernel that made them, as the output of attention or of a convolution does. Keep it where a custom kernel is next
and the line is there to say so.`,
  examples: [
    {
      bad: `
import torch

def table():
    rows = [torch.zeros(4), torch.ones(4)]
    return torch.stack(rows).contiguous()  # hint[redundant-contiguous]`,
      good: `
import torch

def table():
    rows = [torch.zeros(4), torch.ones(4)]
    return torch.stack(rows)`,
      fixed: true,
    },
    {
      bad: `
import torch

def labels():
    ids = torch.zeros(2, 6)
    return ids[:, 1:].contiguous().reshape(-1)  # hint[redundant-contiguous]`,
      good: `
import torch

def labels():
    ids = torch.zeros(2, 6)
    return ids[:, 1:].contiguous().view(-1)`,
      fixed: true,
    },
  ],
  *check(trace, file) {
    // What one caller passes does not make a guard against the others redundant.
    if (trace.context !== null) return;
    for (const event of opEvents(trace)) {
      if (event.op !== 'contiguous' || !is(event.node, 'Call') || event.self === null) continue;
      if (formatIn(event) !== null) continue;
      const report = returnsItsInput(trace, file, event, event.node) ?? beforeCopy(trace, file, event, event.node);
      if (report !== null) yield report;
    }
  },
});

function returnsItsInput(trace: FunctionTrace, file: CheckedFile, event: OpEvent, call: Call): Report | null {
  const input = event.inputs[0];
  if (input === undefined || isFault(event.result) || event.result.is !== 'same') return null;
  if (!packsItself(trace, input) || copiesElsewhere(file, event)) return null;
  const { text } = exceptions(trace, event.guards, (facts) => staysContiguous(input, facts));
  if (text !== '') return null;
  const source = event.self === null ? null : quotable(file, trace, event.self);
  return {
    node: event.node,
    message: `contiguous returns its input: ${source === null ? 'it' : `\`${source}\``} is contiguous already; leave it out`,
    fixes: removed(file, trace, call),
    assumes: input.assumes,
    unnecessary: true,
  };
}

/** `x.contiguous().reshape(…)` where the reshape would have to copy. */
function beforeCopy(trace: FunctionTrace, file: CheckedFile, event: OpEvent, call: Call): Report | null {
  const [input, copy] = [event.inputs[0], event.outputs[0]?.tensor];
  if (input === undefined || copy === undefined || isFault(event.result) || event.result.is !== 'fresh') return null;
  const found = reshapeAfter(trace, file, call);
  const next = opEvents(trace).find(({ node }) => node === found);
  const shaped = next?.outputs[0]?.tensor;
  if (found === null || next === undefined || shaped === undefined || next.inputs[0]?.id !== copy.id) return null;
  const { shape } = resolve(shaped.layout, trace.facts);
  const viewed = view(resolve(input.layout, trace.facts), shape, decide(trace.facts));
  if (!isFault(viewed) || viewed.fault !== 'raises') return null;
  const packed = resolve(copy.layout, trace.facts);
  return {
    node: event.node,
    message: `contiguous makes the copy of ${elementsPhrase(trace, packed, input.dtype)} that ${calleeText(next)} would make anyway; leave it out, or use .view(…) after it`,
    related: [{ node: next.node, message: `without it ${calleeText(next)} copies here` }],
    fixes: [...asView(file, trace, call, found), ...removed(file, trace, call)],
    bytes: bytesText(trace, packedBytes(packed, input.dtype)),
    assumes: input.assumes,
    unnecessary: true,
  };
}

/** The reshape that follows in the same chain, or in the next statement under the same name, which nothing else reads. */
function reshapeAfter(trace: FunctionTrace, file: CheckedFile, call: Call): Call | null {
  const [attribute, outer] = enclosing(file, trace, call);
  const inChain = attribute?.kind === 'Attribute' && outer?.kind === 'Call' && outer.func === attribute ? outer : null;
  const found = inChain ?? reshapeInNext(trace, file, call);
  return found !== null && RESHAPES.has(calleeName(found) ?? '') ? found : null;
}

/** `y = x.contiguous()` and then `y = y.reshape(…)`. */
function reshapeInNext(trace: FunctionTrace, file: CheckedFile, call: Call): Call | null {
  const [assign] = enclosing(file, trace, call);
  if (assign?.kind !== 'Assign' || assign.value !== call) return null;
  const next = statementAfter(file, trace, assign);
  const [name, again] = [assign, next].map((each) => (each?.kind === 'Assign' ? onlyTarget(each) : null));
  if (next?.kind !== 'Assign' || name == null || again !== name || next.value.kind !== 'Call') return null;
  const { func, args } = next.value;
  if (func.kind !== 'Attribute' || func.value.kind !== 'Name' || func.value.id !== name) return null;
  // `y.reshape(y.size(0), -1)` reads a size, `y.reshape(f(y))` who knows what.
  return args.some((argument) => argument.kind === 'Name' && argument.id === name) ? null : next.value;
}

function onlyTarget({ targets }: Assign): string | null {
  const [target, ...more] = targets;
  return target?.kind === 'Name' && more.length === 0 ? target.id : null;
}

/** Whether the tensor is contiguous by what made it, whatever the layouts of the parameters were. */
function packsItself(trace: FunctionTrace, tensor: Tensor, depth = 0): boolean {
  const base = viewChain(trace, tensor).at(-1)?.of ?? tensor;
  const producer = producerOf(trace, base);
  if (producer === null) return base.storage.origin.is === 'parameter' && base.assumes.length === 0;
  const name = lastName(producer.op);
  if (PACKS.has(name)) return true;
  const [first] = producer.inputs;
  // A join keeps a common channels_last, an index the order of dims that it found.
  if (JOINS.has(name)) return base.assumes.length === 0 || ![4, 5].includes(base.layout.shape.length);
  if (name === 'getitem') return first !== undefined && first.assumes.length === 0;
  if (!POINTWISE.test(name) || depth > MOST_STEPS || first === undefined) return false;
  return producer.inputs.every((input) => packsItself(trace, input, depth + 1));
}

/** Whether another analysis of the function, or another turn of a loop, sees the same call copy. */
function copiesElsewhere(file: CheckedFile, event: OpEvent): boolean {
  return file.traces.some((trace) =>
    opEvents(trace).some(({ node, result }) => node === event.node && !isFault(result) && result.is !== 'same'),
  );
}

function staysContiguous(input: Tensor, facts: Facts): boolean {
  return isContiguous(resolve(input.layout, facts), decide(facts)) === true;
}

function removed(file: CheckedFile, trace: FunctionTrace, call: Call): readonly ReportFix[] {
  const edit = withoutMethod(file, trace, call);
  const [around] = enclosing(file, trace, call);
  // `x = x.contiguous()` would be left as `x = x`.
  const name = around?.kind === 'Assign' && around.value === call ? onlyTarget(around) : null;
  const itself = call.func.kind === 'Attribute' && call.func.value.kind === 'Name' && call.func.value.id === name;
  return edit === null || itself ? [] : [{ title: 'Remove .contiguous()', safe: true, edits: [edit] }];
}

/** The copy stays where it is said, and `view` cannot make a second one. */
function asView(file: CheckedFile, trace: FunctionTrace, call: Call, next: Call): readonly ReportFix[] {
  const packed = call.func.kind === 'Attribute' ? call.func.value : call;
  const edit = explicitView(file, trace, next, packed);
  return edit === null ? [] : [{ title: 'Keep the copy and use .view(…) after it', safe: true, edits: [edit] }];
}

const MOST_STEPS = 8;

const RESHAPES: ReadonlySet<string> = new Set(['reshape', 'reshape_as', 'flatten', 'ravel']);

const JOINS: ReadonlySet<string> = new Set(['cat', 'concat', 'concatenate', 'stack']);

/** What is contiguous when it comes out, whatever went in. */
const PACKS: ReadonlySet<string> = new Set([
  ...['linear', 'Linear', 'embedding', 'Embedding', 'one_hot', 'index_select', 'gather', 'masked_select'],
  ...['repeat', 'repeat_interleave', 'contiguous', 'nonzero', 'tril_indices', 'triu_indices', 'multinomial'],
  ...['zeros', 'ones', 'full', 'empty', 'rand', 'randn', 'randint', 'randperm', 'arange', 'linspace', 'eye', 'tensor'],
]);

/** One number from each: the result is packed where the operands are. */
const POINTWISE =
  /^([-+*/%]|\/\/|add|sub|mul|div|neg|exp|log|sqrt|rsqrt|pow|abs|clamp|relu|gelu|silu|sigmoid|tanh|ReLU|GELU|SiLU|float|half|bfloat16|to)$/;
