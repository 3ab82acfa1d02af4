import type { SymInt } from '../../symbols/index.ts';
import {
  type DType,
  isFault,
  isFloat,
  isIntegralOrBool,
  ndim,
  type Result,
  raises,
  type Tensor,
  unsure,
} from '../../tensor/index.ts';
import type { Value } from '../../values/value.ts';
import type { Call } from '../context.ts';
import { patternRank, type Recipe, readPattern } from '../einops.ts';
import { stack } from '../layouts/concatenation.ts';
import { type Lengths, transform } from '../layouts/einops.ts';
import { einsum } from '../layouts/einsum.ts';
import { type Entry, either, fresh, op, same, viewOf } from '../op.ts';
import type { OpResult } from '../outcome.ts';
import { promotedDType } from './joins.ts';

type Input = Tensor | readonly Tensor[];
type Named = ReadonlyMap<string, Value>;

/** A list of tensors is stacked first. */
function asOne(input: Input, call: Call): Result<{ readonly tensor: Tensor; readonly stacked: boolean }> {
  if ('kind' in input) return { tensor: input, stacked: false };
  const [first] = input;
  if (first === undefined) return unsure('the list of tensors is empty');
  const layout = stack(
    input.map((tensor) => tensor.layout),
    0,
    call,
  );
  return isFault(layout) ? layout : { tensor: { ...first, layout, dtype: promotedDType(input) }, stacked: true };
}

function lengthsOf(named: Named, recipe: Recipe, call: Call): Result<Lengths> {
  const known = new Set([...recipe.axes, ...recipe.added.map(({ axis }) => axis)].map(({ name }) => name));
  const lengths = new Map<string, SymInt>();
  for (const [name, value] of named) {
    if (!known.has(name)) return raises({ is: 'argument', name, got: 'a size', expects: 'an axis of the pattern' });
    lengths.set(name, value.kind === 'int' ? value.value : call.context.fresh(name));
  }
  return lengths;
}

/** The common course of the three operations. */
function patterned(
  input: Input,
  pattern: string,
  operation: 'rearrange' | 'reduce' | 'repeat',
  named: Named,
  call: Call,
  dtypeOf: (dtype: DType | null) => DType | null = (dtype) => dtype,
): Result<OpResult> {
  const one = asOne(input, call);
  if (isFault(one)) return one;
  const { tensor, stacked } = one;
  const recipe = readPattern(pattern, operation, ndim(tensor.layout));
  if (isFault(recipe)) return tensor.layout.front ? unsure('the rank of the tensor is not known') : recipe;
  const lengths = lengthsOf(named, recipe, call);
  if (isFault(lengths)) return lengths;
  const made = transform(tensor.layout, recipe, lengths, call);
  if (isFault(made)) return made;
  const dtype = dtypeOf(tensor.dtype);
  if (stacked || made.how === 'copy') return fresh(made.layout, dtype);
  if (made.how === 'same') return same(tensor);
  return made.how === 'view' ? viewOf(tensor, made.layout) : either(tensor, made.layout);
}

function reductionDType(reduction: string, dtype: DType | null): DType | null {
  if (reduction === 'any' || reduction === 'all') return 'bool';
  const accumulates = reduction === 'sum' || reduction === 'prod';
  return accumulates && dtype !== null && isIntegralOrBool(dtype) ? 'int64' : dtype;
}

const meanOfIntegers = (reduction: string, input: Input) => {
  const dtype = 'kind' in input ? input.dtype : null;
  if (reduction !== 'mean' || dtype === null || isFloat(dtype)) return null;
  return raises({ is: 'argument', name: 'tensor', got: dtype, expects: 'a floating point dtype for the mean' });
};

const ranks = (pattern: string) => {
  const rank = patternRank(pattern);
  return rank === undefined ? {} : { tensor: rank };
};

/** einops' own einsum takes names instead of letters. */
export function lettered(pattern: string): string | null {
  const letters = new Map<string, string>();
  const alphabet = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ';
  const letter = (name: string) => {
    const known = letters.get(name) ?? alphabet[letters.size];
    if (known !== undefined) letters.set(name, known);
    return known ?? '';
  };
  if (/[()\d]/.test(pattern)) return null;
  return pattern.replace(/[A-Za-z_]\w*/g, letter).replaceAll(' ', '');
}

export const einops: readonly Entry[] = [
  op('einops.rearrange(tensor: Tensor | Tensor[], pattern: str, **axes_lengths: named) -> any', {
    also: ['einops.einops.rearrange'],
    ndim: ({ pattern }) => ranks(pattern),
    maybe: ({ tensor, pattern, axes_lengths }, call) => patterned(tensor, pattern, 'rearrange', axes_lengths, call),
    samples: [
      "(2, 3, 4, 5)  'b c h w -> b h w c'",
      "(2, 3, 4, 5)  'b c h w -> b (h w) c'",
      "(2, 3, 4, 5)  'b c h w -> b c h w'",
      "(2, 6, 8, 3)  'b (h p) (w q) c -> b (h w) (p q c)'  p=2  q=2",
      "(2, 3, 4)  'b ... -> b (...)'",
      "(2, 3)  'a b c -> c b a'  !",
      "(2, 3)  'a (b c) -> a b c'  b=2  !",
    ],
  }),
  op('einops.reduce(tensor: Tensor | Tensor[], pattern: str, reduction: any, **axes_lengths: named) -> any', {
    also: ['einops.einops.reduce'],
    ndim: ({ pattern }) => ranks(pattern),
    raises: ({ tensor, reduction }) => (reduction.kind === 'str' ? meanOfIntegers(reduction.value, tensor) : null),
    maybe: ({ tensor, pattern, reduction, axes_lengths }, call) =>
      patterned(tensor, pattern, 'reduce', axes_lengths, call, (dtype) =>
        reduction.kind === 'str' ? reductionDType(reduction.value, dtype) : dtype,
      ),
    samples: [
      "(2, 3, 4, 5)  'b c h w -> b c'  'mean'",
      "(2, 4, 6, 3)  'b (h p) (w q) c -> b h w c'  'max'  p=2  q=3",
      "(2, 3, 4)  'b c d -> b 1 d'  'sum'",
      "(2, 3):int64  'a b -> a'  'mean'  !",
    ],
  }),
  op('einops.repeat(tensor: Tensor | Tensor[], pattern: str, **axes_lengths: named) -> any', {
    also: ['einops.einops.repeat'],
    ndim: ({ pattern }) => ranks(pattern),
    maybe: ({ tensor, pattern, axes_lengths }, call) => patterned(tensor, pattern, 'repeat', axes_lengths, call),
    samples: [
      "(2, 3)  'h w -> b h w'  b=4",
      "(2, 3)  'h w -> (h 2) w'",
      "(1, 1, 5)  '1 1 d -> b 1 d'  b=3",
      "(2, 3)  'h w -> h w 1'",
      "(2, 3)  'h w -> h w c'  !",
    ],
  }),
  op('einops.einsum(*operands: any) -> any', {
    also: ['einops.einops.einsum'],
    maybe: ({ operands }, call) => {
      const items = operands.kind === 'tuple' ? operands.items : [];
      const pattern = items.at(-1);
      const tensors = items.slice(0, -1).filter((item): item is Tensor => item.kind === 'tensor');
      const [first] = tensors;
      if (pattern?.kind !== 'str' || first === undefined || tensors.length !== items.length - 1)
        return unsure('an operand of einsum is not known');
      const equation = lettered(pattern.value);
      if (equation === null) return unsure('the pattern has numbers or parentheses');
      const made = einsum(
        equation,
        tensors.map(({ layout }) => layout),
        call,
      );
      if (isFault(made)) return made;
      return made.view ? viewOf(first, made.layout) : fresh(made.layout, first.dtype);
    },
    samples: [],
  }),
];
