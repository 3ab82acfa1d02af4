import { type Fault, raises } from '../../tensor/index.ts';

/** `ELLIPSIS` stands in a label list for the dims that `...` covers. */
export const ELLIPSIS = '...';

export interface Equation {
  readonly inputs: readonly (readonly string[])[];
  /** As written, or as PyTorch makes it up: the ellipsis, then every label that occurs once, in order. */
  readonly output: readonly string[];
}

/** Reads an einsum equation for `operands` operands. */
export function parseEquation(text: string, operands: number): Equation | Fault {
  const rejected = (expects: string) => raises({ is: 'argument', name: 'equation', got: `'${text}'`, expects });
  const [left = '', right, ...rest] = text.replaceAll(' ', '').split('->');
  if (rest.length > 0) return rejected("one '->'");
  const inputs = left.split(',').map(labelsOf);
  if (inputs.length !== operands) return rejected(`${operands} operands`);
  const output = right === undefined ? implicit(inputs) : labelsOf(right);
  for (const labels of [...inputs, output])
    if (labels.some((label) => label !== ELLIPSIS && !/^[A-Za-z]$/.test(label)))
      return rejected('letters for subscripts');
  const given = new Set(inputs.flat());
  if (output.some((label) => !given.has(label) && label !== ELLIPSIS))
    return rejected('output subscripts that an input has');
  if (new Set(output).size !== output.length) return rejected('each output subscript once');
  return { inputs, output };
}

const labelsOf = (text: string): readonly string[] => text.match(/\.\.\.|./g) ?? [];

function implicit(inputs: readonly (readonly string[])[]): readonly string[] {
  const all = inputs.flat();
  const once = [...new Set(all)].filter((label) => label !== ELLIPSIS && all.filter((l) => l === label).length === 1);
  return [...(all.includes(ELLIPSIS) ? [ELLIPSIS] : []), ...once.sort()];
}
