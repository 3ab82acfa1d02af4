import { expect, it } from 'vitest';
import { HEAD, saidOf } from './said.ts';

it('a name of a method that is not called is a number of the settings, which hold no tensors', async () => {
  const text = `${HEAD}class Block(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.proj = nn.Linear(config.dim, config.size)
        dim = getattr(config, "head_dim", None) or config.dim // config.heads
        self.steps = nn.Buffer(1.0 / (config.base ** (torch.arange(0, dim, 2) / dim)))

    def forward(self, x):
        B, T, C = x.shape
        return self.proj(x) + self.steps[0]
`;
  expect(await saidOf(text, 'Block.forward', 'self.proj(x)')).toEqual(['any: B, T, config.size']);
  expect(await saidOf(text, 'Block.forward', 'self.steps[0]')).toEqual(['any: ']);
});

it('a size that has no other name is called after what gave it, if that has one; a formula of known names stays', async () => {
  const text = `${HEAD}class Net(nn.Module):
    def __init__(self, stages, patch):
        super().__init__()
        self.stages = nn.Sequential(*stages)
        self.stem = nn.Conv2d(3, 8, patch, patch)

    def forward(self, x):
        B, C, H, W = x.shape
        x = self.stages(self.stem(x)).reshape(B, 8, -1)
        return x
`;
  expect(await saidOf(text, 'Net.forward', 'self.stem(x)')).toEqual(['any: B, 8, H//patch, W//patch']);
  expect(await saidOf(text, 'Net.forward', 'self.stages(self.stem(x)).reshape(B, 8, -1)')).toEqual(['any: B, 8, size']);
});

it('a size that nothing else names is called after the local tensor that has it', async () => {
  const text = `${HEAD}def f(x):
    # x: [N, C]
    places = x.nonzero()
    print(x.shape)
    return places.t()
`;
  expect(await saidOf(text, 'f', 'places.t()')).toEqual(['any: 2, places.shape[0]']);
});

it('a size made of numbers that parts of an object hold is called after the local tensor that has it', async () => {
  const text = `${HEAD}class Patches(nn.Module):
    def __init__(self, width, patch):
        super().__init__()
        self.proj = nn.Conv2d(3, width, patch, patch)
        print(self.proj.weight, self.proj.out_channels)

    def forward(self, x):
        y = self.proj(x)
        print(x.shape)
        return y.flatten(2)
`;
  const width = 'any: x.shape[0], self.proj.out_channels';
  expect(await saidOf(text, 'Patches.forward', 'self.proj(x)')).toEqual([`${width}, y.shape[2], y.shape[3]`]);
  expect(await saidOf(text, 'Patches.forward', 'y.flatten(2)')).toEqual([`${width}, y.shape[2]*y.shape[3]`]);
});
