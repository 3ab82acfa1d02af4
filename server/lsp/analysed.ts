import type { Session } from '../session.ts';

/** How long no message is read, in milliseconds, where no single function takes longer. */
const DEAF = 20;

/**
 * Analyses a document, and lets messages be read meanwhile: one of them may change the text, which begins it anew. False as soon
 * as nobody waits for it any more; what was done until then is not lost to others who do.
 */
export async function analysed(session: Session, uri: string, isWanted: () => boolean): Promise<boolean> {
  for (;;) {
    await turn();
    if (!isWanted()) return false;
    const until = performance.now() + DEAF;
    while (performance.now() < until) if (session.advance(uri)) return true;
  }
}

/** Lets the messages that wait be read first. */
function turn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}
