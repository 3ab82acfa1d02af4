import type { FunctionTrace, TraceEvent } from '../evaluator/trace.ts';
import type { OpResult } from '../ops/outcome.ts';
import { lastName, tensorsIn } from '../rules/flow.ts';
import type { Node } from '../syntax/ast.ts';
import { isFault } from '../tensor/index.ts';

/** How far "nothing is copied" goes for the views that a call made. */
export interface Claim {
  /** The view alone, or also all that reads it in this function. */
  readonly covers: 'view' | 'view and consumers';
  readonly consumers: readonly Consumer[];
}

export interface Consumer {
  readonly node: Node;
  readonly op: string;
  /** `reads`: element by element, wherever they lie; `unknown`: a kernel may pack its input, a caller do anything. */
  readonly does: 'views' | 'reads' | 'copies' | 'unknown';
}

/** What a no-copy claim about the tensors that came out of a call would cover; those of a view are followed. */
export function claimOf(trace: FunctionTrace, event: TraceEvent): Claim | null {
  if (event.event !== 'op' || isFault(event.result) || isFresh(event.result)) return null;
  const views = new Set((event.inner ?? event.outputs).map(({ tensor }) => tensor.id));
  const consumers: Consumer[] = [];
  for (const after of trace.events.slice(trace.events.indexOf(event) + 1)) {
    const does = doesTo(after, views);
    if (does === null) continue;
    if (does === 'views' && after.event === 'op')
      for (const { tensor } of after.inner ?? after.outputs) views.add(tensor.id);
    const op = after.event === 'op' ? after.spelled : NAMES[after.event];
    if (!consumers.some((known) => known.node === after.node)) consumers.push({ node: after.node, op, does });
  }
  const isWhole = consumers.length > 0 && consumers.every(({ does }) => does === 'views' || does === 'reads');
  return { covers: isWhole ? 'view and consumers' : 'view', consumers };
}

const NAMES = { store: 'store', return: 'return', value: 'call', call: 'call', read: 'read' } as const;

function doesTo(event: TraceEvent, views: ReadonlySet<number>): Consumer['does'] | null {
  switch (event.event) {
    case 'read':
      return null;
    case 'op': {
      if (!event.inputs.some(({ id }) => views.has(id))) return null;
      if (isFault(event.result)) return 'unknown';
      if (!isFresh(event.result)) return 'views';
      const name = lastName(event.op).toLowerCase();
      return COPIES.has(name) ? 'copies' : READERS.has(name) ? 'reads' : 'unknown';
    }
    case 'value':
      // A name that is bound to it is no reader.
      return event.bound === null && event.inputs.some(({ id }) => views.has(id)) ? 'unknown' : null;
    case 'call':
      return event.arguments.flatMap(tensorsIn).some(({ id }) => views.has(id)) ? 'unknown' : null;
    default:
      return tensorsIn(event.value).some(({ id }) => views.has(id)) ? 'unknown' : null;
  }
}

const isFresh = (result: OpResult): boolean => result.is === 'fresh';

const names = (text: string): ReadonlySet<string> => new Set(text.split(' '));

/** The same elements, written elsewhere. */
const COPIES = names(
  'reshape reshape_as flatten ravel unflatten rearrange contiguous clone to cpu cuda float half double',
);

/** TensorIterator walks by strides: elementwise ops, comparisons and full reductions. */
const READERS = names(
  '+ - * / // % ** == != < <= > >= & | add sub mul div pow neg abs exp log sqrt rsqrt sin cos tanh sigmoid relu clamp eq ne lt le gt ge where masked_fill sum mean any all item tolist',
);
