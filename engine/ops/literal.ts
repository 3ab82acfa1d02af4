import { int } from '../symbols/index.ts';
import { DTYPES, type DType } from '../tensor/index.ts';
import { boolValue, intValue, type MemoryFormat, NONE, tupleOf, type Value } from '../values/value.ts';

const FORMATS: readonly MemoryFormat[] = ['contiguous_format', 'channels_last', 'channels_last_3d', 'preserve_format'];

const dtypeNamed = (name: string): DType | undefined => DTYPES.find((dtype) => dtype === name);
const formatNamed = (name: string): MemoryFormat | undefined => FORMATS.find((format) => format === name);

/** The value of a Python literal as defaults and samples write it, null where it is none. */
export function readLiteral(text: string): Value | null {
  if (text === 'None') return NONE;
  if (text === 'True' || text === 'False') return boolValue(text === 'True');
  if (/^[-+]?\d+$/.test(text)) return intValue(int(Number(text)));
  if (/^[-+]?(\d+\.\d*|\.\d+|\d+(\.\d*)?e[-+]?\d+)$/.test(text)) return { kind: 'float', value: Number(text) };
  if (/^\d+(\.\d+)?j$/.test(text)) return { kind: 'complex' };
  if (text === 'inf' || text === '-inf') return { kind: 'float', value: text === 'inf' ? Infinity : -Infinity };
  if (/^'[^']*'$/.test(text)) return { kind: 'str', value: text.slice(1, -1) };
  const name = text.replace(/^torch\./, '');
  const dtype = dtypeNamed(name);
  if (dtype !== undefined) return { kind: 'dtype', value: dtype };
  const format = formatNamed(name);
  if (format !== undefined) return { kind: 'memory-format', value: format };
  return /^[([].*[)\]]$/.test(text) ? readSequence(text.slice(1, -1)) : null;
}

function readSequence(inside: string): Value | null {
  const items: Value[] = [];
  for (const part of splitTop(inside)) {
    const item = readLiteral(part);
    if (item === null) return null;
    items.push(item);
  }
  return tupleOf(items);
}

/** The parts between the commas that no bracket encloses. */
function splitTop(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let part = '';
  for (const letter of text) {
    if ('([{'.includes(letter)) depth += 1;
    if (')]}'.includes(letter)) depth -= 1;
    if (letter === ',' && depth === 0) {
      parts.push(part.trim());
      part = '';
    } else part += letter;
  }
  if (part.trim() !== '') parts.push(part.trim());
  return parts;
}
