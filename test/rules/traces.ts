import type { FunctionTrace, OpEvent, TraceEvent } from '../../engine/evaluator/trace.ts';
import { NEWEST } from '../../engine/ops/versions.ts';
import { type CheckedFile, type Report, rule } from '../../engine/rules/rule.ts';
import { NO_FACTS, type SymInt, symbol } from '../../engine/symbols/index.ts';
import type { Comment, Module, Node } from '../../engine/syntax/ast.ts';
import { contiguous, type Layout, type Origin, type Tensor } from '../../engine/tensor/index.ts';

/** Hand-built traces, for what can be said of rules without an evaluator. */

export const node = (start: number, end: number): Node => ({ start, end });

let ids = 0;

export function tensor(layout: Layout, more: Partial<Tensor> & { readonly origin?: Origin } = {}): Tensor {
  const id = ids++;
  const { origin = { is: 'fresh', op: 'zeros' }, ...rest } = more;
  return {
    kind: 'tensor',
    id,
    layout,
    dtype: 'float32',
    device: null,
    requiresGrad: null,
    storage: { id, nbytes: null, origin },
    assumes: [],
    elements: null,
    ...rest,
  };
}

export function argument(name: string, shape: readonly SymInt[]): Tensor {
  return tensor(contiguous(shape), { origin: { is: 'parameter', name }, assumes: [name] });
}

export function opEvent(op: string, at: Node, more: Partial<OpEvent>): OpEvent {
  const site = { node: at, noGrad: false, loops: 0, conditional: false };
  const empty = { inputs: [], arguments: [], self: null, outputs: [], guards: [], writes: [], ints: [] };
  return { event: 'op', ...site, op, spelled: op, ...empty, result: { is: 'tuple', items: [] }, ...more };
}

export function trace(events: readonly TraceEvent[], more: Partial<FunctionTrace> = {}): FunctionTrace {
  const nothing = {
    path: 'a.py',
    function: 'f',
    definition: null,
    base: 0,
    context: null,
    signature: null,
    plainCall: false,
    configuredFrom: null,
    happens: 'perhaps' as const,
    place: 'root' as const,
    parameters: [],
  };
  return {
    ...nothing,
    events,
    facts: NO_FACTS,
    nameOf: (id) => id,
    phrases: [],
    numbers: new Map(),
    returned: null,
    ...more,
  };
}

export function fileOf(text: string, traces: readonly FunctionTrace[]): CheckedFile {
  const module: Module = { body: [], docstring: null, comments: commentsIn(text), problems: [] };
  return { path: 'a.py', text, module, traces, torch: NEWEST };
}

/** A rule that reports what it is told to, trace by trace. */
export function saying(name: string, reports: ReadonlyMap<FunctionTrace, Report>) {
  const words = { summary: 'What the test says', docs: '', examples: [] };
  return rule({ name, severity: 'error', ...words, check: (seen) => [reports.get(seen) ?? []].flat() });
}

export const sizes = (...names: readonly string[]): readonly SymInt[] => names.map(symbol);

function commentsIn(text: string): readonly Comment[] {
  return text.split('\n').flatMap((line, index, lines) => {
    const hash = line.indexOf('#');
    if (hash < 0) return [];
    const start = lines.slice(0, index).reduce((sum, before) => sum + before.length + 1, 0) + hash;
    const end = start + line.length - hash;
    return [{ start, end, text: line.slice(hash + 1), line: index, ownLine: line.slice(0, hash).trim() === '' }];
  });
}
