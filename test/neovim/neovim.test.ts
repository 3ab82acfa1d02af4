import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const SESSION = fileURLToPath(new URL('session.lua', import.meta.url));
const SERVER = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));
const SOURCE = 'import torch\n\nx = torch.randn(2, 3, 4)\ny = x.transpose(1, 2).reshape(2, 12)\n';

test('Neovim shows the finding and the card, and applies the fix', () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'stridelint-neovim-'));
  try {
    fs.writeFileSync(path.join(folder, 'a.py'), SOURCE);
    const result = path.join(folder, 'seen.json');
    const { stderr, error } = spawnSync('nvim', ['--headless', '--clean', 'a.py', '-c', `luafile ${SESSION}`], {
      cwd: folder,
      encoding: 'utf8',
      timeout: 60_000,
      env: {
        ...process.env,
        NODE: process.execPath,
        SERVER,
        RESULT: result,
        XDG_STATE_HOME: folder,
        XDG_CACHE_HOME: folder,
      },
    });
    if (error !== undefined) throw error;
    expect(fs.existsSync(result), stderr).toBe(true);
    const seen = JSON.parse(fs.readFileSync(result, 'utf8'));
    expect(seen.failed).toBeUndefined();
    expect(seen.messages).toMatchObject([{ line: 3, column: 4, code: 'hidden-copy' }]);
    expect(seen.hover).toContain('strides');
    expect(seen.actions).toContain('Allow hidden-copy on this line');
    expect(seen.lines[3]).toContain('.contiguous().view(2, 12)');
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
});
