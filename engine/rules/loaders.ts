import type { FunctionTrace } from '../evaluator/trace.ts';
import { product, type SymInt } from '../symbols/index.ts';
import type { Call, Expression } from '../syntax/ast.ts';
import { type DType, itemsize, resolve, type Tensor } from '../tensor/index.ts';
import { resultOf } from './flow.ts';
import { callsTo, keywordIn } from './library.ts';
import type { CheckedFile } from './rule.ts';
import { valuesOfName } from './training.ts';
import { calleeName } from './tree.ts';

/** What a `DataLoader` without `drop_last` yields of a dataset of known length. */
export interface Batches {
  readonly samples: SymInt;
  readonly size: SymInt;
  /** The rank of the dataset's first tensor. */
  readonly ndim: number;
  /** Bytes of one sample of it, where they are known. */
  readonly sampleBytes: number | null;
  /** The call of `DataLoader`, where it stands in the function itself. */
  readonly call: Call | null;
}

const LOADER: ReadonlySet<string> = new Set(['torch.utils.data.DataLoader']);

/** The batches that an iterable yields, where it is such a loader, also behind `enumerate` and `tqdm`. */
export function batchesOf(trace: FunctionTrace, file: CheckedFile, iter: Expression): Batches | null {
  const call = loaderIn(trace, file, iter);
  if (call === null) return null;
  for (const place of placesOf(trace, file)) {
    const loader = callsTo(place, LOADER).find((each) => each.call === call);
    if (loader === undefined) continue;
    const { event } = loader;
    if (event.open || SPECIAL.some((name) => keywordIn(call, name) !== null)) return null;
    const size = event.keywords.get('batch_size') ?? event.arguments[1];
    const data = firstTensor(trace, file, call.args[0] ?? keywordIn(call, 'dataset')?.value);
    const [samples] = data === null ? [] : data.shape;
    if (size?.kind !== 'int' || data === null || samples === undefined) return null;
    return {
      samples,
      size: size.value,
      ndim: data.shape.length,
      sampleBytes: bytesOf(data.shape.slice(1), data.dtype),
      call: place === trace ? call : null,
    };
  }
  return null;
}

/** With these the loader yields other batches, or whole ones alone. */
const SPECIAL = ['drop_last', 'batch_sampler', 'sampler', 'collate_fn'];

const placesOf = (trace: FunctionTrace, file: CheckedFile): readonly FunctionTrace[] => {
  const outer = file.traces.find((other) => other.function === '<module>');
  return outer === undefined || outer === trace ? [trace] : [trace, outer];
};

function loaderIn(trace: FunctionTrace, file: CheckedFile, iter: Expression): Call | null {
  if (iter.kind === 'Name') {
    const [value, ...others] = valuesOfName(file, trace, iter.id);
    return value?.kind === 'Call' && others.length === 0 && calleeName(value) === 'DataLoader' ? value : null;
  }
  if (iter.kind !== 'Call') return null;
  const name = calleeName(iter);
  if (name === 'DataLoader') return iter;
  const [of] = iter.args;
  return of !== undefined && (name === 'enumerate' || name === 'tqdm') ? loaderIn(trace, file, of) : null;
}

/** The shape of the first tensor of a `TensorDataset`. */
function firstTensor(
  trace: FunctionTrace,
  file: CheckedFile,
  dataset: Expression | undefined,
): { readonly shape: readonly SymInt[]; readonly dtype: DType | null } | null {
  const made = dataset?.kind === 'Name' ? onlyValue(trace, file, dataset.id) : dataset;
  if (made?.kind !== 'Call' || calleeName(made) !== 'TensorDataset') return null;
  const [first] = made.args;
  const value = first?.kind === 'Name' ? (onlyValue(trace, file, first.id) ?? first) : first;
  if (value === undefined) return null;
  for (const place of placesOf(trace, file)) {
    const tensor: Tensor | null = resultOf(place, value);
    const layout = tensor === null ? null : resolve(tensor.layout, place.facts);
    if (tensor !== null && layout !== null) return layout.front ? null : { shape: layout.shape, dtype: tensor.dtype };
  }
  return null;
}

function bytesOf(shape: readonly SymInt[], dtype: DType | null): number | null {
  const { constant } = product(shape);
  return constant === null || dtype === null ? null : constant * itemsize(dtype);
}

function onlyValue(trace: FunctionTrace, file: CheckedFile, name: string): Expression | null {
  const [value, ...others] = valuesOfName(file, trace, name);
  return value !== undefined && others.length === 0 ? value : null;
}
