import { boolValue, tupleOf, unknown, type Value } from '../../values/value.ts';
import { listOf } from '../state/objects.ts';
import type { Run } from '../state/run.ts';
import { iterate } from '../statements/iteration.ts';

const text = (value: string): Value => ({ kind: 'str', value });

/** A method of a string: of what is known of it and of its arguments, the text that Python makes. */
export function stringMethod(
  run: Run,
  self: string,
  method: string,
  items: readonly Value[],
  keywords: ReadonlyMap<string, Value>,
): Value {
  const own = OF_ITSELF[method];
  if (own && items.length === 0) return own(self);
  if (method === 'join') return joined(run, self, items[0]);
  if (method === 'format') return formatted(self, items, keywords);
  const texts = items.map((item) => (item.kind === 'str' ? item.value : null));
  const [first, second] = texts;
  const count = method === 'split' || method === 'rsplit' ? items[1] : undefined;
  if (first === undefined || first === null || keywords.size > 0) return NOT_KNOWN;
  switch (method) {
    case 'startswith':
      return boolValue(self.startsWith(first));
    case 'endswith':
      return boolValue(self.endsWith(first));
    case 'replace':
      return typeof second === 'string' && items.length === 2 ? text(self.replaceAll(first, second)) : NOT_KNOWN;
    case 'removeprefix':
      return text(self.startsWith(first) ? self.slice(first.length) : self);
    case 'removesuffix':
      return text(first !== '' && self.endsWith(first) ? self.slice(0, -first.length) : self);
    case 'partition':
      return partitioned(self, first, self.indexOf(first));
    case 'rpartition':
      return self.includes(first)
        ? partitioned(self, first, self.lastIndexOf(first))
        : tupleOf(['', '', self].map(text));
    case 'split':
    case 'rsplit':
      return splitBy(run, self, first, method, count);
    default:
      return NOT_KNOWN;
  }
}

const NOT_KNOWN = unknown('the text is not known');

const OF_ITSELF: Readonly<Record<string, (self: string) => Value>> = {
  lower: (self) => text(self.toLowerCase()),
  upper: (self) => text(self.toUpperCase()),
  strip: (self) => text(self.trim()),
  lstrip: (self) => text(self.trimStart()),
  rstrip: (self) => text(self.trimEnd()),
  capitalize: (self) => text(self.slice(0, 1).toUpperCase() + self.slice(1).toLowerCase()),
  isdigit: (self) => boolValue(/^[0-9]+$/.test(self)),
};

function splitBy(run: Run, self: string, by: string, method: 'split' | 'rsplit', count: Value | undefined): Value {
  const most = count === undefined ? Number.POSITIVE_INFINITY : count.kind === 'int' ? count.value.constant : null;
  if (most === null || by === '') return NOT_KNOWN;
  const parts = self.split(by);
  if (most < 0 || parts.length <= most + 1) return listOf(run, parts.map(text), null);
  const [head, tail] =
    method === 'split'
      ? [parts.slice(0, most), [parts.slice(most).join(by)]]
      : [[parts.slice(0, parts.length - most).join(by)], parts.slice(parts.length - most)];
  return listOf(run, [...head, ...tail].map(text), null);
}

const partitioned = (self: string, by: string, at: number): Value =>
  tupleOf((at < 0 ? [self, '', ''] : [self.slice(0, at), by, self.slice(at + by.length)]).map(text));

function joined(run: Run, by: string, of: Value | undefined): Value {
  const all = of === undefined ? null : iterate(run, of);
  const parts = all?.items.map((item) => (item.kind === 'str' ? item.value : null)) ?? [null];
  return all?.rest || parts.includes(null) ? NOT_KNOWN : text(parts.join(by));
}

/** `'layer{}'.format(i)`; what asks for a certain format is left open. */
function formatted(self: string, items: readonly Value[], keywords: ReadonlyMap<string, Value>): Value {
  let next = 0;
  return filledIn(self, /\{\{|\}\}|\{([^{}]*)\}/g, (found, field) => {
    if (found === '{{' || found === '}}') return found.slice(1);
    if (field === '') return written(items[next++]);
    return written(/^\d+$/.test(field) ? items[Number(field)] : keywords.get(field));
  });
}

/** `'layer%d' % i` */
export function percentFormatted(self: string, by: Value): Value {
  const items = by.kind === 'tuple' && !by.front ? by.items : [by];
  let next = 0;
  return filledIn(self, /%(.)/g, (found, what) =>
    what === '%' ? '%' : found === '%s' || found === '%d' ? written(items[next++]) : null,
  );
}

function filledIn(self: string, fields: RegExp, fill: (found: string, field: string) => string | null): Value {
  let isKnown = true;
  const made = self.replace(fields, (found: string, field: string | undefined) => {
    const by = fill(found, field ?? '');
    isKnown &&= by !== null;
    return by ?? '';
  });
  return isKnown ? text(made) : NOT_KNOWN;
}

function written(value: Value | undefined): string | null {
  if (value?.kind === 'str') return value.value;
  const number = value?.kind === 'int' ? value.value.constant : null;
  return number === null ? null : String(number);
}

/** `name[:3]` and `name[0]` */
export function partOfText(self: string, key: Value): Value {
  const at = (value: Value): number | null | undefined =>
    value.kind === 'none' ? undefined : value.kind === 'int' ? value.value.constant : null;
  if (key.kind === 'slice') {
    const [start, stop] = [at(key.start), at(key.stop)];
    return start === null || stop === null || key.step.kind !== 'none' ? NOT_KNOWN : text(self.slice(start, stop));
  }
  const index = at(key);
  const character = typeof index === 'number' ? self.at(index) : undefined;
  return character === undefined ? NOT_KNOWN : text(character);
}
