"""Records what autograd keeps of a call until backward: test/ops/saved.json.

    python test/oracle/saved_samples.py

A sample is a program whose last line binds `y`. Its answer: the names whose storages were kept while the last line ran, and
the bytes that were kept beside them, as `torch.autograd.graph.saved_tensors_hooks` sees them.
"""

import json
import pathlib

import torch

OUTPUT = pathlib.Path(__file__).resolve().parent.parent / "ops" / "saved.json"

X = "x = torch.rand(4, 8, requires_grad=True)"
W = "w = torch.rand(8, 8, requires_grad=True)"
U = "u = torch.rand(4, 8, requires_grad=True)"
C = "c = torch.rand(4, 8)"
I = "i = torch.rand(2, 4, 6, 6, requires_grad=True)"
K = "k = torch.rand(4, 4, 3, 3, requires_grad=True)"
M = "m = torch.rand(4, 8) > 0.5"
Q = "q = torch.rand(2, 2, 5, 8, requires_grad=True)"
B = "b = torch.rand(2, 4, 8, requires_grad=True)"
D = "d = torch.rand(2, 8, 4, requires_grad=True)"
V = "v = torch.rand(8, requires_grad=True)"
T = "t = torch.tensor([0, 1, 2, 3])"

RESULT = "sigmoid exp exp2 expm1 tanh tan sqrt rsqrt reciprocal relu".split()
OPERAND = "log log2 log10 log1p sin cos sinh cosh asin acos atan erf abs square var".split()
ACTIVATIONS = (
    "gelu silu softplus leaky_relu elu hardtanh relu6 hardsigmoid hardswish mish selu celu".split()
)
NOTHING = "neg sign sum mean clone contiguous t detach flatten float tril".split()
MODULES = "ReLU Sigmoid Tanh GELU SiLU Softplus LeakyReLU ELU Hardtanh ReLU6 Hardswish Mish".split()

SAMPLES = [
    *((X, f"y = x.{name}()") for name in RESULT + OPERAND + NOTHING),
    *((X, f"y = F.{name}(x)") for name in ACTIVATIONS),
    *((X, f"y = nn.{name}()(x)") for name in MODULES),
    *((X, f"y = x.{call}") for call in ("softmax(-1)", "log_softmax(-1)", "clamp(0, 0.5)", "std()", "prod()")),
    *((X, f"y = x.{call}") for call in ("amax(1)", "amin(1)", "cumprod(1)", "logsumexp(1)", "norm(dim=-1)")),
    *((X, f"y = x.{call}") for call in ("view(8, 4)", "transpose(0, 1)", "reshape(-1)", "unsqueeze(0)")),
    *((X, C, f"y = {text}") for text in ("x * c", "c * x", "x / c", "c / x", "x + c", "x - c", "x * 2", "x / 2", "2 / x")),
    *((X, U, f"y = {text}") for text in ("x * u", "x / u", "x + u", "x ** u", "torch.cat([x, u])", "torch.stack([x, u])")),
    (X, "y = x ** 2"),
    (X, "y = 2 ** x"),
    (X, W, "y = x @ w"),
    (C, W, "y = c @ w"),
    (X, W, "y = torch.matmul(x, w)"),
    (X, W, "y = torch.mm(x, w)"),
    (X, W, "y = torch.einsum('ij,jk->ik', x, w)"),
    (B, D, "y = torch.bmm(b, d)"),
    (B, D, "y = b @ d"),
    (X, W, U, "y = torch.addmm(u, x, w)"),
    (X, W, V, "y = F.linear(x, w, v)"),
    (C, W, V, "y = F.linear(c, w, v)"),
    (I, K, "y = F.conv2d(i, k)"),
    (X, "y = nn.Linear(8, 2)(x)"),
    (C, "y = nn.Linear(8, 2)(c)"),
    (I, "y = nn.Conv2d(4, 2, 3)(i)"),
    (X, M, "y = x.masked_fill(m, 0.0)"),
    (X, U, M, "y = torch.where(m, x, u)"),
    (X, T, "y = x.index_select(1, t)"),
    (X, T, "y = x[t]"),
    (X, "y = x[0]"),
    (I, "y = F.max_pool2d(i, 2)"),
    (I, "y = nn.MaxPool2d(2)(i)"),
    (I, "y = F.avg_pool2d(i, 2)"),
    (I, "y = F.interpolate(i, scale_factor=2)"),
    (X, "y = F.dropout(x, 0.5)"),
    (X, "y = nn.Dropout(0.5)(x)"),
    (X, T, "y = F.cross_entropy(x, t)"),
    (X, T, "y = nn.CrossEntropyLoss()(x, t)"),
    *((X, C, f"y = F.{name}(x, c)") for name in ("mse_loss", "smooth_l1_loss", "l1_loss")),
    (X, C, "y = F.binary_cross_entropy_with_logits(x, c)"),
    (Q, "y = F.scaled_dot_product_attention(q, q, q)"),
    (X, V, "y = F.layer_norm(x, (8,), v)"),
    (X, "y = nn.LayerNorm(8)(x)"),
    (I, "y = nn.BatchNorm2d(4)(i)"),
    (I, "y = nn.GroupNorm(2, 4)(i)"),
    (X, "y = x.topk(2)[0]"),
    (X, "y = x.max(0)[0]"),
    (X, C, "y = x.clone().mul_(c)"),
    (X, "y = x.clone().relu_()"),
    (T, "y = nn.Embedding(5, 8)(t)"),
    (C, "y = c.sigmoid()"),
    (X, "with torch.no_grad():\n    y = x.sigmoid()"),
]


def answer(program):
    *setup, last = program
    scope = {"torch": torch, "nn": torch.nn, "F": torch.nn.functional}
    for line in setup:
        exec(line, scope)
    names = [name for name, value in scope.items() if isinstance(value, torch.Tensor)]
    kept = []

    def note(tensor):
        kept.append(tensor)
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(note, lambda tensor: tensor):
        exec(last, scope)
    storage = lambda tensor: tensor.untyped_storage().data_ptr()
    y = scope["y"]
    known = {**{storage(scope[name]): name for name in names}, storage(y): "y"}
    if y.untyped_storage().data_ptr() in {storage(scope[name]) for name in names}:
        known = {storage(scope[name]): name for name in names}
    # The weights of a layer that was made in the line are its own affair, and so are statistics, a number or two a row.
    parameter = torch.nn.Parameter
    largest = max(scope[name].numel() for name in names)
    beside = [
        t.numel() * t.element_size()
        for t in kept
        if storage(t) not in known
        and not isinstance(t, parameter)
        and not isinstance(t._base, parameter)
        and t.numel() * 8 > largest
    ]
    return {
        "program": [*setup, last],
        "keeps": sorted({known[storage(t)] for t in kept if storage(t) in known}),
        "beside": max(beside, default=0),
    }


OUTPUT.write_text(json.dumps({"torch": torch.__version__, "samples": [answer(s) for s in SAMPLES]}, indent=1) + "\n")
