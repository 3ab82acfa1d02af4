import { int, type SymInt } from '../symbols/index.ts';
import { contiguous, DTYPES, type DType, layoutOf, storageNbytes, type Tensor } from '../tensor/index.ts';
import { tupleOf, type Value } from '../values/value.ts';
import { readLiteral } from './literal.ts';
import type { Parameter, Signature } from './signature.ts';

/** An argument of a sample, in a form that a Python program can read too. */
export type SampleArgument =
  | {
      readonly is: 'tensor';
      readonly shape: readonly number[];
      readonly stride: readonly number[] | null;
      readonly dtype: DType;
      readonly elements: readonly number[] | null;
    }
  | { readonly is: 'tensors'; readonly items: readonly SampleArgument[] }
  | { readonly is: 'literal'; readonly text: string };

export interface Sample {
  readonly args: readonly SampleArgument[];
  readonly keywords: Readonly<Record<string, SampleArgument>>;
  /** PyTorch raises. */
  readonly raises: boolean;
}

/** Reads a sample; the form stands in op.ts. It is our own source, so a malformed one throws. */
export function readSample(signature: Signature, text: string): Sample {
  const tokens = text.split(/ {2,}/).filter((token) => token !== '');
  const raises = tokens[tokens.length - 1] === '!';
  const args: SampleArgument[] = [];
  const keywords: Record<string, SampleArgument> = {};
  const positional = signature.parameters.filter((parameter) => !parameter.keywordOnly);
  for (const token of raises ? tokens.slice(0, -1) : tokens) {
    const [, name, value] = /^(\w+)=(.+)$/.exec(token) ?? [];
    if (name !== undefined && value !== undefined)
      keywords[name] = readArgument(
        value,
        signature.parameters.find((parameter) => parameter.name === name),
      );
    else args.push(readArgument(token, positional[args.length] ?? positional[positional.length - 1]));
  }
  return { args, keywords, raises };
}

function readArgument(token: string, parameter: Parameter | undefined): SampleArgument {
  if (token.startsWith('{')) {
    const items = [...token.slice(1, -1).matchAll(/[([][^)]*?[)\]](?:\/\([^)]*\))?(?::\w+)?/g)].map(([item]) =>
      readTensor(item),
    );
    return { is: 'tensors', items };
  }
  const types = parameter?.types ?? ['Tensor'];
  const tensor = types.some((type) => type === 'Tensor' || type === 'any' || type === 'Tensor[]');
  const bare = token.startsWith('(') && tensor;
  return bare || /\)\/\(|[)\]]:\w+$/.test(token) ? readTensor(token) : { is: 'literal', text: token };
}

function readTensor(token: string): SampleArgument {
  const [, shape, stride, dtypeText] = /^([([].*?[)\]])(?:\/(\([^)]*\)))?(?::(\w+))?$/.exec(token) ?? [];
  const dtype = DTYPES.find((candidate) => candidate === (dtypeText ?? 'float32'));
  if (shape === undefined || dtype === undefined) throw new Error(`not a tensor: ${token}`);
  if (shape.startsWith('(')) {
    const strides = stride === undefined ? null : numbers(stride);
    return { is: 'tensor', shape: numbers(shape), stride: strides, dtype, elements: null };
  }
  const elements = numbers(shape);
  const first = /^\[+[^\]]*\]/.exec(shape)?.[0] ?? '[]';
  const depth = first.lastIndexOf('[') + 1;
  const last = numbers(first).length;
  const sizes = depth === 1 ? [elements.length] : [elements.length / last, last];
  return { is: 'tensor', shape: sizes, stride: null, dtype, elements };
}

const numbers = (text: string): number[] => (text.match(/-?\d+/g) ?? []).map(Number);

/** The argument as a value; every tensor gets an identity and a storage of its own from `next`. */
export function sampleValue(argument: SampleArgument, next: () => number): Value {
  if (argument.is === 'tensors') return tupleOf(argument.items.map((item) => sampleValue(item, next)));
  if (argument.is === 'literal') {
    const value = readLiteral(argument.text);
    if (value === null) throw new Error(`not a literal: ${argument.text}`);
    return value;
  }
  const sizes = argument.shape.map(int);
  const layout =
    argument.stride === null
      ? contiguous(sizes)
      : layoutOf(
          sizes,
          argument.stride.map((step): SymInt => int(step)),
        );
  const tensor: Tensor = {
    kind: 'tensor',
    id: next(),
    layout,
    dtype: argument.dtype,
    device: 'cpu',
    requiresGrad: false,
    storage: { id: next(), nbytes: storageNbytes(layout, argument.dtype), origin: { is: 'fresh', op: 'sample' } },
    assumes: [],
    elements: argument.elements,
  };
  return tensor;
}
