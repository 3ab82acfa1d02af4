import type { FunctionTrace, TraceEvent } from '../evaluator/trace.ts';
import { MIN_BLOCK } from '../memory/index.ts';
import type { Beside } from '../ops/kept-for-backward.ts';
import { written } from '../rules/sizes.ts';
import { add, ceilDiv, divideExactly, int, mul, product, type SymInt, simplify, ZERO } from '../symbols/index.ts';
import type { Body } from '../syntax/ast.ts';
import { type DType, isFloat, itemsize, resolve, storageNbytes, type Tensor } from '../tensor/index.ts';
import { type KeptTensor, keptByCall, runsBackward } from './backward.ts';
import { type Claim, type Consumer, claimOf } from './claims.ts';
import { type Held, type LedgerLine, ledger, type Names } from './ledger.ts';
import { type TensorFact, tensorFact, tensorsOf } from './statements.ts';

/** What one analysis of one function does to memory, line by line. Sizes are Python expressions, null where not known. */
export interface Account {
  readonly function: string;
  /** Null for the generic analysis; else the kind of call, as in `x: [2, 3] contiguous`. */
  readonly context: string | null;
  readonly lines: readonly AccountLine[];
}

export interface AccountLine {
  /** Offsets in UTF-16 units from the start of the file. */
  readonly start: number;
  readonly end: number;
  readonly transformations: readonly Transformation[];
  /** The distinct storages that names of the function reach after the line. */
  readonly storages: readonly StorageEntry[];
  /** Bytes of these storages, each counted once. */
  readonly bytes: string | null;
  /** What the tensors would take if each had its elements to itself. */
  readonly logicalBytes: string | null;
  /** What the storages take in blocks of CUDA's caching allocator. */
  readonly blockBytes: string | null;
  /** What the graph would keep by then, of the calls so far. */
  readonly keptForBackward: KeptStorages;
}

/** Storages that autograd holds until `backward()`, whoever else does; those beside have no name. */
export interface KeptStorages {
  readonly storages: readonly string[];
  readonly bytes: string | null;
  /** Of these, bytes that no name of the function reaches. */
  readonly onlyForBackward: string | null;
}

export interface Transformation {
  readonly start: number;
  readonly end: number;
  /** As the source spells it. */
  readonly op: string;
  readonly inputs: readonly Described[];
  readonly outputs: readonly TensorFact[];
  /** What autograd would keep of this call, were a gradient asked of what came into the function. */
  readonly keptForBackward: readonly KeptFact[];
  /** What a no-copy claim about it would cover; null where it made no view. */
  readonly noCopy: NoCopy | null;
}

export interface KeptFact {
  readonly is: KeptTensor['is'];
  /** Null for a tensor that nobody sees, as the mask of a dropout. */
  readonly storage: string | null;
  readonly bytes: string | null;
}

export interface NoCopy {
  readonly covers: Claim['covers'];
  readonly consumers: readonly {
    readonly start: number;
    readonly end: number;
    readonly op: string;
    readonly does: Consumer['does'];
  }[];
}

export type Described = Omit<TensorFact, 'sharing' | 'assumes'>;

export interface StorageEntry {
  readonly storage: string;
  readonly bytes: string | null;
  readonly blockBytes: string | null;
  /** Where it came from: `zeros`, `parameter x`. */
  readonly origin: string;
  readonly views: readonly (Described & { readonly name: string })[];
  /** The names, and who else holds it. */
  readonly keptBy: readonly string[];
}

/** The accounts of the analyses of one function; with a `dtype`, every floating tensor is taken to be of that one. */
export function accountOf(trace: FunctionTrace, body: Body, dtype: DType | null): Account {
  const bases = baseLayouts(trace);
  const events = trace.events.filter((event) => event.event === 'op');
  const books: Books = { trace, dtype, bases, kept: keptByCall(trace) };
  const graph = new Map<string, Kept>();
  const lines = ledger(trace, body).map((line) => lineOf(books, events, line, graph));
  return { function: trace.function, context: trace.context, lines };
}

interface Books {
  readonly trace: FunctionTrace;
  readonly dtype: DType | null;
  /** Of each storage the tensor that it was made for. */
  readonly bases: ReadonlyMap<number, Tensor>;
  readonly kept: ReadonlyMap<TraceEvent, readonly KeptTensor[]>;
}

/** One storage that the graph keeps; its number is null where nobody sees it. */
interface Kept {
  readonly storage: number | null;
  readonly bytes: SymInt | null;
}

function baseLayouts(trace: FunctionTrace): ReadonlyMap<number, Tensor> {
  const bases = new Map<number, Tensor>();
  const note = (tensor: Tensor): void => {
    if (!bases.has(tensor.storage.id)) bases.set(tensor.storage.id, tensor);
  };
  for (const { value } of trace.parameters) if (value.kind === 'tensor') note(value);
  for (const event of trace.events)
    if (event.event === 'op')
      for (const { tensor } of event.outputs) if (tensor.storage.origin.is === 'fresh') note(tensor);
  return bases;
}

/** `graph` is what the lines before left in the graph, and is brought up to date. */
function lineOf(
  books: Books,
  events: readonly TraceEvent[],
  { statement, after }: LedgerLine,
  graph: Map<string, Kept>,
): AccountLine {
  const { trace } = books;
  const within = ({ node }: TraceEvent): boolean => node.start >= statement.start && node.end <= statement.end;
  const held = heldBy(after);
  for (const event of trace.events.filter(within)) {
    keptOf(books, event).forEach((kept, index) => {
      graph.set(kept.storage === null ? `${event.node.start} ${index}` : `s${kept.storage}`, kept);
    });
  }
  if (runsBackward(statement)) graph.clear();
  const storages = new Map(held.map(({ tensor }) => [tensor.storage.id, tensor] as const));
  const bytes = [...storages.values()].map((tensor) => storageBytes(books, tensor));
  const tensors = new Map(held.map(({ tensor }) => [tensor.id, tensor] as const));
  return {
    start: trace.base + statement.start,
    end: trace.base + statement.end,
    transformations: events.filter(within).flatMap((event) => transformation(books, event)),
    storages: [...storages.values()].map((tensor) => entryOf(books, after, tensor)),
    bytes: textOf(trace, sum(bytes)),
    logicalBytes: textOf(trace, sum([...tensors.values()].map((tensor) => logicalBytes(books, tensor)))),
    blockBytes: textOf(trace, sum(bytes.map(inBlocks))),
    keptForBackward: keptStorages(trace, [...graph.values()], new Set(storages.keys())),
  };
}

const sum = (all: readonly (SymInt | null)[]): SymInt | null =>
  all.reduce<SymInt | null>((total, bytes) => (total === null || bytes === null ? null : add(total, bytes)), ZERO);

function keptOf(books: Books, event: TraceEvent): readonly Kept[] {
  return (books.kept.get(event) ?? []).map(({ tensor, beside }) =>
    beside === null
      ? { storage: tensor.storage.id, bytes: storageBytes(books, tensor) }
      : { storage: null, bytes: besideBytes(books, tensor, beside) },
  );
}

function besideBytes(books: Books, like: Tensor, beside: Beside): SymInt | null {
  return beside === 'indices like output'
    ? logicalBytes({ ...books, dtype: null }, { ...like, dtype: 'int64' })
    : logicalBytes(books, like);
}

function keptStorages(trace: FunctionTrace, kept: readonly Kept[], named: ReadonlySet<number>): KeptStorages {
  const hidden = kept.filter(({ storage }) => storage === null || !named.has(storage));
  return {
    storages: kept.flatMap(({ storage }) => (storage === null ? [] : [`s${storage}`])),
    bytes: textOf(trace, sum(kept.map(({ bytes }) => bytes))),
    onlyForBackward: textOf(trace, sum(hidden.map(({ bytes }) => bytes))),
  };
}

function noCopyOf(trace: FunctionTrace, event: TraceEvent): NoCopy | null {
  const claim = claimOf(trace, event);
  if (claim === null) return null;
  const consumers = claim.consumers.map(({ node, op, does }) => ({
    start: trace.base + node.start,
    end: trace.base + node.end,
    op,
    does,
  }));
  return { covers: claim.covers, consumers };
}

function transformation(books: Books, event: TraceEvent): readonly Transformation[] {
  if (event.event !== 'op') return [];
  const { trace } = books;
  const outputs = tensorsOf(trace, event).map((fact, index) => ({
    ...fact,
    dtype: dtypeOf(books, event.outputs[index]?.tensor.dtype ?? null),
  }));
  const inputs = event.inputs.map((tensor, index) => describedOf(books, { path: `[${index}]`, tensor }));
  const { start, end } = event.node;
  const kept = keptOf(books, event);
  const keptForBackward = (books.kept.get(event) ?? []).map(({ is }, index) => {
    const { storage = null, bytes = null } = kept[index] ?? {};
    return { is, storage: storage === null ? null : `s${storage}`, bytes: textOf(trace, bytes) };
  });
  return [
    {
      start: trace.base + start,
      end: trace.base + end,
      op: event.spelled,
      inputs,
      outputs,
      keptForBackward,
      noCopy: noCopyOf(trace, event),
    },
  ];
}

function entryOf(books: Books, names: Names, { storage }: Tensor): StorageEntry {
  const views = [...names].flatMap(([name, held]) =>
    held.flatMap((each) =>
      each.tensor.storage.id === storage.id ? [{ name: name + each.path, ...describedOf(books, each) }] : [],
    ),
  );
  const [first] = [...names.values()].flat().filter(({ tensor }) => tensor.storage.id === storage.id);
  const bytes = first === undefined ? null : storageBytes(books, first.tensor);
  const holders = [...names].flatMap(([name, held]) =>
    held.some(({ tensor }) => tensor.storage.id === storage.id) ? [name] : [],
  );
  return {
    storage: `s${storage.id}`,
    bytes: textOf(books.trace, bytes),
    blockBytes: textOf(books.trace, inBlocks(bytes)),
    origin: originText(storage.origin),
    views,
    keptBy: [...holders, ...KEEPERS[storage.origin.is]],
  };
}

/** Who holds a storage beside the names of the function. */
const KEEPERS: Readonly<Record<Tensor['storage']['origin']['is'], readonly string[]>> = {
  parameter: ['the caller'],
  attribute: ['its object'],
  'module-parameter': ['its module'],
  buffer: ['its module'],
  numpy: ['the array'],
  file: [],
  fresh: [],
  unknown: [],
};

function originText(origin: Tensor['storage']['origin']): string {
  switch (origin.is) {
    case 'parameter':
    case 'attribute':
    case 'buffer':
      return `${origin.is} ${origin.name}`;
    case 'module-parameter':
      return `module parameter ${origin.name}`;
    case 'fresh':
      return origin.op;
    case 'numpy':
      return 'a NumPy array';
    case 'file':
      return 'a file';
    case 'unknown':
      return 'unknown';
  }
}

const heldBy = (names: Names): readonly Held[] => [...names.values()].flat();

function describedOf(books: Books, { path, tensor }: Held): Described {
  const { sharing: _, assumes: __, ...described } = tensorFact(books.trace, path, tensor, 'unknown');
  return { ...described, dtype: dtypeOf(books, tensor.dtype) };
}

/** The dtype that the account is made for. */
function dtypeOf({ dtype }: Books, own: DType | null): DType | null {
  return dtype !== null && (own === null || isFloat(own)) ? dtype : own;
}

function logicalBytes(books: Books, { layout, dtype }: Tensor): SymInt | null {
  const own = dtypeOf(books, dtype);
  const { shape, front } = resolve(layout, books.trace.facts);
  return own === null || front ? null : mul(product(shape), int(itemsize(own)));
}

/** Bytes of the storage; in another dtype, of as many elements. */
function storageBytes(books: Books, tensor: Tensor): SymInt | null {
  const { nbytes } = tensor.storage;
  const dtype = dtypeOf(books, tensor.dtype);
  if (dtype === tensor.dtype) return nbytes;
  if (dtype === null) return null;
  if (nbytes !== null && tensor.dtype !== null) {
    const count = divideExactly(nbytes, int(itemsize(tensor.dtype)), books.trace.facts);
    return count && mul(count, int(itemsize(dtype)));
  }
  const base = books.bases.get(tensor.storage.id);
  const layout = base && resolve(base.layout, books.trace.facts);
  return layout === undefined || layout.front ? null : storageNbytes(layout, dtype);
}

/** Each storage takes whole blocks; one without elements takes none. */
const inBlocks = (bytes: SymInt | null): SymInt | null => bytes && mul(ceilDiv(bytes, int(MIN_BLOCK)), int(MIN_BLOCK));

const textOf = (trace: FunctionTrace, bytes: SymInt | null): string | null =>
  bytes && written(trace, simplify(bytes, trace.facts));
