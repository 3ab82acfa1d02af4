import type { OpResult, Outcome } from '../../../engine/ops/index.ts';
import { formatInt, type SymInt } from '../../../engine/symbols/index.ts';
import { isFault, type Layout } from '../../../engine/tensor/index.ts';
import type { Value } from '../../../engine/values/value.ts';
import type { Numbers } from './numbers.ts';
import type { Given } from './subject.ts';

const int = (value: SymInt): string => formatInt(value, (id) => id.replace('#', '_'));
const ints = (values: readonly SymInt[] | null): string => (values === null ? '?' : `(${values.map(int).join(', ')})`);

const layout = ({ shape, stride, offset, front }: Layout): string =>
  `${front ? '*' : ''}${ints(shape)}/${ints(stride)}${offset === null ? '+?' : offset.constant === 0 ? '' : `+${int(offset)}`}`;

export function showGiven({ args, keywords }: Given): string {
  return [...args.map(value), ...[...keywords].map(([name, given]) => `${name}=${value(given)}`)].join('  ');
}

function value(shown: Value): string {
  switch (shown.kind) {
    case 'tensor': {
      const elements = shown.elements === null ? '' : ` = [${shown.elements}]`;
      return `#${shown.id}@${shown.storage.id} ${layout(shown.layout)}:${shown.dtype ?? '?'}${elements}`;
    }
    case 'int':
      return int(shown.value);
    case 'tuple':
      return `[${shown.items.map(value).join(', ')}]`;
    case 'slice':
      return `${value(shown.start)}:${value(shown.stop)}:${value(shown.step)}`;
    case 'bool':
    case 'str':
    case 'float':
    case 'dtype':
    case 'memory-format':
      return String(shown.value);
    default:
      return shown.kind;
  }
}

export function showOutcome({ result, guards, demands, writes }: Outcome): string {
  const parts = [isFault(result) ? JSON.stringify(result) : shownResult(result)];
  for (const { target, region, becomes, overlap } of writes)
    parts.push(
      `writes #${target.id} ${layout(region)} ${overlap}${becomes ? ` becomes ${layout(becomes.layout)}` : ''}`,
    );
  for (const { relation, left, right } of guards)
    parts.push(`unless ${int(left)} ${relation === 'equal' ? '==' : '<'} ${int(right)}`);
  for (const [left, right] of demands) parts.push(`demands ${int(left)} == ${int(right)}`);
  return parts.join('; ');
}

function shownResult(result: OpResult): string {
  if ('items' in result) return `${result.is}(${result.items.map(shownResult).join(', ')})`;
  if (result.is === 'value') return value(result.value);
  const of = 'of' in result ? ` of #${result.of.id}` : '';
  return result.is === 'same' ? `same${of}` : `${result.is}${of} ${layout(result.layout)}:${result.dtype ?? '?'}`;
}

export const showNumbers = (numbers: Numbers): string =>
  [...numbers].map(([id, number]) => `${id.replace('#', '_')}=${number}`).join(' ');
