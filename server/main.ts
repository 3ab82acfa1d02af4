/** The language server as a program of its own, as VS Code and others start it. */
import { keepHeapSmall } from './heap.ts';
import { serveAsAsked } from './lsp/node.ts';

keepHeapSmall();
serveAsAsked();
