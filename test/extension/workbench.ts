import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Browser, chromium, type Page } from 'playwright-core';

/** VS Code's own workbench and extension host, served by code-server and looked at with a real browser. */
export interface Workbench {
  readonly page: Page;
  /** The folder that is open. */
  readonly folder: string;
  open(file: string): Promise<void>;
  stop(): Promise<void>;
}

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const CACHE = path.join(ROOT, '.cache/code-server');
const VSCODE = path.join(CACHE, 'node_modules/code-server/lib/vscode');
const CODE_SERVER = 'code-server@4.100.3';

const SETTINGS = {
  'workbench.startupEditor': 'none',
  'workbench.tips.enabled': false,
  'workbench.welcomePage.walkthroughs.openOnInstall': false,
  'security.workspace.trust.enabled': false,
  'git.enabled': false,
  'chat.disableAIFeatures': true,
  'chat.commandCenter.enabled': false,
  'editor.hover.delay': 100,
  'editor.minimap.enabled': false,
  'workbench.activityBar.location': 'hidden',
  'telemetry.telemetryLevel': 'off',
};

/** Installs the extension into a fresh profile and opens a folder with these files. */
export async function startWorkbench(vsix: string, files: Readonly<Record<string, string>>): Promise<Workbench> {
  installVSCode();
  const home = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'stridelint-workbench-')));
  const folder = path.join(home, 'project');
  write(path.join(home, 'data/data/User/settings.json'), JSON.stringify(SETTINGS));
  for (const [name, text] of Object.entries(files)) write(path.join(folder, name), text);
  const profile = [
    '--accept-server-license-terms',
    '--server-data-dir',
    path.join(home, 'data'),
    '--extensions-dir',
    path.join(home, 'extensions'),
  ];
  // A gallery that is not there keeps the workbench off the network.
  const env = { ...process.env, EXTENSIONS_GALLERY: '{"serviceUrl":"http://127.0.0.1:9/gallery"}' };
  const main = path.join(VSCODE, 'out/server-main.js');
  execFileSync(process.execPath, [main, ...profile, '--install-extension', vsix], { env, stdio: 'pipe' });
  const port = await freePort();
  const server = spawn(
    process.execPath,
    [
      main,
      ...profile,
      '--host',
      '127.0.0.1',
      '--port',
      String(port),
      '--without-connection-token',
      '--telemetry-level',
      'off',
    ],
    { env, stdio: 'ignore' },
  );
  await answering(`http://127.0.0.1:${port}/version`);
  const browser = await launch(path.join(home, 'browser'));
  const page = await browser.newPage({ viewport: { width: 1280, height: 720 } });
  return {
    page,
    folder,
    async open(file) {
      const payload = [['openFile', `vscode-remote://127.0.0.1:${port}${path.join(folder, file)}`]];
      const query = `folder=${encodeURIComponent(folder)}&payload=${encodeURIComponent(JSON.stringify(payload))}`;
      await page.goto(`http://127.0.0.1:${port}/?${query}`);
      await page.locator('.editor-instance .view-line').first().waitFor({ timeout: 60_000 });
      // The file explorer makes way for the code.
      await page.keyboard.press('Control+B');
      await page.locator('.part.sidebar').waitFor({ state: 'hidden' });
    },
    async stop() {
      await browser.close();
      await ended(server);
      fs.rmSync(home, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** Its packages need no compiling, and as root its own install script fails: so without scripts. */
function installVSCode(): void {
  if (fs.existsSync(path.join(VSCODE, 'node_modules.asar'))) return;
  fs.rmSync(CACHE, { recursive: true, force: true });
  write(path.join(CACHE, 'package.json'), '{ "private": true }\n');
  const install = (folder: string, ...packages: string[]) =>
    execFileSync('npm', ['install', '--ignore-scripts', '--omit=dev', '--no-audit', '--no-fund', ...packages], {
      cwd: folder,
      stdio: 'pipe',
    });
  install(CACHE, '--save-exact', CODE_SERVER);
  install(VSCODE);
  install(path.join(VSCODE, 'extensions'));
  fs.symlinkSync('node_modules', path.join(VSCODE, 'node_modules.asar'));
}

function launch(profile: string): Promise<Browser> {
  return chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: [
      `--crash-dumps-dir=${profile}`,
      ...'--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync'.split(
        ' ',
      ),
    ],
  });
}

function write(file: string, text: string): void {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, text);
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = net.createServer();
    probe.on('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() =>
        address !== null && typeof address === 'object' ? resolve(address.port) : reject(new Error('no port')),
      );
    });
  });
}

async function answering(url: string): Promise<void> {
  for (let attempt = 0; attempt < 300; attempt++) {
    const up = await fetch(url).then(
      (response) => response.ok,
      () => false,
    );
    if (up) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`nothing answers at ${url}`);
}

function ended(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null) return resolve();
    child.once('exit', () => resolve());
    child.kill();
  });
}
