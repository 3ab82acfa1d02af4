/**
 * A syntax tree written down flat, in preorder: the subtree of entry `i` is `i` up to `next[i]`, its first child is
 * `i + 1`, and the sibling after it is `next[i]`.
 *
 * Every step of a tree cursor crosses into WASM, which costs more than all the lowering of the node. So the tree is
 * walked once, asking only what lowering will read: a token is its kind, a leaf is its span, and nothing is entered
 * whose parts the source text tells as well.
 */

/** What a back end must offer; web-tree-sitter's cursor and the native one both do. */
export interface Cursor {
  readonly nodeTypeId: number;
  readonly startIndex: number;
  readonly endIndex: number;
  readonly nodeIsMissing: boolean;
  gotoFirstChild(): boolean;
  gotoNextSibling(): boolean;
  gotoParent(): boolean;
}

/** The node kinds of a grammar by number. */
export interface Kinds {
  readonly name: (id: number) => string | null;
  readonly isNamed: (id: number) => boolean;
  readonly count: number;
}

export interface Tape {
  readonly names: readonly string[];
  readonly roles: Uint8Array;
  /** Kinds of statements, definitions and clauses. */
  readonly stated: Uint8Array;
  ids: Uint16Array;
  starts: Int32Array;
  ends: Int32Array;
  nexts: Int32Array;
  length: number;
  /** Entries with an error in them, where there is one in the file. */
  broken: Uint8Array | null;
  /** Comments, which are kept out of the tree: start and end by turns. */
  comments: number[];
}

const TOKEN = 0;
const LEAF = 1;
const INNER = 2;
const STRING = 3;
const COMMENT = 4;
const DROPPED = 5;

/** tree-sitter's own number for ERROR nodes is 65535; it and MISSING nodes get numbers after the grammar's. */
const ERROR_ID = 0xffff;

/** Named nodes of which lowering reads only the text. */
const LEAVES = new Set(
  [
    'identifier integer float true false none ellipsis string_start string_content string_end dotted_name import_prefix',
    'pass_statement break_statement continue_statement wildcard_import keyword_separator positional_separator',
    'type_conversion escape_sequence escape_interpolation',
  ].flatMap((line) => line.split(' ')),
);

export function createTape(kinds: Kinds): Tape {
  const names: string[] = [];
  const roles = new Uint8Array(kinds.count + 2);
  const stated = new Uint8Array(kinds.count + 2);
  for (let id = 0; id < kinds.count; id++) {
    const name = kinds.name(id) ?? '';
    names.push(name);
    roles[id] = kinds.isNamed(id) ? roleOf(name) : TOKEN;
    stated[id] = /_(?:statement|definition|clause)$/.test(name) ? 1 : 0;
  }
  names.push('ERROR', 'MISSING');
  roles[kinds.count] = INNER;
  roles[kinds.count + 1] = LEAF;
  const room = 1 << 14;
  return {
    names,
    roles,
    stated,
    ids: new Uint16Array(room),
    starts: new Int32Array(room),
    ends: new Int32Array(room),
    nexts: new Int32Array(room),
    length: 0,
    broken: null,
    comments: [],
  };
}

function roleOf(name: string): number {
  if (name === 'comment') return COMMENT;
  if (name === 'line_continuation') return DROPPED;
  if (name === 'string') return STRING;
  return LEAVES.has(name) ? LEAF : INNER;
}

/** Writes down the tree under the cursor, which parsed without an error. */
export function record(tape: Tape, cursor: Cursor, text: string): void {
  const { roles } = tape;
  const open: number[] = [];
  tape.length = 0;
  tape.broken = null;
  tape.comments = [];
  for (;;) {
    const id = cursor.nodeTypeId;
    const role = roles[id] ?? TOKEN;
    let entered = false;
    if (role === TOKEN) push(tape, id, 0, 0);
    else if (role === COMMENT) tape.comments.push(cursor.startIndex, cursor.endIndex);
    else if (role !== DROPPED) {
      const start = cursor.startIndex;
      const entry = push(tape, id, start, cursor.endIndex);
      if (role === INNER || (role === STRING && isInterpolated(text, start))) {
        open.push(entry);
        entered = cursor.gotoFirstChild();
        if (!entered) close(tape, open);
      }
    }
    if (entered) continue;
    while (!cursor.gotoNextSibling()) {
      if (!cursor.gotoParent()) return;
      close(tape, open);
    }
  }
}

/** The same for a tree with errors in it: everything is entered, since an error may stand anywhere. */
export function recordBroken(tape: Tape, cursor: Cursor): void {
  const error = tape.names.length - 2;
  const open: number[] = [];
  const broken: number[] = [];
  tape.length = 0;
  tape.comments = [];
  for (;;) {
    const missing = cursor.nodeIsMissing;
    const id = missing ? error + 1 : cursor.nodeTypeId === ERROR_ID ? error : cursor.nodeTypeId;
    const role = tape.roles[id];
    if (role === COMMENT) tape.comments.push(cursor.startIndex, cursor.endIndex);
    if (role !== COMMENT && role !== DROPPED) {
      const entry = push(tape, id, cursor.startIndex, cursor.endIndex);
      if (id >= error) broken.push(entry, ...open);
      open.push(entry);
      if (cursor.gotoFirstChild()) continue;
      close(tape, open);
    }
    let done = false;
    while (!cursor.gotoNextSibling()) {
      done = !cursor.gotoParent();
      if (done) break;
      close(tape, open);
    }
    if (done) break;
  }
  tape.broken = new Uint8Array(tape.length);
  for (const entry of broken) tape.broken[entry] = 1;
}

function push(tape: Tape, id: number, start: number, end: number): number {
  const entry = tape.length++;
  if (entry === tape.ids.length) grow(tape);
  tape.ids[entry] = id;
  tape.starts[entry] = start;
  tape.ends[entry] = end;
  tape.nexts[entry] = entry + 1;
  return entry;
}

function close(tape: Tape, open: number[]): void {
  const entry = open.pop();
  if (entry !== undefined) tape.nexts[entry] = tape.length;
}

function grow(tape: Tape): void {
  const room = tape.ids.length * 2;
  const larger = (old: Int32Array) => {
    const array = new Int32Array(room);
    array.set(old);
    return array;
  };
  const ids = new Uint16Array(room);
  ids.set(tape.ids);
  tape.ids = ids;
  tape.starts = larger(tape.starts);
  tape.ends = larger(tape.ends);
  tape.nexts = larger(tape.nexts);
}

/** Whether the string literal that starts here is an f-string (or a t-string). */
export function isInterpolated(text: string, start: number): boolean {
  for (let at = start; at < start + 3; at++) {
    const code = text.charCodeAt(at) | 0x20;
    if (code === 0x66 || code === 0x74) return true;
    if (code < 0x61 || code > 0x7a) return false;
  }
  return false;
}

/** Moves all positions, after a parse of a text that was changed. */
export function relocate(tape: Tape, move: (offset: number) => number): void {
  for (let entry = 0; entry < tape.length; entry++) {
    tape.starts[entry] = move(startAt(tape, entry));
    tape.ends[entry] = move(endAt(tape, entry));
  }
  tape.comments = tape.comments.map(move);
}

// ---- reading ----------------------------------------------------------------------------------------

export const kindAt = (tape: Tape, entry: number): string => tape.names[tape.ids[entry] ?? 0] ?? '';
export const startAt = (tape: Tape, entry: number): number => tape.starts[entry] ?? 0;
export const endAt = (tape: Tape, entry: number): number => tape.ends[entry] ?? 0;
export const nextAt = (tape: Tape, entry: number): number => tape.nexts[entry] ?? tape.length;
export const isToken = (tape: Tape, entry: number): boolean => tape.roles[tape.ids[entry] ?? 0] === TOKEN;
export const isBroken = (tape: Tape, entry: number): boolean => tape.broken?.[entry] === 1;

/** The named children. */
export function operands(tape: Tape, entry: number): number[] {
  const found: number[] = [];
  const end = nextAt(tape, entry);
  for (let child = entry + 1; child < end; child = nextAt(tape, child)) {
    if (!isToken(tape, child)) found.push(child);
  }
  return found;
}

export function hasToken(tape: Tape, entry: number, token: string): boolean {
  return tokenIn(tape, entry, token) !== null;
}

/** The child token of this kind, or null. */
export function tokenIn(tape: Tape, entry: number, token: string): number | null {
  const end = nextAt(tape, entry);
  for (let child = entry + 1; child < end; child = nextAt(tape, child)) {
    if (isToken(tape, child) && kindAt(tape, child) === token) return child;
  }
  return null;
}
