import type { FunctionTrace } from '../evaluator/trace.ts';
import type { Assign, Call, Expression, Node } from '../syntax/ast.ts';
import { type CheckedFile, insert, type Report, type ReportFix, replace, sourceOf } from './rule.ts';
import { loopsAround } from './training.ts';
import { branches, calleeName, callsIn, dottedName, rootOf, within } from './tree.ts';

/** `best = model.state_dict()` that is read again after the model was trained on. */
export function* keptState(trace: FunctionTrace, file: CheckedFile): Generator<Report> {
  for (const node of branches(rootOf(file, trace))) {
    if (node.kind !== 'Assign' || node.targets.length !== 1) continue;
    const state = stateIn(node.value);
    const model = state === null ? null : receiverOf(state);
    const [target] = node.targets;
    if (state === null || model === null || target === undefined) continue;
    const name = dottedName(target);
    if (name === null) continue;
    const kept =
      target.kind === 'Name' ? isReadAfterTraining(trace, file, node, name, model) : isLoadedBack(file, name, model);
    if (!kept) continue;
    yield {
      node: node.value,
      message: `\`${name}\` holds the tensors of \`${model}\` themselves: training on changes it too; copy.deepcopy(…) keeps it as it is`,
      fixes: deepCopied(file, trace, node.value, state),
    };
  }
}

/** The call of `state_dict` behind a dict that holds the very tensors: `.copy()` and `dict(…)` copy the dict alone. */
function stateIn(value: Expression): Call | null {
  if (value.kind === 'Comprehension') return value.form === 'dict' ? stateOfItems(value) : null;
  if (value.kind !== 'Call') return null;
  const name = calleeName(value);
  if (name === 'state_dict' && value.func.kind === 'Attribute') return value;
  if (name === 'copy' && value.func.kind === 'Attribute' && value.args.length === 0) return stateIn(value.func.value);
  const [of] = value.args;
  return (name === 'dict' || name === 'OrderedDict') && of !== undefined ? stateIn(of) : null;
}

/** `{k: v for k, v in model.state_dict().items()}`, also with `v.detach()` and `v.data`. */
function stateOfItems({ value, generators }: Extract<Expression, { kind: 'Comprehension' }>): Call | null {
  const iter = generators[0]?.iter;
  const plain =
    value?.kind === 'Call' && calleeName(value) === 'detach' && value.func.kind === 'Attribute'
      ? value.func.value
      : value;
  const alias = plain?.kind === 'Name' || (plain?.kind === 'Attribute' && plain.attr === 'data');
  if (!alias || generators.length !== 1 || iter?.kind !== 'Call' || calleeName(iter) !== 'items') return null;
  return iter.func.kind === 'Attribute' ? stateIn(iter.func.value) : null;
}

const receiverOf = (state: Call): string | null =>
  state.func.kind === 'Attribute' ? dottedName(state.func.value) : null;

function isReadAfterTraining(
  trace: FunctionTrace,
  file: CheckedFile,
  node: Assign,
  name: string,
  model: string,
): boolean {
  const steps = callsIn(file, trace).filter((call) => trains(trace, file, call, model));
  const reads = [...branches(rootOf(file, trace))].filter(
    (each) => each.kind === 'Name' && each.id === name && !isTarget(trace, file, each, name),
  );
  const loops = loopsAround(file, trace, node);
  return steps.some((step) => {
    const loop = loops.find((each) => within(file, trace, step, each));
    return reads.some((read) => {
      if (read.start < node.end) return false;
      const between = step.start >= node.end && step.start < read.start;
      // What the last turns of the loop trained is read behind it.
      return between || (loop !== undefined && read.start >= loop.end);
    });
  });
}

/** Whether a call changes the parameters of the model: a step of an optimizer beside a forward of it, or a function that trains it. */
function trains(trace: FunctionTrace, file: CheckedFile, call: Call, model: string): boolean {
  const name = calleeName(call) ?? '';
  if (name === 'step') {
    const around = loopsAround(file, trace, call).at(-1) ?? null;
    const forwards = callsIn(file, trace).filter((each) => dottedName(each.func) === model);
    return forwards.some((each) => around === null || within(file, trace, each, around));
  }
  return TRAINS.test(name) && call.args.some((each) => dottedName(each) === model);
}

const TRAINS = /^_?(train|fit|finetune|fine_tune|optimi[sz]e)(_|$)|^run_(train|epoch)|_train(ing)?$/;

const isTarget = (trace: FunctionTrace, file: CheckedFile, read: Node, name: string): boolean =>
  [...branches(rootOf(file, trace))].some(
    (each) =>
      each.kind === 'Assign' && each.targets.some((target) => target === read || containsTarget(target, read, name)),
  );

const containsTarget = (target: Expression, read: Node, name: string): boolean =>
  target.kind === 'Tuple' && target.elts.some((each) => each === read && dottedName(each) === name);

/** `model.load_state_dict(self.best)` somewhere in the file: an alias of the model loads nothing new. */
function isLoadedBack(file: CheckedFile, name: string, model: string): boolean {
  const last = (dotted: string): string => dotted.slice(dotted.lastIndexOf('.') + 1);
  return file.traces.some((trace) =>
    callsIn(file, trace).some((call) => {
      const [state] = call.args;
      if (calleeName(call) !== 'load_state_dict' || state === undefined) return false;
      const receiver = receiverOf(call);
      const from = dottedName(state);
      return (
        receiver !== null && last(receiver) === last(model) && from?.includes('.') === true && last(from) === last(name)
      );
    }),
  );
}

function deepCopied(file: CheckedFile, trace: FunctionTrace, value: Expression, state: Call): readonly ReportFix[] {
  const imports = file.module.body.some(
    (each) => each.kind === 'Import' && each.names.some(({ name, asname }) => name === 'copy' && asname === null),
  );
  const source = sourceOf(file, trace, state);
  if (imports) {
    const title = 'Copy the tensors too: copy.deepcopy(…)';
    return value === state
      ? [{ title, safe: false, edits: [insert(value.start, 'copy.deepcopy('), insert(value.end, ')')] }]
      : [{ title, safe: false, edits: [replace(value.start, value.end, `copy.deepcopy(${source})`)] }];
  }
  const clones = `{name: value.clone() for name, value in ${source}.items()}`;
  return [
    {
      title: 'Copy the tensors too: value.clone() for each',
      safe: false,
      edits: [replace(value.start, value.end, clones)],
    },
  ];
}
