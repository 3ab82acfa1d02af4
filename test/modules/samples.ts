import { readSample, type SampleArgument } from '../../engine/ops/sample.ts';
import { parseSignature } from '../../engine/ops/signature.ts';
import { activations } from './samples/activations.ts';
import { attentions } from './samples/attentions.ts';
import { classifiers } from './samples/classifiers.ts';
import { convolutions } from './samples/convolutions.ts';
import { einops } from './samples/einops.ts';
import { embeddings } from './samples/embeddings.ts';
import { lazies } from './samples/lazies.ts';
import { linears } from './samples/linears.ts';
import { losses } from './samples/losses.ts';
import { norms } from './samples/norms.ts';
import { pools } from './samples/pools.ts';
import { recurrents } from './samples/recurrents.ts';
import { shapes } from './samples/shapes.ts';
import { vision } from './samples/vision.ts';

/** One module, made and called in a mode, that both the engine and PyTorch answer. */
export interface ModuleQuestion {
  /** The sample itself: a recording under another key is stale. */
  readonly key: string;
  readonly training: boolean;
  readonly grad: boolean;
  /** The constructor call in Python; a class of another library than `torch.nn` has its full name. */
  readonly construction: string;
  readonly inputs: readonly Input[];
  readonly keywords: Readonly<Record<string, Input>>;
}

/** `again`: the very object that was given as that input. */
export type Input = SampleArgument | { readonly is: 'again'; readonly input: number };

/**
 * Mode, constructor, inputs: parted by two spaces. The mode is `train` or `eval`, `no_grad` is added to it. Inputs are
 * written as in the samples of ops; `^0` is the first input once more.
 */
const SAMPLES: readonly (readonly string[])[] = [
  linears,
  convolutions,
  norms,
  activations,
  pools,
  shapes,
  embeddings,
  recurrents,
  attentions,
  losses,
  lazies,
  classifiers,
  einops,
  vision,
];

const INPUTS = parseSignature('forward(*inputs: Tensor) -> any');

function read(key: string): ModuleQuestion {
  const [mode = '', construction = '', ...inputs] = key.split(/ {2,}/);
  const given = inputs.map((token): readonly [string | null, Input] => {
    const [, keyword, value] = /^(\w+)=(.+)$/.exec(token) ?? [];
    const [, again] = /^\^(\d)$/.exec(token) ?? [];
    if (again !== undefined) return [null, { is: 'again', input: Number(again) }];
    const [argument] = readSample(INPUTS, value ?? token).args;
    if (argument === undefined) throw new Error(`not an input: ${token}`);
    return [keyword ?? null, argument];
  });
  return {
    key,
    training: mode.startsWith('train'),
    grad: !mode.endsWith('no_grad'),
    construction,
    inputs: given.filter(([keyword]) => keyword === null).map(([, input]) => input),
    keywords: Object.fromEntries(given.flatMap(([keyword, input]) => (keyword === null ? [] : [[keyword, input]]))),
  };
}

/** The qualified name of the class that a constructor call names. */
export function className(construction: string): string {
  const name = construction.slice(0, construction.indexOf('('));
  return name.includes('.') ? name : `torch.nn.${name}`;
}

/** The file that records a module: its namespace. */
export const recordingOf = ({ construction }: ModuleQuestion): string =>
  className(construction).replace(/\.\w+$/, '.json');

export const moduleQuestions = (): readonly ModuleQuestion[] => SAMPLES.flat().map(read);
