import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { accountOf } from '../../engine/editor/account.ts';
import { analysisOf } from '../rules/program.ts';

interface Sample {
  readonly program: readonly string[];
  readonly keeps: readonly string[];
  readonly beside: number;
}

const recorded: { readonly samples: readonly Sample[] } = JSON.parse(
  readFileSync(new URL('../ops/saved.json', import.meta.url), 'utf8'),
);

describe('PyTorch, by torch.autograd.graph.saved_tensors_hooks', () => {
  for (const { program, keeps, beside } of recorded.samples) {
    test(program.at(-1) ?? '', async () => {
      const text = ['import torch', 'import torch.nn as nn', 'import torch.nn.functional as F', ...program].join('\n');
      const analysis = await analysisOf(`${text}\n`);
      const [trace] = analysis.traces.filter((each) => each.function === '<module>');
      if (trace === undefined) throw new Error('no module');
      const lines = accountOf(trace, analysis.module.body, null).lines;
      const line = lines.at(-1);
      const nameOf = new Map(line?.storages.map(({ storage, views }) => [storage, views[0]?.name]));
      const kept = line?.transformations.flatMap(({ keptForBackward }) => keptForBackward) ?? [];
      const names = kept.flatMap(({ storage }) => nameOf.get(storage ?? '') ?? []);
      expect([...new Set(names)].sort()).toEqual(keeps);
      const unseen = kept.filter(({ storage }) => nameOf.get(storage ?? '') === undefined);
      // Statistics, one number or two a row, are in neither.
      const large = unseen.map(({ bytes }) => Number(bytes)).filter((bytes) => keeps.length === 0 || bytes >= 64);
      expect(Math.max(0, ...large)).toBe(beside);
    });
  }
});
