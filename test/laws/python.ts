/** Evaluates what `formatInt` writes: Python integers, names, `+ - * // %`, `max`, `min`, `ceil_div`. Throws on anything else. */
export function evaluatePython(text: string, names: Readonly<Record<string, number>>): number {
  const tokens = text.match(/\d+|[A-Za-z_][\w.[\]]*|\/\/|[-+*%(),]|\S/g) ?? [];
  let at = 0;
  const take = () => tokens[at++] ?? '';
  const expect = (token: string) => {
    if (take() !== token) throw new Error(`expected ${token} in ${text}`);
  };

  const sum = (): number => {
    let value = term();
    while (tokens[at] === '+' || tokens[at] === '-') value = take() === '+' ? value + term() : value - term();
    return value;
  };
  const term = (): number => {
    let value = unary();
    for (let op = tokens[at]; op === '*' || op === '//' || op === '%'; op = tokens[at]) {
      take();
      const right = unary();
      value =
        op === '*'
          ? value * right
          : op === '//'
            ? Math.floor(value / right)
            : value - right * Math.floor(value / right);
    }
    return value;
  };
  const unary = (): number => {
    if (tokens[at] !== '-') return atom();
    take();
    return -unary();
  };
  const atom = (): number => {
    const token = take();
    if (token === '(') {
      const value = sum();
      expect(')');
      return value;
    }
    if (/^\d+$/.test(token)) return Number(token);
    if (token === 'max' || token === 'min' || token === 'ceil_div') return call(token);
    const value = names[token];
    if (value === undefined) throw new Error(`unexpected ${token} in ${text}`);
    return value;
  };
  const call = (name: 'max' | 'min' | 'ceil_div'): number => {
    expect('(');
    const left = sum();
    expect(',');
    const right = sum();
    expect(')');
    return name === 'max' ? Math.max(left, right) : name === 'min' ? Math.min(left, right) : Math.ceil(left / right);
  };

  const value = sum();
  if (at !== tokens.length) throw new Error(`more than an expression: ${text}`);
  return value === 0 ? 0 : value;
}
