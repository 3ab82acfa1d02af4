import * as vscode from 'vscode';
import {
  LanguageClient,
  type LanguageClientOptions,
  type ServerOptions,
  State,
  TransportKind,
} from 'vscode-languageclient/node';

let client: LanguageClient | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const log = vscode.window.createOutputChannel('Stridelint', { log: true });
  const running = createClient(context, log);
  client = running;
  context.subscriptions.push(
    log,
    statusItem(running),
    vscode.commands.registerCommand('stridelint.restartServer', () => running.restart()),
    vscode.commands.registerCommand('stridelint.showLogs', () => log.show()),
  );
  await running.start();
}

export async function deactivate(): Promise<void> {
  await client?.stop();
}

function createClient(context: vscode.ExtensionContext, log: vscode.LogOutputChannel): LanguageClient {
  const module = context.asAbsolutePath('dist/server.js');
  const serverOptions: ServerOptions = {
    run: { module, transport: TransportKind.ipc },
    debug: { module, transport: TransportKind.ipc, options: { execArgv: ['--nolazy', '--inspect=6009'] } },
  };
  const clientOptions: LanguageClientOptions = {
    documentSelector: [
      { scheme: 'file', language: 'python' },
      { scheme: 'untitled', language: 'python' },
    ],
    outputChannel: log,
    diagnosticPullOptions: { onChange: true, onTabs: false },
  };
  return new LanguageClient('stridelint', 'Stridelint', serverOptions, clientOptions);
}

/** Says in the language status (the braces of the status bar) whether the server runs, and offers its log. */
function statusItem(running: LanguageClient): vscode.Disposable {
  const item = vscode.languages.createLanguageStatusItem('stridelint.status', { language: 'python' });
  item.name = 'Stridelint';
  item.command = { command: 'stridelint.showLogs', title: 'Show Logs' };
  const show = (state: State) => {
    item.text = TEXTS[state];
    item.busy = state === State.Starting;
    item.severity =
      state === State.Stopped || state === State.StartFailed
        ? vscode.LanguageStatusSeverity.Warning
        : vscode.LanguageStatusSeverity.Information;
  };
  show(running.state);
  return vscode.Disposable.from(
    item,
    running.onDidChangeState(({ newState }) => show(newState)),
  );
}

const TEXTS: Readonly<Record<State, string>> = {
  [State.Stopped]: 'Stridelint is stopped',
  [State.Starting]: 'Stridelint is starting',
  [State.StartFailed]: 'Stridelint did not start',
  [State.Running]: 'Stridelint',
};
