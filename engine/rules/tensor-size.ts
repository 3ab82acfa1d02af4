import type { FunctionTrace } from '../evaluator/trace.ts';
import { isSince } from '../ops/versions.ts';
import type { Expression } from '../syntax/ast.ts';
import { isFault } from '../tensor/index.ts';
import type { Severity } from './finding.ts';
import { eventsBefore, resultOf } from './flow.ts';
import { callsTo, type LibraryCall } from './library.ts';
import { type CheckedFile, quotable, type ReportFix, replace, rule, sourceOf } from './rule.ts';
import { branches, calleeName, isPrimary, namesIn, rootOf } from './tree.ts';

const NAME = 'tensor-size';

const GETSIZEOF: ReadonlySet<string> = new Set(['sys.getsizeof']);
const TRACED: ReadonlySet<string> = new Set(['tracemalloc.get_traced_memory', 'tracemalloc.take_snapshot']);

export const tensorSize = rule({
  name: NAME,
  summary: 'sys.getsizeof or tracemalloc of tensors, which see only the Python wrapper',
  severity: 'warning',
  docs: `
\`sys.getsizeof(t)\` is the size of the Python object, less than a hundred bytes whether the tensor has ten elements or ten
million: the elements lie in a storage that PyTorch allocates by itself. For the same reason \`tracemalloc\`, which follows
Python's own allocator, sees nothing of them.

\`t.untyped_storage().nbytes()\` is what the tensor keeps alive. Of a view that is more than \`t.numel() * t.element_size()\`, of
an expanded tensor less; storages that several tensors share are to be counted once. A storage does tell Python its size:
\`sys.getsizeof(t.untyped_storage())\` is those bytes and a small header. On CUDA
\`torch.cuda.memory_allocated()\` tells what is allocated in all.

An information where a parameter is taken for a tensor because the file uses one of the same name as a tensor.`,
  guides: ['storages'],
  examples: [
    {
      bad: `
import sys
import torch

def footprint():
    t = torch.zeros(1000, 1000)
    return sys.getsizeof(t)  # warning[tensor-size]`,
      good: `
import sys
import torch

def footprint():
    t = torch.zeros(1000, 1000)
    return t.untyped_storage().nbytes()`,
      fixed: true,
    },
  ],
  *check(trace, file) {
    for (const size of callsTo(trace, GETSIZEOF)) {
      const [of] = size.call.args;
      const severity = of === undefined ? null : howSurely(trace, file, size, of);
      if (of === undefined || severity === null) continue;
      const source = quotable(file, trace, of);
      yield {
        node: size.call,
        severity,
        message: `sys.getsizeof${source === null ? '' : ` of \`${source}\``} is the size of the Python wrapper, the same for every tensor; untyped_storage().nbytes() says what it holds`,
        fixes: storageBytes(trace, file, size, of),
      };
    }
    for (const traced of callsTo(trace, TRACED)) {
      const made = eventsBefore(trace, traced.event).some(
        (event) => event.event === 'op' && !isFault(event.result) && event.result.is === 'fresh',
      );
      if (made)
        yield {
          node: traced.call,
          message:
            "tracemalloc follows Python's allocator, and sees nothing of what tensors hold; sum untyped_storage().nbytes()",
        };
    }
  },
});

/** How surely a tensor is measured; null where it may well be something else. */
function howSurely(trace: FunctionTrace, file: CheckedFile, size: LibraryCall, of: Expression): Severity | null {
  if (size.event.arguments[0]?.kind === 'tensor' || resultOf(trace, of) !== null) return 'warning';
  if (of.kind !== 'Name') return null;
  if (isParameterOfModule(trace, file, of.id)) return 'warning';
  const isParameter = trace.parameters.some(({ name, value }) => name === of.id && value.kind === 'unknown');
  const elsewhere = file.traces.some(({ parameters }) =>
    parameters.some(({ name, value }) => name === of.id && value.kind === 'tensor'),
  );
  return isParameter && elsewhere ? 'information' : null;
}

/** `for p in model.parameters()`, as a loop or in a comprehension. */
function isParameterOfModule(trace: FunctionTrace, file: CheckedFile, name: string): boolean {
  return [...branches(rootOf(file, trace))].some((branch) => {
    const loops = branch.kind === 'For' ? [branch] : branch.kind === 'Comprehension' ? branch.generators : [];
    return loops.some(
      ({ target, iter }) =>
        iter.kind === 'Call' &&
        (/^(parameters|buffers)$/.test(calleeName(iter) ?? '')
          ? namesIn(target).has(name)
          : /^named_(parameters|buffers)$/.test(calleeName(iter) ?? '') && isSecond(target, name)),
    );
  });
}

/** `p` of `for name, p in model.named_parameters()`. */
function isSecond(target: Expression, name: string): boolean {
  const second = target.kind === 'Tuple' ? target.elts[1] : undefined;
  return second?.kind === 'Name' && second.id === name;
}

function storageBytes(
  trace: FunctionTrace,
  file: CheckedFile,
  { call }: LibraryCall,
  of: Expression,
): readonly ReportFix[] {
  if (!isPrimary(of)) return [];
  const storage = isSince(file.torch, [2, 0]) ? 'untyped_storage' : 'storage';
  const source = sourceOf(file, trace, of);
  const text = `${source}.${storage}().nbytes()`;
  return [{ title: 'Ask for the bytes of the storage', safe: false, edits: [replace(call.start, call.end, text)] }];
}
