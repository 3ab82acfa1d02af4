import { describe, expect, test } from 'vitest';
import type { Finding } from '../../engine/index.ts';
import { findingsIn, places } from './program.ts';

/** Rules about calls of library functions: what a specification cannot run for want of a GPU or of an older torch. */

const under = (torchVersion: string, text: string) => findingsIn(text, torchVersion);

function fixed(text: string, [finding]: readonly Finding[]): string {
  const edits = finding?.fixes[0]?.edits.toSorted((a, b) => b.start - a.start) ?? [];
  return edits.reduce((now, edit) => now.slice(0, edit.start) + edit.text + now.slice(edit.end), text);
}

const LOAD = 'import torch\ndef restore(path):\n    return torch.load(path)\n';

describe('torch.load without a word', () => {
  test.each(['1.13', '2.5'])('runs code under %s', async (version) => {
    const findings = await under(version, LOAD);
    expect(places(LOAD, findings)).toEqual(['3 warning[unsafe-load]']);
    expect(fixed(LOAD, findings)).toBe(LOAD.replace('(path)\n', '(path, weights_only=True)\n'));
  });

  test.each(['2.6', '2.13'])('does not under %s', async (version) => {
    expect(await under(version, LOAD)).toEqual([]);
  });

  test.each([
    'torch.load(path, pickle_module=dill)',
    'torch.load(path, **options)',
    'torch.load(path, weights_only=w)',
  ])('is not meant by %s', async (call) => {
    expect(await under('2.5', LOAD.replace('torch.load(path)', call))).toEqual([]);
  });
});

test('before 2.0 the storage is asked for by its older name', async () => {
  const text = 'import sys, torch\nx = torch.zeros(4)\nprint(sys.getsizeof(x))\n';
  expect(fixed(text, await under('1.13', text))).toContain('print(x.storage().nbytes())');
});

const PINS = 'import torch\nfrom torch.utils.data import DataLoader, Dataset, TensorDataset\n';

describe('a loader that is to pin CUDA tensors raises', () => {
  test('where the data set is made of them', async () => {
    const text = `${PINS}def loader(n):
    x = torch.zeros(n, 4).cuda()
    dataset = TensorDataset(x, torch.zeros(n))
    return DataLoader(dataset, batch_size=8, shuffle=True, pin_memory=True)
`;
    expect(places(text, await findingsIn(text))).toEqual(['6 error[pin-memory]']);
  });

  test('where its items are moved one by one', async () => {
    const text = `${PINS}class Images(Dataset):
    def __init__(self, images):
        self.images = images
    def __getitem__(self, i):
        return torch.tensor([1.0, 2.0]).cuda(), i

def loader(images):
    return DataLoader(Images(images), batch_size=8, pin_memory=True)
`;
    expect(places(text, await findingsIn(text))).toEqual(['10 error[pin-memory]']);
  });
});

describe('a keyword is added and dropped', () => {
  test.each([
    [
      'DataLoader(\n        data,\n        batch_size=8,\n    )',
      'DataLoader(\n        data,\n        batch_size=8, pin_memory=True,\n    )',
    ],
    ['DataLoader(data)', 'DataLoader(data, pin_memory=True)'],
  ])('%s', async (before, after) => {
    const text = `${PINS}def train(model, data):\n    loader = ${before}\n    for x in loader:\n        model(x.cuda())\n`;
    expect(fixed(text, await findingsIn(text))).toBe(text.replace(before, after));
  });

  test.each([
    ['x.to("cpu", non_blocking=True)', 'x.to("cpu")'],
    ['x.to("cpu", torch.float32, non_blocking=True, copy=True)', 'x.to("cpu", torch.float32, copy=True)'],
  ])('%s', async (before, after) => {
    const text = `import torch\ndef f(x):\n    y = ${before}\n    return y.sum()\n`;
    expect(fixed(text, await findingsIn(text))).toBe(text.replace(before, after));
  });
});
