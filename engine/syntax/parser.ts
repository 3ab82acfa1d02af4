import type { Module } from './ast.ts';
import { type Backend, createWasmBackend, type Grammar } from './backend.ts';
import { commentsOf } from './comments.ts';
import { docstring } from './lowering/compound.ts';
import type { Lowering } from './lowering/lowering.ts';
import { statements } from './lowering/statements.ts';
import { lineStarts } from './positions.ts';
import { createTape, record, recordBroken, type Tape } from './tape.ts';

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
  const source = readable(text);
  read(parser, source);
  return lower(parser, source).module;
}

function read({ backend, tape }: Parser, text: string): void {
  tape.length = 0;
  backend.read(text, (cursor, hasErrors) => {
    if (hasErrors) recordBroken(tape, cursor);
    else record(tape, cursor, text);
  });
}

function lower({ tape }: Parser, text: string): { module: Module; lowering: Lowering } {
  const lowering: Lowering = {
    tape,
    text,
    base: 0,
    depth: 0,
    yields: false,
    ranOn: false,
    replaced: new Map(),
    problems: [],
  };
  const body = statements(lowering, 0);
  const comments = commentsOf(text, tape.comments, lineStarts(text));
  return { module: { body, docstring: docstring(body), comments, problems: lowering.problems }, lowering };
}

/**
 * The text as tree-sitter should see it, unit for unit: a lone `\r` ends a line in Python, a NUL ends the text for
 * tree-sitter, and half a surrogate pair is no character.
 */
function readable(text: string): string {
  if (!/[\r\0\p{Surrogate}]/u.test(text)) return text;
  return text.replace(/\r(?!\n)/g, '\n').replace(/[\0\p{Surrogate}]/gu, '\uFFFD');
}
