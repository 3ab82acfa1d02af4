import { runsOn } from './lines.ts';
import { endAt, isToken, kindAt, nextAt, startAt, type Tape } from './tape.ts';

/** Statements and headers that run on over the end of their line, which tree-sitter's grammar allows and Python's does not. */
export function runOns(tape: Tape, text: string): number[] {
  const found: number[] = [];
  for (let entry = 0; entry < tape.length; entry++) {
    if (tape.stated[tape.ids[entry] ?? 0] === 1 && runsOn(text, startAt(tape, entry), headerEnd(tape, entry))) {
      found.push(entry);
    }
  }
  return found;
}

/** Where the part of a statement ends that stands before its block. */
function headerEnd(tape: Tape, entry: number): number {
  const end = nextAt(tape, entry);
  let last = startAt(tape, entry);
  for (let child = entry + 1; child < end; child = nextAt(tape, child)) {
    if (isToken(tape, child)) continue;
    const kind = kindAt(tape, child);
    if (kind === 'block' || kind === 'decorator') return last;
    last = endAt(tape, child);
  }
  return last;
}

/** The outermost statements in which nothing is wrong, in order. `wrong` are entries that are wrong although they parsed. */
export function soundSpans(tape: Tape, wrong: readonly number[]): { start: number; end: number }[] {
  const broken = new Uint8Array(tape.length);
  if (tape.broken !== null) broken.set(tape.broken);
  for (const entry of wrong) {
    for (let above = 0; above <= entry; above++) if (nextAt(tape, above) > entry) broken[above] = 1;
  }
  const spans: { start: number; end: number }[] = [];
  for (let entry = 0; entry < tape.length; ) {
    if (broken[entry] === 0 && tape.stated[tape.ids[entry] ?? 0] === 1) {
      spans.push({ start: startAt(tape, entry), end: endAt(tape, entry) });
      entry = nextAt(tape, entry);
    } else entry++;
  }
  return spans;
}
