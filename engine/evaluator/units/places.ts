import type { Body, Expression, FunctionDef, Node, Statement } from '../../syntax/ast.ts';
import { bodiesOf, type Counterparts, expressionsOf, partsOf } from '../../syntax/index.ts';
import type { FunctionTrace, TraceEvent } from '../trace.ts';

/** Where a function of an earlier text stands now. */
export interface Place {
  readonly base: number;
  readonly definition: FunctionDef;
  readonly end: number;
  /** The nodes in it by what they were; null where they are the same. */
  readonly nodes: Counterparts | null;
}

/** By where they stood: the functions of the top level and of classes, and those in functions whose nodes are others. */
export function addPlaces(
  old: Statement,
  now: Statement,
  nodes: Counterparts | null,
  places: Map<number, Place>,
): void {
  addPlacesIn({ node: old, base: 0 }, { node: now, base: 0 }, nodes, places);
}

interface Framed {
  readonly node: Statement;
  readonly base: number;
}

function addPlacesIn(old: Framed, now: Framed, nodes: Counterparts | null, places: Map<number, Place>): void {
  let [from, to] = [old.base, now.base];
  if (old.node.kind === 'FunctionDef' && now.node.kind === 'FunctionDef') {
    from += old.node.start;
    to += now.node.start;
    const isShared = old.node.body === now.node.body;
    places.set(from, {
      base: to,
      definition: now.node,
      end: old.base + old.node.end,
      nodes: isShared ? null : nodes,
    });
    if (isShared) return;
  }
  const bodies = bodiesOf(now.node);
  bodiesOf(old.node).forEach((body, i) => {
    body.forEach((node, j) => {
      const other = bodies[i]?.[j];
      if (other) addPlacesIn({ node, base: from }, { node: other, base: to }, nodes, places);
    });
  });
}

/** The traces with their functions where they stand now; null where one is of a function that is another. */
export function relocated(
  path: string,
  traces: readonly FunctionTrace[],
  places: ReadonlyMap<number, Place>,
): readonly FunctionTrace[] | null {
  const found: FunctionTrace[] = [];
  for (const trace of traces) {
    const now = trace.path === path ? placed(trace, places) : trace;
    if (now === null) return null;
    found.push(now);
  }
  return found;
}

function placed(trace: FunctionTrace, places: ReadonlyMap<number, Place>): FunctionTrace | null {
  const place = places.get(trace.base);
  if (place) {
    const { base, nodes } = place;
    const definition = trace.definition && place.definition;
    if (base === trace.base && definition === trace.definition) return trace;
    const told = nodes ? retold(trace, nodes) : trace;
    return told && { ...told, base, definition };
  }
  // A function in a function goes where that goes.
  const [outer] = [...places].filter(([start, { end }]) => start < trace.base && trace.base < end);
  if (!outer || outer[1].nodes) return null;
  return outer[1].base === outer[0] ? trace : { ...trace, base: trace.base + outer[1].base - outer[0] };
}

/** The trace of a function whose nodes are others; it has names of its own, as what was said of the nodes is to be said again. */
function retold(trace: FunctionTrace, nodes: Counterparts): FunctionTrace | null {
  const { configuredFrom, nameOf } = trace;
  const from = configuredFrom === null ? null : endOfCall(trace.definition?.body ?? [], configuredFrom, nodes);
  const [events, parameters] = [trace.events.map(eventIn(nodes)), trace.parameters.map(placedIn(nodes))];
  if (from === undefined || !areAll(events) || !areAll(parameters)) return null;
  return { ...trace, events, parameters, configuredFrom: from, nameOf: (id) => nameOf(id) };
}

const areAll = <Each>(items: readonly (Each | null)[]): items is readonly Each[] => !items.includes(null);

/** Where the call ends now that ended there. */
function endOfCall(body: Body, end: number, nodes: Counterparts): number | undefined {
  const within = (node: Expression): number | undefined =>
    node.kind === 'Call' && node.end === end ? nodes(node)?.end : first(partsOf(node), within);
  return first(body, (statement) =>
    statement.kind === 'FunctionDef'
      ? undefined
      : (first(expressionsOf(statement), within) ??
        first(bodiesOf(statement), (inner) => endOfCall(inner, end, nodes))),
  );
}

function first<Each>(items: readonly Each[], find: (item: Each) => number | undefined): number | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

const placedIn =
  (nodes: Counterparts) =>
  <Placed extends { readonly node: Node }>(one: Placed): Placed | null => {
    const node = nodes(one.node);
    return node ? { ...one, node } : null;
  };

/** An event with its nodes as they are now; null where one is gone. */
export const eventIn =
  (nodes: Counterparts) =>
  (event: TraceEvent): TraceEvent | null => {
    const placed = placedIn(nodes)(event);
    switch (placed?.event) {
      case 'op': {
        if (placed.self === null) return placed;
        const self = nodes(placed.self);
        return self ? { ...placed, self } : null;
      }
      case 'store': {
        const expression = nodes(placed.expression);
        return expression ? { ...placed, expression } : null;
      }
      default:
        return placed;
    }
  };
