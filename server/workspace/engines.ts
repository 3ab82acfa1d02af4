import { createEngine, type Engine, type Parser } from '../../engine/index.ts';
import type { Imports } from './imports.ts';

/** One engine for each torch version that the files of a workspace are written for. */
export function createEngines(parser: Parser, imports: Imports, read: (path: string) => string | null) {
  const engines = new Map<string | null, Engine>();
  return {
    for(torchVersion: string | null): Engine {
      const before = engines.get(torchVersion);
      if (before !== undefined) return before;
      const host = { resolve: imports.resolve, read };
      const engine = createEngine(host, parser, torchVersion === null ? {} : { torchVersion });
      engines.set(torchVersion, engine);
      return engine;
    },
    all: (): Iterable<Engine> => engines.values(),
  };
}

export type Engines = ReturnType<typeof createEngines>;
