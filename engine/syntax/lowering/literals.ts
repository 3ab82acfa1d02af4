import type { Constant, Expression, JoinedStr } from '../ast.ts';
import { endAt, hasToken, isInterpolated, kindAt, nextAt, operands, startAt } from '../tape.ts';
import { expression } from './expressions.ts';
import { endOf, type Lowering, startOf, textAt } from './lowering.ts';

export function number(lowering: Lowering, entry: number): Constant {
  const text = textAt(lowering, entry).replaceAll('_', '');
  const place = { start: startOf(lowering, entry), end: endOf(lowering, entry) };
  const last = text.charCodeAt(text.length - 1) | 0x20;
  const hexadecimal = /^0x/i.test(text);
  if (last === 0x6a && !hexadecimal) {
    return { kind: 'Constant', ...place, literal: 'complex', value: Number(text.slice(0, -1)) };
  }
  if (kindAt(lowering.tape, entry) === 'float') {
    return { kind: 'Constant', ...place, literal: 'float', value: Number(text) };
  }
  return { kind: 'Constant', ...place, literal: 'int', value: Number(text.replace(/[lL]$/, '')) };
}

/** A string literal, or several that stand side by side. */
export function string(lowering: Lowering, entry: number): Constant | JoinedStr | null {
  const { tape, text } = lowering;
  const parts = kindAt(tape, entry) === 'string' ? [entry] : operands(tape, entry);
  const values: (string | Expression)[] = [];
  let joined = false;
  let formatted = false;
  let bytes = false;
  for (const part of parts) {
    const start = startAt(tape, part);
    if (text.charCodeAt(start) === 0x60) return null;
    if (isInterpolated(text, start)) {
      joined = true;
      formatted = interpolated(lowering, part, values) || formatted;
    } else {
      const literal = text.slice(start, endAt(tape, part));
      bytes ||= /^[a-z]*b/i.test(literal);
      values.push(literalValue(literal));
    }
  }
  const place = { start: startOf(lowering, entry), end: endOf(lowering, entry) };
  if (joined) return { kind: 'JoinedStr', ...place, values, formatted };
  return { kind: 'Constant', ...place, literal: bytes ? 'bytes' : 'str', value: values.join('') };
}

/** Whether one of the values is formatted. */
function interpolated(lowering: Lowering, entry: number, values: (string | Expression)[]): boolean {
  const { tape } = lowering;
  const end = nextAt(tape, entry);
  let raw = false;
  let formatted = false;
  for (let child = entry + 1; child < end; child = nextAt(tape, child)) {
    const kind = kindAt(tape, child);
    if (kind === 'string_start') raw = /r/i.test(textAt(lowering, child));
    else if (kind === 'string_content') {
      const content = textAt(lowering, child).replaceAll('{{', '{').replaceAll('}}', '}');
      values.push(raw ? unixNewlines(content) : unescaped(content, false));
    } else if (kind === 'interpolation' || kind === 'format_expression') {
      interpolation(lowering, child, values);
      formatted ||= isFormatted(lowering, child);
    }
  }
  return formatted;
}

const isFormatted = ({ tape }: Lowering, entry: number): boolean =>
  hasToken(tape, entry, '=') ||
  operands(tape, entry).some((operand) => /^(type_conversion|format_specifier)$/.test(kindAt(tape, operand)));

/** The expressions inside a format specification are evaluated too, after the one that it formats. */
function interpolation(lowering: Lowering, entry: number, values: (string | Expression)[]): void {
  for (const operand of operands(lowering.tape, entry)) {
    const kind = kindAt(lowering.tape, operand);
    if (kind === 'type_conversion') continue;
    if (kind !== 'format_specifier') values.push(expression(lowering, operand));
    else for (const nested of operands(lowering.tape, operand)) interpolation(lowering, nested, values);
  }
}

/** What a string literal that is no f-string stands for; one of bytes gives a character for each byte. */
export function literalValue(literal: string): string {
  const quote = literal.search(/['"]/);
  const prefix = literal.slice(0, quote);
  const triple = literal.startsWith(literal.charAt(quote).repeat(3), quote) && literal.length >= quote + 6;
  const width = triple ? 3 : 1;
  const content = literal.slice(quote + width, -width);
  return /r/i.test(prefix) ? unixNewlines(content) : unescaped(content, /b/i.test(prefix));
}

const unixNewlines = (text: string): string => (text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text);

const SIMPLE: Readonly<Record<string, string>> = {
  '\n': '',
  '\\': '\\',
  "'": "'",
  '"': '"',
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};

/** An escape that Python does not know stays as it is; so does `\N{...}`, since its names would need the whole table. */
function unescaped(content: string, bytes: boolean): string {
  const text = unixNewlines(content);
  if (!text.includes('\\')) return text;
  const pattern = bytes
    ? /\\(?:([0-7]{1,3})|x([\da-fA-F]{2})|([\s\S]))/g
    : /\\(?:([0-7]{1,3})|x([\da-fA-F]{2})|u([\da-fA-F]{4})|U([\da-fA-F]{8})|([\s\S]))/g;
  if (bytes) return text.replace(pattern, (whole, octal, hex, other) => escaped(whole, octal, hex, other));
  return text.replace(pattern, (whole, octal, hex, short, long, other) =>
    escaped(whole, octal, hex ?? short ?? long, other),
  );
}

function escaped(whole: string, octal: string | undefined, hex: string | undefined, other: string | undefined): string {
  if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8));
  if (hex !== undefined) {
    const code = Number.parseInt(hex, 16);
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  }
  return (other !== undefined && Object.hasOwn(SIMPLE, other) ? SIMPLE[other] : undefined) ?? whole;
}
