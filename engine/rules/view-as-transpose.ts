import type { FunctionTrace, OpEvent } from '../evaluator/trace.ts';
import { decide, type Guard, ONE, product, type SymInt, simplify } from '../symbols/index.ts';
import type { Call, Expression } from '../syntax/ast.ts';
import { isFault, resolve, type Tensor } from '../tensor/index.ts';
import { lastName, opEvents, producerOf, viewChain } from './flow.ts';
import { type CheckedFile, insert, type Report, type ReportFix, replace, rule, sourceOf } from './rule.ts';
import { writtenShape } from './sizes.ts';
import { branches, is, namesIn, rootOf } from './tree.ts';
import { exceptions } from './unless.ts';
import { calleeText } from './wording.ts';

const NAME = 'view-as-transpose';

export const viewAsTranspose = rule({
  name: NAME,
  summary: 'A view or reshape that swaps two sizes where a transpose was meant',
  severity: 'warning',
  docs: `
\`view\` and \`reshape\` change how the same row of elements is cut into dims; they move none. To view \`[B, L, H, D]\` as
\`[B, H, L, D]\` gives the right shape and the wrong content: each new row is filled with what happens to come next, so that
time steps and heads are mixed. Nothing is raised, the loss goes down, and the model is worse than it should be.

Swapping dims is \`transpose\`, \`permute\` or \`movedim\`, and it is free: only strides change.

To see it at run time, count: \`torch.arange(6).view(2, 3)\` holds \`[[0, 1, 2], [3, 4, 5]]\`; \`.view(3, 2)\` of that holds
\`[[0, 1], [2, 3], [4, 5]]\`, \`.transpose(0, 1)\` holds \`[[0, 3], [1, 4], [2, 5]]\`.

Reported where the new sizes are the old ones in another order, or become a plain split or merge of them once one is moved:
\`[B, T, H * D]\` viewed as \`[B, H, T, D]\`, \`[B, C, H, W]\` viewed as \`[B, H * W, C]\`. Not reported where one of the sizes is 1, where the sizes are written as numbers, for
tensors of one value or of noise, and for the relative shift of attention, which scrambles on purpose and cuts afterwards.`,
  examples: [
    {
      bad: `
import torch

def heads(q: torch.Tensor):
    B, L, H, D = q.shape
    return q.view(B, H, L, D)  # warning[view-as-transpose]`,
      good: `
import torch

def heads(q: torch.Tensor):
    B, L, H, D = q.shape
    return q.transpose(1, 2)`,
      fixed: true,
    },
    {
      bad: `
import torch

def heads(x: torch.Tensor, H: int):
    B, T, C = x.shape
    return x.view(B, H, T, C // H)  # warning[view-as-transpose]`,
      good: `
import torch

def heads(x: torch.Tensor, H: int):
    B, T, C = x.shape
    return x.view(B, T, H, C // H).transpose(1, 2)`,
      fixed: true,
    },
  ],
  *check(trace, file) {
    for (const event of opEvents(trace)) {
      const report = RESHAPES.has(event.op) ? scrambled(trace, file, event) : null;
      if (report !== null) yield report;
    }
  },
});

function scrambled(trace: FunctionTrace, file: CheckedFile, event: OpEvent): Report | null {
  const [input, output] = [event.inputs[0], event.outputs[0]?.tensor];
  if (!is(event.node, 'Call') || input === undefined || output === undefined || isFault(event.result)) return null;
  const [before, after] = [input, output].map((tensor) => resolve(tensor.layout, trace.facts));
  if (before === undefined || after === undefined || before.front || after.front) return null;
  const move = moveBetween(trace, before.shape, after.shape);
  if (move === null || after.shape.some(({ constant }) => constant === 0)) return null;
  if (!isMeant(event.node, after.shape, move) || isGrouped(trace, file, event.node, before.shape)) return null;
  if (isAllAlike(trace, input) || isCutAfterwards(trace, output) || isCutBefore(trace, input)) return null;
  return {
    node: event.node,
    message: `${calleeText(event)} makes ${writtenShape(trace, after.shape)} of ${writtenShape(trace, before.shape)} and moves no element: sizes change places, their contents mix${unless(trace, after.shape, move)}; transpose or movedim moves a dim`,
    fixes: fixesFor(trace, file, event, event.node, move, before.shape.length === after.shape.length),
    assumes: [],
  };
}

/** The new sizes are those of a plain split or merge of the old ones, with dim `from` of it moved to `to`. */
interface Move {
  readonly from: number;
  readonly to: number;
}

function moveBetween(trace: FunctionTrace, before: readonly SymInt[], after: readonly SymInt[]): Move | null {
  const rank = after.length;
  if (rank < 2 || isCut(trace, before, after)) return null;
  for (let distance = 1; distance < rank; distance++) {
    for (let from = 0; from < rank; from++) {
      for (const to of [from + distance, from - distance]) {
        if (to < 0 || to >= rank || !passesOver(trace, after, { from, to })) continue;
        if (isCut(trace, before, movedBack(after, { from, to }))) return { from, to };
      }
    }
  }
  return null;
}

/** Whether dims are only split, or only merged: then no element changes its neighbours. */
const isCut = (trace: FunctionTrace, before: readonly SymInt[], after: readonly SymInt[]): boolean =>
  isSplit(trace, before, after) || isSplit(trace, after, before);

/** Whether each old size is the product of the next new ones. Sizes of 1 are air. */
function isSplit(trace: FunctionTrace, before: readonly SymInt[], sizes: readonly SymInt[]): boolean {
  const ask = decide(trace.facts);
  const after = withoutOnes(sizes);
  let next = 0;
  for (const size of withoutOnes(before)) {
    let run: SymInt | null = null;
    while (run === null || ask.equal(run, size) !== true) {
      const one: SymInt | undefined = after[next++];
      if (one === undefined) return false;
      run = run === null ? one : simplify(product([run, one]), trace.facts);
    }
  }
  return next === after.length;
}

const withoutOnes = (sizes: readonly SymInt[]): readonly SymInt[] => sizes.filter(({ constant }) => constant !== 1);

/** `after` as it was before dim `from` was moved to `to`. */
function movedBack(after: readonly SymInt[], { from, to }: Move): readonly SymInt[] {
  const size = after[to];
  const rest = after.filter((_, dim) => dim !== to);
  return size === undefined ? after : [...rest.slice(0, from), size, ...rest.slice(from)];
}

/** Whether the dim that moves, and one of those that it passes, have more than one element, and they differ. */
function passesOver(trace: FunctionTrace, after: readonly SymInt[], move: Move): boolean {
  const { moved, passed } = partsOf(after, move);
  const ask = decide(trace.facts);
  return moved !== undefined && ask.isOne(moved) === false && ask.isOne(product(passed)) === false;
}

function partsOf(after: readonly SymInt[], { from, to }: Move) {
  return { moved: after[to], passed: from < to ? after.slice(from, to) : after.slice(to + 1, from + 1) };
}

function unless(trace: FunctionTrace, after: readonly SymInt[], move: Move): string {
  const { moved, passed } = partsOf(after, move);
  const guards = [moved, product(passed)].flatMap((size): readonly Guard[] =>
    size === undefined ? [] : [{ relation: 'equal', left: size, right: ONE }],
  );
  return exceptions(trace, guards, () => false).text;
}

/** Numbers are as often meant as they stand: at least one of the sizes that change places has a name, or is left open. */
function isMeant(call: Call, after: readonly SymInt[], { from, to }: Move): boolean {
  const sizes = sizesOf(call);
  if (sizes === null) return true;
  const [low, high] = [Math.min(from, to), Math.max(from, to)];
  const isOpen = (dim: number) => after[dim]?.constant === null;
  return sizes.some((size, dim) => {
    if (dim < low || dim > high || size.kind === 'Constant') return false;
    return size.kind !== 'UnaryOp' || isOpen(dim);
  });
}

/** `scores.view(beam_size, -1)`: so many groups of what is left, where the number is no size of the tensor by its name. */
function isGrouped(trace: FunctionTrace, file: CheckedFile, call: Call, before: readonly SymInt[]): boolean {
  const [groups, rest, ...others] = sizesOf(call) ?? [];
  if (groups === undefined || rest?.kind !== 'UnaryOp' || others.length > 0 || before.length !== 2) return false;
  const isOwn = /\.shape\b|\bsize\(/.test(sourceOf(file, trace, groups));
  return !isOwn && !(groups.kind === 'Name' && unpackedSizes(file, trace).has(groups.id));
}

/** The names that stand for sizes of tensors: `B, T = x.shape`, `T = x.size(1)`. */
function unpackedSizes(file: CheckedFile, trace: FunctionTrace): ReadonlySet<string> {
  const names = branches(rootOf(file, trace)).flatMap((branch) =>
    branch.kind === 'Assign' && /\.shape\b|\bsize\(/.test(sourceOf(file, trace, branch.value))
      ? branch.targets.flatMap((target) => [...namesIn(target)])
      : [],
  );
  return new Set(names);
}

/** The sizes as they are written, one an expression; null where they come in one. */
function sizesOf(call: Call): readonly Expression[] | null {
  const given = call.func.kind === 'Attribute' && isTorch(call.func.value) ? call.args.slice(1) : call.args;
  const [only] = given;
  const sizes = given.length === 1 && (only?.kind === 'Tuple' || only?.kind === 'List') ? only.elts : given;
  return sizes.length < 2 || sizes.some(({ kind }) => kind === 'Starred') ? null : sizes;
}

const isTorch = (expression: Expression): boolean => expression.kind === 'Name' && expression.id === 'torch';

/** Of equal or random elements none is in a wrong place. */
function isAllAlike(trace: FunctionTrace, tensor: Tensor): boolean {
  const base = viewChain(trace, tensor).at(-1)?.of ?? tensor;
  const producer = producerOf(trace, base);
  return producer !== null && ALIKE.has(lastName(producer.op));
}

/** `_rel_shift` pads, views with two sizes swapped, and cuts off the first row: each row ends up shifted by one more. */
function isCutAfterwards(trace: FunctionTrace, output: Tensor): boolean {
  return opEvents(trace).some(({ op, inputs }) => CUTS.has(op) && inputs[0]?.id === output.id);
}

/** And it views the cut in the old order of sizes again. Where only the padding is in sight, the cut is the caller's. */
function isCutBefore(trace: FunctionTrace, input: Tensor): boolean {
  const chain = viewChain(trace, input);
  const producer = producerOf(trace, chain.at(-1)?.of ?? input);
  const first = producer === null ? null : lastName(producer.op);
  if (first === 'pad') return true;
  const isReshaped = RESHAPES.has(first ?? '') || chain.some(({ event }) => RESHAPES.has(event.op));
  return CUTS.has(chain[0]?.event.op ?? '') && isReshaped;
}

function fixesFor(
  trace: FunctionTrace,
  file: CheckedFile,
  event: OpEvent,
  call: Call,
  move: Move,
  sameRank: boolean,
): readonly ReportFix[] {
  if (call.func.kind !== 'Attribute' || event.self !== call.func.value) return [];
  const swap = Math.abs(move.from - move.to) === 1;
  const moving = swap
    ? `transpose(${Math.min(move.from, move.to)}, ${Math.max(move.from, move.to)})`
    : `movedim(${move.from}, ${move.to})`;
  const title = `Move the dim: .${moving}`;
  if (sameRank) return [{ title, safe: false, edits: [replace(call.func.attrStart, call.end, moving)] }];
  const sizes = sizesOf(call);
  const moved = sizes?.[move.to];
  if (sizes === null || moved === undefined) return [];
  const rest = sizes.filter((size) => size !== moved);
  const order = [...rest.slice(0, move.from), moved, ...rest.slice(move.from)];
  const text = order.map((size) => sourceOf(file, trace, size)).join(', ');
  const [first, last] = [sizes[0], sizes.at(-1)];
  if (first === undefined || last === undefined) return [];
  const edits = [replace(first.start, last.end, text), insert(call.end, `.${moving}`)];
  return [{ title, safe: false, edits }];
}

const RESHAPES: ReadonlySet<string> = new Set(['view', 'reshape']);

const CUTS: ReadonlySet<string> = new Set(['getitem', 'narrow']);

const ALIKE: ReadonlySet<string> = new Set([
  ...['zeros', 'ones', 'full', 'empty', 'zeros_like', 'ones_like', 'full_like', 'empty_like', 'new_zeros', 'new_ones'],
  ...['new_empty', 'new_full'],
  ...['rand', 'randn', 'randint', 'rand_like', 'randn_like'],
]);
