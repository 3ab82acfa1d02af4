import type { FunctionTrace, OpEvent } from '../evaluator/trace.ts';
import type { SymInt } from '../symbols/index.ts';
import type { Call, Expression } from '../syntax/ast.ts';
import { isFault, resolve, type Tensor } from '../tensor/index.ts';
import { lastName, opEvents, tensorsIn } from './flow.ts';
import { type CheckedFile, type Report, type ReportFix, replace, rule, sourceOf } from './rule.ts';
import { bytesText, elementsPhrase, packedBytes, writtenShape } from './sizes.ts';
import { enclosing, is } from './tree.ts';
import { calleeText } from './wording.ts';

const NAME = 'repeat-for-broadcast';

export const repeatForBroadcast = rule({
  name: NAME,
  summary: 'A repeat whose copies are only read by operations that broadcast anyway',
  severity: 'information',
  docs: `
\`repeat\`, \`tile\` and \`repeat_interleave\` write every copy into memory. Arithmetic, comparisons and \`where\` do not need
them: a dim of size 1 is broadcast, which reads the one element again and again and stores nothing. \`expand\` gives the same
shape as a view, with stride 0 along the repeated dims.

To see it at run time: \`x.expand(…).untyped_storage().nbytes()\` stays what \`x\` takes; that of \`x.repeat(…)\` grows by the factor.

Reported where all repeated dims have size 1, and everything that reads the result is elementwise or gathers by it: the index
of \`gather\` may be expanded, too. Not reported where the
result is written, returned, stored, concatenated, reshaped or handed on, where the copies may be wanted, and where a dim of
another size is tiled, which \`expand\` cannot do.

Only read from what \`expand\` gives: its elements share memory.`,
  guides: ['compile'],
  examples: [
    {
      bad: `
import torch

def centred(x: torch.Tensor):
    B, T, C = x.shape
    mean = x.mean(1, keepdim=True).repeat(1, T, 1)  # information[repeat-for-broadcast]
    return x - mean`,
      good: `
import torch

def centred(x: torch.Tensor):
    B, T, C = x.shape
    mean = x.mean(1, keepdim=True).expand(-1, T, -1)
    return x - mean`,
      fixed: true,
    },
  ],
  *check(trace, file) {
    for (const event of opEvents(trace)) {
      if (!REPEATS.has(event.op) || isFault(event.result) || event.result.is !== 'fresh') continue;
      const report = onlyBroadcast(trace, file, event);
      if (report !== null) yield report;
    }
  },
});

function onlyBroadcast(trace: FunctionTrace, file: CheckedFile, event: OpEvent): Report | null {
  const [input, output] = [event.inputs[0], event.outputs[0]?.tensor];
  if (input === undefined || output === undefined || !is(event.node, 'Call')) return null;
  const [before, after] = [input, output].map((tensor) => resolve(tensor.layout, trace.facts));
  if (before === undefined || after === undefined || before.front || after.front) return null;
  const sizes = expandedSizes(before.shape, after.shape);
  if (sizes === null || !isReadByBroadcasts(trace, file, event, output)) return null;
  return {
    node: event.node,
    message: `${calleeText(event)} writes ${elementsPhrase(trace, after, output.dtype)} of ${writtenShape(trace, before.shape)}, and all that reads them takes one in place of many; expand copies nothing`,
    fixes: fixesFor(trace, file, event, event.node, sizes),
    bytes: bytesText(trace, packedBytes(after, output.dtype)),
    assumes: [],
  };
}

/** Which new dims are repeated; null where one of another size than 1 is, or none at all. */
function expandedSizes(before: readonly SymInt[], after: readonly SymInt[]): readonly boolean[] | null {
  const ahead = after.length - before.length;
  const repeated = after.map((size, dim) => dim < ahead || before[dim - ahead]?.key !== size.key);
  const isTiled = repeated.some((is, dim) => is && dim >= ahead && before[dim - ahead]?.constant !== 1);
  const grows = after.some((size, dim) => repeated[dim] === true && size.constant !== 1);
  return isTiled || ahead < 0 || !grows ? null : repeated;
}

/** Whether all that happens to the result is that elementwise operations read it. */
function isReadByBroadcasts(trace: FunctionTrace, file: CheckedFile, event: OpEvent, output: Tensor): boolean {
  const isIt = ({ id, storage }: Tensor) => id === output.id || storage.id === output.storage.id;
  const readers = new Set<object>();
  for (const other of trace.events) {
    switch (other.event) {
      case 'op': {
        if (other === event || !other.inputs.some(isIt)) break;
        const isWritten = other.writes.some(({ target }) => isIt(target));
        const reads = BROADCASTS.has(lastName(other.op)) || isItsIndex(other, isIt);
        if (isWritten || !reads || other.outputs.some(({ tensor }) => isIt(tensor))) return false;
        if (isItsIndex(other, isIt)) {
          readers.add(other.node);
          break;
        }
        // Against a number, or a tensor of the same size 1, nothing would broadcast.
        if (!other.inputs.some((input) => !isIt(input) && reaches(input, output, trace))) return false;
        readers.add(other.node);
        break;
      }
      case 'value':
        if (other.inputs.some(isIt)) return false;
        break;
      case 'store':
      case 'return':
        if (tensorsIn(other.value).some(isIt)) return false;
        break;
      case 'call':
        if (other.arguments.some((value) => tensorsIn(value).some(isIt))) return false;
        break;
      case 'read':
        break;
    }
  }
  if (readers.size === 0) return false;
  // Where the name is read by anything else (a call that is not followed, a display), who knows.
  return trace.events.every((other) => {
    if (other.event !== 'read' || !isIt(other.tensor)) return true;
    const [around, outer] = enclosing(file, trace, other.node);
    return (around !== undefined && readers.has(around)) || (outer !== undefined && readers.has(outer));
  });
}

/** `gather` asks for an index as wide as its result, and minds no stride of it. */
const isItsIndex = ({ op, inputs: [self, index] }: OpEvent, isIt: (tensor: Tensor) => boolean): boolean =>
  lastName(op) === 'gather' && self !== undefined && !isIt(self) && index !== undefined && isIt(index);

/** Whether the other operand has the repeated size itself, so that the shape of the result does not come from the copies. */
function reaches(other: Tensor, output: Tensor, trace: FunctionTrace): boolean {
  const [wide, own] = [resolve(other.layout, trace.facts), resolve(output.layout, trace.facts)];
  return (
    !wide.front &&
    wide.shape.length === own.shape.length &&
    wide.shape.every((size, d) => size.key === own.shape[d]?.key)
  );
}

function fixesFor(
  trace: FunctionTrace,
  file: CheckedFile,
  event: OpEvent,
  call: Call,
  repeated: readonly boolean[],
): readonly ReportFix[] {
  if (event.op !== 'repeat' || call.func.kind !== 'Attribute' || event.self !== call.func.value) return [];
  const counts = countsOf(call);
  const [first, last] = [counts[0], counts.at(-1)];
  if (first === undefined || last === undefined || counts.length !== repeated.length) return [];
  const text = counts.map((count, dim) => (repeated[dim] === true ? sourceOf(file, trace, count) : '-1')).join(', ');
  const { attr, attrStart } = call.func;
  const edits = [replace(attrStart, attrStart + attr.length, 'expand'), replace(first.start, last.end, text)];
  return [{ title: `View it instead: .expand(${text})`, safe: true, edits }];
}

function countsOf(call: Call): readonly Expression[] {
  const [only] = call.args;
  return call.args.length === 1 && (only?.kind === 'Tuple' || only?.kind === 'List') ? only.elts : call.args;
}

const REPEATS: ReadonlySet<string> = new Set(['repeat', 'tile', 'repeat_interleave']);

/** Elementwise in several operands: they take a size of 1 for any other. */
const BROADCASTS: ReadonlySet<string> = new Set([
  ...['+', '-', '*', '/', '//', '%', '**', '==', '!=', '<', '<=', '>', '>=', '&', '|', '^'],
  ...['add', 'sub', 'mul', 'div', 'pow', 'eq', 'ne', 'lt', 'le', 'gt', 'ge', 'where', 'maximum', 'minimum', 'fmod'],
  ...['true_divide', 'subtract', 'multiply', 'divide', 'lerp', 'addcmul', 'addcdiv', 'logical_and', 'logical_or'],
]);
