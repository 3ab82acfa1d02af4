/** The language server as a program of its own, as VS Code and others start it. */
import { serveAsAsked } from './lsp/node.ts';

serveAsAsked();
