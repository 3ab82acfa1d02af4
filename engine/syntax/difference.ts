/** The stretch of a text that is another in a later one: from `start` to `end` of the old, to `end + by` of the new. */
export interface Difference {
  readonly start: number;
  readonly end: number;
  readonly by: number;
}

export function difference(old: string, text: string): Difference {
  if (latest.old === old && latest.text === text) return latest.found;
  const most = Math.min(old.length, text.length);
  let start = 0;
  while (start < most && old.charCodeAt(start) === text.charCodeAt(start)) start++;
  let same = 0;
  while (same < most - start && old.charCodeAt(old.length - 1 - same) === text.charCodeAt(text.length - 1 - same))
    same++;
  const found = { start, end: old.length - same, by: text.length - old.length };
  latest = { old, text, found };
  return found;
}

/** Several ask of one edit. */
let latest = { old: '', text: '', found: { start: 0, end: 0, by: 0 } };
