import { existsSync, readFileSync } from 'node:fs';
import type { SeenLine, SeenTensor } from './seen.ts';

/** What real PyTorch did in one run of one snippet, line by line. */
export type Run = readonly Row[];

export interface Row extends SeenLine {
  /** The sizes by name: the symbols of the shape comments, integer variables, integer attributes of `self`. */
  readonly sizes: ReadonlyMap<string, number>;
  /** The exception that the line raised. */
  readonly raised: string | null;
  /** The reshapes of the line that copied. */
  readonly copies: readonly string[];
  /** The names whose elements the line changed. */
  readonly changed: readonly string[];
}

export interface Recording {
  readonly torch: string;
  readonly cases: ReadonlyMap<string, readonly Run[]>;
}

export function readRecording(path: URL): Recording {
  if (!existsSync(path)) return { torch: '', cases: new Map() };
  const file = JSON.parse(readFileSync(path, 'utf8')) as RecordingFile;
  const cases = Object.entries(file.cases).map(([key, runs]) => [key, runs.map((rows) => rows.map(parseRow))] as const);
  return { torch: file.torch, cases: new Map(cases) };
}

// The shape of test/oracle/recordings, which record_specs.py alone writes.
interface RecordingFile {
  readonly torch: string;
  readonly cases: Readonly<Record<string, readonly (readonly RecordedRow[])[]>>;
}

interface RecordedRow {
  readonly line: number;
  readonly names?: Readonly<Record<string, number>>;
  readonly value?: RecordedTensor;
  readonly bound?: Readonly<Record<string, RecordedTensor>>;
  readonly live?: { readonly bytes: number; readonly storages: number };
  readonly raised?: string;
  readonly copies?: readonly string[];
  readonly changed?: readonly string[];
}

interface RecordedTensor {
  readonly shape: readonly number[];
  readonly stride: readonly number[];
  readonly offset: number;
  readonly dtype: string;
  readonly byte?: number;
  readonly same?: readonly string[];
  readonly views?: readonly string[];
}

function parseRow(row: RecordedRow): Row {
  const bound = Object.entries(row.bound ?? {}).map(([name, tensor]) => [name, parseTensor(tensor)] as const);
  return {
    line: row.line,
    value: row.value ? parseTensor(row.value) : null,
    bound: new Map(bound),
    live: row.live ? { bytes: String(row.live.bytes), storages: row.live.storages } : null,
    sizes: new Map(Object.entries(row.names ?? {})),
    raised: row.raised ?? null,
    copies: row.copies ?? [],
    changed: row.changed ?? [],
  };
}

function parseTensor(tensor: RecordedTensor): SeenTensor {
  return {
    shape: tensor.shape.map(String),
    stride: tensor.stride.map(String),
    offset: String(tensor.offset),
    dtype: tensor.dtype,
    byte: tensor.byte === undefined ? null : String(tensor.byte),
    same: tensor.same ?? [],
    views: tensor.views ?? [],
  };
}
