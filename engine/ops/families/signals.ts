import { add, floorDiv, int, mul, ONE, type SymInt, sub } from '../../symbols/index.ts';
import {
  complexOf,
  type DType,
  isComplex,
  isFault,
  type Layout,
  layoutOf,
  type Result,
  raises,
  type Tensor,
  transpose,
  unsure,
} from '../../tensor/index.ts';
import type { Value } from '../../values/value.ts';
import { since } from '../context.ts';
import { fresh } from '../layouts/format.ts';
import { type Entry, fresh as made, op } from '../op.ts';
import type { OpResult } from '../outcome.ts';
import { truthOf } from './dropouts.ts';

const WINDOW = 'hop_length: SymInt? = None, win_length: any = None, window: any = None';

interface Framed {
  readonly n_fft: SymInt;
  readonly hop_length: SymInt | null;
  readonly center: boolean;
}

const hopOf = ({ n_fft, hop_length }: Framed): SymInt => hop_length ?? floorDiv(n_fft, int(4));

/** Frequencies of every frame: frames are transformed one by one, and stand last in a transposed view. */
function spectrum(self: Tensor, args: Framed, onesided: boolean): Result<Layout> {
  const { layout } = self;
  if (layout.front) return unsure('the rank of the input is not known');
  const ndim = layout.shape.length;
  if (ndim !== 1 && ndim !== 2) return raises({ is: 'rank-differs', what: 'input', expected: '1 or 2', got: ndim });
  const { n_fft, center } = args;
  const length = layout.shape.at(-1) ?? ONE;
  const padded = center ? add(length, mul(int(2), floorDiv(n_fft, int(2)))) : length;
  const frames = add(floorDiv(sub(padded, n_fft), hopOf(args)), ONE);
  const bins = onesided ? add(floorDiv(n_fft, int(2)), ONE) : n_fft;
  return transpose(fresh([...layout.shape.slice(0, -1), frames, bins]), -2, -1);
}

function viewed(layout: Layout, dtype: DType | null, asComplex: boolean): OpResult {
  if (asComplex) return made(layout, dtype === null || isComplex(dtype) ? dtype : complexOf(dtype));
  const { shape, stride } = layout;
  const doubled = stride === null ? null : [...stride.map((step) => mul(int(2), step)), ONE];
  return made(layoutOf([...shape, int(2)], doubled), dtype);
}

/** Whether an optional flag is on; what a call leaves out follows the input. */
const flag = (value: Value, otherwise: boolean | undefined): boolean | undefined =>
  value.kind === 'none' ? otherwise : truthOf(value);

const complexInput = ({ dtype }: Tensor): boolean | undefined => (dtype === null ? undefined : isComplex(dtype));

/** Short-time Fourier transforms. */
export const signals: readonly Entry[] = [
  op(
    `stft(self: Tensor, n_fft: SymInt, ${WINDOW}, center: bool = True, pad_mode: any = 'reflect', normalized: any = False, onesided: any = None, return_complex: any = None, align_to_window: any = None) -> Tensor`,
    {
      maybe: ({ self, onesided, return_complex, ...args }, call) => {
        const input = complexInput(self);
        const half = flag(onesided, input === undefined ? undefined : !input);
        const complex = flag(return_complex, input);
        if (return_complex.kind === 'none' && input === false && since(call, 2, 6))
          return raises({ is: 'argument', name: 'return_complex', got: 'nothing', expects: 'True or False' });
        if (half === undefined || complex === undefined) return unsure('which half of the spectrum, is not known');
        const layout = spectrum(self, args, half);
        return isFault(layout) ? layout : viewed(layout, self.dtype, complex);
      },
      samples: [
        '(400,)  64  return_complex=True',
        '(2, 400)  64  16  return_complex=True',
        '(2, 400)  63  center=False  onesided=False  return_complex=True',
        '(2, 400)  64  return_complex=False',
        '(2, 400)  64  !',
        '(2, 2, 400)  64  return_complex=True  !',
      ],
    },
  ),
  op(
    `istft(self: Tensor, n_fft: SymInt, ${WINDOW}, center: bool = True, normalized: any = False, onesided: any = None, length: SymInt? = None, return_complex: any = False) -> Tensor`,
    {
      maybe: ({ self, length, return_complex, ...args }) => {
        const { layout, dtype } = self;
        if (layout.front || dtype === null) return unsure('the rank or dtype of the input is not known');
        const complex = truthOf(return_complex);
        if (!isComplex(dtype))
          return raises({ is: 'argument', name: 'input', got: dtype, expects: 'a complex tensor' });
        if (complex === undefined) return unsure('whether the signal is real, is not known');
        const frames = layout.shape.at(-1) ?? ONE;
        const whole = add(args.n_fft, mul(hopOf(args), sub(frames, ONE)));
        const cut = mul(int(2), floorDiv(args.n_fft, int(2)));
        const samples = length ?? (args.center ? sub(whole, cut) : whole);
        const real = dtype === 'complex128' ? 'float64' : dtype === 'complex32' ? 'float16' : 'float32';
        return made(fresh([...layout.shape.slice(0, -2), samples]), complex ? dtype : real);
      },
      samples: ['(2, 33, 26):complex64  64', '(33, 26):complex64  64  length=390', '(33, 26)  64  !'],
    },
  ),
];
