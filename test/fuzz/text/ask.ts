/** Asks for everything about a text in a process of its own, which may hang or die. */
import { type ChildProcess, fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createParser } from '../../../engine/index.ts';
import { askEverything } from '../../robustness/everything.ts';

/** `hangs`: nothing was heard for as long as is waited. */
export type Answer =
  | { readonly is: 'well'; readonly seconds: number }
  | { readonly is: 'throws'; readonly error: string; readonly seconds: number }
  | { readonly is: 'hangs' | 'dies'; readonly error: string };

export interface Asker {
  ask(text: string): Promise<Answer>;
  close(): void;
}

/** `script` is what the process runs: it must call `answer`. */
export function createAsker(script: string, seconds: number): Asker {
  let child: ChildProcess | null = null;
  return {
    ask(text) {
      child ??= fork(script, ['--answer'], {
        serialization: 'advanced',
        stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      });
      const asked = child;
      return new Promise((resolve) => {
        const settle = (answer: Answer): void => {
          clearTimeout(timer);
          asked.removeAllListeners();
          if (answer.is === 'hangs' || answer.is === 'dies') {
            asked.kill('SIGKILL');
            child = null;
          }
          resolve(answer);
        };
        const timer = setTimeout(
          () => settle({ is: 'hangs', error: `no answer within ${seconds} seconds` }),
          seconds * 1000,
        );
        asked.once('message', (answer) => settle(answer as Answer));
        asked.once('exit', (code, signal) => settle({ is: 'dies', error: `the process ended: ${code ?? signal}` }));
        asked.send(text);
      });
    },
    close: () => child?.kill(),
  };
}

/** The other side: answers each text that is sent with what came of it. */
export async function answer(): Promise<void> {
  const require = createRequire(`${process.cwd()}/`);
  const wasm = (path: string): Buffer => readFileSync(require.resolve(path));
  const parser = await createParser({
    core: wasm('web-tree-sitter/web-tree-sitter.wasm'),
    python: wasm('tree-sitter-python/tree-sitter-python.wasm'),
  });
  process.on('message', (text) => {
    const before = process.cpuUsage();
    const seconds = (): number => process.cpuUsage(before).user / 1e6;
    try {
      askEverything(parser, String(text));
      process.send?.({ is: 'well', seconds: seconds() } satisfies Answer);
    } catch (error) {
      process.send?.({ is: 'throws', error: whereOf(error), seconds: seconds() } satisfies Answer);
    }
  });
}

/** The message and the nearest place: failures of one kind have the same. */
function whereOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const frame = /^ +at (?:async )?(\S+)/m.exec(error.stack ?? '')?.[1] ?? '';
  // A stack overflow may be noticed anywhere.
  return error instanceof RangeError ? error.message : `${error.name}: ${error.message} (${frame})`;
}
