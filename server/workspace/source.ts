import { type Disk, isUnreadable, type Unreadable } from './disk.ts';

/** Above this a .py file is data, not a program: reading it would cost more than it could tell. */
export const LARGEST_SOURCE = 8 * 1024 * 1024;

/** The text of a Python file as Python itself would decode it (PEP 263), without the byte order mark. */
export function readSource(disk: Disk, path: string): string | Unreadable {
  if (path.endsWith('.ipynb')) return { problem: 'not read: it is a notebook; save its code as a .py file' };
  const size = disk.size(path);
  if (size !== null && size > LARGEST_SOURCE) {
    return {
      problem: `not read: ${megabytes(size)} MB is more than the ${megabytes(LARGEST_SOURCE)} MB that are read of one file`,
    };
  }
  const bytes = disk.read(path);
  return isUnreadable(bytes) ? { problem: `not read: ${bytes.problem}` } : decode(bytes);
}

export function decode(bytes: Uint8Array): string | Unreadable {
  if (startsWith(bytes, 0xff, 0xfe) || startsWith(bytes, 0xfe, 0xff)) {
    return { problem: 'not read: it is encoded as UTF-16, which Python does not read either; save it as UTF-8' };
  }
  const zero = bytes.indexOf(0);
  if (zero >= 0) return { problem: `not read: it is a binary file (a null byte at offset ${zero})` };
  if (startsWith(bytes, 0xef, 0xbb, 0xbf)) return decodeUtf8(bytes.subarray(3));
  const declared = codingCookie(bytes);
  if (declared === null || /^utf[-_]?8(-|_|$)/.test(declared)) return decodeUtf8(bytes);
  if (LATIN_1.test(declared)) return decodeLatin1(bytes);
  try {
    return new TextDecoder(declared.replaceAll('_', '-'), { fatal: true }).decode(bytes);
  } catch {
    return { problem: `not read: it declares the encoding "${declared}", which is unknown or does not fit its bytes` };
  }
}

/** What Python's tokenizer takes for Latin-1. The web's `latin1` is Windows-1252, so it is decoded by hand. */
const LATIN_1 = /^(latin[-_]?1|iso[-_]?8859[-_]1|iso[-_]latin[-_]1|l1)(-|_|$)/;

function startsWith(bytes: Uint8Array, ...prefix: number[]): boolean {
  return prefix.every((byte, i) => bytes[i] === byte);
}

/** A declaration stands in a comment on the first or the second line; on the second only below a line without code. */
function codingCookie(bytes: Uint8Array): string | null {
  const [first = '', second = ''] = decodeLatin1(bytes.subarray(0, 400)).split(/\r\n|\r|\n/);
  const pattern = /^[ \t\f]*#.*?coding[:=][ \t]*([-_.a-zA-Z0-9]+)/;
  const found = pattern.exec(first) ?? (/^[ \t\f]*(#|$)/.test(first) ? pattern.exec(second) : null);
  return found?.[1]?.toLowerCase() ?? null;
}

function decodeUtf8(bytes: Uint8Array): string | Unreadable {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return { problem: 'not read: it is not UTF-8 and declares no other encoding (# -*- coding: ... -*-)' };
  }
}

function decodeLatin1(bytes: Uint8Array): string {
  const parts: string[] = [];
  for (let at = 0; at < bytes.length; at += 4096) parts.push(String.fromCharCode(...bytes.subarray(at, at + 4096)));
  return parts.join('');
}

function megabytes(bytes: number): string {
  const text = (bytes / (1024 * 1024)).toFixed(1);
  return text.endsWith('.0') ? text.slice(0, -2) : text;
}
