import { expect, it } from 'vitest';
import { facts } from '../../engine/index.ts';
import { analysisOf } from '../rules/program.ts';
import { recorded } from './recording.ts';

/** Where torchvision is not installed, its names are still those of the modules that the recordings tell of. */
const SPELLINGS: readonly (readonly [string, string])[] = [
  ['from torchvision.ops import SqueezeExcitation', 'SqueezeExcitation'],
  ['from torchvision.ops.misc import SqueezeExcitation', 'SqueezeExcitation'],
  ['from torchvision import ops', 'ops.SqueezeExcitation'],
  ['import torchvision', 'torchvision.ops.SqueezeExcitation'],
  ['import torchvision.ops as O', 'O.SqueezeExcitation'],
];

const SAMPLE = 'train  torchvision.ops.SqueezeExcitation(4, 2)  (2, 4, 5, 6)/(120, 1, 24, 4)';

it.each(SPELLINGS)('%s', async (line, name) => {
  const answer = recorded[SAMPLE];
  if (answer === undefined || !('result' in answer)) throw new Error('no recording of this sample');
  const text = [
    line,
    'import torch',
    'x = torch.zeros(2, 4, 5, 6).contiguous(memory_format=torch.channels_last)',
    `y = ${name}(4, 2)(x)`,
    '',
  ].join('\n');
  const made = facts(await analysisOf(text))
    .flatMap((row) => row.tensors ?? [])
    .at(-1);
  const numbers = (sizes: readonly (string | null)[] | null | undefined) => sizes?.map(Number);
  expect({ shape: numbers(made?.shape), stride: numbers(made?.stride), dtype: made?.dtype }).toEqual(answer.result);
});

it('says nothing of what else torchvision has', async () => {
  const text = 'import torch, torchvision\ny = torchvision.models.resnet18()(torch.zeros(1, 3, 8, 8))\n';
  const made = facts(await analysisOf(text)).flatMap((row) => row.tensors ?? []);
  expect(made.map(({ shape }) => shape)).toEqual([['1', '3', '8', '8']]);
});
