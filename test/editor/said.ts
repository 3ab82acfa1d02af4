import { facts } from '../../engine/index.ts';
import { analysisOf } from '../rules/program.ts';

/** What is said of the result of each expression of a function that is spelled so, one for each kind of call. */
export async function saidOf(text: string, name: string, expression: string): Promise<readonly (string | null)[]> {
  const rows = facts(await analysisOf(text)).filter(
    (row) => row.function === name && row.kind === 'expression' && text.slice(row.start, row.end) === expression,
  );
  return rows.map(({ context, tensors }) => {
    const shape = tensors?.[0]?.shape;
    return `${context ?? 'any'}: ${shape ? shape.map((size) => size ?? '?').join(', ') : '?'}`;
  });
}

export const HEAD = 'import torch\nfrom torch import nn\n\n\n';
