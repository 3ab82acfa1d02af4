"""Records what PyTorch answers about random layouts: test/laws/recordings/tensor.json.

    python test/oracle/tensor_samples.py

A layout is written [shape, stride, offset]. The last entry of a sample is the answer, "!" where PyTorch raises.
"""

import json
import pathlib
import random

import torch

random.seed(20)
SAMPLES = 170
DTYPES = (
    "bool uint8 int8 int16 int32 int64 uint16 uint32 uint64 float16 bfloat16 float32 float64 "
    "complex32 complex64 complex128 float8_e4m3fn float8_e5m2 float8_e4m3fnuz float8_e5m2fnuz"
).split()
recording: dict[str, list] = {}


def size(zero=0.04):
    return 0 if random.random() < zero else random.choice([1, 1, 1, 2, 2, 3, 4, 5])


def fresh(shape, dtype=torch.float32):
    return torch.zeros(shape, dtype=dtype)


def warp(x):
    """A random view, most of them not contiguous."""
    for _ in range(random.choice([0, 0, 1, 1, 2, 3])):
        n = x.dim()
        kind = random.choice(["permute", "permute", "slice", "expand", "unsqueeze", "select", "channels_last", "step"])
        if kind == "permute":
            x = x.permute(random.sample(range(n), n))
        elif kind == "slice" and n:
            d = random.randrange(n)
            a = random.randint(0, x.shape[d])
            x = x.narrow(d, a, random.randint(min(1, x.shape[d] - a), x.shape[d] - a))
        elif kind == "expand" and n:
            x = x.expand([random.choice([1, 2, 3]) if s == 1 and random.random() < 0.5 else s for s in x.shape])
        elif kind == "unsqueeze" and n < 5:
            x = x.unsqueeze(random.randint(0, n))
        elif kind == "select" and n and all(x.shape):
            d = random.randrange(n)
            x = x.select(d, random.randrange(x.shape[d]))
        elif kind == "channels_last" and n == 4 and all(x.shape):
            x = x.contiguous(memory_format=torch.channels_last)
        elif kind == "step" and n:
            d = random.randrange(n)
            x = x[(slice(None),) * d + (slice(None, None, 2),)]
    return x


def tensor(ranks=(0, 1, 2, 2, 3, 3, 4, 4, 5), dtype=torch.float32):
    return warp(fresh([size() for _ in range(random.choice(ranks))], dtype))


def layout(x):
    return [list(x.shape), list(x.stride()), x.storage_offset()]


def strided(x):
    return [list(x.shape), list(x.stride())]


def record(name, *sample):
    rows = recording.setdefault(name, [])
    if sample not in rows:
        rows.append(sample)


def answer(call, form=layout):
    try:
        return form(call())
    except (RuntimeError, IndexError, ValueError, TypeError):
        return "!"


def any_dim(x):
    return random.randint(-x.dim() - 1, x.dim()) if random.random() < 0.1 else random.randint(-max(x.dim(), 1), max(x.dim(), 1) - 1)


def factored(n, parts):
    out = []
    for _ in range(parts - 1):
        f = random.choice([k for k in range(1, n + 1) if n % k == 0]) if n else random.choice([0, 1, 2])
        out.append(f)
        n = n // f if f else 0
    out.append(n)
    random.shuffle(out)
    return out


def new_size(x):
    """A shape of as many elements: dims merged, split, dims of size 1 put in; sometimes a -1, sometimes wrong."""
    sizes = list(x.shape)
    for _ in range(random.choice([1, 1, 2, 3])):
        kind = random.choice(["merge", "merge", "split", "one", "anew"])
        if kind == "merge" and len(sizes) >= 2:
            d = random.randrange(len(sizes) - 1)
            sizes[d : d + 2] = [sizes[d] * sizes[d + 1]]
        elif kind == "split" and sizes:
            d = random.randrange(len(sizes))
            sizes[d : d + 1] = factored(sizes[d], 2)
        elif kind == "one":
            sizes.insert(random.randint(0, len(sizes)), 1)
        elif kind == "anew":
            sizes = factored(x.numel(), random.choice([1, 2, 3, 4]))
    if sizes and random.random() < 0.3:
        sizes[random.randrange(len(sizes))] = -1
    if sizes and random.random() < 0.06:
        sizes[random.randrange(len(sizes))] = random.choice([-2, -1, 0, 7])
    return sizes


def suggested(x):
    """What `suggest_memory_format` says, seen through an op that follows it; null where no op with elements does."""
    if x.dim() == 4 and x.numel():
        out = torch.nn.functional.pad(x, (1, 1, 1, 1))
        return "channels_last" if out.stride(1) == 1 else "contiguous_format"
    return None


def related(x):
    """An operand that broadcasts with x: sizes set to 1, leading dims dropped, another order of strides."""
    shape = [1 if random.random() < 0.2 else s for s in x.shape]
    shape = shape[random.choice([0, 0, 0, 1, 2]) :]
    if random.random() < 0.04 and shape:
        shape[random.randrange(len(shape))] = 7
    perm = random.sample(range(len(shape)), len(shape)) if random.random() < 0.6 else list(range(len(shape)))
    y = fresh([shape[d] for d in perm]).permute([perm.index(d) for d in range(len(shape))])
    return y[..., ::2].expand(shape) if shape and shape[-1] == 1 and random.random() < 0.2 else y


for _ in range(2 * SAMPLES):
    x = tensor((0, 1, 2, 3, 4, 4, 4, 5))
    channels = x.is_contiguous(memory_format=torch.channels_last_3d if x.dim() == 5 else torch.channels_last)
    record("contiguity", layout(x), [x.is_contiguous(), channels, list(torch.empty_like(x).stride()), suggested(x)])
    record("internalOverlap", layout(x), torch._debug_has_internal_overlap(x))

for _ in range(3 * SAMPLES):
    x = tensor((1, 2, 3, 4, 4, 5))
    operands = [x] + [related(x) for _ in range(random.choice([0, 1, 1, 2]))]
    random.shuffle(operands)
    if len(operands) == 1 and random.random() < 0.5:
        record("elementwise", [layout(x), [[], [], 0]], strided(x + 1))
    elif len(operands) == 1:
        record("elementwise", [layout(x)], strided(-x))
    elif len(operands) == 2:
        record("elementwise", [layout(o) for o in operands], answer(lambda: operands[0] * operands[1], strided))
    else:
        record("elementwise", [layout(o) for o in operands], answer(lambda: torch.addcmul(*operands), strided))

for _ in range(3 * SAMPLES):
    x = tensor()
    sizes = new_size(x)
    record("view", layout(x), sizes, answer(lambda: x.view(sizes)))
    same = x.untyped_storage().data_ptr()
    record(
        "reshape",
        layout(x),
        sizes,
        answer(lambda: x.reshape(sizes), lambda y: [layout(y), x.numel() > 0 and y.untyped_storage().data_ptr() != same]),
    )

for _ in range(SAMPLES):
    x = tensor()
    same = x.untyped_storage().data_ptr()
    a, b = any_dim(x), any_dim(x)
    how = lambda y: "same" if y is x else "view" if not x.numel() or y.untyped_storage().data_ptr() == same else "copy"
    record("flatten", layout(x), a, b, answer(lambda: x.flatten(a, b), lambda y: [layout(y), how(y)]))

    sizes = [random.choice([-1, s, s, 3]) if s == 1 else random.choice([-1, s]) for s in x.shape]
    sizes = [size(0) for _ in range(random.choice([0, 0, 1, 2]))] + sizes
    if sizes and random.random() < 0.1:
        sizes[random.randrange(len(sizes))] = random.choice([-1, 7])
    if x.dim():
        record("expand", layout(x), sizes, answer(lambda: x.expand(sizes)))

    record("transpose", layout(x), a, b, answer(lambda: x.transpose(a, b)))
    d = random.randint(-x.dim() - 2, x.dim() + 1)
    record("unsqueeze", layout(x), d, answer(lambda: x.unsqueeze(d)))
    if random.random() < 0.3:
        record("squeeze", layout(x), None, answer(lambda: x.squeeze()))
    else:
        record("squeeze", layout(x), [a], answer(lambda: x.squeeze(a)))
    perm = [p - random.choice([0, x.dim()]) for p in random.sample(range(x.dim()), x.dim())]
    record("permute", layout(x), perm, answer(lambda: x.permute(perm)))
    k = random.randint(0, x.dim())
    source, destination = (random.sample(range(-x.dim(), 0), k) for _ in range(2))
    record("movedim", layout(x), source, destination, answer(lambda: x.movedim(source, destination)))

    i = random.choice([0, 0, -1, -1, 1, -2, 2, 3])
    record("select", layout(x), a, i, answer(lambda: x.select(a, i)))
    start, end = (random.choice([None, random.randint(-6, 6)]) for _ in range(2))
    step = random.choice([1, 1, 2, 3, 0])
    slice_ = torch.ops.aten.slice.Tensor
    record("slice", layout(x), a, start, end, step, answer(lambda: slice_(x, a, start, end, step)))
    begin, length = random.choice([0, 0, 1, -1, 2, -3]), random.choice([0, 1, 1, 1, 2, -1, 3])
    record("narrow", layout(x), a, begin, length, answer(lambda: x.narrow(a, begin, length)))
    record("diagonal", layout(x), i, a, b, answer(lambda: x.diagonal(i, a, b)))
    window, stride = random.choice([0, 1, 1, 2, 2, 3, -1]), random.choice([1, 1, 2, 3, 0])
    record("unfold", layout(x), a, window, stride, answer(lambda: x.unfold(a, window, stride)))
    pieces = lambda ys: [layout(y) for y in ys]
    n = random.randint(0, 4)
    record("chunk", layout(x), n, a, answer(lambda: x.chunk(n, a), pieces))
    record("split", layout(x), n, a, answer(lambda: x.split(n, a), pieces))
    record("tensorSplit", layout(x), n, a, answer(lambda: x.tensor_split(n, a), pieces))

for _ in range(SAMPLES):
    x = fresh([size(0) for _ in range(random.choice([0, 1, 2, 3]))] + [random.choice([1, 2, 4, 8])])
    x = x.select(-1, 0) if random.random() < 0.1 else warp(x) if random.random() < 0.5 else x
    to = random.choice(["uint8", "int16", "float32", "float64", "complex128"])
    record("viewDtype", layout(x), "float32", to, answer(lambda: x.view(getattr(torch, to))))
    record("viewAsComplex", layout(x), answer(lambda: torch.view_as_complex(x)))
    c = tensor(dtype=torch.complex64)
    record("complex", layout(c), [layout(torch.view_as_real(c)), layout(c.real), layout(c.imag)])

for _ in range(2 * SAMPLES):
    x = tensor((1, 2, 3, 4))
    shared = [size(0.02) for _ in range(random.choice([0, 1, 1, 2]))]
    indices = []
    for _ in x.shape[: random.randint(min(1, x.dim()), x.dim())]:
        if random.random() < 0.45:
            indices.append(None)
            continue
        shape = [1 if random.random() < 0.25 else s for s in shared][random.choice([0, 0, 1]) :]
        index = fresh(shape, torch.int64)
        indices.append(index.t() if index.dim() == 2 and shape[0] == shape[1] and random.random() < 0.5 else index)
    used = [d for d, index in enumerate(indices) if index is not None]
    if not used or any(x.shape[d] == 0 for d in used):
        continue
    got = answer(lambda: torch.ops.aten.index.Tensor(x, indices), strided)
    record("indexed", layout(x), [None if index is None else layout(index) for index in indices], got)

for _ in range(SAMPLES):
    shapes = [[size() for _ in range(random.randint(0, 4))]]
    shapes += [[1 if random.random() < 0.3 else s for s in shapes[0]][random.randint(0, 2) :] for _ in range(random.choice([0, 1, 2]))]
    if shapes[-1] and random.random() < 0.1:
        shapes[-1][0] = 7
    got = answer(lambda: torch.broadcast_tensors(*[fresh(s) for s in shapes])[0], lambda y: list(y.shape))
    record("broadcast", shapes, got)
    shape = [size() for _ in range(random.randint(0, 4))]
    stride = [random.randint(0, 9) for _ in shape]
    record("storageNbytes", shape, stride, torch.empty_strided(shape, stride).untyped_storage().nbytes())

for _ in range(4 * SAMPLES):
    base = torch.zeros(24)
    pair = []
    for _ in range(2):
        rows, columns = random.choice([(1, 1), (2, 3), (3, 2), (1, 4), (4, 1), (2, 2)])
        piece = base.narrow(0, random.randint(0, 24 - rows * columns), rows * columns).view(rows, columns)
        piece = piece.t() if random.random() < 0.3 else piece
        pair.append(piece[:, :1] if random.random() < 0.1 else piece)
    a, b = pair
    try:
        torch.broadcast_shapes(a.shape, b.shape)
    except RuntimeError:
        continue
    if torch.broadcast_shapes(a.shape, b.shape) == a.shape:
        record("pairOverlap", layout(a), layout(b), answer(lambda: a.add_(b), lambda _: "ok"))

dtype_name = lambda dtype: str(dtype).removeprefix("torch.")
for a in DTYPES:
    row = [answer(lambda: torch.promote_types(getattr(torch, a), getattr(torch, b)), dtype_name) for b in DTYPES]
    record("promote", a, row)
    record("canCast", a, [torch.can_cast(getattr(torch, a), getattr(torch, b)) for b in DTYPES])
    record("itemsize", a, getattr(torch, a).itemsize)
NUMBERS = {"bool": True, "int": 2, "float": 2.5, "complex": 1j}
for _ in range(2 * SAMPLES):
    sample, values = [], []
    for _ in range(2):
        kind = random.choice(["dim", "dim", "zero", "scalar"])
        dtype = random.choice(list(NUMBERS)) if kind == "scalar" else random.choice(DTYPES[:16])
        sample.append([kind, dtype])
        values.append(NUMBERS[dtype] if kind == "scalar" else fresh([2] if kind == "dim" else [], getattr(torch, dtype)))
    record("resultType", sample, answer(lambda: torch.result_type(*values), dtype_name))

path = pathlib.Path(__file__).parent.parent / "laws" / "recordings" / "tensor.json"
rows = ",\n".join(
    json.dumps(name) + ":[\n" + ",\n".join(json.dumps(row, separators=(",", ":")) for row in samples) + "]"
    for name, samples in recording.items()
)
path.write_text('{"torch":' + json.dumps(torch.__version__) + ",\n" + rows + "}\n")
