import { expect, it } from 'vitest';
import { facts } from '../../engine/index.ts';
import { analysisOf } from '../rules/program.ts';
import { HEAD, saidOf } from './said.ts';

it('objects of one class that get the same sizes: what is said holds for each of them', async () => {
  const text = `${HEAD}class Project(nn.Module):
    def __init__(self, inner, outer):
        super().__init__()
        self.conv = nn.Conv2d(inner, outer, 2, 2)
        print(self.conv.out_channels)

    def forward(self, x):
        return self.conv(x)


class Two(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem, self.p, self.q = Project(3, 64), Project(64, 32), Project(64, 16)

    def forward(self, x):
        x = self.stem(x)
        return self.p(x), self.q(x)
`;
  expect(await saidOf(text, 'Project.forward', 'self.conv(x)')).toEqual([
    'any: x.shape[0], self.conv.out_channels, x.shape[2]//2, x.shape[3]//2',
  ]);
});

it('objects that are built of other parts agree in what they do alike', async () => {
  const text = `${HEAD}class Mix(nn.Module):
    def __init__(self, dim, last):
        super().__init__()
        self.fc = nn.Linear(dim, 5) if last else nn.Conv2d(dim, 5, 1)

    def forward(self, x):
        y = x * 2
        return self.fc(y)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = Mix(8, True), Mix(8, False)

    def forward(self, x):
        B, C, H, W = x.shape
        assert C == 8 and W == 8
        return self.a(x), self.b(x)
`;
  expect((await saidOf(text, 'Mix.forward', 'x * 2')).at(-1)).toBe(
    'x: [n0, 8, n1, 8] contiguous: x.shape[0], 8, x.shape[2], 8',
  );
  expect((await saidOf(text, 'Mix.forward', 'self.fc(y)')).at(-1)).toMatch(
    /^(any: \?|.*: x\.shape\[0\], \?, x\.shape\[2\], \?)$/,
  );
});

it('a kind of call that no row is for is not told of by the rows of a kind that it fits', async () => {
  const text = `${HEAD}class Mix(nn.Module):
    def __init__(self, last):
        super().__init__()
        self.fc = nn.Linear(8, 5) if last else nn.Conv2d(8, 5, 1)

    def forward(self, x):
        return self.fc(x)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = Mix(True), Mix(False)

    def forward(self, x):
        B, C, H, W = x.shape
        assert W == 8
        a = self.a(x)
        ${[2, 3, 4, 5, 6].map((size) => `self.a(torch.zeros(B, ${size}, 3, 8))`).join('\n        ')}
        return a, self.b(torch.zeros(B, 8, 4, 8))
`;
  const said = await saidOf(text, 'Mix.forward', 'self.fc(x)');
  const own = said.filter((line) => line?.startsWith('x: [n0, n1, n2, 8]'));
  expect(own.every((line) => line === 'x: [n0, n1, n2, 8] contiguous: x.shape[0], ?, x.shape[2], ?')).toBe(true);
});

it('a call of which the layout is not known may be of any kind: what is another number there is told of none', async () => {
  const text = `${HEAD}class Thin(nn.Module):
    def __init__(self, ratio, inner=None):
        super().__init__()
        self.ratio = ratio
        self.inner = inner

    def forward(self, x):
        B, N, C = x.shape
        if self.inner is not None:
            x = self.inner(x)
        return torch.zeros(N // self.ratio), x.exp()


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = Thin(4, nn.Identity()), Thin(2)

    def forward(self, x, mix):
        B, N, C = x.shape
        y = mix(x)
        P, Q, R = y.shape
        return self.a(x.transpose(1, 2)), self.b(y)
`;
  expect(await saidOf(text, 'Thin.forward', 'torch.zeros(N // self.ratio)')).toEqual([
    'x: [n0, n1, n2] strides (n1*n2, 1, n1): ?',
    'any: N//self.ratio',
  ]);
  expect(await saidOf(text, 'Thin.forward', 'x.exp()')).toContain('x: [n0, n1, n2] strides (n1*n2, 1, n1): B, N, C');
});

const BLOCKS = `from typing import Type, Union


class Plain(nn.Module):
    expansion = 1

    def __init__(self, inner: int, planes: int):
        super().__init__()
        self.conv = nn.Conv2d(inner, planes, 3, padding=1)

    def forward(self, x: torch.Tensor):
        return self.conv(x)


class Wide(nn.Module):
    expansion = 4

    def __init__(self, inner: int, planes: int):
        super().__init__()
        self.conv = nn.Conv2d(inner, planes * self.expansion, 1)

    def forward(self, x: torch.Tensor):
        return self.conv(x)
`;

it('a class that is one of several: what its numbers tell apart is made of them', async () => {
  const text = `${HEAD}${BLOCKS}

class Net(nn.Module):
    def __init__(self, block: Type[Union[Plain, Wide]]):
        super().__init__()
        self.stage = block(3, 64)
        self.head = nn.Conv2d(64 * block.expansion, 10, 1)

    def forward(self, x: torch.Tensor):
        x = self.stage(x)
        return self.head(x)
`;
  expect(await saidOf(text, 'Net.forward', 'self.stage(x)')).toEqual([
    'any: x.shape[0], 64*block.expansion, x.shape[2], x.shape[3]',
  ]);
  expect(await saidOf(text, 'Net.forward', 'self.head(x)')).toEqual(['any: x.shape[0], 10, x.shape[2], x.shape[3]']);
});

it('classes that the functions of a file give for a parameter are those that it may be', async () => {
  const text = `${HEAD}${BLOCKS}

class Net(nn.Module):
    def __init__(self, block):
        super().__init__()
        self.stage = block(3, 64)
        self.width = 64 * block.expansion

    def forward(self, x: torch.Tensor):
        return self.stage(x)


def plain():
    return Net(Plain)


def wide():
    return Net(**dict(block=Wide))
`;
  expect(await saidOf(text, 'Net.forward', 'self.stage(x)')).toEqual([
    'any: x.shape[0], self.width, x.shape[2], x.shape[3]',
  ]);
});

it('the first turn of a loop that asks for it is told apart', async () => {
  const text = `${HEAD}class Stage(nn.Module):
    def __init__(self, inner: int, outer: int, depth: int):
        super().__init__()
        self.blocks = nn.Sequential(*[
            nn.Conv2d(inner if i == 0 else outer, outer, 3, stride=2 if i == 0 else 1, padding=1) for i in range(depth)
        ])

    def forward(self, x: torch.Tensor):
        return self.blocks(x)
`;
  expect(await saidOf(text, 'Stage.forward', 'self.blocks(x)')).toEqual([
    'any: x.shape[0], outer, ceil_div(x.shape[2], 2), ceil_div(x.shape[3], 2)',
  ]);
});

it('dims that every way found out are the same dims behind them', async () => {
  const text = `${HEAD}class Pick(nn.Module):
    def __init__(self, outer: int, wide: bool):
        super().__init__()
        self.conv = nn.Conv2d(3, outer, 3, padding=1) if wide else nn.Conv2d(3, outer, 1)

    def forward(self, x):
        return self.conv(x)
`;
  expect(await saidOf(text, 'Pick.forward', 'self.conv(x)')).toEqual([
    'any: x.shape[0], outer, x.shape[2], x.shape[3]',
  ]);
});

it('what is passed and not known is one thing wherever the function uses it', async () => {
  const text = `${HEAD}def angles(x, positions):
    frequencies = torch.ones(8)[None, :, None].expand(positions.shape[0], -1, 1)
    return (frequencies @ positions[:, None, :].float()).transpose(1, 2)


def f(x, loader):
    B, T, C = x.shape
    return angles(x, loader.read() or loader.other())
`;
  expect(await saidOf(text, 'f', 'angles(x, loader.read() or loader.other())')).toEqual(['any: angles_0, angles_1, 8']);
});

it('a dict that is passed whole may be one of several: what some hold is perhaps passed', async () => {
  const text = `${HEAD}def f(x, wide):
    # x: [B, T, C]
    options = {}
    if wide:
        options = {"dtype": torch.float64}
    return torch.softmax(x, -1, **options)
`;
  expect(await saidOf(text, 'f', 'torch.softmax(x, -1, **options)')).toEqual(['any: B, T, C']);
});

it('what is converted by `type`, `int` or `bool` is a tensor; what has a type is not', async () => {
  const text = `${HEAD}def convert(image, mask, options):
    a = image.type(torch.float64)
    b = mask.bool()
    return a, b, options.type
`;
  expect(await saidOf(text, 'convert', 'image.type(torch.float64)')).toEqual(['any: ?']);
  expect(await saidOf(text, 'convert', 'mask.bool()')).toEqual(['any: ?']);
  expect(await saidOf(text, 'convert', 'options.type')).toEqual([]);
});

it('how many dims a tensor has may be asked once and looked at later', async () => {
  const text = `${HEAD}def batched(x, ndim):
    has = x.dim()
    if has == ndim - 1:
        x = x.unsqueeze(0)
    elif has != ndim:
        raise ValueError(x.shape)
    return x


def f(x):
    x = batched(x, 4)
    return x.flatten(2)


def g(x):
    if (ndim := len(x.shape)) == 2:
        return x.t()
`;
  expect(await saidOf(text, 'f', 'x.flatten(2)')).toEqual(['any: x.shape[0], x.shape[1], x.shape[3]*x.shape[2]']);
  expect(await saidOf(text, 'g', 'x.t()')).toEqual(['any: x_1, t_1']);
});

it('an activation that is made by a name keeps sizes, whatever class it is', async () => {
  const text = `${HEAD}class Gate(nn.Module):
    def __init__(self, dim, activation=nn.ReLU, gate_activation=nn.Sigmoid):
        super().__init__()
        self.fc = nn.Linear(dim, 4)
        self.activation = activation()
        self.gate_activation = gate_activation()

    def forward(self, x):
        B, N, C = x.shape
        y = self.activation(self.fc(x))
        return y * self.gate_activation(y)
`;
  expect(await saidOf(text, 'Gate.forward', 'y * self.gate_activation(y)')).toEqual(['any: B, N, 4']);
});

it('a norm of torch that is made with further arguments keeps the layout that it gets', async () => {
  const text = `${HEAD}from functools import partial
from torchvision.ops import Conv2dNormActivation


class Block(nn.Module):
    def __init__(self, dim, norm_layer, act):
        super().__init__()
        self.conv = Conv2dNormActivation(3, dim, norm_layer=norm_layer, activation_layer=act)

    def forward(self, x):
        return self.conv(x)


class Net(nn.Module):
    def __init__(self, dim, norm_layer=None):
        super().__init__()
        if norm_layer is None:
            norm_layer = partial(nn.BatchNorm2d, eps=1e-3)
        self.block = Block(dim, norm_layer, nn.ReLU)

    def forward(self, x):
        return self.block(x)
`;
  const rows = facts(await analysisOf(text)).filter(({ function: name }) => name === 'Block.forward');
  expect(rows.flatMap(({ tensors }) => tensors?.[0]?.stride?.join(' ') ?? [])).toEqual([
    'dim*x.shape[2]*x.shape[3] x.shape[2]*x.shape[3] x.shape[3] 1',
  ]);
});

it('what is a number with a fraction by default is a number', async () => {
  const text = `${HEAD}class Scale(nn.Module):
    def __init__(self, dim, init=1e-6, dropout=0.1):
        super().__init__()
        self.gamma = nn.Parameter(init * torch.ones(dim))
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        B, N, C = x.shape
        return self.dropout(self.gamma * x)
`;
  expect(await saidOf(text, 'Scale.forward', 'self.gamma * x')).toEqual(['any: B, N, C']);
});
