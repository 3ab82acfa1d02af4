import { type DType, isIntegralOrBool } from '../../tensor/index.ts';
import type { Unknown } from '../../values/value.ts';
import { denseAlong, reduced } from '../layouts/reduction.ts';
import { type Entry, op } from '../op.ts';
import { accumulated, dtypeOr, floating } from './reductions.ts';

const OPTIONS = 'keepdim: bool = False, dtype: ScalarType? = None, mask: any = None';

const REDUCTIONS: Readonly<Record<string, (dtype: DType | null) => DType | null>> = {
  sum: accumulated,
  prod: accumulated,
  amax: (dtype) => dtype,
  amin: (dtype) => dtype,
  mean: floating,
};

/** Integers come out in a dtype that depends on the reduction: only floats are told. */
const variance = (given: DType | Unknown | null, own: DType | null): DType | null =>
  dtypeOr(given, own !== null && isIntegralOrBool(own) ? null : own);

/** `torch.masked`: reductions and normalisations over the elements that a mask leaves. */
export const masked: readonly Entry[] = [
  ...Object.entries(REDUCTIONS).map(([name, natural]) =>
    op(`torch.masked.${name}(input: Tensor, dim: int[1]? = None, *, ${OPTIONS}) -> Tensor`, {
      shape: ({ input, dim, keepdim }) => reduced(input.layout, dim, keepdim),
      dtype: ({ input, dtype }) => dtypeOr(dtype, natural(input.dtype)),
      samples: ['(3, 4)/(1, 3)', '(3, 4)  1  mask=(3, 4):bool', '(3, 4)  (0, 1)  keepdim=True', '(3, 4)  2  !'],
    }),
  ),
  ...(['var', 'std'] as const).map((name) =>
    op(`torch.masked.${name}(input: Tensor, dim: int[1]? = None, unbiased: any = None, *, ${OPTIONS}) -> Tensor`, {
      shape: ({ input, dim, keepdim }) => reduced(input.layout, dim, keepdim),
      dtype: ({ input, dtype }) => variance(dtype, input.dtype),
      samples: ['(3, 4)', '(3, 4)  1  mask=(3, 4):bool'],
    }),
  ),
  ...(['softmax', 'log_softmax', 'softmin'] as const).map((name) =>
    op(`torch.masked.${name}(input: Tensor, dim: int, *, dtype: ScalarType? = None, mask: any = None) -> Tensor`, {
      shape: ({ input, dim }) => denseAlong(input.layout, dim),
      dtype: ({ input, dtype }) => dtypeOr(dtype, input.dtype),
      samples: ['(3, 4)  1', '(3, 4)  1  mask=(3, 4):bool', '(3, 4)  2  !'],
    }),
  ),
];
