import { ZERO } from '../../symbols/index.ts';
import {
  asStrided,
  chain,
  diagonal,
  type Fault,
  internalOverlap,
  isFault,
  type Layout,
  preserve,
  type Result,
  raises,
  reshape,
  select,
  slice,
  type Tensor,
  unsure,
  viewDtype,
} from '../../tensor/index.ts';
import { type Call, since } from '../context.ts';
import { agree } from '../layouts/inquiry.ts';
import { denseLike } from '../layouts/reduction.ts';
import { qualify } from '../names.ts';
import { type Entry, op } from '../op.ts';
import type { OpResult } from '../outcome.ts';
import { parseSignature } from '../signature.ts';
import { splits } from './splits.ts';
import { transposes } from './transposes.ts';
import { aliases, dimViews, keepsFront, sizedViews } from './views.ts';

/** How the signatures of the views begin that have a twin which copies, in row-major order whatever went in. */
const COPIED: Readonly<Record<string, string>> = {
  alias_copy: 'detach(',
  detach_copy: 'detach(',
  as_strided_copy: 'as_strided(',
  diagonal_copy: 'diagonal(',
  expand_copy: 'Tensor.expand(',
  narrow_copy: 'narrow(',
  permute_copy: 'permute(',
  select_copy: 'select(',
  split_copy: 'split(self: Tensor, split_size: SymInt, ',
  split_with_sizes_copy: 'split_with_sizes(',
  squeeze_copy: 'squeeze(',
  t_copy: 't(',
  transpose_copy: 'transpose(',
  unbind_copy: 'unbind(',
  unfold_copy: 'Tensor.unfold(',
  unsqueeze_copy: 'unsqueeze(',
  view_as_complex_copy: 'torch.view_as_complex(',
  view_as_real_copy: 'torch.view_as_real(',
};

const VIEWS = [...transposes, ...sizedViews, ...dimViews, ...aliases, ...splits];

function copyOf(view: Entry, name: string): Entry {
  const qualified = name === 'narrow_copy' ? name : `torch.${name}`;
  const signature = parseSignature(view.signature.text.replace(/^[\w.]+/, qualified));
  return {
    ...view,
    signature,
    names: qualify(qualified),
    run: (args, call) => chain(view.run(args, call), (result) => copied(result, call)),
  };
}

/** Row-major; on 1.13 in the order of the view, as `clone` copies, and only told where that is row-major too. */
function copied(result: OpResult, call: Call): OpResult {
  if (result.is === 'view') return { is: 'fresh', layout: copiedLayout(result.layout, call), dtype: result.dtype };
  return result.is === 'tuple' ? { ...result, items: result.items.map((item) => copied(item, call)) } : result;
}

function copiedLayout(layout: Layout, call: Call): Layout {
  const rows = denseLike(layout);
  return since(call, 2, 6) ? rows : { ...rows, stride: null };
}

/** `clone_preserve_strides`: the whole storage is copied, gaps and all. */
function cloned({ layout }: Tensor, { ask }: Call): Result<Layout> {
  const overlap = internalOverlap(layout, ask);
  if (overlap === 'yes') return preserve(layout, ask);
  return overlap === 'no' ? layout : { ...layout, stride: null, offset: null };
}

/** The part of a copy that `src` is written to must have the sizes of `src`. */
function scattered(self: Tensor, src: Tensor, part: Result<Layout>, call: Call): Result<Layout> {
  if (isFault(part)) return part;
  return differs(src.layout, part, call) ?? cloned(self, call);
}

function differs(src: Layout, part: Layout, call: Call): Fault | null {
  if (src.front || part.front) return null;
  if (src.shape.length !== part.shape.length)
    return raises({ is: 'rank-differs', what: 'src', expected: `${part.shape.length}`, got: src.shape.length });
  for (const [d, size] of part.shape.entries()) {
    const wrong = agree(src.shape[d] ?? size, size, `dim ${d} of src`, call);
    if (wrong !== null) return wrong;
  }
  return null;
}

export const viewCopies: readonly Entry[] = [
  ...Object.entries(COPIED).flatMap(([name, view]) =>
    VIEWS.filter(({ signature }) => signature.text.startsWith(view)).map((entry) => copyOf(entry, name)),
  ),
  op(
    'torch.slice_copy(self: Tensor, dim: int = 0, start: SymInt? = None, end: SymInt? = None, step: SymInt = 1) -> Tensor',
    {
      shape: ({ self, dim, start, end, step }, call) =>
        chain(slice(self.layout, dim, start ?? ZERO, end, step, call.ask), (layout) => copiedLayout(layout, call)),
      samples: ['(2, 6)  1  1  5  2', '(3, 4)/(1, 3)  0  0  3', '(2, 3)  2  !'],
    },
  ),
  op('torch.view_copy(self: Tensor, size: SymInt[]) -> Tensor', {
    shape: ({ self, size }, { ask, demand }) =>
      chain(reshape(self.layout, size, ask, { demand, front: keepsFront(self.layout, size) }), ({ layout }) =>
        denseLike(layout),
      ),
    samples: ['(2, 3)  (3, -1)', '(3, 4)/(1, 3)  (12,)', '(2, 3)  (4,)  !'],
  }),
  op('torch.view_copy(self: Tensor, dtype: ScalarType) -> Tensor', {
    shape: ({ self, dtype }, { ask }) =>
      typeof dtype !== 'string' || self.dtype === null
        ? unsure('the dtype is not known')
        : chain(viewDtype(self.layout, self.dtype, dtype, ask), denseLike),
    dtype: ({ dtype }) => (typeof dtype === 'string' ? dtype : null),
    samples: ['(2, 4)  torch.int32', '(2, 4)  torch.int16'],
  }),
  op('select_scatter(self: Tensor, src: Tensor, dim: int, index: SymInt) -> Tensor', {
    shape: ({ self, src, dim, index }, call) => scattered(self, src, select(self.layout, dim, index, call.ask), call),
    samples: ['(2, 3)  (3,)  0  0', '(2, 3)/(6, 2)  (3,)  0  0', '(2, 3)/(0, 1)  (3,)  0  0', '(2, 3)  (4,)  0  0  !'],
  }),
  op(
    'slice_scatter(self: Tensor, src: Tensor, dim: int = 0, start: SymInt? = None, end: SymInt? = None, step: SymInt = 1) -> Tensor',
    {
      shape: ({ self, src, dim, start, end, step }, call) =>
        scattered(self, src, slice(self.layout, dim, start ?? ZERO, end, step, call.ask), call),
      samples: ['(2, 6)  (2, 2)  1  1  5  2', '(3, 4)/(1, 3)  (3, 4)  0  0  3', '(2, 3)  (2, 2)  1  0  1  !'],
    },
  ),
  op('diagonal_scatter(self: Tensor, src: Tensor, offset: SymInt = 0, dim1: int = 0, dim2: int = 1) -> Tensor', {
    shape: ({ self, src, offset, dim1, dim2 }, call) =>
      scattered(self, src, diagonal(self.layout, offset, dim1, dim2, call.ask), call),
    samples: ['(3, 4)  (3,)', '(3, 4)/(1, 3)  (2,)  -1', '(3, 4)  (4,)  !'],
  }),
  op(
    'as_strided_scatter(self: Tensor, src: Tensor, size: SymInt[], stride: SymInt[], storage_offset: SymInt? = None) -> Tensor',
    {
      shape: ({ self, src, size, stride, storage_offset }, call) =>
        scattered(self, src, asStrided(self.layout, size, stride, storage_offset), call),
      samples: ['(2, 6)  (2, 2)  (2, 2)  (1, 1)', '(3, 4)/(1, 3)  (2,)  (2,)  (1,)'],
    },
  ),
  op(
    'slice_inverse(self: Tensor, src: Tensor, dim: int = 0, start: SymInt? = None, end: SymInt? = None, step: SymInt = 1) -> Tensor',
    { view: ({ src }) => src.layout, samples: ['(4, 6)  (4, 2)  1  0  2'] },
  ),
];
