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
    known_bytes: sums.knownBytes,
    unknown_storages: sums.unknownStorages,
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
export function ledgerText(shown: string, account: Account, positions: Positions, colours: Colours): string {
  const { function: name, context, lines } = account;
  const called = context === null || context === '' ? '' : `, called with ${context}`;
  const known = new Map<string, string>();
  const parts = lines.map((line) => lineText(shown, line, known, positions, colours));
  return `${colours.bold(printed(`${name}${called}`))}\n\n${parts.join('\n')}`;
}

/** What helps where bytes are not known for want of a dtype; else null. */
export function dtypeHint(accounts: readonly Account[]): string | null {
  const views = accounts.flatMap(({ lines }) =>
    lines.flatMap(({ storages }) => storages.flatMap((each) => each.views)),
  );
  return views.some(({ dtype }) => dtype === null)
    ? 'Where a dtype is not known, no bytes are: `--dtype float32` (or float16, bfloat16, int8) takes one for them.\n'
    : null;
}

/** `known` is what was told of each storage before: what did not change since is not told again. */
function lineText(
  shown: string,
  line: AccountLine,
  known: Map<string, string>,
  positions: Positions,
  colours: Colours,
): string {
  const { lineno } = positions.range(line.start, line.end);
  const text = [`${colours.dim(printed(`${shown}:${lineno}`))}  ${printed(positions.line(lineno).trim())}`];
  for (const { op, inputs, outputs, keptForBackward, noCopy } of line.transformations) {
    const went = inputs.map((input) => tensorText(input)).join(', ');
    const came = outputs.map((output) => `${tensorText(output)} ${SHARING[output.sharing]} ${output.storage}`);
    const arrow = went.length > LONG ? '\n    -> ' : went === '' ? '-> ' : ' -> ';
    text.push(`  ${op}: ${went}${arrow}${came.length === 0 ? 'not known' : came.join('; ')}`);
    if (noCopy !== null) text.push(`    ${claimText(noCopy, positions)}`);
    if (keptForBackward.length > 0)
      text.push(`    backward keeps ${[...new Set(keptForBackward.map(keptText))].join(', ')}`);
  }
  if (line.storages.length > 0) text.push(`  alive: ${aliveText(line)}`);
  const unchanged: string[] = [];
  for (const { storage, bytes, blockBytes, origin, views, keptBy } of line.storages) {
    const told = [
      `    ${storage}: ${sizeText(bytes, blockBytes)}, from ${ORIGINS[origin] ?? origin}, kept by ${keptBy.join(', ')}`,
      ...views.map((view) => `      ${view.name} ${tensorText(view)}`),
    ].join('\n');
    if (known.get(storage) === told) unchanged.push(storage);
    else text.push(told);
    known.set(storage, told);
  }
  if (unchanged.length > 0) text.push(`    as before: ${unchanged.join(', ')}`);
  const { storages, bytes, onlyForBackward } = line.keptForBackward;
  if (bytes !== '0')
    text.push(
      `  kept for backward: ${bytesText(bytes)}${storages.length === 0 ? '' : `, of ${storages.join(', ')}`}${onlyForBackward === '0' ? '' : `; by nothing else: ${bytesText(onlyForBackward)}`}`,
    );
  return `${text.join('\n')}\n`;
}

/** Inputs of more characters than this have what comes out on a line of its own. */
const LONG = 80;

const ORIGINS: Readonly<Record<string, string>> = { unknown: 'a call that is not followed' };

type Part = AccountLine['transformations'][number];

/** `a no-copy claim covers the view only: reshape copies it on line 6` */
function claimText({ covers, consumers }: NonNullable<Part['noCopy']>, positions: Positions): string {
  if (covers === 'view and consumers') return 'a no-copy claim covers the view and all that reads it here';
  const says = consumers.flatMap(({ start, op, does }) => {
    const { lineno } = positions.range(start, start);
    switch (does) {
      case 'copies':
        return [`${op} copies it on line ${lineno}`];
      case 'unknown':
        return [`${beyondText(op)} on line ${lineno}`];
      default:
        return [];
    }
  });
  const beyond = says.length === 0 ? 'nothing here reads it' : [...new Set(says)].join(', ');
  return `a no-copy claim covers the view only: ${printed(beyond)}`;
}

/** Who may do anything with a view. */
function beyondText(op: string): string {
  switch (op) {
    case 'return':
      return 'it is returned';
    case 'store':
      return 'it is stored';
    case 'call':
      return 'it is passed to a call';
    default:
      return `${op} may pack it`;
  }
}

const keptText = ({ is, storage, bytes }: Part['keptForBackward'][number]): string =>
  storage === null ? `${bytesText(bytes)} that nobody sees` : `its ${is} in ${storage}`;

function aliveText({ storages, bytes, knownBytes, unknownStorages, logicalBytes, blockBytes }: AccountLine): string {
  const all = plural(storages.length, 'storage');
  if (bytes === null && unknownStorages === storages.length) return `${bytesText(null)}, in ${all}`;
  if (bytes === null) return `${bytesText(knownBytes)} and ${unknownStorages} of unknown size, in ${all}`;
  return `${sizeText(bytes, blockBytes)} in ${all}; each tensor by itself: ${bytesText(logicalBytes)}`;
}

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
