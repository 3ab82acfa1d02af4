import type { FunctionTrace } from '../evaluator/trace.ts';
import type { Call } from '../syntax/ast.ts';
import type { Edit } from './finding.ts';
import { type CheckedFile, replace } from './rule.ts';

/** Takes `.name(…)` away and leaves what it was called on; null where the call is no method call. */
export function withoutMethod(file: CheckedFile, trace: FunctionTrace, call: Call): Edit | null {
  if (call.func.kind !== 'Attribute') return null;
  const { value, attrStart } = call.func;
  // Between the two stand a dot, and perhaps a parenthesis that belongs to the value, or a line break.
  const gap = file.text.slice(trace.base + value.end, trace.base + attrStart);
  return replace(value.end + gap.lastIndexOf('.'), call.end, '');
}
