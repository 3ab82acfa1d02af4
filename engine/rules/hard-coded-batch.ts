import type { FunctionTrace, OpEvent } from '../evaluator/trace.ts';
import { product } from '../symbols/index.ts';
import type { Call, Expression } from '../syntax/ast.ts';
import { isFault, type Tensor } from '../tensor/index.ts';
import { opEvents } from './flow.ts';
import { type CheckedFile, type Report, type ReportFix, replace, rule, sourceOf } from './rule.ts';
import { is } from './tree.ts';
import { calleeText } from './wording.ts';

const NAME = 'hard-coded-batch';

export const hardCodedBatch = rule({
  name: NAME,
  summary: 'A number in the place of a batch size that the data decide',
  severity: 'information',
  docs: `
\`x.view(32, 64 * 7 * 7)\` is right as long as 32 images come. The last batch of an epoch is usually shorter, at inference there is
often one, and a second GPU halves it. Then the view raises; or worse, \`x.view(32, -1)\` finds another -1 that fits, and mixes the
samples without a word.

The size is in the tensor: \`x.view(x.size(0), -1)\`, or \`x.flatten(1)\`, or \`-1\` in the place of the batch.

To see it at run time: \`len(dataset) % batch_size\`; if it is not 0, the last batch is that short.

Reported where a view or reshape puts a number for the first size of a tensor of two or more dims, that size is not known from the code, and the
others show that it is the batch: they hold what is left of each sample, or are one \`-1\` beside a number that is usual for a batch. Not
reported: a first size that splits something, as in \`qkv.view(3, B, T, C)\`, and tensors whose size is written in the same function.`,
  examples: [
    {
      bad: `
import torch

def head(x: torch.Tensor):
    N, C = x.shape[0], 64
    y = x.view(N, C, 7, 7)
    return y.view(32, C * 7 * 7)  # information[hard-coded-batch]`,
      good: `
import torch

def head(x: torch.Tensor):
    N, C = x.shape[0], 64
    y = x.view(N, C, 7, 7)
    return y.view(y.size(0), C * 7 * 7)`,
      fixed: true,
    },
  ],
  *check(trace, file) {
    // A caller that passes 32 does not speak for the others.
    if (trace.context !== null) return;
    for (const event of opEvents(trace)) {
      const report = RESHAPES.has(event.op) ? hardCoded(trace, file, event) : null;
      if (report !== null) yield report;
    }
  },
});

function hardCoded(trace: FunctionTrace, file: CheckedFile, event: OpEvent): Report | null {
  const input = event.inputs[0];
  if (input === undefined || !is(event.node, 'Call') || isFault(event.result)) return null;
  const sizes = sizesOf(event.node);
  const [first, ...rest] = sizes ?? [];
  const number = event.arguments.flatMap((value) => (value.kind === 'tuple' ? value.items : [value]))[1];
  if (first === undefined || number?.kind !== 'int' || number.value.constant === null) return null;
  const batch = number.value.constant;
  // What demanded that the batch has this size is this very call, so that the facts at the end do not count.
  const [own, ...others] = input.layout.shape;
  if (own === undefined || own.constant !== null || input.layout.front || others.length === 0 || batch < 2) return null;
  if (!isNumber(first) || !(keepsSamples(event, input) || (isOpen(rest) && isUsual(batch)))) return null;
  return {
    node: event.node,
    message: `${calleeText(event)} takes ${batch} for the batch size, which the data decide: another one raises, or mixes the samples; ask the tensor, x.size(0)`,
    fixes: fixesFor(trace, file, event, event.node, first),
    assumes: [],
  };
}

/** Whether the sizes behind the first hold just as many elements as one sample. */
function keepsSamples(event: OpEvent, input: Tensor): boolean {
  const given = event.arguments.flatMap((value) => (value.kind === 'tuple' ? value.items : [value])).slice(2);
  const sizes = given.flatMap((value) => (value.kind === 'int' ? [value.value] : []));
  if (sizes.length !== given.length || sizes.length === 0 || sizes.some(({ constant }) => constant === -1))
    return false;
  return product(sizes).key === product(input.layout.shape.slice(1)).key;
}

const isOpen = (rest: readonly Expression[]): boolean =>
  rest.length === 1 && rest[0]?.kind === 'UnaryOp' && rest[0].operand.kind === 'Constant';

/** Powers of two from 8, and hundreds: nobody splits a batch into as many parts. */
const isUsual = (batch: number): boolean => batch >= 16 && (Math.log2(batch) % 1 === 0 || batch % 100 === 0);

/** A number as it stands, or under a name that says what it is: `BATCH_SIZE`. */
const isNumber = (size: Expression): boolean =>
  size.kind === 'Constant' || (size.kind === 'Name' && /batch|^bs$/i.test(size.id));

function sizesOf(call: Call): readonly Expression[] | null {
  const [only] = call.args;
  const sizes = call.args.length === 1 && (only?.kind === 'Tuple' || only?.kind === 'List') ? only.elts : call.args;
  return sizes.some(({ kind }) => kind === 'Starred') ? null : sizes;
}

function fixesFor(
  trace: FunctionTrace,
  file: CheckedFile,
  event: OpEvent,
  call: Call,
  first: Expression,
): readonly ReportFix[] {
  if (event.self?.kind !== 'Name' || call.func.kind !== 'Attribute' || call.func.value !== event.self) return [];
  const size = `${sourceOf(file, trace, event.self)}.size(0)`;
  return [{ title: `Ask the tensor: ${size}`, safe: false, edits: [replace(first.start, first.end, size)] }];
}

const RESHAPES: ReadonlySet<string> = new Set(['view', 'reshape']);
