import type { FunctionTrace, OpEvent } from '../evaluator/trace.ts';
import { type Cause, isFault } from '../tensor/index.ts';
import { failureIsExpected } from './control.ts';
import { opEvents } from './flow.ts';
import type { CheckedFile } from './rule.ts';
import { RULE_OF_CAUSE } from './wording.ts';

export interface Failure {
  readonly event: OpEvent;
  readonly cause: Cause;
}

/** The operations that PyTorch will reject for a cause that is this rule's, save where a failure is what is wanted. */
export function failuresOf(rule: string, trace: FunctionTrace, file: CheckedFile): readonly Failure[] {
  return opEvents(trace).flatMap((event) => {
    const { result } = event;
    if (!isFault(result) || result.fault !== 'raises' || RULE_OF_CAUSE[result.cause.is] !== rule) return [];
    if (isGuess(trace, event, result.cause) || failureIsExpected(file, trace, event.node)) return [];
    return [{ event, cause: result.cause }];
  });
}

/**
 * A call that fits no signature is not reported: Python converts more than the signatures say (a 0-dim tensor is a size),
 * and what was thought to be a tensor, from its use, may be an array. The latter holds of any other odd argument, too, where
 * the tensor came from outside.
 */
function isGuess(trace: FunctionTrace, event: OpEvent, cause: Cause): boolean {
  if (cause.is !== 'argument') return false;
  const origin = event.inputs[0]?.storage.origin.is;
  return cause.signature === true || origin === 'unknown' || (origin === 'parameter' && trace.context === null);
}
