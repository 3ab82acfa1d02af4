import type { FunctionTrace, TraceEvent } from '../evaluator/trace.ts';
import { MIN_BLOCK } from '../memory/index.ts';
import type { Beside } from '../ops/kept-for-backward.ts';
import { lastName } from '../rules/flow.ts';
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
  /** Bytes of these storages, each counted once; null where one is of unknown size. */
  readonly bytes: string | null;
  /** Bytes of those among them whose size is known, and how many there are of the others. */
  readonly knownBytes: string;
  readonly unknownStorages: number;
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
  const books: Books = { trace, dtype, bases, kept: keptByCall(trace), indices: indicesIn(events), numbers: new Map() };
  const graph = new Map<string, Kept>();
  const lines = ledger(trace, body)
    .filter(({ statement }) => !isRemark(statement))
    .map((line) => lineOf(books, events, line, graph));
  return { function: trace.function, context: trace.context, lines };
}

interface Books {
  readonly trace: FunctionTrace;
  readonly dtype: DType | null;
  /** Of each storage the tensor that it was made for. */
  readonly bases: ReadonlyMap<number, Tensor>;
  readonly kept: ReadonlyMap<TraceEvent, readonly KeptTensor[]>;
  /** Storages that are read as indices: of no floating dtype. */
  readonly indices: ReadonlySet<number>;
  /** The storages by the names that this account has for them, in the order in which they are met. */
  readonly numbers: Map<number, string>;
}

const nameOf = ({ numbers }: Books, storage: number): string => {
  const known = numbers.get(storage) ?? `s${numbers.size + 1}`;
  numbers.set(storage, known);
  return known;
};

/** A docstring, or another value that does nothing. */
const isRemark = (statement: LedgerLine['statement']): boolean =>
  statement.kind === 'Expr' && statement.value.kind === 'Constant';

/** The tensors that an op takes for numbers of rows, by the op's last name and their place. */
const INDEX_AT: ReadonlyMap<string, number> = new Map([
  ['Embedding', 0],
  ['embedding', 0],
  ['gather', 1],
  ['take_along_dim', 1],
  ['index_select', 1],
]);

function indicesIn(events: readonly TraceEvent[]): ReadonlySet<number> {
  return new Set(
    events.flatMap((event) => {
      const at = event.event === 'op' ? INDEX_AT.get(lastName(event.op)) : undefined;
      const index = at === undefined || event.event !== 'op' ? undefined : event.inputs[at];
      return index === undefined ? [] : [index.storage.id];
    }),
  );
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
      for (const { tensor } of event.inner ?? event.outputs) {
        const isView = event.inputs.some((input) => input.storage.id === tensor.storage.id);
        if (!isView && tensor.storage.origin.is === 'fresh') note(tensor);
      }
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
      graph.set(kept.storage === null ? `${event.node.start} ${index}` : nameOf(books, kept.storage), kept);
    });
  }
  if (runsBackward(statement)) graph.clear();
  const storages = new Map(held.map(({ tensor }) => [tensor.storage.id, tensor] as const));
  const bytes = [...storages.values()].map((tensor) => storageBytes(books, tensor));
  const known = bytes.filter((each) => each !== null);
  const tensors = new Map(held.map(({ tensor }) => [tensor.id, tensor] as const));
  return {
    start: trace.base + statement.start,
    end: trace.base + statement.end,
    transformations: events.filter(within).flatMap((event) => transformation(books, event)),
    storages: [...storages.values()].map((tensor) => entryOf(books, after, tensor)),
    bytes: textOf(trace, sum(bytes)),
    knownBytes: textOf(trace, sum(known)) ?? '0',
    unknownStorages: bytes.length - known.length,
    logicalBytes: textOf(trace, sum([...tensors.values()].map((tensor) => logicalBytes(books, tensor)))),
    blockBytes: textOf(trace, sum(bytes.map(inBlocks))),
    keptForBackward: keptStorages(books, [...graph.values()], new Set(storages.keys())),
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

function keptStorages(books: Books, kept: readonly Kept[], named: ReadonlySet<number>): KeptStorages {
  const { trace } = books;
  const hidden = kept.filter(({ storage }) => storage === null || !named.has(storage));
  return {
    storages: kept.flatMap(({ storage }) => (storage === null ? [] : [nameOf(books, storage)])),
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
  const inputs = event.inputs.map((tensor, index) => describedOf(books, { path: `[${index}]`, tensor }));
  const cameOut = event.inner ?? event.outputs;
  const outputs = tensorsOf(trace, { ...event, outputs: cameOut }).map((fact, index) => {
    const tensor = cameOut[index]?.tensor;
    return tensor === undefined
      ? fact
      : { ...fact, storage: nameOf(books, tensor.storage.id), dtype: dtypeOf(books, tensor) };
  });
  const { start, end } = event.node;
  const kept = keptOf(books, event);
  const keptForBackward = (books.kept.get(event) ?? []).map(({ is }, index) => {
    const { storage = null, bytes = null } = kept[index] ?? {};
    return { is, storage: storage === null ? null : nameOf(books, storage), bytes: textOf(trace, bytes) };
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
    storage: nameOf(books, storage.id),
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
  return { ...described, storage: nameOf(books, tensor.storage.id), dtype: dtypeOf(books, tensor) };
}

/** The dtype that the account is made for. */
function dtypeOf({ dtype, indices }: Books, { dtype: own, storage }: Pick<Tensor, 'dtype' | 'storage'>): DType | null {
  const isAsked = own === null ? !indices.has(storage.id) : isFloat(own);
  return dtype !== null && isAsked ? dtype : own;
}

function logicalBytes(books: Books, tensor: Tensor): SymInt | null {
  const own = dtypeOf(books, tensor);
  const { layout } = tensor;
  const { shape, front } = resolve(layout, books.trace.facts);
  return own === null || front ? null : mul(product(shape), int(itemsize(own)));
}

/** Bytes of the storage; in another dtype, of as many elements. */
function storageBytes(books: Books, tensor: Tensor): SymInt | null {
  const { nbytes } = tensor.storage;
  const dtype = dtypeOf(books, tensor);
  const base = books.bases.get(tensor.storage.id);
  const layout = base && resolve(base.layout, books.trace.facts);
  // In the sizes of the tensor that it was made for, which may have got names only later.
  const ofBase = dtype === null || layout === undefined || layout.front ? null : storageNbytes(layout, dtype);
  if (ofBase !== null) return ofBase;
  if (dtype === tensor.dtype) return nbytes;
  if (dtype === null || nbytes === null || tensor.dtype === null) return null;
  const count = divideExactly(nbytes, int(itemsize(tensor.dtype)), books.trace.facts);
  return count && mul(count, int(itemsize(dtype)));
}

/** Each storage takes whole blocks; one without elements takes none. */
const inBlocks = (bytes: SymInt | null): SymInt | null => bytes && mul(ceilDiv(bytes, int(MIN_BLOCK)), int(MIN_BLOCK));

const textOf = (trace: FunctionTrace, bytes: SymInt | null): string | null =>
  bytes && written(trace, simplify(bytes, trace.facts));
