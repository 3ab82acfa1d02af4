import type { Module, SyntaxProblem } from './ast.ts';
import { type Backend, createWasmBackend, type Grammar } from './backend.ts';
import { commentsOf } from './comments.ts';
import { docstring } from './lowering/compound.ts';
import type { Lowering } from './lowering/lowering.ts';
import { statements } from './lowering/statements.ts';
import { lineStarts } from './positions.ts';
import { applied, type Judge, original, repair } from './repair.ts';
import { runOns, soundSpans } from './soundness.ts';
import { createTape, record, recordBroken, relocate, type Tape } from './tape.ts';

/** Parses Python; opaque. It is no value: one parse at a time. */
export interface Parser {
  readonly backend: Backend;
  readonly tape: Tape;
}

export async function createParser(grammar: Grammar): Promise<Parser> {
  return parserOn(await createWasmBackend(grammar));
}

export const parserOn = (backend: Backend): Parser => ({ backend, tape: createTape(backend.kinds) });

/** Parsing never fails: what cannot be read costs its line, and is told in `problems`. */
export function parse(parser: Parser, text: string): Module {
  const { tape } = parser;
  const source = readable(text);
  read(parser, source);
  const wrong = runOns(tape, source);
  if (tape.broken === null && wrong.length === 0) return lower(tape, source, new Map(), []);
  const { replacements, lost, problems } = repair(source, judge(parser, soundSpans(tape, wrong)));
  if (replacements.length > 0) {
    read(parser, applied(source, replacements));
    relocate(tape, original(replacements));
  }
  return lower(tape, source, lost, problems);
}

function read({ backend, tape }: Parser, text: string): void {
  tape.length = 0;
  backend.read(masked(text), (cursor, hasErrors) => {
    if (hasErrors) recordBroken(tape, cursor);
    else record(tape, cursor, text);
  });
}

function lower(tape: Tape, text: string, lost: ReadonlyMap<number, number>, found: readonly SyntaxProblem[]): Module {
  const lowering: Lowering = { tape, text, base: 0, depth: 0, yields: false, lost, problems: [...found] };
  const body = tape.length === 0 ? [] : statements(lowering, 0);
  const comments = commentsOf(text, tape.comments, lineStarts(text));
  const problems = lowering.problems.sort((a, b) => a.start - b.start);
  return { body, docstring: docstring(body), comments, problems };
}

function judge({ backend }: Parser, spans: readonly { readonly start: number; readonly end: number }[]): Judge {
  let next = 0;
  return {
    parses: (text) => {
      let sound = false;
      backend.read(text, (_, hasErrors) => {
        sound = !hasErrors;
      });
      return sound;
    },
    stands: (start, end) => {
      while ((spans[next]?.end ?? Number.POSITIVE_INFINITY) < end) next++;
      const span = spans[next];
      return span !== undefined && span.start <= start;
    },
  };
}

/**
 * The text as tree-sitter should see it, unit for unit: a lone `\r` ends a line in Python, a NUL ends the text for
 * tree-sitter, and half a surrogate pair is no character.
 */
function readable(text: string): string {
  if (!/[\r\0\p{Surrogate}]/u.test(text)) return text;
  return text.replace(/\r(?!\n)/g, '\n').replace(/[\0\p{Surrogate}]/gu, '\uFFFD');
}

/**
 * `type(x).y = z` would be taken for a type alias. Another name of the same length in the place of `type` prevents it;
 * lowering takes names from the text as it is.
 */
function masked(text: string): string {
  return text.includes('type(') ? text.replace(/^([ \t]*)type(?=\()/gm, '$1tipe') : text;
}
