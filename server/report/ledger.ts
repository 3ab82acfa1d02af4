import type { Account, AccountLine } from '../../engine/index.ts';
import { type Colours, plural } from '../commands/terminal.ts';
import { printed } from './frame.ts';
import type { Positions } from './positions.ts';

/** Names are those of Python, as in the other documents. */
export function ledgerJson(shown: string, accounts: readonly Account[], positions: Positions): string {
  const lineOf = ({ start, end, transformations, storages, keptForBackward, ...sums }: AccountLine) => ({
    ...positions.range(start, end),
    transformations: transformations.map(({ start: from, end: to, keptForBackward: kept, noCopy, ...each }) => ({
      ...positions.range(from, to),
      ...each,
      kept_for_backward: kept,
      no_copy: noCopy && {
        covers: noCopy.covers,
        consumers: noCopy.consumers.map((consumer) => ({
          ...positions.range(consumer.start, consumer.end),
          op: consumer.op,
          does: consumer.does,
        })),
      },
    })),
    storages: storages.map(({ keptBy, blockBytes: block, ...storage }) => ({
      ...storage,
      block_bytes: block,
      kept_by: keptBy,
    })),
    bytes: sums.bytes,
    logical_bytes: sums.logicalBytes,
    block_bytes: sums.blockBytes,
    kept_for_backward: {
      storages: keptForBackward.storages,
      bytes: keptForBackward.bytes,
      only_for_backward: keptForBackward.onlyForBackward,
    },
  });
  const functions = accounts.map(({ lines, ...account }) => ({ ...account, lines: lines.map(lineOf) }));
  return `${JSON.stringify({ version: 1, path: shown, functions })}\n`;
}

/** The account as a person reads it: each line of the source, what it does to tensors, and what is alive behind it. */
export function ledgerText(
  shown: string,
  { function: name, context, lines }: Account,
  positions: Positions,
  colours: Colours,
): string {
  const called = context === null ? '' : `, called with ${context}`;
  const parts = lines.map((line) => lineText(shown, line, positions, colours));
  return `${colours.bold(printed(`${name}${called}`))}\n\n${parts.join('\n')}\n`;
}

function lineText(shown: string, line: AccountLine, positions: Positions, colours: Colours): string {
  const { lineno } = positions.range(line.start, line.end);
  const text = [`${colours.dim(printed(`${shown}:${lineno}`))}  ${printed(positions.line(lineno).trim())}`];
  for (const { op, inputs, outputs, keptForBackward, noCopy } of line.transformations) {
    const went = inputs.map((input) => tensorText(input)).join(', ');
    const came = outputs.map((output) => `${tensorText(output)} ${SHARING[output.sharing]} ${output.storage}`);
    text.push(`  ${op}: ${went === '' ? '' : `${went} `}-> ${came.length === 0 ? 'not known' : came.join('; ')}`);
    if (noCopy !== null) text.push(`    ${claimText(noCopy, positions)}`);
    if (keptForBackward.length > 0)
      text.push(`    backward keeps ${[...new Set(keptForBackward.map(keptText))].join(', ')}`);
  }
  if (line.storages.length > 0) text.push(`  alive: ${aliveText(line)}`);
  for (const { storage, bytes, blockBytes, origin, views, keptBy } of line.storages) {
    text.push(`    ${storage}: ${sizeText(bytes, blockBytes)}, from ${origin}, kept by ${keptBy.join(', ')}`);
    for (const view of views) text.push(`      ${view.name} ${tensorText(view)}`);
  }
  const { storages, bytes, onlyForBackward } = line.keptForBackward;
  if (bytes !== '0')
    text.push(
      `  kept for backward: ${bytesText(bytes)}${storages.length === 0 ? '' : `, of ${storages.join(', ')}`}${onlyForBackward === '0' ? '' : `; by nothing else: ${bytesText(onlyForBackward)}`}`,
    );
  return `${text.join('\n')}\n`;
}

type Part = AccountLine['transformations'][number];

/** `a no-copy claim covers the view only: reshape copies it on line 6` */
function claimText({ covers, consumers }: NonNullable<Part['noCopy']>, positions: Positions): string {
  if (covers === 'view and consumers') return 'a no-copy claim covers the view and all that reads it here';
  const beyond = consumers.filter(({ does }) => does === 'copies' || does === 'unknown');
  const says = beyond.map(({ start, op, does }) => {
    const { lineno } = positions.range(start, start);
    return does === 'copies' ? `${op} copies it on line ${lineno}` : `what ${op} does on line ${lineno} is not told`;
  });
  return `a no-copy claim covers the view only${says.length === 0 ? '' : `: ${printed(says.join(', '))}`}`;
}

const keptText = ({ is, storage, bytes }: Part['keptForBackward'][number]): string =>
  storage === null ? `${bytesText(bytes)} that nobody sees` : `its ${is} in ${storage}`;

const aliveText = ({ storages, bytes, logicalBytes, blockBytes }: AccountLine): string =>
  `${sizeText(bytes, blockBytes)} in ${plural(storages.length, 'storage')}; each tensor by itself: ${bytesText(logicalBytes)}`;

const sizeText = (bytes: string | null, blocks: string | null): string =>
  blocks === null ? bytesText(bytes) : `${bytesText(bytes)} (on CUDA in blocks: ${blocks})`;

const bytesText = (bytes: string | null): string => (bytes === null ? 'bytes not known' : `${bytes} bytes`);

type Tensor = Part['inputs'][number];

const SHARING = { same: 'the same, in', view: 'view of', copy: 'new in', unknown: 'perhaps in' } as const;

/** `[2, 4, 3] strides (12, 1, 4) offset 0 float32` */
function tensorText({ shape, stride, offset, dtype }: Tensor): string {
  if (shape === null) return `[?]${dtype === null ? '' : ` ${dtype}`}`;
  const sizes = `[${shape.map((size) => size ?? '?').join(', ')}]`;
  const only = stride?.length === 1 ? ',' : '';
  const strides = stride === null ? '' : ` strides (${stride.map((step) => step ?? '?').join(', ')}${only})`;
  return `${sizes}${strides}${offset === null ? '' : ` offset ${offset}`} ${dtype ?? 'dtype not known'}`;
}
