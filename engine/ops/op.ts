/**
 * The form of an op: a signature in PyTorch's own language, one short pure body, and samples.
 *
 *     export const transposes: readonly Entry[] = [
 *       op('transpose(self: Tensor, dim0: int, dim1: int) -> Tensor', {
 *         also: ['swapaxes', 'swapdims'],
 *         ndim: { self: 2 },                                   // optional: rank that a call demands of a tensor of unknown rank
 *         view: ({ self, dim0, dim1 }, { ask }) => transpose(self.layout, dim0, dim1),
 *         samples: ['(2, 3, 4)  0  2', '(2, 3, 4)  dim0=0  dim1=-1', '(2,)  0  5  !'],
 *       }),
 *     ];
 *
 * Signatures hold no comma inside a default: `[]`, `1` for a list of ones (`int[2] = 1`), `None`, `True`, `'mean'`, `-1`.
 * Names: a bare NAME stands for `torch.NAME` and `torch.Tensor.NAME`; `torch.NAME` and `Tensor.NAME` for one of them;
 * `F.NAME` is `torch.nn.functional.NAME`, `linalg.NAME` `torch.linalg.NAME` (so too `special`, `fft`); a name of another
 * library stands in full (`einops.rearrange`). Two entries of one name are overloads, tried in the order of registration.
 *
 * Exactly one body, a pure function of the typed arguments and of the call (`ask` decides sizes, `demand(a, b)` assumes
 * that two sizes are equal, `context` makes fresh symbols and knows training, grad and the torch version):
 * - `view`: layouts over the storage of the first tensor argument
 * - `shape`: new storage; sizes alone mean contiguous strides, a Layout any other
 * - `maybe`: PyTorch decides; the body says which with `same`, `viewOf`, `fresh` or `either`
 * - `value`: a Python value that is no tensor
 * `view` and `shape` return one layout, or a list of them where the signature returns `Tensor[]` or
 * `(values: Tensor, indices: Tensor)`. Every body may return a Fault.
 *
 * `dtype`: of the results of `shape` (or `view`), where it is not that of the first tensor: a dtype, a function of the
 * arguments, or one of either per result. `raises` rejects arguments before the body runs. `writes` says what is written
 * (`writing.ts` has the overlap rules). `out` lets the op take an `out=` tensor and says which overlap PyTorch looks for.
 *
 * Samples: tokens parted by two spaces, in the order of the signature or as `name=value`. For a tensor parameter
 * `(2, 3)` is a float32 tensor of that shape, `(2, 3)/(1, 2)` one with those strides, `(2, 3):int64` one of that dtype,
 * `[0, 2]:int64` one of those elements; a list of tensors is `{(2, 3) (4, 3)}`. Anything else is a Python literal
 * (`-1`, `[0, 1]`, `(2, -1)`, `'mean'`, `True`, `None`, `torch.int64`). A last token `!` says that PyTorch raises.
 */
import type { SymInt } from '../symbols/index.ts';
import type { DType } from '../tensor/dtype.ts';
import { type Fault, isFault, type Result } from '../tensor/fault.ts';
import { contiguous } from '../tensor/index.ts';
import type { Layout } from '../tensor/layout.ts';
import type { Tensor } from '../tensor/tensor.ts';
import type { Value } from '../values/value.ts';
import type { Call } from './context.ts';
import { classesWithoutKernel, type KernelClass } from './kernel-classes.ts';
import { qualify } from './names.ts';
import type { OpResult, Write } from './outcome.ts';
import { type Arguments, parseSignature, type Returned, type Shaped, type Signature } from './signature.ts';
import type { TorchVersion } from './versions.ts';
import type { Guarded } from './writing.ts';

type DTypeOf<A> = DType | null | ((args: A, call: Call) => DType | null);

interface Common<A> {
  readonly also?: readonly string[];
  readonly dtype?: DTypeOf<A> | readonly DTypeOf<A>[];
  readonly raises?: (args: A, call: Call) => Fault | null;
  readonly writes?: (args: A, call: Call) => Result<readonly Write[]>;
  readonly ndim?: Ranks<A> | ((args: A) => Ranks<A>);
  /**
   * Overlap of `out=` with itself and the inputs: as elementwise ops, as `gather` (no overlap at all), that with itself
   * alone, or not looked at.
   */
  readonly out?: Guarded;
  /** Since which torch that overlap is looked for, where it was not always. */
  readonly outSince?: TorchVersion;
  readonly samples: readonly string[];
}

type Ranks<A> = { readonly [K in keyof A]?: number };

type Body<S extends string, A> =
  | { readonly view: (args: A, call: Call) => Result<Returned<S, Layout>> }
  | { readonly shape: (args: A, call: Call) => Result<Returned<S, Shaped>> }
  | { readonly maybe: (args: A, call: Call) => Result<OpResult> }
  | { readonly value: (args: A, call: Call) => Result<Value> };

/** Bound arguments whose types only the signature knows. */
export type Bound = Readonly<Record<string, unknown>>;

export interface Entry {
  readonly signature: Signature;
  /** Qualified names under which it is called, the canonical one first. */
  readonly names: readonly string[];
  /** The parameters that may hold tensors. */
  readonly tensors: readonly string[];
  run(args: Bound, call: Call): Result<OpResult>;
  writes(args: Bound, call: Call): Result<readonly Write[]>;
  ranks(args: Bound): Readonly<Record<string, number | undefined>>;
  readonly out: Guarded | null;
  readonly outSince: TorchVersion | null;
  /** The classes of dtypes that it has no kernel for; null where it has them all. */
  readonly lacks: ReadonlySet<KernelClass> | null;
  /** Which of the bodies it is written with. */
  readonly body: 'view' | 'shape' | 'maybe' | 'value';
  readonly samples: readonly string[];
}

export function op<const S extends string>(signature: S, spec: Common<Arguments<S>> & Body<S, Arguments<S>>): Entry {
  const parsed = parseSignature(signature);
  // The binder makes the arguments that the signature promises: the one place where their types are taken on trust.
  const trusted = (args: Bound) => args as Arguments<S>;
  const { ndim, raises, writes } = spec;
  const tensors = parsed.parameters.filter(({ types }) => types.some(mayBeTensor)).map(({ name }) => name);
  const body = bodyOf(parsed, spec, tensors);
  return {
    signature: parsed,
    names: [parsed.name, ...(spec.also ?? [])].flatMap(qualify),
    tensors,
    run:
      raises === undefined
        ? (args, call) => body(trusted(args), call)
        : (args, call) => raises(trusted(args), call) ?? body(trusted(args), call),
    writes: writes === undefined ? () => NOTHING : (args, call) => writes(trusted(args), call),
    ranks: (args) => (typeof ndim === 'function' ? ndim(trusted(args)) : (ndim ?? {})),
    out: spec.out ?? null,
    outSince: spec.outSince ?? null,
    lacks: classesWithoutKernel(parsed.name),
    body: 'view' in spec ? 'view' : 'shape' in spec ? 'shape' : 'value' in spec ? 'value' : 'maybe',
    samples: spec.samples,
  };
}

export const same = (of: Tensor): OpResult => ({ is: 'same', of });
export const viewOf = (of: Tensor, layout: Layout, dtype: DType | null = of.dtype): OpResult => ({
  is: 'view',
  of,
  layout,
  dtype,
});
export const fresh = (layout: Layout, dtype: DType | null): OpResult => ({ is: 'fresh', layout, dtype });
/** Where the strides are not known of a view or a copy, neither is where it begins. */
export const either = (of: Tensor, layout: Layout, dtype: DType | null = of.dtype): OpResult => ({
  is: 'either',
  of,
  layout: layout.stride === null ? { ...layout, offset: null } : layout,
  dtype,
});

const NOTHING: readonly Write[] = Object.freeze([]);

const mayBeTensor = (type: string): boolean => type === 'Tensor' || type === 'Tensor[]' || type === 'any';

function bodyOf<S extends string, A>(
  signature: Signature,
  spec: Common<A> & Body<S, A>,
  tensors: readonly string[],
): (args: A, call: Call) => Result<OpResult> {
  if ('maybe' in spec) return spec.maybe;
  if ('value' in spec)
    return (args, call) => {
      const value = spec.value(args, call);
      return isFault(value) ? value : { is: 'value', value };
    };
  const views = 'view' in spec;
  const make: (args: A, call: Call) => Result<Shaped | readonly Shaped[]> = views ? spec.view : spec.shape;
  const { returns, fields } = signature;
  const one = (shaped: Shaped, index: number, first: Tensor | null, args: A, call: Call): OpResult => {
    const dtype = dtypeAt(spec.dtype, index, args, first, call);
    return views && first !== null ? viewOf(first, asLayout(shaped), dtype) : fresh(asLayout(shaped), dtype);
  };
  return (args, call) => {
    const made = make(args, call);
    if (isFault(made)) return made;
    const first = firstTensor(args as Bound, tensors);
    if (returns === 'tensor') return one(made as Shaped, 0, first, args, call);
    const items = (made as readonly Shaped[]).map((shaped, index) => one(shaped, index, first, args, call));
    return fields === null ? { is: 'tuple', items } : { is: 'tuple', items, fields };
  };
}

function dtypeAt<A>(spec: Common<A>['dtype'], index: number, args: A, first: Tensor | null, call: Call): DType | null {
  const own = Array.isArray(spec) ? (spec as readonly DTypeOf<A>[])[index] : (spec as DTypeOf<A> | undefined);
  if (own === undefined) return first?.dtype ?? null;
  return typeof own === 'function' ? own(args, call) : own;
}

const asLayout = (shaped: Shaped): Layout => (isShape(shaped) ? contiguous(shaped) : shaped);

const isShape = (shaped: Shaped): shaped is readonly SymInt[] => Array.isArray(shaped);

/** The first tensor among the arguments, in the order of the signature: its storage is what a view shares. */
export function firstTensor(args: Bound, tensors: readonly string[]): Tensor | null {
  for (const name of tensors) {
    const value = args[name];
    const candidate: unknown = Array.isArray(value) ? value[0] : value;
    if (isTensor(candidate)) return candidate;
  }
  return null;
}

export const isTensor = (value: unknown): value is Tensor => kindOf(value) === 'tensor';

function kindOf(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  const { kind }: { readonly kind?: unknown } = value;
  return kind;
}

/** Every tensor among the arguments, by the name of its parameter. */
export function tensorsIn(args: Bound): Readonly<Record<string, Tensor | null>> {
  const tensors: Record<string, Tensor | null> = {};
  for (const [name, value] of Object.entries(args)) {
    if (isTensor(value)) tensors[name] = value;
    if (Array.isArray(value))
      for (const [i, item] of value.entries()) if (isTensor(item)) tensors[`${name}[${i}]`] = item;
  }
  return tensors;
}
