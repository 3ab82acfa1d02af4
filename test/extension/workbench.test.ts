import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startWorkbench, type Workbench } from './workbench.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const SOURCE = `import torch


def merge_heads(x):
    B, H, T, D = x.shape
    return x.transpose(1, 2).reshape(B, T, H * D)
`;

let workbench: Workbench;

beforeAll(async () => {
  workbench = await startWorkbench(path.join(ROOT, 'stridelint.vsix'), { 'attention.py': SOURCE });
  await workbench.open('attention.py');
});

afterAll(() => workbench?.stop());

/** The picture of the README is taken anew only where that is asked for: `SCREENSHOTS=1`. */
async function takePicture(): Promise<void> {
  if (!process.env.SCREENSHOTS) return;
  fs.mkdirSync(path.join(ROOT, 'docs/images'), { recursive: true });
  const clip = { x: 0, y: 34, width: 1000, height: 384 };
  await workbench.page.screenshot({ path: path.join(ROOT, 'docs/images/hover.png'), clip });
}

/** A line of the editor by its text; lines show no-break spaces for spaces. */
function word(line: string) {
  return workbench.page.locator('.editor-instance .view-line', { hasText: line });
}

test('a hidden copy is underlined', async () => {
  await workbench.page.locator('.editor-instance .squiggly-info').first().waitFor({ timeout: 60_000 });
});

test('the card on hover has shape and strides', async () => {
  const { page } = workbench;
  const line = await word('transpose').boundingBox();
  if (line === null) throw new Error('the line is not shown');
  const token = await word('transpose').locator('span span').filter({ hasText: 'transpose' }).last().boundingBox();
  if (token === null) throw new Error('the call is not shown');
  const [x, y] = [token.x + token.width / 2, token.y + token.height / 2];
  for (let step = 8; step >= 0; step--) await page.mouse.move(x - step * 3, y);
  const card = page.locator('.monaco-hover:not(.hidden)');
  await card.first().waitFor({ timeout: 30_000 });
  await expect
    .poll(() => card.allInnerTexts().then((texts) => texts.join('\n')), { timeout: 20_000 })
    .toMatch(/strides?/i);
  await takePicture();
});

test('the quick fix makes the copy explicit, and the squiggle goes', async () => {
  const { page } = workbench;
  await page.keyboard.press('Escape');
  await word('reshape').locator('span span').filter({ hasText: 'reshape' }).last().click();
  await page.keyboard.press('Control+.');
  const menu = page.locator('.action-widget');
  await menu.waitFor({ timeout: 30_000 });
  expect(await menu.textContent()).toContain('Allow hidden-copy on this line');
  await page.keyboard.press('Enter');
  await word('contiguous').waitFor({ timeout: 30_000 });
  await expect.poll(() => page.locator('.editor-instance .squiggly-info').count(), { timeout: 30_000 }).toBe(0);
});
