import { readdirSync, readFileSync } from 'node:fs';

/** What PyTorch did: it raised, or gave a result; `own` has the shapes of the module's parameters and buffers. */
export type Answer =
  | readonly ['!', string]
  | {
      readonly result: unknown;
      readonly own: Readonly<Record<string, readonly number[] | null>>;
      readonly attributes: Readonly<Record<string, unknown>>;
    };

const FOLDER = new URL('./recordings/', import.meta.url);
const CLASSES = 'classes.json';
const read = (file: string) => JSON.parse(readFileSync(new URL(file, FOLDER), 'utf8'));

/** The answers of every recording by their sample. */
export const recorded: Readonly<Record<string, Answer>> = Object.assign(
  {},
  ...readdirSync(FOLDER)
    .filter((file) => file !== CLASSES)
    .map(read),
);

/** The modules of `torch.nn`, and what their constructors take; null where that is whatever a base class takes. */
export const classes: Readonly<Record<string, readonly string[] | null>> = read(CLASSES);
