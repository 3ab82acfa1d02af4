import { always, int, mod, ONE, type SymInt, sub, ZERO } from '../../symbols/index.ts';
import {
  chain,
  elementwise,
  type Fault,
  isFault,
  type Layout,
  narrow,
  preserve,
  type Result,
  raises,
  type Tensor,
  transpose,
  wrapDim,
  wrapDims,
} from '../../tensor/index.ts';
import type { Value } from '../../values/value.ts';
import { overflowsStrictly } from '../constants.ts';
import type { Call } from '../context.ts';
import { cat } from '../layouts/concatenation.ts';
import { unstrided } from '../layouts/format.ts';
import { isEmpty } from '../layouts/inquiry.ts';
import { type PadMode, pad } from '../layouts/padding.ts';
import { denseLike } from '../layouts/reduction.ts';
import { type Entry, fresh, op, same } from '../op.ts';
import { one, writeAll } from '../writing.ts';

const MODES: readonly PadMode[] = ['constant', 'reflect', 'replicate', 'circular'];

/** Dims of which none may be named twice. */
function differentDims(self: Layout, dims: readonly number[]): Result<readonly number[]> {
  const wrapped = wrapDims(self, dims);
  if (isFault(wrapped)) return wrapped;
  const twice = wrapped.find((dim, i) => wrapped.indexOf(dim) !== i);
  return twice === undefined
    ? wrapped
    : raises({ is: 'argument', name: 'dims', got: `${twice} twice`, expects: 'different dims' });
}

/** A flip copies into the layout of its input. */
function flipped(self: Layout, dims: readonly number[], call: Call): Result<Layout> {
  const wrapped = differentDims(self, dims);
  return isFault(wrapped) && !self.front ? wrapped : preserve(self, call.ask);
}

/**
 * `roll` along a dim joins two narrowed parts, so a channels_last input gives a channels_last result; along several it
 * rolls one after the other, along none it is contiguous.
 */
export function rolled(self: Layout, shifts: readonly SymInt[], dims: readonly number[], call: Call): Result<Layout> {
  const lone = self.shape.length === 1 && self.shape.some((size) => isEmpty(size, call));
  if (dims.length === 0) return lone ? preserve(self, call.ask) : denseLike(self);
  if (dims.length !== shifts.length)
    return raises({
      is: 'argument',
      name: 'dims',
      got: `${dims.length}`,
      expects: `as many as shifts, ${shifts.length}`,
    });
  if (!self.front && self.shape.length === 0)
    return raises({ is: 'rank-differs', what: 'self', expected: '1 or more', got: 0 });
  if (self.shape.some((size) => isEmpty(size, call))) return preserve(self, call.ask);
  const wrapped = wrapDims(self, dims);
  if (isFault(wrapped)) return wrapped;
  const [dim, ...others] = wrapped;
  const [shift = ZERO, ...further] = shifts;
  if (dim === undefined) return denseLike(self);
  if (others.length > 0)
    return chain(rolled(self, [shift], [dim], call), (once) => rolled(once, further, others, call));
  const size = self.shape[dim] ?? ZERO;
  const start = mod(sub(size, shift), size);
  // A shift by whole turns leaves nothing to put behind.
  if (start.constant === null) call.ask.leaveOut({ relation: 'equal', left: start, right: ZERO });
  const tail = narrow(self, dim - self.shape.length, start, sub(size, start), call.ask);
  const head = narrow(self, dim - self.shape.length, ZERO, start, call.ask);
  // Where the shift is not known, neither are the parts; both keep the strides of the input.
  if (isFault(tail) || isFault(head)) return joinedFormat(self, call);
  const joined = cat([tail, head], dim - self.shape.length, call);
  return isFault(joined) ? joinedFormat(self, call) : { ...joined, shape: self.shape };
}

function joinedFormat(self: Layout, call: Call): Layout {
  const joined = cat([self], -1, call);
  return isFault(joined) ? unstrided(self.shape, self.front) : joined;
}

/** A quarter turn is a transposed flip, half a turn two flips, none a contiguous clone. */
function turned(self: Layout, k: number, dims: readonly number[], call: Call): Result<Layout> {
  const [a = 0, b = 1] = dims;
  const wrong = lessThanMatrix(self);
  if (wrong !== null) return wrong;
  const planes = differentDims(self, [a, b]);
  if (isFault(planes)) return planes;
  if (k % 4 === 0) return denseLike(self);
  const flip = preserve(self, call.ask);
  return k % 2 === 0 || isFault(flip) ? flip : transpose(flip, a, b);
}

export const lessThanMatrix = ({ shape, front }: Layout): Fault | null =>
  !front && shape.length < 2
    ? raises({ is: 'rank-differs', what: 'self', expected: '2 or more', got: shape.length })
    : null;

const triangles = ['tril', 'triu'].flatMap((name) => [
  op(`${name}(self: Tensor, diagonal: any = 0) -> Tensor`, {
    raises: ({ self }) => lessThanMatrix(self.layout),
    shape: ({ self }) => denseLike(self.layout),
    out: 'silent',
    samples: ['(3, 3)', '(2, 3, 4)/(1, 8, 2)  1', '(3,)  !'],
  }),
  op(`Tensor.${name}_(self: Tensor, diagonal: any = 0) -> Tensor`, {
    raises: ({ self }) => lessThanMatrix(self.layout),
    maybe: ({ self }) => same(self),
    writes: ({ self }, call) => one(writeAll(self, {}, 'silent', call)),
    samples: ['(3, 4)', '(3, 4)/(0, 1)', '(3,)  !'],
  }),
]);

function copied(self: Layout, { ask }: Call): Result<Layout> {
  return !self.front && self.shape.length === 0
    ? raises({ is: 'rank-differs', what: 'self', expected: '1 or more', got: 0 })
    : preserve(self, ask);
}

/** `diff` subtracts two narrows, n times over. */
function differences(self: Layout, n: number, dim: number, call: Call): Result<Layout> {
  if (n === 0) return self;
  if (n < 0) return raises({ is: 'argument', name: 'n', got: `${n}`, expects: 'an order of at least 0' });
  if (!self.front && self.shape.length === 0)
    return raises({ is: 'rank-differs', what: 'self', expected: '1 or more', got: 0 });
  const axis = wrapDim(self, dim);
  if (isFault(axis)) return axis;
  const back = axis - self.shape.length;
  const size = self.shape[axis] ?? ONE;
  if (size.constant === 0) return self;
  // A single element leaves none to take the difference of.
  const length = size.constant === null ? sub(size, ONE) : int(Math.max(size.constant - 1, 0));
  if (size.constant === null && always('less', size, ONE, call.ask.facts) !== false)
    call.ask.leaveOut({ relation: 'less', left: size, right: ONE });
  const later = narrow(self, back, ONE, length, call.ask);
  const earlier = narrow(self, back, ZERO, length, call.ask);
  if (isFault(later)) return later;
  if (isFault(earlier)) return earlier;
  const difference = elementwise([later, earlier], call.ask, { demand: call.demand });
  return isFault(difference) ? difference : differences(difference, n - 1, dim, call);
}

/** Where anything is padded, the value is converted to the dtype of the input. */
const unheld = (input: Tensor, amounts: readonly SymInt[], value: Value, { ask }: Call): Fault | null =>
  amounts.some((amount) => always('less', ZERO, amount, ask.facts) === true)
    ? overflowsStrictly('value', value, input.dtype)
    : null;

export const rearrangements: readonly Entry[] = [
  ...triangles,
  op("F.pad(input: Tensor, pad: SymInt[], mode: str = 'constant', value: any = None) -> Tensor", {
    raises: ({ input, pad: amounts, mode, value }, call) =>
      MODES.some((known) => known === mode)
        ? mode === 'constant'
          ? unheld(input, amounts, value, call)
          : null
        : raises({
            is: 'argument',
            name: 'mode',
            got: `'${mode}'`,
            expects: 'constant, reflect, replicate or circular',
          }),
    shape: ({ input, pad: amounts, mode }, call) =>
      pad(input.layout, amounts, MODES.find((known) => known === mode) ?? 'constant', call),
    samples: [
      '(2, 3)  (1, 2)',
      '(2, 3, 4, 5)/(60, 1, 15, 3)  (1, 1, 2, 0)',
      '(2, 3)/(1, 2)  (0, 0)',
      '(2, 3)/(1, 2)  (-1, 0)',
      "(2, 3, 4, 5)/(60, 1, 15, 3)  (1, 1, 0, 2)  'circular'",
      "(2, 3, 4, 5)  (1, 1)  'circular'  !",
      "(2, 3, 4, 5)  (1, 1, 2, 2)  mode='reflect'",
      '(2, 3)  (1, 2, 3)  !',
      '(2,):float16  (1, 1)  value=-1e9  !',
      '(2,):uint8  (1, 1)  value=-1  !',
      '(2,):float16  (-1, 0)  value=-1e9',
    ],
  }),
  op('torch.constant_pad_nd(self: Tensor, pad: SymInt[], value: any = 0) -> Tensor', {
    raises: ({ self, pad: amounts, value }, call) => unheld(self, amounts, value, call),
    shape: ({ self, pad: amounts }, call) => pad(self.layout, amounts, 'constant', call),
    samples: ['(2, 3)  (1, 2)'],
  }),
  op('roll(self: Tensor, shifts: SymInt[1], dims: int[1] = []) -> Tensor', {
    shape: ({ self, shifts, dims }, call) => rolled(self.layout, shifts, dims, call),
    samples: [
      '(2, 3)  1',
      '(0,)/(9,)  1',
      '(2, 3)/(1, 2)  1  0',
      '(2, 3, 4, 5)/(60, 1, 15, 3)  2  2',
      '(2, 3)  (1, 1)  (0, 1)',
      '(2, 3, 4, 5)/(60, 1, 15, 3)  (1, 1)  (2, 3)',
      '(2, 0, 3)/(1, 1, 2)  (1, 1)  (0, 1)',
      '(2, 3)  1  5  !',
      '()  1  0  !',
    ],
  }),
  op('flip(self: Tensor, dims: int[]) -> Tensor', {
    shape: ({ self, dims }, call) => flipped(self.layout, dims, call),
    samples: ['(2, 3)/(1, 2)  (0,)', '(2, 3, 4)  (0, 2)', '(2, 3)  (2,)  !', '(2, 3)  (0, -2)  !'],
  }),
  op('fliplr(self: Tensor) -> Tensor', {
    shape: ({ self }, call) => flipped(self.layout, [1], call),
    samples: ['(2, 3)/(1, 2)', '(2,)  !'],
  }),
  op('flipud(self: Tensor) -> Tensor', {
    shape: ({ self }, call) => flipped(self.layout, [0], call),
    samples: ['(2, 3)/(1, 2)'],
  }),
  op('rot90(self: Tensor, k: int = 1, dims: int[] = [0]) -> Tensor', {
    shape: ({ self, k, dims }, call) => turned(self.layout, k, dims, call),
    samples: [
      '(2, 3)',
      '(2, 3)/(1, 2)  3  (0, 1)',
      '(2, 3)/(1, 2)  2  (0, 1)',
      '(2, 3, 4)  1  (1, 2)',
      '(2, 3)  1  (0, 0)  !',
      '(2, 3)  1  (0, 2)  !',
      '(2,)  1  (0, 0)  !',
    ],
  }),
  op('diff(self: Tensor, n: int = 1, dim: int = -1) -> Tensor', {
    maybe: ({ self, n, dim }, call) => {
      // An order of 0 is a copy; what has no elements along the dim is returned itself.
      const size = self.layout.shape.at(dim);
      if (n > 0 && size?.constant === 0 && !self.layout.front) return same(self);
      const layout = n === 0 ? copied(self.layout, call) : differences(self.layout, n, dim, call);
      return chain(layout, (made) => fresh(made, self.dtype));
    },
    samples: ['(2, 0)', '(2, 3)/(6, 2)  0', '(2, 3)', '(2, 3, 4)/(1, 8, 2)  2  -1', '(2, 3)  -1  !', '()  !'],
  }),
];
