/** Source text as it never should be: lines and tokens of a real file deleted, doubled, exchanged and cut off. */
import type { Chance } from '../chance.ts';

/** What a text is made of, in order; joined they are the text. */
type Pieces = readonly string[];

/** A change of some pieces; `others` are lines or tokens of the same text to borrow from. */
type Mutation = (pieces: Pieces, chance: Chance) => Pieces;

const MUTATIONS: readonly [Mutation, ...Mutation[]] = [
  (pieces, chance) => spliced(pieces, chance.below(pieces.length), 1, []),
  (pieces, chance) => {
    const [from, to] = span(pieces, chance);
    return spliced(pieces, from, to - from, []);
  },
  (pieces, chance) => {
    const at = chance.below(pieces.length);
    return spliced(pieces, at, 0, pieces.slice(at, at + 1));
  },
  (pieces, chance) => {
    const [from, to] = span(pieces, chance);
    return spliced(pieces, chance.below(pieces.length), 0, pieces.slice(from, to));
  },
  (pieces, chance) => exchanged(pieces, chance.below(pieces.length), chance.below(pieces.length)),
  (pieces, chance) => {
    const at = chance.below(pieces.length);
    return exchanged(pieces, at, at + 1);
  },
  (pieces, chance) => {
    const at = chance.below(pieces.length);
    const piece = pieces[at] ?? '';
    return spliced(pieces, at, 1, [piece.slice(0, chance.below(piece.length + 1))]);
  },
  (pieces, chance) => spliced(pieces, chance.below(pieces.length), 1, [pieces[chance.below(pieces.length)] ?? '']),
];

/** Characters that end what should not end, or that no editor shows. */
const ODD = [
  '\0',
  '\uD800',
  '\uDC00',
  '\r',
  '\t',
  '\f',
  '\uFEFF',
  '\\',
  '"""',
  "'",
  '(',
  ']',
  '}',
  ':',
  '#',
  '\u2028',
  '  ',
];

/** A line, with what ends it, is one piece; of a line each word, number, string, run of blanks and sign is one. */
const linesOf = (text: string): Pieces => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
const tokensOf = (text: string): Pieces => text.match(/\w+|"[^"\n]*"|'[^'\n]*'|[ \t]+|\r?\n|[^\w\s]|[\s\S]/g) ?? [];

/** One to `most` changes, each of lines or of tokens; now and then an odd character, or the rest of the text is gone. */
export function mutated(text: string, chance: Chance, most = 4): string {
  let changed = text;
  for (let left = chance.between(1, most); left > 0; left--) changed = onceMutated(changed, chance);
  return changed;
}

function onceMutated(text: string, chance: Chance): string {
  const kind = chance.below(20);
  if (kind === 0) return text.slice(0, chance.below(text.length + 1));
  if (kind === 1) {
    const at = chance.below(text.length + 1);
    return text.slice(0, at) + (chance.oneOf(ODD) ?? '') + text.slice(at);
  }
  const pieces = kind % 2 === 0 ? linesOf(text) : tokensOf(text);
  return pieces.length === 0 ? text : chance.pick(MUTATIONS)(pieces, chance).join('');
}

/** A stretch of the text that is not too large to be read a thousand times. */
export function excerpt(text: string, chance: Chance, mostLines: number): string {
  const lines = linesOf(text);
  const start = lines.length <= mostLines ? 0 : chance.below(lines.length - mostLines);
  return lines.slice(start, start + mostLines).join('');
}

/** A few pieces beside each other, seldom many. */
function span(pieces: Pieces, chance: Chance): readonly [from: number, to: number] {
  const from = chance.below(pieces.length);
  const length = chance.happens(0.1) ? chance.below(pieces.length) : chance.between(1, 12);
  return [from, Math.min(pieces.length, from + length)];
}

const spliced = (pieces: Pieces, at: number, gone: number, put: Pieces): Pieces => [
  ...pieces.slice(0, at),
  ...put,
  ...pieces.slice(at + gone),
];

function exchanged(pieces: Pieces, a: number, b: number): Pieces {
  const [one, other] = [pieces[a], pieces[b]];
  if (one === undefined || other === undefined) return pieces;
  return pieces.map((piece, at) => (at === a ? other : at === b ? one : piece));
}
