import { Language, Parser as TreeSitter } from 'web-tree-sitter';
import type { Cursor, Kinds } from './tape.ts';

/** A tree-sitter that parses Python. */
export interface Backend {
  readonly kinds: Kinds;
  /** Parses `text` and hands over a cursor on the tree, and whether it has errors; both live only during the visit. */
  readonly read: (text: string, visit: (cursor: Cursor, hasErrors: boolean) => void) => void;
}

/** The bytes of two WebAssembly modules. Without `core`, web-tree-sitter looks for its own beside itself. */
export interface Grammar {
  readonly core: ArrayBuffer | Uint8Array | undefined;
  readonly python: Uint8Array;
}

/** web-tree-sitter has one core for all parsers; made a second time, it takes the grammars of the first with it. */
let core: Promise<void> | null = null;

export async function createWasmBackend(grammar: Grammar): Promise<Backend> {
  core ??= TreeSitter.init(grammar.core === undefined ? undefined : { wasmBinary: grammar.core });
  await core;
  const language = await Language.load(grammar.python);
  const parser = new TreeSitter();
  parser.setLanguage(language);
  return {
    kinds: {
      name: (id) => language.nodeTypeForId(id),
      isNamed: (id) => language.nodeTypeIsNamed(id),
      count: language.nodeTypeCount,
    },
    read: (text, visit) => {
      const tree = parser.parse(text);
      if (tree === null) return;
      const cursor = tree.walk();
      try {
        visit(cursor, tree.rootNode.hasError);
      } finally {
        cursor.delete();
        tree.delete();
      }
    },
  };
}
