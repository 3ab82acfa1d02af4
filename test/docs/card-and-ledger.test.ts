import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { accountOf } from '../../engine/editor/account.ts';
import { cardText, hover } from '../../engine/index.ts';
import { analysisOf } from '../rules/program.ts';

const page = readFileSync(new URL('../../docs/guides/card-and-ledger.md', import.meta.url), 'utf8');
const fences = [...page.matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(([, language, text = '']) => ({ language, text }));
const program = fences.find(({ language }) => language === 'py')?.text ?? '';
const [card, account] = fences.flatMap(({ language, text }) => (language === 'text' ? [text] : []));

test('the card on the page is the card of its program', async () => {
  const found = hover(await analysisOf(program), program.indexOf('x = att'));
  expect(found && `${cardText(found.card)}\n`).toBe(card);
});

test('the ledger on the page is the ledger of its program', async () => {
  const analysis = await analysisOf(program);
  const [trace] = analysis.traces.filter((each) => each.function === 'heads');
  const body = trace?.definition?.body;
  if (trace === undefined || body === undefined) throw new Error('no function');
  const [, line] = accountOf(trace, body, null).lines;
  for (const { views, keptBy, bytes } of line?.storages ?? []) {
    expect(account).toContain(`: ${bytes} bytes`);
    expect(account).toContain(`kept by ${keptBy.join(', ')}`);
    for (const { name, shape } of views) expect(account).toContain(`${name} [${shape?.join(', ')}]`);
  }
  expect(account).toContain(`alive: ${line?.bytes} bytes`);
  expect(account).toContain(`each tensor by itself: ${line?.logicalBytes} bytes`);
});
