/** The installed PyTorch, in a process of its own that answers programs. */
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

export interface AnsweredTensor {
  readonly path: string;
  readonly shape: readonly number[];
  readonly stride: readonly number[];
  readonly offset: number;
  readonly dtype: string;
  readonly storage: number;
  readonly object: number;
}

/** What one statement did. */
export type StatementAnswer =
  | { readonly tensors: readonly AnsweredTensor[] }
  | { readonly raises: string; readonly message: string };

/** One answer for each statement, up to the one that raised; null where the process died of it. */
export type Answer = readonly StatementAnswer[] | null;

export interface Oracle {
  readonly version: string;
  /** What is installed beside torch. */
  readonly libraries: readonly string[];
  answer(programs: readonly (readonly string[])[]): Promise<readonly Answer[]>;
  close(): void;
}

interface Running {
  readonly child: ChildProcess;
  readonly version: string;
  readonly libraries: readonly string[];
  /** The next line of output, null where the process has ended. */
  line(): Promise<string | null>;
}

/** Starts the driver; null where there is no Python with torch. */
export async function startOracle(python: string, script: string): Promise<Oracle | null> {
  let running = await start(python, script);
  if (running === null) return null;
  const { version, libraries } = running;
  return {
    version,
    libraries,
    async answer(programs) {
      const answers: Answer[] = [];
      while (answers.length < programs.length) {
        running ??= await start(python, script);
        if (running === null) throw new Error('PyTorch cannot be started again');
        const { child, line } = running;
        for (const program of programs.slice(answers.length)) child.stdin?.write(`${JSON.stringify(program)}\n`);
        while (answers.length < programs.length && running !== null) {
          const text: string | null = await line();
          answers.push(text === null ? null : (JSON.parse(text) as Answer));
          if (text === null) running = null;
        }
      }
      return answers;
    },
    close() {
      running?.child.stdin?.end();
    },
  };
}

async function start(python: string, script: string): Promise<Running | null> {
  const child = spawn(python, [script], { stdio: ['pipe', 'pipe', 'ignore'] });
  child.on('error', () => {});
  child.stdin.on('error', () => {});
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const line = async (): Promise<string | null> => {
    const { done, value } = await lines.next();
    return done ? null : value;
  };
  const hello = await line();
  if (hello === null) return null;
  const { torch, libraries } = JSON.parse(hello) as { readonly torch: string; readonly libraries: readonly string[] };
  return { child, version: torch, libraries, line };
}
