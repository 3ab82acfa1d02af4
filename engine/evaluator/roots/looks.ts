import type { Expression, Parameter } from '../../syntax/ast.ts';
import { partsOf } from '../../syntax/children.ts';
import type { Value } from '../../values/value.ts';
import { enter, parametersOf } from '../calls/functions.ts';
import { heldBack, tell } from '../memo/told.ts';
import { fork } from '../state/heap.ts';
import { type FunctionInfo, isConstructor } from '../state/program.ts';
import { currentTensor, type Run, reboundUnknown } from '../state/run.ts';
import { newLook } from '../state/steps.ts';
import { rootVariables } from './root-values.ts';

/** How many of its steps a function's look for the ranks of its parameters may take. */
const LOOK = 8_000;

/**
 * One function with symbols for its parameters. What a first look, over a part of the budget, tells of a parameter, that
 * it is a tensor and of which rank, holds from the start of the second. Where it tells nothing, it was the only one needed.
 */
export function analyzeRoot(run: Run, info: FunctionInfo, self: Value | null, before: Learned | null = null): Learned {
  const first = rootVariables(run, info, self, before);
  if (isConstructor(info)) {
    const told = heldBack(run, () => enter(run, null, info, first, self, null));
    tell(run, told);
    return NOTHING;
  }
  const { layer: base, budget, truncated } = run;
  run.layer = fork(base);
  run.budget = Math.min(budget, LOOK);
  run.look = newLook(enough(run, info, first));
  const look = heldBack(run, () => enter(run, null, info, new Map(first), self, null));
  run.look = newLook(null);
  const learned = new Map<string, Value>(before ?? []);
  let news = false;
  for (const [name, value] of first) {
    const now = value.kind === 'unknown' ? reboundUnknown(run, value) : value;
    if (now?.kind !== 'tensor') continue;
    const { layout } = currentTensor(run, now);
    if (
      value.kind === 'tensor' &&
      value.layout.front === layout.front &&
      value.layout.shape.length === layout.shape.length
    )
      continue;
    learned.set(name, { ...now, layout });
    news = true;
  }
  run.layer = base;
  run.memory.touched.clear();
  if (!news && run.budget > 0) {
    tell(run, look);
    return learned;
  }
  run.budget = budget;
  run.truncated = truncated;
  const told = heldBack(run, () => enter(run, null, info, rootVariables(run, info, self, learned), self, null));
  tell(run, told);
  return learned;
}

/** What was found out about the parameters of a function: tensors, and of which rank. */
export type Learned = ReadonlyMap<string, Value>;

const NOTHING: Learned = new Map();

/** Whether a look has found out all that it can: every parameter that may be a tensor is one of known rank. Null where none may. */
function enough(run: Run, info: FunctionInfo, variables: ReadonlyMap<string, Value>): (() => boolean) | null {
  const open = parametersOf(info.definition.args).flatMap((parameter) => {
    const value = variables.get(parameter.name);
    return value && isOpen(value) && mayBeTensor(info, parameter) ? [value] : [];
  });
  if (open.length === 0) return null;
  return () =>
    open.every((value) => {
      const now = value.kind === 'unknown' ? reboundUnknown(run, value) : value;
      return now?.kind === 'tensor' && !currentTensor(run, now).layout.front;
    });
}

const isOpen = (value: Value): boolean =>
  (value.kind === 'tensor' && value.layout.front) || (value.kind === 'unknown' && value.symbol !== undefined);

/** What is said to be something else, or has a default that is something else, is waited for in vain. */
function mayBeTensor({ defaults }: FunctionInfo, { name, annotation }: Parameter): boolean {
  const fallback = defaults.get(name);
  if (fallback !== undefined && fallback.kind !== 'none' && fallback.kind !== 'unknown') return false;
  return annotation === null || mentionsTensor(annotation);
}

const mentionsTensor = (node: Expression): boolean =>
  node.kind === 'Name'
    ? !/^(int|float|bool|str|list|List|tuple|Tuple|dict|Dict|Optional|Union|Callable|Type)$/.test(node.id)
    : node.kind === 'Constant'
      ? node.literal !== 'none'
      : node.kind === 'Attribute' || partsOf(node).some(mentionsTensor);

/** What holds whatever is passed holds at the defaults too, but for what is left out then. */
export function whatever({ defaults }: FunctionInfo, learned: Learned | undefined): Learned | null {
  return learned ? new Map([...learned].filter(([name]) => !defaults.has(name))) : null;
}
