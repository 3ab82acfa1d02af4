import type { FunctionTrace } from '../evaluator/trace.ts';
import type { Call, Expression, Node, Statement } from '../syntax/ast.ts';
import { failureIsExpected } from './control.ts';
import { type CheckedFile, insert, quotable, rule } from './rule.ts';
import { branches, calleeName, callsIn, dottedName, enclosing, isPrimary, namesIn, rootOf } from './tree.ts';

const NAME = 'negative-stride';

export const negativeStride = rule({
  name: NAME,
  summary: 'A tensor made of an array that is walked backwards, which will raise',
  severity: 'error',
  docs: `
\`img[:, :, ::-1]\` on a NumPy array is a view with a negative stride, and so is what \`np.flip\`, \`np.fliplr\`, \`np.flipud\` and
\`np.rot90\` return. PyTorch has no negative strides: \`torch.from_numpy\`, \`torch.as_tensor\` and \`torch.tensor\` of such an array
raise *At least one stride in the given numpy array is negative*. It is met where images are turned from BGR to RGB, and
where an augmentation flips only now and then, so that it fails only now and then.

\`.copy()\` or \`np.ascontiguousarray\` packs the array; so does any arithmetic, \`astype\`, and indexing with an array. On a
tensor it is \`torch.flip\`, which copies.

To see it at run time: \`img.strides\`.

Reported only where the argument is certainly an array: a list turned by \`[::-1]\` makes a tensor without complaint.`,
  examples: [
    {
      bad: `
import torch

def load(img):
    return torch.from_numpy(img[:, :, ::-1])  # error[negative-stride]`,
      good: `
import torch

def load(img):
    return torch.from_numpy(img[:, :, ::-1].copy())`,
      fixed: true,
    },
  ],
  *check(trace, file) {
    if (trace.context !== null || trace.happens === 'guarded') return;
    for (const call of callsIn(file, trace)) {
      const argument = call.args[0];
      if (argument === undefined || !isMaker(call) || failureIsExpected(file, trace, call)) continue;
      const turned = turnedIn(
        trace,
        file,
        argument,
        call.func.kind === 'Attribute' && call.func.attr === 'from_numpy',
        call,
        0,
      );
      if (turned === null) continue;
      const source = quotable(file, trace, turned);
      yield {
        node: call,
        message: `${calleeName(call)} will raise: ${source === null ? 'the array' : `\`${source}\``} is an array with a negative stride, which no tensor has; pass .copy()`,
        related: turned === argument ? [] : [{ node: turned, message: 'the array is turned round here' }],
        fixes: isPrimary(argument)
          ? [{ title: 'Pack the array: .copy()', safe: true, edits: [insert(argument.end, '.copy()')] }]
          : [],
      };
    }
  },
});

/** `torch.from_numpy(…)` and what else takes an array as it lies. */
function isMaker({ func }: Call): boolean {
  return MAKERS.has(dottedName(func) ?? '');
}

/**
 * Where the array that an expression comes to got its negative stride, or null. \`sure\`: it is known to be an array, since
 * only arrays may stand there.
 */
function turnedIn(
  trace: FunctionTrace,
  file: CheckedFile,
  expression: Expression,
  sure: boolean,
  at: Node,
  depth: number,
): Node | null {
  if (depth > MOST_STEPS) return null;
  const next = (inner: Expression, known = sure) => turnedIn(trace, file, inner, known, at, depth + 1);
  switch (expression.kind) {
    case 'Subscript': {
      const parts = expression.slice.kind === 'Tuple' ? expression.slice.elts : [expression.slice];
      // A list is not indexed by a tuple, and a tensor takes no negative step.
      const known = sure || expression.slice.kind === 'Tuple';
      // Turned round twice it lies as at first.
      if (known && parts.some(isBackwards)) return next(expression.value, true) === null ? expression : null;
      return parts.every(isView) ? next(expression.value, known) : null;
    }
    case 'Attribute':
      return expression.attr === 'T' ? next(expression.value) : null;
    case 'Call': {
      const name = dottedName(expression.func);
      if (name !== null && (FLIPS.test(name) || isQuarterTurn(name, expression))) return expression;
      const [first] = expression.args;
      if (name !== null && VIEWS.test(name) && first !== undefined) return next(first, true);
      if (expression.func.kind !== 'Attribute' || !METHODS.has(expression.func.attr)) return null;
      return next(expression.func.value);
    }
    case 'Name': {
      const bound = boundBefore(trace, file, expression.id, at);
      return bound === null ? null : turnedIn(trace, file, bound, sure, bound, depth + 1);
    }
    default:
      return null;
  }
}

/** What a name was bound to last, where the statements that bind it all stand in the bodies around the place that reads it. */
function boundBefore(trace: FunctionTrace, file: CheckedFile, name: string, at: Node): Expression | null {
  const around = new Set<Node>(enclosing(file, trace, at));
  let last: Expression | null = null;
  for (const branch of branches(rootOf(file, trace))) {
    if (!binds(branch, name) || branch.start >= at.start || around.has(branch)) continue;
    const [parent] = enclosing(file, trace, branch);
    // A binding in a branch that may be passed by leaves the earlier one possible.
    const isPassed = parent === undefined || around.has(parent) || parent.kind === 'FunctionDef';
    last = branch.kind === 'Assign' && isPassed ? branch.value : null;
  }
  return last;
}

function binds(branch: Statement | Expression, name: string): boolean {
  switch (branch.kind) {
    case 'Assign':
      return branch.targets.some((target) => namesIn(target).has(name));
    case 'AugAssign':
    case 'AnnAssign':
    case 'For':
    case 'NamedExpr':
      return namesIn(branch.target).has(name);
    default:
      return false;
  }
}

/** `np.rot90(x)`, or with a number that is no whole turn. */
function isQuarterTurn(name: string, { args, keywords }: Call): boolean {
  if (!/^(np|numpy)\.rot90$/.test(name)) return false;
  const turns = args[1] ?? keywords.find(({ arg }) => arg === 'k')?.value;
  if (turns === undefined) return true;
  return turns.kind === 'Constant' && typeof turns.value === 'number' && turns.value % 4 !== 0;
}

function isBackwards(part: Expression): boolean {
  const step = part.kind === 'Slice' ? part.step : null;
  return step?.kind === 'UnaryOp' && step.op === '-' && step.operand.kind === 'Constant';
}

/** What leaves every dim in place: slices, `...` and None. A number takes a dim away, perhaps the one that is turned. */
function isView(part: Expression): boolean {
  if (part.kind === 'Slice') return part.step === null || part.step.kind === 'Constant';
  return part.kind === 'Constant' && (part.literal === 'ellipsis' || part.literal === 'none');
}

const MOST_STEPS = 8;

const MAKERS: ReadonlySet<string> = new Set([
  'torch.from_numpy',
  'torch.as_tensor',
  'torch.tensor',
  'torch.asarray',
  'from_numpy',
]);

const FLIPS = /^(np|numpy)\.(flip|fliplr|flipud)$/;

/** Functions of NumPy whose result is a view that keeps the sign of the strides. */
const VIEWS = /^(np|numpy)\.(transpose|swapaxes|moveaxis|rollaxis|expand_dims|asarray)$/;

const METHODS: ReadonlySet<string> = new Set(['transpose', 'swapaxes']);
