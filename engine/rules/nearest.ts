/** The candidate that was probably meant by a misspelt word, or null where nothing is near. */
export function nearest(word: string, candidates: Iterable<string>): string | null {
  let best: string | null = null;
  let distance = Math.max(2, Math.floor(word.length / 3)) + 1;
  for (const candidate of candidates) {
    const found = isBeginning(word, candidate) ? 1 : editDistance(word.toLowerCase(), candidate.toLowerCase());
    if (found < distance) [best, distance] = [candidate, found];
  }
  return best;
}

/** `; did you mean "…"?`, or nothing. */
export function didYouMean(word: string, candidates: Iterable<string>): string {
  const meant = nearest(word, candidates);
  return meant === null ? '' : `; did you mean "${meant}"?`;
}

/** `warn` is no small distance from `warning`, but plainly meant. */
function isBeginning(word: string, candidate: string): boolean {
  return word.length >= 3 && candidate.toLowerCase().startsWith(word.toLowerCase());
}

/** Levenshtein's distance, one row of the table at a time. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
