/** Severities as the JSON contract spells them. */
export type Severity = 'error' | 'warning' | 'information' | 'hint';

/** The worst first. */
export const RANK: Readonly<Record<Severity, number>> = { error: 0, warning: 1, information: 2, hint: 3 };

/** A range of a file: offsets in UTF-16 units from its start. */
export interface Span {
  readonly path: string;
  readonly start: number;
  readonly end: number;
}

export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

export interface Fix {
  readonly title: string;
  /** Same values, same or stricter errors. Fix-all applies safe ones only. */
  readonly safe: boolean;
  readonly edits: readonly Edit[];
}

export interface Finding extends Span {
  readonly rule: string;
  readonly severity: Severity;
  /** One short line that stands alone. */
  readonly message: string;
  readonly function: string;
  readonly related: readonly (Span & { readonly message: string })[];
  readonly fixes: readonly Fix[];
  /** Bytes copied or retained, as a Python expression over the function's symbols, where known. */
  readonly bytes: string | null;
  /** The parameters whose assumed contiguity the finding rests on. */
  readonly assumes: readonly string[];
  /** Editors fade the code. */
  readonly unnecessary: boolean;
}
