import { type Facts, mul, ONE, product, type SymInt, same, simplify, ZERO } from '../symbols/index.ts';
import type { Layout } from '../tensor/index.ts';

/** The strides of what lies without gaps as products of its sizes, as these are written: `h*d` even where that is `C`. Null where it has gaps. */
export function asProducts({ shape, stride }: Layout, facts: Facts, text: (size: SymInt) => string): string[] | null {
  if (shape.length > MOST_DIMS) return null;
  const left = new Set(shape.keys());
  const out: string[] = [];
  const inside: number[] = [];
  for (let want = ONE; left.size > 0; ) {
    const next = [...left].findLast((d) => same(simplify(stride?.[d] ?? ZERO, facts), want));
    const size = next === undefined ? undefined : shape[next];
    if (next === undefined || size === undefined) return null;
    out[next] = productText(
      inside.toSorted((a, b) => a - b).flatMap((d) => shape[d] ?? []),
      text,
    );
    left.delete(next);
    inside.push(next);
    want = simplify(mul(want, size), facts);
  }
  return out;
}

const MOST_DIMS = 12;

function productText(sizes: readonly SymInt[], text: (size: SymInt) => string): string {
  const number = product(sizes.filter(({ constant }) => constant !== null));
  const factors = sizes.flatMap((size) => (size.constant === null ? [text(size)] : []));
  const known = number.constant === 1 && factors.length > 0 ? [] : [text(number)];
  if (known.length + factors.length === 1) return [...known, ...factors].join('');
  return [...known, ...factors.map((each) => (/^[\w.[\]*']+$/.test(each) ? each : `(${each})`))].join('*');
}
