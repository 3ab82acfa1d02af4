import type { Entry } from '../op.ts';
import { FAMILIES } from './families.ts';

/** A function or method of torch, under the name by which it was found. */
export interface Op {
  readonly name: string;
  /** The last name of its first entry, the same for all aliases: `transpose` for `torch.Tensor.swapaxes`. */
  readonly canonical: string;
  /** How many arguments stand before the dot: 1 for a method. */
  readonly self: 0 | 1;
  readonly overloads: readonly Entry[];
}

/** In-place methods that torch also has as functions; of most it has not. */
const FUNCTIONS_THAT_WRITE = [
  ...[
    'abs_',
    'acos_',
    'acosh_',
    'addmv_',
    'arccos_',
    'arccosh_',
    'arcsin_',
    'arcsinh_',
    'arctan_',
    'arctanh_',
    'asin_',
  ],
  ...['asinh_', 'atan_', 'atanh_', 'ceil_', 'clamp_', 'clamp_max_', 'clamp_min_', 'clip_', 'cos_', 'cosh_', 'deg2rad_'],
  ...['detach_', 'erf_', 'erfc_', 'exp2_', 'exp_', 'expm1_', 'fix_', 'floor_', 'frac_', 'gcd_', 'i0_', 'index_put_'],
  ...['lcm_', 'log10_', 'log1p_', 'log2_', 'log_', 'neg_', 'negative_', 'rad2deg_', 'reciprocal_', 'relu_', 'round_'],
  ...['rsqrt_', 'sigmoid_', 'sin_', 'sinc_', 'sinh_', 'sqrt_', 'square_', 'tan_', 'tanh_', 'trunc_', 'xlogy_', 'zero_'],
];

const table: ReadonlyMap<string, Op> = tabulate();

/** The op of a qualified name: `torch.reshape`, `torch.Tensor.reshape`, `torch.nn.functional.linear`, `einops.rearrange`. */
export const findOp = (name: string): Op | null => table.get(name) ?? null;

/** Every entry, once. */
export const entries = (): readonly Entry[] => FAMILIES.flat();

/** Every name that `findOp` knows. */
export const names = (): readonly string[] => [...table.keys()];

function tabulate(): ReadonlyMap<string, Op> {
  const ops = new Map<string, Op>();
  for (const entry of FAMILIES.flat())
    for (const name of entry.names) {
      const known = ops.get(name);
      const canonical = entry.signature.name.slice(entry.signature.name.lastIndexOf('.') + 1);
      const self = name.startsWith('torch.Tensor.') ? 1 : 0;
      ops.set(name, {
        name,
        canonical: known?.canonical ?? canonical,
        self,
        overloads: [...(known?.overloads ?? []), entry],
      });
    }
  for (const name of FUNCTIONS_THAT_WRITE) {
    const method = ops.get(`torch.Tensor.${name}`);
    if (method !== undefined && !ops.has(`torch.${name}`))
      ops.set(`torch.${name}`, { ...method, name: `torch.${name}`, self: 0 });
  }
  return ops;
}
