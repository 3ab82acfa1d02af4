/**
 * The value of a size expression (`B * (C // heads)`, `max(a, b)`, `self.heads - 1`) under the sizes of one run, or null
 * where it names something that the run has no number for. Division and remainder floor, as in Python.
 */
export function evaluateSize(text: string, sizes: ReadonlyMap<string, number>): number | null {
  const tokens = text.match(/\d+|[A-Za-z_][\w.]*|\/\/|\*\*|[-+*%(),]|\S/g) ?? [];
  let at = 0;
  const accept = (token: string): boolean => tokens[at] === token && ++at > 0;

  const sum = (): number => {
    let value = product();
    for (;;) {
      if (accept('+')) value += product();
      else if (accept('-')) value -= product();
      else return value;
    }
  };
  const product = (): number => {
    let value = unary();
    for (;;) {
      if (accept('*')) value *= unary();
      else if (accept('//')) value = Math.floor(value / unary());
      else if (accept('%')) {
        const divisor = unary();
        value -= divisor * Math.floor(value / divisor);
      } else return value;
    }
  };
  const unary = (): number => (accept('-') ? -unary() : power());
  const power = (): number => {
    const base = primary();
    return accept('**') ? base ** unary() : base;
  };
  const primary = (): number => {
    if (accept('(')) {
      const value = sum();
      return accept(')') ? value : Number.NaN;
    }
    const token = tokens[at++] ?? '';
    if (/^\d+$/.test(token)) return Number(token);
    const call = FUNCTIONS.get(token);
    if (call && accept('(')) {
      const values = [sum()];
      while (accept(',')) values.push(sum());
      return accept(')') ? call(values) : Number.NaN;
    }
    return sizes.get(token) ?? Number.NaN;
  };

  const value = sum();
  return at === tokens.length && Number.isInteger(value) ? value : null;
}

const FUNCTIONS: ReadonlyMap<string, (values: readonly number[]) => number> = new Map([
  ['max', (values) => Math.max(...values)],
  ['min', (values) => Math.min(...values)],
  ['ceil_div', ([a = Number.NaN, b = Number.NaN]) => Math.ceil(a / b)],
]);
