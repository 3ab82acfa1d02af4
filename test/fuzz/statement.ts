/** One line of a program, and what a report calls it. */
export interface Statement {
  readonly text: string;
  /** The op, module or kind of statement, by which failures are grouped. */
  readonly op: string;
  /** Makes a tensor out of nothing, with tensors in between that have no name. */
  readonly fresh: boolean;
}

export type Program = readonly Statement[];

/** Every program begins with these; the driver has the same names. */
export const HEADER = `${[
  'import math',
  'import operator',
  'import einops',
  'import einops.layers.torch',
  'import torch',
  'import torch.nn as nn',
  'import torch.nn.functional as F',
  'import torchvision',
].join('\n')}\n`;

/** What PyTorch is asked for: the lines. */
export const linesOf = (program: Program): string[] => program.map(({ text }) => text);

export const targetOf = ({ text }: Statement): string | null => /^([a-z]\w*) = /.exec(text)?.[1] ?? null;

/** The names that a statement reads. Variables of programs are `v0`, `v1`, … */
export const readsOf = ({ text }: Statement): ReadonlySet<string> =>
  new Set(text.replace(/^[a-z]\w* = /, '').match(/\bv\d+\b/g) ?? []);

/** A tensor that a program can name: a variable, or an item of one. */
export interface Readable {
  readonly text: string;
  readonly shape: readonly number[];
  readonly dtype: string;
}
