import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { rules } from '../../engine/index.ts';
import { anchorOf, type Background, readCover } from '../../engine/rules/background.ts';
import { GUIDES } from '../../engine/rules/documentation.ts';

const ROOT = new URL('../../', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, ROOT), 'utf8');
const headers = (text: string): readonly string[] => [...text.matchAll(/^#+ (.*)$/gm)].map(([, header = '']) => header);

// The shape of docs/background.json, which people write.
const background = JSON.parse(read('docs/background.json')) as Background;
const reading = read('docs/guides/card-and-ledger.md');

describe.each(background.map(({ section, items }) => [section, items] as const))('%s', (_, items) => {
  test.each(items.map(([fact, ...covers]) => [fact, covers] as const))('%s', (_, covers) => {
    expect(covers.length).toBeGreaterThan(0);
    for (const cover of covers) expect(isThere(cover), cover).toBe(true);
  });
});

/** Whether what a link points at is there, to the header. */
function isThere(cover: string): boolean {
  const { kind, page, part } = readCover(cover);
  switch (kind) {
    case 'rule':
      return rules.some(({ name }) => name === page);
    case 'guide':
      return page in GUIDES && headers(read(`docs/guides/${page}.md`)).some((header) => anchorOf(header) === part);
    case 'card':
    case 'ledger':
      return reading.toLowerCase().includes(`**${page}`);
    case 'spec':
      return (
        existsSync(new URL(`test/spec/${page}`, ROOT)) &&
        (part === '' || headers(read(`test/spec/${page}`)).includes(part))
      );
    case 'law':
      return existsSync(new URL(`test/laws/${page}`, ROOT));
    default:
      return false;
  }
}

test('every rule is of some use to somebody: the page names it, or a reason is given here', () => {
  const named = new Set(background.flatMap(({ items }) => items.flatMap(([, ...covers]) => covers)));
  const unnamed = rules.map(({ name }) => name).filter((name) => !named.has(`rule:${name}`));
  // Plain mistakes about shapes and names, and the tool itself: nothing about memory.
  expect(unnamed.sort()).toEqual(
    ['hard-coded-batch', 'invalid-argument', 'lost-write', 'negative-stride', 'redundant-clone', 'shape-mismatch']
      .concat(['silent-broadcast', 'unused-suppression', 'view-as-transpose'])
      .sort(),
  );
});

test('every guide has its title, and every link in it leads somewhere', () => {
  const files = readdirSync(new URL('docs/guides/', ROOT)).sort();
  expect(files).toEqual(
    Object.keys(GUIDES)
      .map((name) => `${name}.md`)
      .sort(),
  );
  for (const [name, title] of Object.entries(GUIDES)) {
    const text = read(`docs/guides/${name}.md`);
    expect(headers(text)[0]).toBe(title);
    for (const [, target = ''] of text.matchAll(/\]\(([^)#]+)(?:#[^)]*)?\)/g)) {
      expect(existsSync(new URL(target, new URL('docs/guides/', ROOT))), `${name}.md: ${target}`).toBe(true);
    }
  }
});
