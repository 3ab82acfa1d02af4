import type { Comment, FunctionDef, Module } from '../ast.ts';
import { lineAt } from '../positions.ts';
import { namedShapes, numbersAsShape, trailingShape } from './comments.ts';
import { docstringShapes } from './docstrings.ts';
import type { NamedShape, ShapeText } from './shape-text.ts';

/** A shape said in a comment of its own, with where the comment starts in the file: it holds for its name from there on. */
export interface PlacedShape extends NamedShape {
  readonly offset: number;
}

/**
 * What the comments directly above a function (or its decorators), those in it, and its docstring say of names; also a comment
 * after a parameter on a line of its own. `base` is where the function's frame lies in the file, `starts` are the starts of the
 * file's lines. In source order; the docstring's come first, so that what comes later wins.
 */
export function functionShapes(
  module: Module,
  definition: FunctionDef,
  base: number,
  starts: readonly number[],
): readonly PlacedShape[] {
  const outer = base - definition.start;
  const start = outer + definition.decorators.reduce((least, each) => Math.min(least, each.start), definition.start);
  const end = outer + definition.end;
  const found: PlacedShape[] = docstringShapes(definition.docstring ?? '').map(({ name, shape }) => ({
    name,
    shape: { ...shape, loose: true },
    offset: start,
  }));
  const first = lowest(module.comments, start);
  let line = lineAt(starts, start) - 1;
  for (let index = first - 1; index >= 0; index--, line--) {
    const comment = module.comments[index];
    if (comment === undefined || !comment.ownLine || comment.line !== line) break;
    found.push(...namedShapes(comment.text).map((each) => ({ ...each, offset: start })));
  }
  for (let index = first; index < module.comments.length; index++) {
    const comment = module.comments[index];
    if (comment === undefined || comment.start > end) break;
    const named = namedShapes(comment.text);
    const shape = named.length > 0 || comment.ownLine ? null : trailingShape(comment.text);
    const parameters = shape === null ? [] : parametersOn(definition, base, starts, comment.line);
    found.push(...named.map((each) => ({ ...each, offset: comment.start })));
    if (shape !== null && parameters.length === 1)
      found.push({ name: parameters[0] ?? '', shape, offset: comment.start });
  }
  return found;
}

/** Index of the first comment that starts at `offset` or after it. */
function lowest(comments: readonly Comment[], offset: number): number {
  const index = comments.findIndex((comment) => comment.start >= offset);
  return index === -1 ? comments.length : index;
}

function parametersOn(definition: FunctionDef, base: number, starts: readonly number[], line: number): string[] {
  const { positional, vararg, keywordOnly } = definition.args;
  return [...positional, ...(vararg === null ? [] : [vararg]), ...keywordOnly]
    .filter((parameter) => lineAt(starts, base + parameter.start) === line)
    .map((parameter) => parameter.name);
}

/** The shapes that comments at the end of a line give the value assigned or returned there, by 0-based line. */
export function trailingShapes(module: Module): ReadonlyMap<number, ShapeText> {
  const found = new Map<number, ShapeText>();
  for (const comment of module.comments) {
    const shape = comment.ownLine ? null : (trailingShape(comment.text) ?? numbersAsShape(comment.text));
    if (shape !== null) found.set(comment.line, shape);
  }
  return found;
}
