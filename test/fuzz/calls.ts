/** Calls of ops: every entry of the registry, drawn from its samples. A new op is fuzzed as soon as it exists. */
import { type Entry, entries } from '../../engine/ops/index.ts';
import { readSample, type SampleArgument } from '../../engine/ops/sample.ts';
import type { Chance } from './chance.ts';
import type { Readable } from './statement.ts';
import { anyShape, anySize, DTYPES, freshTensor } from './tensors.ts';

/** Makes a variable of a fresh tensor, and gives its name. */
export type Bind = (text: string) => string;

/** A call in Python; its tensors are names that `bind` made or readables that stood before. */
export interface Call {
  readonly op: string;
  readonly text: string;
  /** The same call with another keyword. */
  readonly withKeyword: (keyword: string) => string;
  readonly takesOut: boolean;
  /** What its value is, as the signature says. */
  readonly returns: string;
}

const ENTRIES = entries().filter(({ samples }) => samples.length > 0);

/** What a call may draw on. */
export interface Surroundings {
  readonly readables: readonly Readable[];
  readonly bind: Bind;
  readonly libraries: readonly string[];
}

export function anyCall(chance: Chance, around: Surroundings): Call | null {
  const entry = chance.oneOf(ENTRIES);
  const sample = entry && chance.oneOf(entry.samples);
  const name = entry && chance.oneOf(entry.names.filter((name) => isInstalled(name, around.libraries)));
  if (entry === undefined || sample === undefined || name === undefined) return null;
  return callOf(chance, entry, name, sample, around);
}

/** Whether a qualified name is one of torch, of Python, or of a library that is there. */
export function isInstalled(name: string, libraries: readonly string[]): boolean {
  const [root = '', ...path] = name.split('.');
  if (root === 'torch' || root === 'operator') return true;
  // A submodule (`einops.einops.rearrange`) would have to be imported.
  return libraries.includes(root) && (path.length === 1 || root !== 'einops' || path[0] === 'layers');
}

function callOf(chance: Chance, entry: Entry, name: string, text: string, around: Surroundings): Call | null {
  const { args, keywords } = readSample(entry.signature, text);
  const write = argumentWriter(chance, around);
  const positional = args.map(write);
  const named = Object.entries(keywords).map(([keyword, argument]) => `${keyword}=${write(argument)}`);
  const method = name.startsWith('torch.Tensor.');
  const [self, ...rest] = positional;
  if (method && (self === undefined || args[0]?.is !== 'tensor')) return null;
  const given = dropLast(chance, method ? rest : positional);
  const head = method ? `${self}.${name.slice('torch.Tensor.'.length)}` : shortName(name);
  const written = (more: readonly string[]): string => `${head}(${[...given, ...named, ...more].join(', ')})`;
  return {
    op: name,
    text: written([]),
    withKeyword: (keyword) => written([keyword]),
    takesOut: entry.out !== null && !method,
    returns: entry.signature.text.slice(entry.signature.text.lastIndexOf('->') + 3),
  };
}

export const shortName = (name: string): string =>
  name.replace(/^torch\.nn\.functional\./, 'F.').replace(/^torch\.nn\./, 'nn.');

/** Sometimes without the last argument, for its default. */
const dropLast = (chance: Chance, args: readonly string[]): readonly string[] =>
  args.length > 1 && chance.happens(0.02) ? args.slice(0, -1) : args;

/**
 * Writes the arguments of a sample with other sizes, layouts and dtypes. A size keeps its meaning: where 3 becomes 5, it does
 * so in every tensor of the call and most lists of sizes.
 */
export function argumentWriter(
  chance: Chance,
  { readables, bind }: Surroundings,
): (argument: SampleArgument) => string {
  const sizes = new Map<number, number>();
  const keeps = chance.happens(0.3);
  const careless = chance.happens(0.15);
  const sizeOf = (size: number): number => {
    if (careless && chance.happens(0.2)) return anySize(chance);
    if (keeps) return size;
    const known = sizes.get(size) ?? (chance.happens(0.5) ? size : anySize(chance));
    sizes.set(size, known);
    return known;
  };
  const dtypeOf = (dtype: string): string => (chance.happens(0.12) ? chance.pick(DTYPES) : dtype);
  const tensor = (argument: SampleArgument & { readonly is: 'tensor' }): string => {
    const { shape, elements } = argument;
    if (elements !== null && chance.happens(0.9)) return bind(elementsOf(shape, elements, argument.dtype));
    const stood = readables.filter(
      (readable) =>
        readable.shape.length === shape.length && (readable.dtype === argument.dtype || chance.happens(0.1)),
    );
    const reused = chance.happens(0.55)
      ? chance.oneOf(stood)
      : chance.happens(0.03)
        ? chance.oneOf(readables)
        : undefined;
    if (reused) {
      if (reused.shape.length === shape.length)
        for (const [d, size] of shape.entries()) if (!sizes.has(size)) sizes.set(size, reused.shape[d] ?? size);
      return reused.text;
    }
    const made = careless && chance.happens(0.15) ? anyShape(chance) : shape.map(sizeOf);
    return bind(freshTensor(chance, made, dtypeOf(argument.dtype)));
  };
  const write = (argument: SampleArgument): string => {
    if (argument.is === 'tensor') return tensor(argument);
    if (argument.is === 'tensors') return `[${argument.items.map(write).join(', ')}]`;
    return anyLiteral(chance, argument.text, sizes);
  };
  return write;
}

function elementsOf(shape: readonly number[], elements: readonly number[], dtype: string): string {
  const list = `[${elements.join(', ')}]`;
  const shaped = shape.length === 1 ? '' : `.reshape(${shape.join(', ')})`;
  return `torch.tensor(${list}, dtype=torch.${dtype})${shaped}`;
}

/** A literal, sometimes another of its kind; sizes in lists follow the sizes of the tensors. */
function anyLiteral(chance: Chance, text: string, sizes: ReadonlyMap<number, number>): string {
  const named = text
    .replace(/^(contiguous_format|preserve_format|channels_last|channels_last_3d)$/, 'torch.$1')
    .replace(/^(-?)inf$/, '$1math.inf');
  if (/^(True|False)$/.test(named)) return chance.happens(0.3) ? chance.pick(['True', 'False']) : named;
  if (named.startsWith("'") || named.startsWith('torch.')) return named;
  const followed = /^[[(]/.test(named) && chance.happens(0.7) ? numbersIn(named, (n) => sizes.get(n) ?? n) : named;
  if (!chance.happens(0.2)) return followed;
  return numbersIn(followed, (n) => (chance.happens(0.5) ? chance.pick([n - 1, n + 1, -1, 0, 1, 2, -2]) : n));
}

const numbersIn = (text: string, other: (n: number) => number): string =>
  text.replace(/(?<![\w.]|\de-?)-?\d+(?![\w.])/g, (digits) => `${other(Number(digits))}`);
