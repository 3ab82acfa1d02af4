import type { FunctionTrace } from '../evaluator/trace.ts';
import type { Call, Expression } from '../syntax/ast.ts';
import type { Edit } from './finding.ts';
import { type CheckedFile, replace, sourceOf } from './rule.ts';
import { dottedName } from './tree.ts';

/**
 * Turns a reshape into the `view` that computes the same of a packed tensor; null where that needs sizes that nothing
 * names. `of` is an expression of the tensor, packed or not.
 */
export function explicitView(file: CheckedFile, trace: FunctionTrace, call: Call, of: Expression): Edit | null {
  if (call.func.kind !== 'Attribute') return null;
  const { attr, attrStart } = call.func;
  switch (attr) {
    case 'reshape':
    case 'reshape_as':
      return replace(attrStart, attrStart + attr.length, attr.replace('reshape', 'view'));
    case 'ravel':
      return replace(attrStart, call.end, 'view(-1)');
    case 'flatten': {
      const sizes = flattened(call, dottedName(of) === null ? null : sourceOf(file, trace, of));
      return sizes === null ? null : replace(attrStart, call.end, `view(${sizes})`);
    }
    default:
      return null;
  }
}

/** The sizes of `x.flatten(start, end)` as arguments of a `view`. */
function flattened(call: Call, name: string | null): string | null {
  const [start, end] = [dimOf(call, 0, 'start_dim', 0), dimOf(call, 1, 'end_dim', -1)];
  if (start === null || end === null || start < 0) return null;
  if (start === 0 && end === -1) return '-1';
  if (name === null) return null;
  const front = start === 0 ? [] : [start === 1 ? `${name}.size(0)` : `*${name}.shape[:${start}]`];
  const back = end === -1 ? [] : [`*${name}.shape[${end + 1}:]`];
  return [...front, '-1', ...back].join(', ');
}

function dimOf(call: Call, position: number, name: string, otherwise: number): number | null {
  const given = call.args[position] ?? call.keywords.find(({ arg }) => arg === name)?.value;
  if (given === undefined) return otherwise;
  const negative = given.kind === 'UnaryOp' && given.op === '-';
  const number = negative ? given.operand : given;
  if (number.kind !== 'Constant' || typeof number.value !== 'number') return null;
  return negative ? -number.value : number.value;
}
