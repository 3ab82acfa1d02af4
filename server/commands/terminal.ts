import pico from 'picocolors';

/** Where a command writes, and where it was called. */
export interface Terminal {
  readonly folder: string;
  readonly colours: Colours;
  readonly width: number;
  out(text: string): void;
  /** Progress and complaints; never part of a result. */
  err(text: string): void;
}

export type Colours = ReturnType<typeof pico.createColors>;

/** Colours only where a person looks on: a terminal, unless NO_COLOR asks for none or FORCE_COLOR for some. */
export function processTerminal(): Terminal {
  const forced = (process.env.FORCE_COLOR ?? '0') !== '0';
  const refused = (process.env.NO_COLOR ?? '') !== '' || process.env.TERM === 'dumb';
  return {
    folder: process.cwd(),
    colours: pico.createColors(!refused && (forced || process.stdout.isTTY === true)),
    width: process.stdout.columns ?? 120,
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
  };
}

/** The exit status of design: 0 nothing at or above the level, 1 findings, 2 the tool could not do its work. */
export type Status = 0 | 1 | 2;

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
