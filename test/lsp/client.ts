import { type ChildProcess, spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import {
  type ClientCapabilities,
  createProtocolConnection,
  DidChangeTextDocumentNotification,
  DidOpenTextDocumentNotification,
  ExitNotification,
  InitializedNotification,
  InitializeRequest,
  type InitializeResult,
  LogMessageNotification,
  type ProtocolConnection,
  PublishDiagnosticsNotification,
  type PublishDiagnosticsParams,
  type Range,
  ShowMessageNotification,
  ShutdownRequest,
  StreamMessageReader,
  StreamMessageWriter,
} from 'vscode-languageserver/node';

const SERVER = fileURLToPath(new URL('../../dist/server.js', import.meta.url));

/** A client that asks for diagnostics and can show all that the server has to say. */
export const MODERN: ClientCapabilities = {
  textDocument: {
    diagnostic: {
      dynamicRegistration: false,
      relatedInformation: true,
      codeDescriptionSupport: true,
      tagSupport: { valueSet: [1] },
    },
    hover: { contentFormat: ['markdown'] },
    codeAction: { codeActionLiteralSupport: { codeActionKind: { valueSet: ['quickfix', 'source.fixAll'] } } },
  },
};

export interface Client {
  readonly connection: ProtocolConnection;
  readonly process: ChildProcess;
  readonly initialized: InitializeResult;
  readonly messages: readonly string[];
  uri(file: string): string;
  open(file: string, text: string): string;
  change(uri: string, version: number, range: Range, text: string): void;
  /** The next diagnostics that the server pushes for a document. */
  pushed(uri: string): Promise<PublishDiagnosticsParams>;
  stop(): Promise<number | null>;
}

/** Starts the real server on a folder with these files, and shakes hands. */
export async function startServer(
  capabilities: ClientCapabilities,
  files: Readonly<Record<string, string>> = {},
): Promise<Client> {
  const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'stridelint-lsp-')));
  for (const [name, text] of Object.entries(files)) {
    fs.mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    fs.writeFileSync(path.join(folder, name), text);
  }
  const child = spawn(process.execPath, [SERVER, '--stdio'], { stdio: ['pipe', 'pipe', 'inherit'] });
  const exited = new Promise<number | null>((resolve) => child.on('exit', resolve));
  const connection = createProtocolConnection(
    new StreamMessageReader(child.stdout),
    new StreamMessageWriter(child.stdin),
  );
  const messages: string[] = [];
  const waiting = new Map<string, (params: PublishDiagnosticsParams) => void>();
  connection.onNotification(ShowMessageNotification.type, ({ message }) => void messages.push(message));
  connection.onNotification(LogMessageNotification.type, ({ message }) => void messages.push(message));
  connection.onNotification(PublishDiagnosticsNotification.type, (params) => waiting.get(params.uri)?.(params));
  connection.listen();
  const root = pathToFileURL(folder).href;
  const initialized = await connection.sendRequest(InitializeRequest.type, {
    processId: process.pid,
    rootUri: root,
    workspaceFolders: [{ uri: root, name: 'folder' }],
    capabilities,
  });
  await connection.sendNotification(InitializedNotification.type, {});
  const uri = (file: string) => `${root}/${file}`;
  return {
    connection,
    process: child,
    initialized,
    messages,
    uri,
    open(file, text) {
      const textDocument = { uri: uri(file), languageId: 'python', version: 1, text };
      void connection.sendNotification(DidOpenTextDocumentNotification.type, { textDocument });
      return textDocument.uri;
    },
    change(target, version, range, text) {
      void connection.sendNotification(DidChangeTextDocumentNotification.type, {
        textDocument: { uri: target, version },
        contentChanges: [{ range, text }],
      });
    },
    pushed: (target) => new Promise((resolve) => waiting.set(target, resolve)),
    async stop() {
      await connection.sendRequest(ShutdownRequest.type);
      await connection.sendNotification(ExitNotification.type);
      const code = await exited;
      connection.dispose();
      fs.rmSync(folder, { recursive: true });
      return code;
    },
  };
}
