import type { Body, Expression } from '../../syntax/ast.ts';
import { parametersOf } from '../calls/functions.ts';
import type { FunctionInfo } from '../state/program.ts';

/**
 * `if norm is None: norm = nn.LayerNorm`: a None that stands for what to build with. One that stands for a size, made of
 * other arguments (`hidden = hidden or width`), is left out seldom, and what is passed in its place is another size.
 */
export const standsForADefault = (info: FunctionInfo, name: string): boolean =>
  valuesFor(info, name).length > 0 && !standsForAnother(info, name);

/** `if shortcut is None: shortcut = x`: a None that stands for what is made of other arguments. */
export const standsForAnother = (info: FunctionInfo, name: string): boolean => {
  const others = new Set(parametersOf(info.definition.args).map((parameter) => parameter.name));
  others.delete(name);
  return valuesFor(info, name).some((value) => isSize(value, others));
};

const valuesFor = ({ definition }: FunctionInfo, name: string): readonly Expression[] =>
  definition.kind === 'FunctionDef' ? assigned(definition.body, name) : [];

function assigned(body: Body, name: string): readonly Expression[] {
  return body.flatMap((node): readonly Expression[] => {
    switch (node.kind) {
      case 'Assign':
        return node.targets.some((target) => target.kind === 'Name' && target.id === name) ? [node.value] : [];
      case 'If':
        return [...assigned(node.body, name), ...assigned(node.orelse, name)];
      default:
        return [];
    }
  });
}

/** Whether a value is the number that another parameter is, or is computed from such. */
function isSize(value: Expression, others: ReadonlySet<string>): boolean {
  switch (value.kind) {
    case 'Name':
      return others.has(value.id);
    case 'BinOp':
      return true;
    case 'BoolOp':
      return value.values.some((one) => isSize(one, others));
    case 'IfExp':
      return isSize(value.body, others) || isSize(value.orelse, others);
    case 'Call':
      return value.func.kind === 'Name' && NUMBERS.test(value.func.id);
    default:
      return false;
  }
}

const NUMBERS = /^(int|round|max|min|make_divisible|_make_divisible)$/;
