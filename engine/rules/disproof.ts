import type { FunctionTrace, OpEvent } from '../evaluator/trace.ts';
import { decide } from '../symbols/index.ts';
import { isContiguous, isFault, resolve } from '../tensor/index.ts';
import { RANK } from './finding.ts';
import { opEvents } from './flow.ts';
import type { Said } from './kept-reports.ts';
import type { Report, Rule } from './rule.ts';

/**
 * Whether a call in the workspace passes a parameter that is not contiguous although the report assumes it is. Where more
 * than information rests on it, the call has to be known to pass one that is. What is assumed may be the parameter of a
 * caller, which handed it on. A call of which the same is to be said disproves nothing.
 */
export function isDisproved(
  rule: Rule,
  report: Report,
  trace: FunctionTrace,
  traces: readonly FunctionTrace[],
  saidOf: (trace: FunctionTrace) => readonly Said[],
): boolean {
  const assumes = report.assumes ?? [];
  if (assumes.length === 0) return false;
  const informs = RANK[report.severity ?? rule.severity] >= RANK.information;
  return traces.some(
    (other) =>
      other.context !== null &&
      other !== trace &&
      other.function === trace.function &&
      other.parameters.some(({ name, value }) => {
        if (value.kind !== 'tensor') return false;
        const packed = isContiguous(resolve(value.layout, other.facts), decide(other.facts));
        return (
          (informs ? packed === false : packed !== true) && (assumes.includes(name) || brings(trace, name, assumes))
        );
      }) &&
      !saysSo(rule, report, saidOf(other)) &&
      !(informs && isOpen(other, report)),
  );
}

/** Whether it is not known what happens there in the call: that a parameter is laid out otherwise shows nothing then. */
function isOpen(other: FunctionTrace, { node }: Report): boolean {
  return opEvents(other).some(
    (event) => event.node.start === node.start && event.node.end === node.end && isUnsure(event.result),
  );
}

function isUnsure(result: OpEvent['result']): boolean {
  return isFault(result) ? result.fault === 'unsure' : result.is === 'either';
}

function saysSo(rule: Rule, { node }: Report, said: readonly Said[]): boolean {
  const own = said.find((each) => each.rule === rule)?.reports ?? [];
  return own.some((other) => other.node.start === node.start && other.node.end === node.end);
}

/** Whether what is assumed of a caller's parameter came in by this one, contiguous as that is. */
function brings({ parameters, facts }: FunctionTrace, name: string, assumes: readonly string[]): boolean {
  const value = parameters.find((parameter) => parameter.name === name)?.value;
  if (value?.kind !== 'tensor' || !value.assumes.some((each) => assumes.includes(each))) return false;
  return isContiguous(resolve(value.layout, facts), decide(facts)) === true;
}
