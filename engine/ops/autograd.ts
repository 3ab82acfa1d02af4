import type { Truth } from '../symbols/index.ts';
import { type Cause, type Graph, isComplex, isFloat, type Tensor } from '../tensor/index.ts';
import type { Value } from '../values/value.ts';
import type { OpResult, Write } from './outcome.ts';

/** What autograd knows of a tensor. */
export type Recorded = Pick<Tensor, 'requiresGrad'> & { readonly graph: Graph | null };

/** Whether one of the values requires grad: `compute_requires_grad` of what goes into a call. */
export function requiresGrad(values: readonly Value[]): Truth {
  let answer: Truth = false;
  for (const value of values) {
    const one = valueRequires(value);
    if (one === true) return true;
    if (one === undefined) answer = undefined;
  }
  return answer;
}

function valueRequires(value: Value): Truth {
  switch (value.kind) {
    case 'tensor':
      return mayRequire(value) ? (value.requiresGrad ?? undefined) : false;
    case 'tuple':
      return value.front ? false : requiresGrad(value.items);
    case 'unknown':
    case 'either':
    case 'ref':
    case 'program':
    case 'torch':
      return undefined;
    default:
      return false;
  }
}

const mayRequire = ({ dtype }: Pick<Tensor, 'dtype'>): boolean => dtype === null || isFloat(dtype) || isComplex(dtype);

/**
 * `check_inplace`: with grad mode on, and where one of the tensors that go in requires grad, PyTorch does not write to a
 * leaf that requires grad, nor to a view that cannot be rebased onto a graph.
 */
export function refusedWrite(writes: readonly Write[], inputs: readonly Value[]): Cause | null {
  if (requiresGrad(inputs) !== true) return null;
  for (const { target } of writes) {
    const { graph } = target;
    if (!graph || !mayRequire(target)) continue;
    if (graph.view === 'one-of-many' || graph.view === 'without-grad') return { is: 'grad-write', of: graph.view };
    if (target.requiresGrad !== true) continue;
    if (graph.view === 'of-leaf') return { is: 'grad-write', of: 'of-leaf' };
    if (graph.leaf) return { is: 'grad-write', of: 'leaf' };
  }
  return null;
}

/**
 * "functions with out=... arguments don't support automatic differentiation": not where one of the tensors requires grad.
 * Functions that are put together from others, and those without a gradient, do not look.
 */
export function refusedOut(op: string, result: OpResult, tensors: readonly Tensor[], grad: Truth): Cause | null {
  const looks =
    result.is === 'fresh' && mayRequire(result) && !APART.test(lastName(op)) && !UNLOOKING.test(lastName(op));
  return looks && grad === true && requiresGrad(tensors) === true
    ? {
        is: 'argument',
        name: 'out',
        got: 'given where grad is required',
        expects: 'no `out=`, or tensors that are detached',
      }
    : null;
}

const UNLOOKING = /^(softmax|log_softmax|diag|floor_divide|heaviside|ndtr|nanquantile|quantile|tensordot)$/;

/** Only floating and complex tensors can be made to require grad. */
export function refusedResult(result: OpResult): Cause | null {
  if (result.is !== 'fresh' || result.requiresGrad !== true || result.dtype === null || mayRequire(result)) return null;
  return { is: 'argument', name: 'requires_grad', got: `True for ${result.dtype}`, expects: 'a floating dtype' };
}

/** Ops whose results no gradient reaches, whatever goes in: those that only take over sizes, and constants of data. */
const APART = /^(detach|data|tensor|histc|airy_ai|\w*bessel_\w+|\w+_polynomial_\w+)$/;

/** Of the several results some are reached by gradients, some are not. */
const MIXED = /^(lu|lu_unpack|lstsq)$/;

/** The last name of a canonical one: `detach` of `torch.Tensor.detach`. */
const lastName = (op: string): string => op.slice(op.lastIndexOf('.') + 1);

/** A call under way, as autograd sees it. `requires`: whether one of the tensors that go in requires grad. */
export interface Recording {
  readonly op: string;
  readonly grad: Truth;
  readonly requires: Truth;
}

export function recordedFresh(result: Extract<OpResult, { is: 'fresh' }>, { op, grad, requires }: Recording): Recorded {
  if (result.requiresGrad !== undefined)
    return { requiresGrad: result.requiresGrad, graph: result.requiresGrad === null ? null : LEAF };
  if (APART.test(lastName(op))) return CONSTANT;
  const recorded = recordedOutput(result, { grad, requires });
  return recorded === COMPUTED && MIXED.test(lastName(op)) ? OPEN : recorded;
}

/** A result of a node of the graph: it requires grad where one of its inputs does, if its dtype has gradients. */
export function recordedOutput(of: Pick<Tensor, 'dtype'>, { grad, requires }: Omit<Recording, 'op'>): Recorded {
  if (!mayRequire(of) || grad === false || requires === false) return CONSTANT;
  return requires === true && grad === true ? COMPUTED : OPEN;
}

const LEAF: Graph = { leaf: true, view: 'none' };
const CONSTANT: Recorded = { requiresGrad: false, graph: LEAF };
const COMPUTED: Recorded = { requiresGrad: true, graph: { leaf: false, view: 'none' } };
const OPEN: Recorded = { requiresGrad: null, graph: null };

/** Ops of several outputs that share one node of the graph; `tensor_split` and its kin make their views one by one. */
const MANY: ReadonlySet<string> = new Set(['unbind', 'split', 'split_with_sizes', 'chunk']);

/** A view requires grad where its base does, also one made under `no_grad` (`DifferentiableViewMeta::requires_grad`). */
export function recordedView({ of, dtype }: Extract<OpResult, { is: 'view' }>, { op, grad }: Recording): Recorded {
  if (APART.test(lastName(op))) return CONSTANT;
  const requires = mayRequire({ dtype }) ? of.requiresGrad : false;
  const view = viewOf(of, op, grad);
  return { requiresGrad: requires, graph: view === null ? null : { leaf: requires === false, view } };
}

/** A view of a view keeps what makes it hard to write. */
function viewOf(of: Tensor, op: string, grad: Truth): Graph['view'] | null {
  const before = of.graph?.view;
  if (before === 'one-of-many' || before === 'without-grad') return before;
  if (MANY.has(lastName(op))) return 'one-of-many';
  if (grad === false) return 'without-grad';
  if (before === undefined) return null;
  if (before === 'of-leaf' || (of.requiresGrad === true && of.graph?.leaf)) return 'of-leaf';
  return 'plain';
}

/** A view or a copy: only what holds of both. */
export const recordedEither = ({ of }: Extract<OpResult, { is: 'either' }>): Recorded => ({
  requiresGrad: of.requiresGrad === false ? false : null,
  graph: null,
});

/** What the written tensor is after the write, or null where it stays what it was. */
export function recordedWrite(target: Tensor, { grad, requires }: Recording): Recorded | null {
  if (grad === false || requires === false || !mayRequire(target)) return null;
  if (requires === true && grad === true)
    return { requiresGrad: true, graph: { leaf: false, view: target.graph?.view ?? 'plain' } };
  return target.requiresGrad === false ? OPEN : null;
}
