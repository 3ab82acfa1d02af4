/** A program in the making, and the tensors that its next statement can name. */
import type { Chance } from './chance.ts';
import type { Predict, Prediction } from './prediction.ts';
import type { Program, Readable, Statement } from './statement.ts';

export interface Draft {
  readonly chance: Chance;
  readonly predict: Predict;
  /** What is installed beside torch. */
  readonly libraries: readonly string[];
  readonly program: () => Program;
  readonly readables: () => readonly Readable[];
  /** A variable of a fresh tensor; gives its name. */
  readonly bind: (text: string) => string;
  /** A variable of what an op makes; gives its name. */
  readonly assign: (text: string, op: string) => string;
  /** A statement that binds nothing. */
  readonly append: (text: string, op: string) => void;
  /** Tries statements: true keeps them, false takes them back. */
  readonly attempt: (statements: () => boolean) => boolean;
  /** Ends with the statement at an index. */
  readonly endAt: (index: number) => void;
}

const MOST_ELEMENTS = 4000;
const MOST_READABLES = 12;

export function draftOf(chance: Chance, predict: Predict, libraries: readonly string[]): Draft {
  let program: readonly Statement[] = [];
  let readables: readonly Readable[] = [];
  let count = 0;
  const append = (text: string, op: string, fresh = false): void => {
    program = [...program, { text, op, fresh }];
  };
  const variable = (text: string, op: string, fresh: boolean): string => {
    const name = `v${count++}`;
    append(`${name} = ${text}`, op, fresh);
    return name;
  };
  return {
    chance,
    predict,
    libraries,
    program: () => program,
    readables: () => readables,
    bind: (text) => variable(text, 'fresh', true),
    assign: (text, op) => variable(text, op, false),
    append,
    attempt(statements) {
      const before = { program, readables, count };
      if (statements()) {
        readables = readablesAfter(readables, program, before.program.length, predict(program));
        return true;
      }
      ({ program, readables, count } = before);
      return false;
    },
    endAt(index) {
      program = program.slice(0, index + 1);
    },
  };
}

/** What new statements made; a variable that one of them changed is read as it is now. */
function readablesAfter(
  before: readonly Readable[],
  program: Program,
  from: number,
  seen: readonly Prediction[],
): readonly Readable[] {
  let readables = before;
  for (const [at, { tensors }] of seen.entries()) {
    const text = program[at]?.text ?? '';
    const name = /^(v\d+) = /.exec(text)?.[1];
    const changed = /^(v\d+) \S+= /.exec(text)?.[1];
    const written = name ?? changed;
    if (at < from || written === undefined) continue;
    const made = (tensors ?? []).flatMap(({ path, shape, dtype }): readonly Readable[] => {
      const sizes = knownSizes(shape);
      const fits = sizes !== null && sizes.reduce((a, b) => a * b, 1) <= MOST_ELEMENTS;
      return fits && dtype !== null ? [{ text: `${written}${path}`, shape: sizes, dtype }] : [];
    });
    readables = [...readables.filter((readable) => readable.text !== changed), ...made];
  }
  return readables.slice(-MOST_READABLES);
}

/** Sizes as numbers, null where one is not known. */
export function knownSizes(sizes: readonly (string | null)[] | null): readonly number[] | null {
  const known = (sizes ?? [null]).map((size) => (size !== null && /^\d+$/.test(size) ? Number(size) : null));
  return known.includes(null) ? null : known.map((size) => size ?? 0);
}
