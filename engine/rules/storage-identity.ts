import type { FunctionTrace } from '../evaluator/trace.ts';
import { isSince } from '../ops/versions.ts';
import { decide } from '../symbols/index.ts';
import type { Call, Expression } from '../syntax/ast.ts';
import { numel, resolve } from '../tensor/index.ts';
import { resultOf, sharesStorage } from './flow.ts';
import { type CheckedFile, mentions, type Report, type ReportFix, replace, rule, sourceOf } from './rule.ts';
import { assignmentOf, branches, calleeName, enclosing, rootOf } from './tree.ts';

const NAME = 'storage-identity';

type Compare = Extract<Expression, { kind: 'Compare' }>;

export const storageIdentity = rule({
  name: NAME,
  summary: 'Whether two tensors share memory, asked of the wrong thing',
  severity: 'warning',
  docs: `
\`t.storage()\` makes a new Python object at each call. \`a.storage() is b.storage()\` is False even where \`a\` is \`b\`, and
\`id(a.storage())\` is the address of an object that is gone when the call returns: the next one may well get the same.

\`a.data_ptr()\` is where the *first element* lies. A view that starts further in, \`x[1:]\`, has another address although it
shares the storage, and of a tensor without elements it is 0, whatever it views.

\`a.untyped_storage().data_ptr() == b.untyped_storage().data_ptr()\` is the question meant.

An equality of \`data_ptr()\` is reported where the two tensors are known to share a storage at different offsets, and, as an
information, where the function or the name that it goes to says that it asks for sharing. Whether a call gave back its very
input is a good use of it.`,
  guides: ['storages'],
  examples: [
    {
      bad: `
import torch

def shares_memory(a, b):
    return id(a.storage()) == id(b.storage())  # warning[storage-identity]`,
      good: `
import torch

def shares_memory(a, b):
    return a.untyped_storage().data_ptr() == b.untyped_storage().data_ptr()`,
      fixed: true,
    },
    {
      bad: `
import torch

def rest():
    x = torch.zeros(4)
    tail = x[1:]
    return tail.data_ptr() == x.data_ptr()  # warning[storage-identity]`,
      good: `
import torch

def rest():
    x = torch.zeros(4)
    tail = x[1:]
    return tail.untyped_storage().data_ptr() == x.untyped_storage().data_ptr()`,
      fixed: true,
    },
  ],
  *check(trace, file) {
    if (!mentions(file, '\\btorch\\b')) return;
    for (const branch of branches(rootOf(file, trace))) {
      const report =
        branch.kind === 'Compare'
          ? (comparedStorages(trace, file, branch) ?? comparedAddresses(trace, file, branch))
          : branch.kind === 'Call'
            ? (lonelyId(trace, file, branch) ?? addressOfNothing(trace, branch))
            : null;
      if (report !== null) yield report;
    }
  },
});

/** `a.storage() is b.storage()`, `id(a.storage()) == id(b.storage())`. */
function comparedStorages(trace: FunctionTrace, file: CheckedFile, node: Compare): Report | null {
  const sides = sidesOf(node);
  if (sides === null) return null;
  const [left, right, op] = sides;
  const tensors = [left, right].map(tensorOfStorage);
  const ids = [left, right].map(tensorOfId);
  const [a, b] = tensors.every((one) => one !== null) ? tensors : ids.every((one) => one !== null) ? ids : [];
  if (a === undefined || a === null || b === undefined || b === null) return null;
  const equality = op === 'is' || op === '==' ? '==' : '!=';
  return {
    node,
    message: ids.every((one) => one !== null)
      ? 'storage() makes a new object at each call: their ids say nothing of the memory; compare untyped_storage().data_ptr()'
      : `storage() makes a new object at each call: this is always ${equality === '==' ? 'False' : 'True'}; compare untyped_storage().data_ptr()`,
    fixes: sameStorage(trace, file, node, a, equality, b),
  };
}

/** `id(a.storage())` that is compared with nothing here: a key, say. */
function lonelyId(trace: FunctionTrace, file: CheckedFile, call: Call): Report | null {
  const tensor = tensorOfId(call);
  if (tensor === null) return null;
  const [parent] = enclosing(file, trace, call);
  if (parent?.kind === 'Compare' && comparedStorages(trace, file, parent) !== null) return null;
  return {
    node: call,
    message:
      'storage() makes a new object at each call: its id says nothing of the memory; take untyped_storage().data_ptr()',
    fixes: [
      {
        title: 'Take the address of the storage',
        safe: false,
        edits: [replace(call.start, call.end, addressText(file, trace, tensor))],
      },
    ],
  };
}

/** `a.data_ptr() == b.data_ptr()` of views of one storage, or asked for sharing. */
function comparedAddresses(trace: FunctionTrace, file: CheckedFile, node: Compare): Report | null {
  const sides = sidesOf(node);
  if (sides === null || (sides[2] !== '==' && sides[2] !== '!=')) return null;
  const [a, b] = [receiverOf(sides[0], ADDRESS), receiverOf(sides[1], ADDRESS)];
  if (a === null || b === null) return null;
  const apart = startApart(trace, a, b);
  if (!apart && !asksForSharing(trace, file, node, a, b)) return null;
  const fixes = sameStorage(trace, file, node, a, sides[2], b);
  if (apart)
    return {
      node,
      message:
        'the two share a storage, and data_ptr() differs by their offsets in it; compare untyped_storage().data_ptr()',
      fixes,
    };
  return {
    node,
    severity: 'information',
    message:
      'data_ptr() is where the first element lies: views of one storage differ in it by their offsets; compare untyped_storage().data_ptr()',
    fixes,
  };
}

/** Whether both are known to lie in one storage, and not to start together. */
function startApart(trace: FunctionTrace, a: Expression, b: Expression): boolean {
  const [left, right] = [resultOf(trace, a), resultOf(trace, b)];
  if (left === null || right === null || !sharesStorage(left, right)) return false;
  const [from, to] = [left, right].map(({ layout }) => resolve(layout, trace.facts).offset);
  return from !== null && to !== null && from !== undefined && to !== undefined
    ? decide(trace.facts).equal(from, to) === false
    : false;
}

/** Whether the function, or the name that the answer gets, says that sharing is asked for, of tensors that may be views. */
function asksForSharing(trace: FunctionTrace, file: CheckedFile, node: Compare, a: Expression, b: Expression): boolean {
  if (trace.context !== null || a.kind !== 'Name' || b.kind !== 'Name') return false;
  if (resultOf(trace, a)?.storage.origin.is === 'fresh' || resultOf(trace, b)?.storage.origin.is === 'fresh')
    return false;
  const target = assignmentOf(file, trace, node);
  const [name] = target?.kind === 'Assign' ? target.targets : [];
  const bound = name?.kind === 'Name' ? name.id : '';
  const within = trace.function.slice(trace.function.lastIndexOf('.') + 1);
  return !/^test/.test(within) && (SHARING.test(bound) || SHARING.test(within));
}

const SHARING = /shar(e|es|ed|ing)(_|$)|alias|same_(storage|memory)|overlap/i;

function addressOfNothing(trace: FunctionTrace, call: Call): Report | null {
  const of = receiverOf(call, ADDRESS);
  const tensor = of === null ? null : resultOf(trace, of);
  if (tensor === null || tensor.layout.front || numel(resolve(tensor.layout, trace.facts)).constant !== 0) return null;
  return { node: call, message: 'data_ptr() of a tensor without elements is 0, whatever it views' };
}

const STORAGE: ReadonlySet<string> = new Set(['storage', 'typed_storage']);
const ADDRESS: ReadonlySet<string> = new Set(['data_ptr']);

function sidesOf({
  left,
  comparators,
  ops,
}: Compare): readonly [Expression, Expression, Compare['ops'][number]] | null {
  const [right, ...more] = comparators;
  const [op] = ops;
  const asksEquality = op === 'is' || op === 'is not' || op === '==' || op === '!=';
  return right !== undefined && more.length === 0 && op !== undefined && asksEquality ? [left, right, op] : null;
}

/** `a` of `a.storage()`. */
const tensorOfStorage = (expression: Expression): Expression | null => receiverOf(expression, STORAGE);

/** `a` of `id(a.storage())`. */
function tensorOfId(expression: Expression): Expression | null {
  if (expression.kind !== 'Call' || expression.func.kind !== 'Name' || expression.func.id !== 'id') return null;
  const [of] = expression.args;
  return of === undefined ? null : tensorOfStorage(of);
}

/** What a method without arguments is called on. */
function receiverOf(expression: Expression, methods: ReadonlySet<string>): Expression | null {
  if (expression.kind !== 'Call' || expression.func.kind !== 'Attribute') return null;
  if (expression.args.length > 0 || !methods.has(calleeName(expression) ?? '')) return null;
  return expression.func.value;
}

function sameStorage(
  trace: FunctionTrace,
  file: CheckedFile,
  node: Compare,
  a: Expression,
  op: '==' | '!=',
  b: Expression,
): readonly ReportFix[] {
  const text = `${addressText(file, trace, a)} ${op} ${addressText(file, trace, b)}`;
  return [
    { title: 'Compare the addresses of the storages', safe: false, edits: [replace(node.start, node.end, text)] },
  ];
}

function addressText(file: CheckedFile, trace: FunctionTrace, tensor: Expression): string {
  const storage = isSince(file.torch, [2, 0]) ? 'untyped_storage' : 'storage';
  return `${sourceOf(file, trace, tensor)}.${storage}().data_ptr()`;
}
