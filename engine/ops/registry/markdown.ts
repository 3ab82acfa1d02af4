import { PROFILES } from '../versions.ts';
import { operatorRows, type Row } from './table.ts';

const NAMESPACES = [
  ['torch', 'Functions of torch'],
  ['torch.Tensor', 'Methods of tensors'],
  ['torch.nn.functional', 'torch.nn.functional'],
  ['torch.linalg', 'torch.linalg'],
  ['torch.fft', 'torch.fft'],
  ['torch.special', 'torch.special'],
] as const;

const namespaceOf = ({ name }: Row): string => name.slice(0, name.lastIndexOf('.'));

/** The page that lists every op. */
export function operatorsPage(): string {
  const rows = operatorRows();
  const known = new Set<string>(NAMESPACES.map(([namespace]) => namespace));
  const sections = [
    ...NAMESPACES.map(([namespace, title]) =>
      section(
        title,
        rows.filter((row) => namespaceOf(row) === namespace),
      ),
    ),
    section(
      'Elsewhere in torch',
      rows.filter((row) => !known.has(namespaceOf(row))),
    ),
  ];
  return `${[HEAD(rows.length), ...sections].join('\n\n')}\n`;
}

const HEAD = (count: number): string => `# Operators

<!-- Written by generate.mjs: do not edit. -->

The ${count} functions and methods of torch that Stridelint knows, and what it says of what they return: \`view\` shares the
storage of its input, \`itself\` is the very object that went in, \`new storage\` is fresh memory, \`value\` is no tensor.
Several of them: PyTorch decides by the arguments, and so does Stridelint. *in place* ops write their tensor.

Measured with torch ${PROFILES.map((version) => version.join('.')).join(', ')}; the last column names the first of these that has
the function, where the oldest has not.`;

const section = (title: string, rows: readonly Row[]): string =>
  [
    `## ${title}`,
    '',
    '| name | result | since |',
    '| --- | --- | --- |',
    ...rows.map((row) => `| \`${row.name}\` | ${described(row)} | ${row.since ?? ''} |`),
  ].join('\n');

function described({ results, writes, reason }: Row): string {
  if (reason !== null) return `not told: ${reason}`;
  return [...(writes ? ['in place'] : []), ...results].join(', ');
}
