import { lenientDimList, type NamedShape, shapeOf } from './shape-text.ts';

/**
 * The shapes that a docstring gives parameters: `x (Tensor): of shape (batch, seq, dim)`, `x: Tensor of shape [B, N, C]`, numpydoc's
 * `x : Tensor, shape (N, C)`. A parameter with two shapes ("or") gets none.
 */
export function docstringShapes(docstring: string): readonly NamedShape[] {
  const found: NamedShape[] = [];
  for (const entry of entriesOf(docstring)) {
    const shapes = [...entry.text.matchAll(SHAPE)];
    const [match] = shapes;
    if (shapes.length !== 1 || match === undefined) continue;
    if (/^[`*]*\s*or\s+[`*]*[([]/.test(entry.text.slice(match.index + match[0].length))) continue;
    if (MANY.test(entry.text.slice(0, match.index))) continue;
    // `(batch X steps)`
    const list = lenientDimList((match[1] ?? '').slice(1, -1).replaceAll(/\s+[xX×]\s+/g, ', '));
    if (list !== null && !isProse(match[1] ?? ''))
      found.push({ name: entry.name, shape: shapeOf(list.dims, list.front) });
  }
  return found;
}

const SHAPE =
  /(?:\bshapes?\b(?:\s+(?:is|of|should be|must be))?|\b\w*Tensor\b[`*\]]*\s*,?(?:\s+of)?(?:\s+size)?)\s*[:=]?\s*(?::math:)?[`*]*([([][^()[\]]*(?:\([^()]*\)[^()[\]]*)*[)\]])/g;

/** `(list[Tensor]): masks of shape (N, H, W)` is about each of them, not about the parameter. */
const MANY = /\b(?:lists?|tuples?|dicts?|dictionary|sequences?|iterables?)\b/i;

/** Sizes are short; a parenthesis with sentences in it says something else, and so does one without a name or number. */
const isProse = (bracketed: string): boolean =>
  bracketed
    .slice(1, -1)
    .split(',')
    .some((entry) => entry.trim().split(/\s+/).length > 4) || !/\w|\*|\.\.\./.test(bracketed);

const ENTRY = /^([ \t]*)(?:[-*][ \t]+)?(?::param[ \t]+(?:[\w.]+[ \t]+)?)?[`*]*\*{0,2}([A-Za-z_]\w*)[`*]*[ \t]*(?=[:(])/;

/** What stands under a heading like these is about results, though it may have a parameter's name. */
const RESULTS = /^(?:returns?|yields?|raises?|outputs?|examples?|attributes)$/i;

/** A parameter's entry is its line and the lines after it that are indented more. */
function entriesOf(docstring: string): { name: string; text: string }[] {
  const entries: { name: string; indent: number; text: string }[] = [];
  let heading = { text: '', indent: -1 };
  for (const line of docstring.split('\n')) {
    const indent = line.length - line.trimStart().length;
    const last = entries.at(-1);
    const [, title] = /^\s*(\w+)(?::|\s*$)\s*$/.exec(line) ?? [];
    if (line.trim() === '') continue;
    if (title !== undefined && (last === undefined || indent <= last.indent)) heading = { text: title, indent };
    const match = RESULTS.test(heading.text) && indent >= heading.indent ? null : ENTRY.exec(line);
    if (last !== undefined && last.name !== '' && indent > last.indent) last.text += `\n${line}`;
    else if (match === null || title !== undefined) entries.push({ name: '', indent, text: '' });
    else entries.push({ name: match[2] ?? '', indent, text: line.slice(match[0].length) });
  }
  return entries.filter((entry) => entry.name !== '');
}
