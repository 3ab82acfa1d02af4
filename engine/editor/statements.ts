import type { FunctionTrace, TraceEvent } from '../evaluator/trace.ts';
import type { OpResult } from '../ops/outcome.ts';
import { written } from '../rules/sizes.ts';
import { type SymInt, simplify } from '../symbols/index.ts';
import { isFault } from '../tensor/fault.ts';
import { resolve } from '../tensor/index.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { asProducts } from './products.ts';

/** Sizes or strides in Python syntax; null stands for one, or all, that are not known. */
export type Sizes = readonly (string | null)[] | null;

export interface TensorFact {
  readonly path: string;
  readonly shape: Sizes;
  readonly stride: Sizes;
  readonly offset: string | null;
  readonly dtype: string | null;
  readonly storage: string;
  readonly sharing: Sharing;
  readonly assumes: readonly string[];
}

/** The same before it is written down. */
export interface Statement extends Omit<TensorFact, 'shape' | 'stride' | 'offset'> {
  readonly shape: Numbers;
  readonly stride: Numbers;
  readonly offset: Size;
}

/** Sizes or strides; of a tensor of unknown rank null, of one whose rank is known to differ that. */
export type Numbers = readonly Size[] | 'differs' | null;

/** What is said of a size, stride or offset: null says nothing, and `differs` that it is no one number. */
export type Size = Said | 'differs' | null;

/** A number as one analysis of a function has it. */
export interface Said {
  readonly trace: FunctionTrace;
  readonly value: SymInt;
  /** In the words of the function's source. */
  readonly text: string;
}

export type Sharing = 'same' | 'view' | 'copy' | 'unknown';

/** What came out of an event, with what it shares. */
export const tensorsOf = (trace: FunctionTrace, event: TraceEvent): readonly TensorFact[] =>
  statementsOf(trace, event).map(writtenDown);

export function statementsOf(trace: FunctionTrace, event: TraceEvent): readonly Statement[] {
  if (event.event === 'op')
    return event.outputs.map(({ path, tensor }) => statement(trace, path, tensor, sharingOf(event.result, path)));
  if (event.event !== 'value' || event.bound !== null) return [];
  return event.outputs.map(({ path, tensor }) => statement(trace, path, tensor, sharingAmong(tensor, event.inputs)));
}

function sharingOf(result: OpResult | Parameters<typeof isFault>[0], path: string): Sharing {
  if (isFault(result) || !isResult(result)) return 'unknown';
  if (result.is === 'tuple' || result.is === 'list') {
    const [, index, rest] = /^\[(\d+)\](.*)$/.exec(path) ?? [];
    const item = index === undefined ? undefined : result.items[Number(index)];
    return item ? sharingOf(item, rest ?? '') : 'unknown';
  }
  return result.is === 'same' ? 'same' : result.is === 'view' ? 'view' : result.is === 'fresh' ? 'copy' : 'unknown';
}

const isResult = (value: unknown): value is OpResult => typeof value === 'object' && value !== null && 'is' in value;

/** Of a call into the program: whether what came out lies in a storage that went in. */
function sharingAmong(tensor: Tensor, inputs: readonly Tensor[]): Sharing {
  if (inputs.some((input) => input.id === tensor.id)) return 'same';
  if (inputs.some((input) => input.storage.id === tensor.storage.id)) return 'view';
  return tensor.storage.origin.is === 'fresh' ? 'copy' : 'unknown';
}

export const tensorFact = (trace: FunctionTrace, path: string, tensor: Tensor, sharing: Sharing): TensorFact =>
  writtenDown(statement(trace, path, tensor, sharing));

export function statement(trace: FunctionTrace, path: string, tensor: Tensor, sharing: Sharing): Statement {
  return {
    path,
    ...describe(trace, tensor),
    dtype: tensor.dtype,
    storage: `s${tensor.storage.id}`,
    sharing,
    assumes: tensor.assumes,
  };
}

function describe(trace: FunctionTrace, tensor: Tensor): Pick<Statement, 'shape' | 'stride' | 'offset'> {
  const layout = resolve(tensor.layout, trace.facts);
  const text = (value: SymInt): string => written(trace, value);
  const said = (value: SymInt): Said => ({ trace, value: simplify(value, trace.facts), text: text(value) });
  const products = asProducts(layout, trace.facts, text);
  if (layout.front) return { shape: null, stride: null, offset: null };
  // Other files may make objects with other numbers.
  if (layout.shape.some((size) => isConfigured(trace, size)))
    return {
      shape: layout.shape.map((size) => (isConfigured(trace, size) ? null : said(size))),
      stride: null,
      offset: null,
    };
  return {
    shape: layout.shape.map(said),
    stride: layout.stride?.map((step, d) => ({ ...said(step), text: products?.[d] ?? text(step) })) ?? null,
    offset: layout.offset && said(layout.offset),
  };
}

/** Whether a size is a number with which an object was made that came from elsewhere, and none of the tensors that are passed. */
function isConfigured(trace: FunctionTrace, { constant }: SymInt): boolean {
  if (!trace.isFromElsewhere || constant === null || constant === 1) return false;
  const isPassed = trace.parameters.some(
    ({ value }) => value.kind === 'tensor' && value.layout.shape.some((size) => size.constant === constant),
  );
  return (
    !isPassed && [...trace.numbers].some(([name, value]) => name.startsWith('self.') && value.constant === constant)
  );
}

export const writtenDown = (of: Statement): TensorFact => ({
  ...of,
  shape: textsOf(of.shape),
  stride: textsOf(of.stride),
  offset: textOf(of.offset),
});

const textsOf = (numbers: Numbers): Sizes => (areSizes(numbers) ? numbers.map(textOf) : null);

const textOf = (size: Size): string | null => (isSaid(size) ? size.text : null);

export const isSaid = (size: Size | undefined): size is Said => typeof size === 'object' && size !== null;

/** Whether the rank is known. */
export const areSizes = (numbers: Numbers): numbers is readonly Size[] =>
  typeof numbers === 'object' && numbers !== null;
