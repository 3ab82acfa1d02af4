import { afterEach, expect, test } from 'vitest';
import {
  CancellationTokenSource,
  type CodeAction,
  CodeActionRequest,
  type Diagnostic,
  DidChangeConfigurationNotification,
  DidChangeWatchedFilesNotification,
  DidCloseTextDocumentNotification,
  DocumentDiagnosticRequest,
  FileChangeType,
  HoverRequest,
} from 'vscode-languageserver/node';
import { TextDocument } from 'vscode-languageserver-textdocument';
import { type Client, MODERN, startServer } from './client.ts';

const COPY = 'import torch\n\nx = torch.randn(2, 3, 4)\ny = x.transpose(1, 2).reshape(2, 12)\n';
const RAISES = 'import torch\n\nx = torch.randn(2, 3, 4)\ny = x.transpose(1, 2).view(2, 12)\n';

let client: Client | null = null;
afterEach(async () => {
  await client?.stop();
  client = null;
});

async function start(...args: Parameters<typeof startServer>): Promise<Client> {
  client = await startServer(...args);
  return client;
}

async function pull(server: Client, uri: string): Promise<readonly Diagnostic[]> {
  const report = await server.connection.sendRequest(DocumentDiagnosticRequest.type, { textDocument: { uri } });
  return report.kind === 'full' ? report.items : [];
}

async function actions(
  server: Client,
  uri: string,
  diagnostics: readonly Diagnostic[],
  only?: string[],
): Promise<CodeAction[]> {
  const [first] = diagnostics;
  const range = first?.range ?? { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } };
  const context = { diagnostics: [...diagnostics], ...(only === undefined ? {} : { only }) };
  const answer = await server.connection.sendRequest(CodeActionRequest.type, { textDocument: { uri }, range, context });
  return (answer ?? []).filter((action): action is CodeAction => 'kind' in action);
}

function applied(uri: string, text: string, action: CodeAction | undefined): string {
  return TextDocument.applyEdits(TextDocument.create(uri, 'python', 1, text), action?.edit?.changes?.[uri] ?? []);
}

test('answers who it is and what it can do', async () => {
  const { initialized } = await start(MODERN);
  expect(initialized.serverInfo?.name).toBe('stridelint');
  expect(initialized.capabilities).toMatchObject({
    positionEncoding: 'utf-16',
    hoverProvider: true,
    diagnosticProvider: { interFileDependencies: true },
  });
});

test('a client that asks gets the findings, with their rule page and their reasons', async () => {
  const server = await start(MODERN);
  const uri = server.open('a.py', COPY);
  const [found, ...others] = await pull(server, uri);
  expect(others).toEqual([]);
  expect(found).toMatchObject({
    code: 'hidden-copy',
    source: 'stridelint',
    severity: 3,
    range: { start: { line: 3, character: 4 }, end: { line: 3, character: 36 } },
    codeDescription: { href: 'https://github.com/stridelint/stridelint/blob/main/docs/rules/hidden-copy.md' },
  });
  expect(found?.relatedInformation?.[0]?.location).toMatchObject({ uri, range: { start: { line: 3 } } });
});

test('a client that does not ask is told, and told again after an edit and a close', async () => {
  const server = await start({});
  expect(server.initialized.capabilities.diagnosticProvider).toBeUndefined();
  const uri = server.uri('a.py');
  const first = server.pushed(uri);
  server.open('a.py', COPY);
  expect((await first).diagnostics.map(({ code }) => code)).toEqual(['hidden-copy']);
  const second = server.pushed(uri);
  server.change(uri, 2, { start: { line: 3, character: 22 }, end: { line: 3, character: 29 } }, 'view');
  expect((await second).diagnostics.map(({ code }) => code)).toEqual(['incompatible-view']);
  const third = server.pushed(uri);
  await server.connection.sendNotification(DidCloseTextDocumentNotification.type, { textDocument: { uri } });
  expect((await third).diagnostics).toEqual([]);
});

test('positions count UTF-16 units, behind characters outside the basic plane too', async () => {
  const server = await start(MODERN);
  const uri = server.open('a.py', COPY.replace('y = x', 's = "日𝕏"; y = x'));
  const [found] = await pull(server, uri);
  expect(found?.range).toEqual({ start: { line: 3, character: 15 }, end: { line: 3, character: 47 } });
});

test('edits are applied one by one', async () => {
  const server = await start(MODERN);
  const uri = server.open('a.py', COPY);
  server.change(uri, 2, { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } }, '# above\r\n');
  server.change(uri, 3, { start: { line: 4, character: 22 }, end: { line: 4, character: 29 } }, 'view');
  expect(await pull(server, uri)).toMatchObject([
    { code: 'incompatible-view', severity: 1, range: { start: { line: 4 } } },
  ]);
});

/** The same finding in each of so many functions. */
const long = (functions: number): string =>
  Array.from(
    { length: functions },
    (_, index) => `\ndef f${index}():\n    x = torch.randn(2, 3, 4)\n    return x.transpose(1, 2).reshape(2, 12)\n`,
  ).join('\n');

test('a long file keeps nobody waiting: others are answered meanwhile, and it is given up when told to', async () => {
  const server = await start(MODERN);
  const uri = server.open('long.py', `import torch\n${long(6000)}`);
  const short = server.open('a.py', COPY);
  const source = new CancellationTokenSource();
  const given = server.connection.sendRequest(DocumentDiagnosticRequest.type, { textDocument: { uri } }, source.token);
  expect(await pull(server, short)).toHaveLength(1);
  source.cancel();
  await expect(given).rejects.toThrow('superseded');
  server.change(uri, 2, { start: { line: 6, character: 0 }, end: { line: 30_000, character: 0 } }, '');
  expect(await pull(server, uri)).toHaveLength(1);
});

test('hover shows shape and strides', async () => {
  const server = await start(MODERN);
  const uri = server.open('a.py', COPY);
  const hover = await server.connection.sendRequest(HoverRequest.type, {
    textDocument: { uri },
    position: { line: 3, character: 8 },
  });
  expect(JSON.stringify(hover?.contents)).toMatch(/12, 1, 4/);
  const elsewhere = { textDocument: { uri: server.uri('never-opened.py') }, position: { line: 0, character: 0 } };
  expect(await server.connection.sendRequest(HoverRequest.type, elsewhere)).toBeNull();
});

test('the quick fix leaves nothing to find, and stands beside the comment that allows the finding', async () => {
  const server = await start(MODERN);
  const uri = server.open('a.py', COPY);
  const found = await pull(server, uri);
  const [fix, ...others] = await actions(server, uri, found);
  expect(fix).toMatchObject({ kind: 'quickfix', isPreferred: true, diagnostics: [{ code: 'hidden-copy' }] });
  const fixed = applied(uri, COPY, fix);
  expect(fixed).toContain('.contiguous().view(2, 12)');
  expect(await pull(server, server.open('fixed.py', fixed))).toEqual([]);
  const allow = others.find(({ title }) => title === 'Allow hidden-copy on this line');
  const allowed = applied(uri, COPY, allow);
  expect(allowed).toContain('reshape(2, 12)  # stridelint: ignore[hidden-copy]\n');
  expect(await pull(server, server.open('allowed.py', allowed))).toEqual([]);
});

test('all safe fixes at once, where an editor asks for source.fixAll', async () => {
  const server = await start(MODERN);
  const text = `${COPY}z = x.transpose(1, 2).reshape(24)\n`;
  const uri = server.open('a.py', text);
  const found = await pull(server, uri);
  const [all] = await actions(server, uri, found, ['source.fixAll']);
  expect(all?.kind).toBe('source.fixAll.stridelint');
  expect(applied(uri, text, all)).not.toContain('reshape');
});

test('pyproject.toml sets levels, and a change of it is seen', async () => {
  const files = { 'pyproject.toml': '[tool.stridelint]\nrules = { hidden-copy = "warning" }\n' };
  const server = await start(MODERN, files);
  const uri = server.open('a.py', COPY);
  expect(await pull(server, uri)).toMatchObject([{ severity: 2 }]);
  const { writeFileSync } = await import('node:fs');
  const { fileURLToPath } = await import('node:url');
  const config = server.uri('pyproject.toml');
  writeFileSync(fileURLToPath(config), '[tool.stridelint]\nrules = { hidden-copy = "off" }\n');
  await server.connection.sendNotification(DidChangeWatchedFilesNotification.type, {
    changes: [{ uri: config, type: FileChangeType.Changed }],
  });
  expect(await pull(server, uri)).toEqual([]);
});

test('a config that makes no sense is said once, and the rest of it holds', async () => {
  const config = '[tool.stridelint]\nrules = { hiden-copy = "off", hidden-copy = "hint" }\n';
  const server = await start(MODERN, { 'pyproject.toml': config });
  const uri = server.open('a.py', COPY);
  expect(await pull(server, uri)).toMatchObject([{ severity: 4 }]);
  expect(server.messages.join('\n')).toContain('did you mean "hidden-copy"?');
});

test('settings of the editor set levels and switch it off', async () => {
  const server = await start(MODERN);
  const uri = server.open('a.py', RAISES);
  const configure = (stridelint: object) =>
    server.connection.sendNotification(DidChangeConfigurationNotification.type, { settings: { stridelint } });
  await configure({ rules: { 'incompatible-view': 'hint', nonsense: 7 } });
  expect(await pull(server, uri)).toMatchObject([{ severity: 4 }]);
  await configure({ enable: false });
  expect(await pull(server, uri)).toEqual([]);
});

test('nonsense in a file costs that file at most', async () => {
  const server = await start(MODERN);
  const broken = server.open('broken.py', 'def f(:\n  x = = \u0000\ud800 [[[\n'.repeat(50));
  await pull(server, broken);
  expect(await pull(server, server.open('a.py', COPY))).toHaveLength(1);
});

test('shuts down when it is told to', async () => {
  const server = await startServer(MODERN);
  expect(await server.stop()).toBe(0);
});
