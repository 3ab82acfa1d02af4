/** Facts by section: each with what covers it, as `KIND:PLACE`. */
export type Background = readonly {
  readonly section: string;
  readonly items: readonly (readonly [fact: string, ...covers: string[]])[];
}[];

/** The page `docs/background.md`. */
export function backgroundPage(background: Background): string {
  const sections = background.map(({ section, items }) => {
    const rows = items.map(([fact, ...covers]) => `| ${fact} | ${covers.map(link).join(', ')} |`);
    return [`## ${section}`, '', '| what there is to know | where Stridelint has it |', '| --- | --- |', ...rows, ''];
  });
  return `${[
    '<!-- Generated from docs/background.json by `npm run generate`. Do not edit. -->',
    '',
    '# What Stridelint knows of tensors in memory, and where',
    '',
    'Every mechanism, rule of thumb and exercise that the tool rests on, with the rule that speaks of it, the line of the card or',
    'the column of the ledger that shows it, the specification that PyTorch confirmed, or the guide that explains it.',
    '',
    ...sections.flat(),
  ]
    .join('\n')
    .trimEnd()}\n`;
}

/** `rule:hidden-copy`, `guide:storages#blocks`, `card:strides`, `ledger:alive`, `spec:tensor/merge.md#by symbols`, `law:memory.test.ts` */
function link(cover: string): string {
  const { kind, page, part } = readCover(cover);
  const anchor = part === '' ? '' : `#${anchorOf(part)}`;
  switch (kind) {
    case 'rule':
      return `[${page}](rules/${page}.md)`;
    case 'guide':
      return `[guide: ${part.replaceAll('-', ' ')}](guides/${page}.md${anchor})`;
    case 'card':
      return `[card: ${page}](guides/card-and-ledger.md#the-card)`;
    case 'ledger':
      return `[ledger: ${page}](guides/card-and-ledger.md#the-ledger)`;
    case 'spec':
      return `[specification: ${part === '' ? page : part.replace(/^\w+( \w+)?: /, '')}](../test/spec/${page}${anchor})`;
    case 'law':
      return `[law: ${page}](../test/laws/${page})`;
    default:
      return cover;
  }
}

export function readCover(cover: string): { readonly kind: string; readonly page: string; readonly part: string } {
  const [, kind = '', page = '', part = ''] = /^(\w+):([^#]*)#?(.*)$/.exec(cover) ?? [];
  return { kind, page, part };
}

/** The anchor that GitHub gives a header. */
export const anchorOf = (header: string): string =>
  header
    .toLowerCase()
    .replace(/[^\w\s-]/g, '')
    .trim()
    .replace(/\s/g, '-');
