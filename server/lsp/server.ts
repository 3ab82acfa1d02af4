import {
  type CancellationToken,
  type ClientCapabilities,
  type Connection,
  DidChangeConfigurationNotification,
  DidChangeWatchedFilesNotification,
  DocumentDiagnosticReportKind,
  ErrorCodes,
  type InitializeParams,
  type InitializeResult,
  LSPErrorCodes,
  MessageType,
  ResponseError,
  ShowMessageNotification,
  type ShowMessageParams,
  TextDocumentSyncKind,
  TextDocuments,
} from 'vscode-languageserver';
import { TextDocument } from 'vscode-languageserver-textdocument';
import type { Parser } from '../../engine/index.ts';
import { createSession, type Session } from '../session.ts';
import type { Disk } from '../workspace/disk.ts';
import { analysed } from './analysed.ts';
import { codeActions, FIX_ALL } from './code-actions.ts';
import { type Client, SOURCE } from './convert.ts';
import { diagnosticsFor } from './diagnostics.ts';
import { hoverAt } from './hover.ts';
import { folderOf, uriOf } from './paths.ts';
import { parseSettings } from './settings.ts';

/** What the server runs on: Node gives it a disk, a browser worker may give it something else. */
export interface Platform {
  readonly disk: Disk;
  readonly version: string;
  loadParser(): Promise<Parser>;
}

/** Speaks the protocol over a connection until that ends. */
export function serve(connection: Connection, platform: Platform): void {
  const documents = new TextDocuments(TextDocument);
  const log = (message: string) => connection.console.error(message);
  let capabilities: ClientCapabilities = {};
  let session: Session | null = null;
  const started = (): Session => {
    if (session === null) throw new ResponseError(ErrorCodes.ServerNotInitialized, 'not initialized');
    return session;
  };
  const pulls = () => capabilities.textDocument?.diagnostic !== undefined;

  connection.onInitialize(async (params): Promise<InitializeResult> => {
    capabilities = params.capabilities;
    session = createSession(platform.disk, await platform.loadParser());
    session.setFolders(initialFolders(params));
    return {
      serverInfo: { name: SOURCE, version: platform.version },
      capabilities: {
        positionEncoding: 'utf-16',
        textDocumentSync: TextDocumentSyncKind.Incremental,
        hoverProvider: true,
        codeActionProvider: { codeActionKinds: ['quickfix', FIX_ALL] },
        workspace: { workspaceFolders: { supported: true, changeNotifications: true } },
        ...(pulls()
          ? { diagnosticProvider: { identifier: SOURCE, interFileDependencies: true, workspaceDiagnostics: false } }
          : {}),
      },
    };
  });

  connection.onInitialized(async () => {
    const workspace = capabilities.workspace;
    if (workspace?.didChangeConfiguration?.dynamicRegistration === true) {
      await connection.client.register(DidChangeConfigurationNotification.type, { section: SOURCE });
    }
    if (workspace?.didChangeWatchedFiles?.dynamicRegistration === true) {
      await connection.client.register(DidChangeWatchedFilesNotification.type, {
        watchers: [{ globPattern: '**/*.py' }, { globPattern: '**/pyproject.toml' }],
      });
    }
    if (workspace?.workspaceFolders === true) {
      connection.workspace.onDidChangeWorkspaceFolders(async ({ added, removed }) => {
        const gone = new Set(removed.map(({ uri }) => folderOf(uri)));
        const kept = started()
          .folders()
          .filter((folder) => !gone.has(folder));
        started().setFolders([...kept.map(uriOf), ...added.map(({ uri }) => uri)]);
        await readSettings();
      });
    }
    await readSettings();
  });

  /** Asks the client for its settings, for each folder; a client that cannot be asked sends them with the notification. */
  const readSettings = async (sent?: unknown): Promise<void> => {
    const current = started();
    if (capabilities.workspace?.configuration === true) {
      const folders = current.folders();
      const items = [{ section: SOURCE }, ...folders.map((folder) => ({ section: SOURCE, scopeUri: uriOf(folder) }))];
      const answers: unknown[] = await connection.workspace.getConfiguration(items);
      answers.forEach((answer, i) => {
        current.setSettings(i === 0 ? null : (folders[i - 1] ?? null), parseSettings(answer));
      });
    } else if (typeof sent === 'object' && sent !== null && SOURCE in sent) {
      current.setSettings(null, parseSettings(sent[SOURCE]));
    }
    refresh();
  };
  connection.onDidChangeConfiguration(({ settings }) => readSettings(settings));

  const publish = async (uri: string): Promise<void> => {
    const isWanted = () => !pending.has(uri) && started().document(uri) !== undefined;
    if (!(await analysed(started(), uri, isWanted))) return;
    await connection.sendDiagnostics({ uri, diagnostics: diagnosticsFor(started(), uri, clientOf(capabilities), log) });
  };
  const pending = new Map<string, ReturnType<typeof setTimeout>>();
  /** For a client that does not ask for diagnostics. What is typed in quick succession is looked at once. */
  const push = (uri: string): void => {
    if (pulls()) return;
    clearTimeout(pending.get(uri));
    pending.set(
      uri,
      setTimeout(() => {
        pending.delete(uri);
        void publish(uri);
      }, 120),
    );
  };
  const refresh = (): void => {
    complainAboutConfig();
    if (!pulls()) for (const { uri } of started().documents()) push(uri);
    else if (capabilities.workspace?.diagnostics?.refreshSupport === true) {
      connection.languages.diagnostics.refresh().catch(() => undefined);
    }
  };

  const complained = new Set<string>();
  const complainAboutConfig = (): void => {
    for (const { path, line, message } of started().configProblems()) {
      const text = `${path}:${line}: ${message}`;
      if (complained.has(text)) continue;
      complained.add(text);
      const shown: ShowMessageParams = { type: MessageType.Warning, message: `Stridelint: ${text}` };
      void connection.sendNotification(ShowMessageNotification.type, shown);
    }
  };

  // Comes for an opened document too.
  documents.onDidChangeContent(({ document }) => {
    started().update(document);
    complainAboutConfig();
    push(document.uri);
    // Other open files may import this one.
    for (const other of started().documents()) if (other.uri !== document.uri) push(other.uri);
  });
  documents.onDidClose(({ document }) => {
    started().close(document);
    if (!pulls()) void connection.sendDiagnostics({ uri: document.uri, diagnostics: [] });
  });
  connection.onDidChangeWatchedFiles(({ changes }) => {
    started().filesChanged(changes.map(({ uri }) => uri));
    complained.clear();
    refresh();
  });

  connection.languages.diagnostics.on(async ({ textDocument }, token) => {
    // A newer state is on its way, and the client will ask again for it.
    if (!(await analysed(started(), textDocument.uri, () => !token.isCancellationRequested))) {
      throw new ResponseError(LSPErrorCodes.ServerCancelled, 'superseded', { retriggerRequest: true });
    }
    const items = diagnosticsFor(started(), textDocument.uri, clientOf(capabilities), log);
    return { kind: DocumentDiagnosticReportKind.Full, items };
  });
  /** A failure of the analysis is for the log; the person gets nothing rather than an error box. */
  const guarded = async <Answer>(
    uri: string,
    token: CancellationToken,
    answer: () => Answer,
  ): Promise<Answer | null> => {
    if (!(await analysed(started(), uri, () => !token.isCancellationRequested)))
      throw new ResponseError(LSPErrorCodes.RequestCancelled, 'cancelled');
    try {
      return answer();
    } catch (error) {
      log(error instanceof Error ? (error.stack ?? error.message) : String(error));
      return null;
    }
  };
  connection.onHover((params, token) => {
    const formats = capabilities.textDocument?.hover?.contentFormat ?? ['markdown'];
    const format = formats.includes('markdown') ? 'markdown' : 'plaintext';
    return guarded(params.textDocument.uri, token, () => hoverAt(started(), params, format));
  });
  connection.onCodeAction((params, token) =>
    guarded(params.textDocument.uri, token, () => codeActions(started(), params)),
  );

  documents.listen(connection);
  connection.listen();
}

function initialFolders({ workspaceFolders, rootUri }: InitializeParams): readonly string[] {
  if (workspaceFolders != null && workspaceFolders.length > 0) return workspaceFolders.map(({ uri }) => uri);
  return rootUri == null ? [] : [rootUri];
}

function clientOf(capabilities: ClientCapabilities): Client {
  const pull = capabilities.textDocument?.diagnostic;
  const push = capabilities.textDocument?.publishDiagnostics;
  return {
    relatedInformation: pull?.relatedInformation ?? push?.relatedInformation ?? false,
    codeDescription: pull?.codeDescriptionSupport ?? push?.codeDescriptionSupport ?? false,
    tags: (pull?.tagSupport ?? push?.tagSupport) !== undefined,
  };
}
