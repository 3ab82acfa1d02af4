/** What a trailing comment of a specification claims. Sizes are Python expressions over the names of the snippet. */
export type Assertion = { readonly text: string; readonly specLine: number } & Claim;

export type Claim =
  /** `reveal: …` is the value of the line, `reveal q: …` what the line bound to `q`. */
  | { readonly is: 'reveal'; readonly name: string | null; readonly tensor: TensorClaim }
  | { readonly is: 'live'; readonly bytes: string; readonly storages: string }
  | { readonly is: 'element'; readonly element: string; readonly byte: string }
  | { readonly is: 'finding'; readonly severity: SpecSeverity; readonly rule: string; readonly fragment: string };

export type SpecSeverity = 'error' | 'warning' | 'info' | 'hint';

export interface TensorClaim {
  readonly shape: readonly string[];
  /** Null where the comment does not speak of it. */
  readonly stride: readonly string[] | null;
  readonly offset: string;
  readonly dtype: string | null;
  /** Null claims a storage that no earlier name shares. */
  readonly shares: { readonly how: 'view' | 'same'; readonly name: string } | null;
}

const START = /(?:reveal(?: [\w.]+)?:|live:|element:|(?:error|warning|info|hint)\[)/;

export function parseAssertions(comment: string, specLine: number): Assertion[] {
  return comment
    .split(new RegExp(`;\\s*(?=${START.source})`))
    .map((text) => ({ ...parseClaim(text.trim(), specLine), text: text.trim(), specLine }));
}

function parseClaim(text: string, specLine: number): Claim {
  const reveal = /^reveal(?: ([\w.]+))?: (.*)$/.exec(text);
  if (reveal) return { is: 'reveal', name: reveal[1] ?? null, tensor: parseTensor(reveal[2] ?? '', specLine) };
  const live = /^live: (.+) bytes in (\S+) storages?$/.exec(text);
  if (live) return { is: 'live', bytes: live[1] ?? '', storages: live[2] ?? '' };
  const element = /^element: (.+), byte (.+)$/.exec(text);
  if (element) return { is: 'element', element: element[1] ?? '', byte: element[2] ?? '' };
  const finding = /^(error|warning|info|hint)\[([\w-]+)\](?:: (.*))?$/.exec(text);
  if (finding) {
    return {
      is: 'finding',
      severity: finding[1] as SpecSeverity,
      rule: finding[2] ?? '',
      fragment: finding[3] ?? '',
    };
  }
  throw new Error(`line ${specLine}: cannot read the assertion "${text}"`);
}

/** `Tensor[2, 4, 3] strides (12, 1, 4) offset 4 float32 view of x`; everything behind the shape may be left out. */
function parseTensor(text: string, specLine: number): TensorClaim {
  const shape = bracketed(text, 'Tensor[');
  if (shape === null) throw new Error(`line ${specLine}: expected "Tensor[…]", not "${text}"`);
  const strides = bracketed(shape.rest, ' strides (');
  const rest = (strides ?? shape).rest;
  const tail = /^(?: offset (.+?))?(?: (bool|u?int\d+|b?float\d+|complex\d+))?(?: (view of|same as) ([\w.]+))?$/.exec(
    rest,
  );
  if (!tail) throw new Error(`line ${specLine}: cannot read "${rest.trim()}" of "${text}"`);
  const how = tail[3] === 'same as' ? 'same' : 'view';
  return {
    shape: shape.items,
    stride: strides?.items ?? null,
    offset: tail[1] ?? '0',
    dtype: tail[2] ?? null,
    shares: tail[4] === undefined ? null : { how, name: tail[4] },
  };
}

/** The comma-separated items behind `opening` up to the bracket that closes it, and what follows. */
function bracketed(text: string, opening: string): { items: string[]; rest: string } | null {
  if (!text.startsWith(opening)) return null;
  const items: string[] = [];
  let depth = 0;
  let from = opening.length;
  for (let at = from; at < text.length; at++) {
    const character = text[at] ?? '';
    const closes = ')]'.includes(character);
    if (depth === 0 && (closes || character === ',')) {
      const item = text.slice(from, at).trim();
      if (item !== '') items.push(item);
      from = at + 1;
      if (closes) return { items, rest: text.slice(from) };
    } else if (closes) depth--;
    else if ('(['.includes(character)) depth++;
  }
  return null;
}
