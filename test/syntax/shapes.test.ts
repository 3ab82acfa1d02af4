import { describe, expect, test } from 'vitest';
import {
  annotationShape,
  type DimText,
  docstringShapes,
  functionShapes,
  lineStarts,
  namedShapes,
  type ShapeText,
  trailingShape,
  trailingShapes,
} from '../../engine/syntax/index.ts';
import { read } from './parser.ts';

const dim = (node: DimText): string => {
  switch (node.kind) {
    case 'int':
      return String(node.value);
    case 'name':
      return node.id;
    case 'unknown':
      return '?';
    case 'operation':
      return `(${dim(node.left)} ${node.op} ${dim(node.right)})`;
  }
};

const show = (shape: ShapeText | null): string | null =>
  shape === null
    ? null
    : [
        `[${[...(shape.front ? ['...'] : []), ...shape.dims.map(dim)].join(', ')}]`,
        shape.dtype,
        shape.memoryFormat,
        shape.device,
      ]
        .filter((word) => word !== null)
        .join(' ');

describe('a comment at the end of a line', () => {
  test.each([
    ['(B, T, C)', '[B, T, C]'],
    ['[B, T, C]', '[B, T, C]'],
    ['[batch_size, num_queries, num_classes+1]', '[batch_size, num_queries, (num_classes + 1)]'],
    ['(B, h*w, C // 2)', '[B, (h * w), (C // 2)]'],
    ['(H*W, D/4)', '[(H * W), (D // 4)]'],
    ['[B, 2*(h+1)]', '[B, (2 * (h + 1))]'],
    ['(N,)', '[N]'],
    ['[bsz, n_heads, -1]', '[bsz, n_heads, ?]'],
    ['[..., H, W]', '[..., H, W]'],
    ['[*, H, N_res]', '[..., H, N_res]'],
    ['[b, 3, c] shape', '[b, 3, c]'],
    ['shape: (B, 1, 1, 1)', '[B, 1, 1, 1]'],
    ['shape (2, 3)', '[2, 3]'],
    ['(N, C, H, W) -> (N, H, W, C)', '[N, H, W, C]'],
    ['(B, T, C) float16', '[B, T, C] float16'],
    ['(B, C, H, W) bf16 channels_last cuda:0', '[B, C, H, W] bfloat16 channels_last cuda:0'],
    ['(B, T, C)  # noqa', '[B, T, C]'],
  ])('%s', (text, shape) => {
    expect(show(trailingShape(text))).toBe(shape);
  });

  test.each([
    '(see below)',
    '(optional)',
    '(left, right)',
    '(loss, logits) or (logits,) depending on the labels',
    '[1, 2]',
    '(0, 255)',
    '[0, 1, 2, 3, ...]',
    '(x, y)',
    '[p2, p3, p4, p5]',
    '(H, W) each',
    '(image_size // patch_size)^2 = 4',
    '[Key Change] bias=True',
    '[B, T] if causal',
    '["a", "b c d"]',
    '(B, T',
    'B, T, C',
    '[B x T, C]',
    '()',
    'constructor',
    '(constructor, toString)',
    '(N, C, H, W, a, b, c, d, e)',
  ])('prose and lists are none: %s', (text) => {
    expect(trailingShape(text)).toBeNull();
  });
});

describe('a comment that names what it is about', () => {
  const said = (text: string) => namedShapes(text).map(({ name, shape }) => `${name} ${show(shape)}`);
  test.each([
    ['x: [B, T, C]', ['x [B, T, C]']],
    ['x: (B, C, H, W)', ['x [B, C, H, W]']],
    ['x: [2, 8] float16 channels_last cuda  y: [2]', ['x [2, 8] float16 channels_last cuda', 'y [2]']],
    ['q, k, v: [B, H, T, D]', ['q [B, H, T, D]', 'k [B, H, T, D]', 'v [B, H, T, D]']],
    ['qkv: [P, 3, b, h, s, d] contiguous', ['qkv [P, 3, b, h, s, d] contiguous_format']],
    ['x.shape == (B, T)', ['x [B, T]']],
    ['mask shape: [B, 1, T]', ['mask [B, 1, T]']],
    ['loss: []', ['loss []']],
    ['x: [..., D], and more', ['x [..., D]']],
    ['ids: (2, N) — row 0 is h', ['ids [2, N]']],
  ])('%s', (text, shapes) => {
    expect(said(text)).toEqual(shapes);
  });
  test.each([
    'note: (see below)',
    'TODO(someone): [B] is wrong',
    'returns (a, b)',
    'type: (...) -> Tensor',
    'x: [a b]',
    'args: (left, right)',
  ])('prose is none: %s', (text) => {
    expect(said(text)).toEqual([]);
  });
});

describe('an annotation', () => {
  const shapeOf = (text: string): string | null => {
    const [node] = read(`x: ${text}\n`).body;
    return node?.kind === 'AnnAssign' ? show(annotationShape(node.annotation)) : 'not an annotation';
  };
  test.each([
    ['Float[Tensor, "b t c"]', '[b, t, c]'],
    ['Float32[torch.Tensor, "*batch c"]', '[..., c] float32'],
    ['Bool[Tensor, "... t t"]', '[..., t, t] bool'],
    ['jaxtyping.Int64[Tensor, "b 3 h*w dim=4 _ #n"]', '[b, 3, (h * w), 4, ?, ?] int64'],
    ['Shaped[Tensor, ""]', '[]'],
    ['Optional[Float[Tensor, "b t"]]', '[b, t]'],
    ['Float[Tensor, "b t"] | None', '[b, t]'],
    ['TensorType["b", "t", 3]', '[b, t, 3]'],
    ['TensorType[..., "c"]', '[..., c]'],
    ['TensorType["batch": 2, -1, torch.float16]', '[2, ?] float16'],
    ['Annotated[Tensor, "B T C"]', '[B, T, C]'],
    ['Annotated[torch.Tensor, "B, T, 2*C"]', '[B, T, (2 * C)]'],
    ['Annotated[Tensor, ("B", "T", 3)]', '[B, T, 3]'],
    ['Tensor[B, T, 3 * C]', '[B, T, (3 * C)]'],
  ])('%s', (text, shape) => {
    expect(shapeOf(text)).toBe(shape);
  });
  test.each([
    'Tensor',
    'torch.Tensor',
    'list[int]',
    'dict[str, Tensor]',
    'Float[np.ndarray, "b"]',
    'Annotated[Tensor, "the input of it"]',
    'Annotated[int, "B T"]',
    'Tensor[int, str] | int',
  ])('no shape: %s', (text) => {
    expect(shapeOf(text)).toBeNull();
  });
});

describe('a docstring', () => {
  const said = (text: string) => docstringShapes(text).map(({ name, shape }) => `${name} ${show(shape)}`);
  test('in the form of Google', () => {
    const text = `Does it.

    Args:
        x (Tensor): input of shape (batch, seq, dim),
            which is long.
        y: Tensor of shape \`(B, N, C)\`
        hidden_states (\`torch.FloatTensor\` of shape \`(batch_size, sequence length, hidden_size)\`, *optional*):
            Many things.
        mask (Tensor[N, K]): a mask
        scores (Tensor[float]): MxN scores
        masks (list[torch.Tensor]): masks of shape (N, H, W)
        either (Tensor): of shape (N, C) or (C)
        scale (float): a number (see below)

    Returns:
        x (Tensor): of shape (B, 1)
    `;
    expect(said(text)).toEqual([
      'x [batch, seq, dim]',
      'y [B, N, C]',
      'hidden_states [batch_size, ?, hidden_size]',
      'mask [N, K]',
    ]);
  });
  test('in the form of numpydoc', () => {
    const text = `
    Parameters
    ----------
    x : Tensor, shape (N, C)
        The input.
    w : array of shape (..., C)

    Returns
    -------
    y : Tensor, shape (N,)
    `;
    expect(said(text)).toEqual(['x [N, C]', 'w [..., C]']);
  });
  test('in the form of Sphinx', () => {
    expect(said(':param x: of shape [B, T]\n:param Tensor y: shape (T,)')).toEqual(['x [B, T]', 'y [T]']);
  });
});

test('what is said of a function: above it, in it, after its parameters, in its docstring', () => {
  const text = `
# not: [of, this]

# x: [B, T, C]
@decorated  # y: [B]
def f(
    x,
    y,
    z,  # (B, C)
):
    """w (Tensor): of shape (N,)"""
    # q, k: [B, H]
    return x  # (B, T)

# not: [of, this]
`;
  const module = read(text);
  const [definition] = module.body;
  if (definition?.kind !== 'FunctionDef') throw new Error('no function');
  const shapes = functionShapes(module, definition, definition.start, lineStarts(text));
  expect(shapes.map(({ name, shape }) => `${name} ${show(shape)}`)).toEqual([
    'w [N]',
    'x [B, T, C]',
    'y [B]',
    'z [B, C]',
    'q [B, H]',
    'k [B, H]',
  ]);
  expect([...trailingShapes(module)].map(([line, shape]) => `${line} ${show(shape)}`)).toEqual([
    '8 [B, C]',
    '12 [B, T]',
  ]);
});
