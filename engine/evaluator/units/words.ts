import { difference } from '../../syntax/index.ts';

/** The identifiers of a text, kept up to date from one text to the next. Whoever holds them has those of the latest. */
export interface Words {
  text: string;
  readonly times: Map<string, number>;
}

export const newWords = (): Words => ({ text: '', times: new Map() });

export const hasWord = ({ times }: Words, word: string): boolean => times.has(word);

/** Only where the texts differ are words counted again. */
export function update(words: Words, text: string): void {
  const { text: old } = words;
  const change = difference(old, text);
  let { start } = change;
  let same = old.length - change.end;
  while (start > 0 && isPart(old.charCodeAt(start - 1))) start--;
  while (same > 0 && isPart(old.charCodeAt(old.length - same))) same--;
  for (const word of wordsIn(old.slice(start, old.length - same))) {
    const times = (words.times.get(word) ?? 1) - 1;
    if (times > 0) words.times.set(word, times);
    else words.times.delete(word);
  }
  for (const word of wordsIn(text.slice(start, text.length - same)))
    words.times.set(word, (words.times.get(word) ?? 0) + 1);
  words.text = text;
}

const wordsIn = (text: string): readonly string[] => text.match(/[A-Za-z_]\w*/g) ?? [];

/** Digits and letters of ASCII, and `_`. */
const isPart = (code: number): boolean =>
  (code >= 0x30 && code <= 0x39) || (code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a) || code === 0x5f;
