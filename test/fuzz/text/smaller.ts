/** Makes a failing text small: by halves, quarters and so on of its lines, then of its characters. */

/** Whether a text still fails as the first one did. */
export type StillFails = (text: string) => Promise<boolean>;

/** How often a text may be tried: a hang is found out by waiting for it. */
const MOST_TRIES = 400;

export async function smallest(text: string, stillFails: StillFails): Promise<string> {
  const tries = { left: MOST_TRIES };
  const byLines = await reduced(text.match(/[^\n]*\n|[^\n]+$/g) ?? [], tries, stillFails);
  return (await reduced([...byLines.join('')], tries, stillFails)).join('');
}

async function reduced(
  pieces: readonly string[],
  tries: { left: number },
  stillFails: StillFails,
): Promise<readonly string[]> {
  let kept = pieces;
  for (let size = Math.ceil(kept.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let at = 0; at < kept.length; ) {
      const without = [...kept.slice(0, at), ...kept.slice(at + size)];
      if (tries.left-- <= 0) return kept;
      if (await stillFails(without.join(''))) kept = without;
      else at += size;
    }
  }
  return kept;
}
