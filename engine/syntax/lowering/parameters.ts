import type { Parameter, Parameters } from '../ast.ts';
import { kindAt, operands } from '../tape.ts';
import { expression } from './expressions.ts';
import { endOf, type Lowering, startOf, textAt } from './lowering.ts';

/** `entry` is a parameter list, with or without its parentheses. */
export function parameters(lowering: Lowering, entry: number | null): Parameters {
  const positional: Parameter[] = [];
  const keywordOnly: Parameter[] = [];
  let positionalOnly = 0;
  let vararg: Parameter | null = null;
  let kwarg: Parameter | null = null;
  let starred = false;
  for (const child of entry === null ? [] : operands(lowering.tape, entry)) {
    const kind = kindAt(lowering.tape, child);
    if (kind === 'positional_separator') positionalOnly = positional.length;
    else if (kind === 'keyword_separator') starred = true;
    else {
      const { parameter, stars } = parameterOf(lowering, child);
      if (stars === 2) kwarg = parameter;
      else if (stars === 1) {
        vararg = parameter;
        starred = true;
      } else (starred ? keywordOnly : positional).push(parameter);
    }
  }
  return { positional, positionalOnly, vararg, keywordOnly, kwarg };
}

/** Its span is Python's: the name and the annotation, without stars and default. */
function parameterOf(lowering: Lowering, entry: number): { parameter: Parameter; stars: 0 | 1 | 2 } {
  const { tape } = lowering;
  const kind = kindAt(tape, entry);
  const parts = operands(tape, entry);
  const typed = kind === 'typed_parameter' || kind === 'typed_default_parameter';
  const defaulted = kind === 'default_parameter' || kind === 'typed_default_parameter';
  const named = typed || defaulted ? (parts[0] ?? entry) : entry;
  const namedKind = kindAt(tape, named);
  const stars = namedKind === 'list_splat_pattern' ? 1 : namedKind === 'dictionary_splat_pattern' ? 2 : 0;
  const name = stars === 0 ? named : (operands(tape, named)[0] ?? named);
  const annotation = typed && parts[1] !== undefined ? expression(lowering, parts[1]) : null;
  const value = defaulted ? parts.at(-1) : undefined;
  const parameter: Parameter = {
    start: startOf(lowering, name),
    end: annotation === null ? endOf(lowering, name) : annotation.end,
    name: kindAt(tape, name) === 'identifier' ? textAt(lowering, name) : '',
    annotation,
    default: value === undefined ? null : expression(lowering, value),
  };
  return { parameter, stars };
}
