import { expect, it } from 'vitest';
import { hover } from '../../engine/index.ts';
import { analysisOf } from '../rules/program.ts';

const TEXT = `import torch


def known():
    """A text so long that what follows stands further on than all that is in the function below."""
    x = torch.zeros(2, 3)
    y = x.t()
    z = x + 1
    return y, z


def other(table):
    for x in table:
        print(x)


def scaled(u, a):
    # a: [B, C]
    v = u.exp()
    w = v * a
    return v, w


class Stem(torch.nn.Module):
    def __init__(self, stride):
        super().__init__()
        self.conv = torch.nn.Conv2d(3, 8, 3, stride, padding=stride // 2)

    def forward(self, image):
        height = image.shape[2]
        features = self.conv(image)
        return features.flatten(2)


x = 4
y = torch.zeros(x)
`;

/** The card's tensor for the name that stands last in the first line that is spelled so. */
async function tensorAt(line: string, name: string) {
  const offset = TEXT.indexOf(line) + line.lastIndexOf(name);
  return hover(await analysisOf(TEXT), offset)?.card.tensors[0] ?? null;
}

/** What the card says of the name that stands last in the first line that is spelled so. */
async function shapeAt(line: string, name: string): Promise<string | null> {
  return (await tensorAt(line, name))?.shape?.join(', ') ?? null;
}

it('a name is what it is where it stands', async () => {
  expect(await shapeAt('    x = torch.zeros(2, 3)', 'x')).toBe('2, 3');
  expect(await shapeAt('    y = x.t()', 'x')).toBe('2, 3');
  expect(await shapeAt('    y = x', 'y')).toBe('3, 2');
  expect(await shapeAt('y = torch.zeros(x)', 'y')).toBe('4');
});

it('a name that an unknown holds is not what another function calls so', async () => {
  expect(await shapeAt('    for x', 'x')).toBeNull();
  expect(await shapeAt('        print(x', 'x')).toBeNull();
  expect(await shapeAt('x = 4', 'x')).toBeNull();
});

it('an operand that may have been broadcast has no more dims for it', async () => {
  expect(await shapeAt('    w = v * a', 'w')).toBe('..., B, C');
  expect(await shapeAt('    w = v * a', 'v')).not.toContain('B');
});

it('the card spells out the formula that stands behind a name', async () => {
  const tensor = await tensorAt('        features = self', 'features');
  expect(tensor?.shape?.slice(2)).toEqual(['features.shape[2]', 'features.shape[3]']);
  expect(tensor?.names[0]).toEqual({
    name: 'features.shape[2]',
    formula: '(height + 2*(self.conv.stride[0]//2) - 3)//self.conv.stride[0] + 1',
  });
});
