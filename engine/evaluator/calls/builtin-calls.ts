import { intValue, unknown, type Value } from '../../values/value.ts';
import { allocate, currentTensor, heapRead, type Run } from '../state/run.ts';
import { settled } from '../state/settled.ts';
import { iterate } from '../statements/iteration.ts';
import { isContainer } from '../torch/nn.ts';
import { arg, type Builtin } from './builtin-values.ts';
import { type Arguments, callValue, positional } from './calls.ts';

/** Settings of the recomputation, which the function does not see. */
const RECOMPUTES = new Set([
  'use_reentrant',
  'preserve_rng_state',
  'context_fn',
  'determinism_check',
  'debug',
  'early_stop',
]);

/** `checkpoint(f, *args)` is `f(*args)`. */
const checkpoint: Builtin = (run, act, args, place) => {
  const keywords = new Map([...args.keywords].filter(([key]) => !RECOMPUTES.has(key)));
  const rest = { ...args, keywords, items: args.items.slice(1), nodes: [] };
  return callValue(run, act, arg(run, args, 0), rest, place);
};

/** `checkpoint_sequential(functions, segments, x)` calls one after the other. */
const checkpointSequential: Builtin = (run, act, args, place) => {
  const functions = arg(run, args, 0);
  const input = settled(run, args.items[2] ?? args.keywords.get('input') ?? unknown('no input'));
  const object = functions.kind === 'ref' ? heapRead(run, functions.ref) : undefined;
  if (object?.object === 'instance' && isContainer(object))
    return callValue(run, act, functions, positional([input]), place);
  const { items, rest } = iterate(run, functions);
  if (rest) return unknown('the functions are not known');
  return items.reduce<Value>(
    (value, item) => settled(run, callValue(run, act, settled(run, item), positional([value]), place)),
    input,
  );
};

/** `skip_init(Class, *args)` makes what `Class(*args)` makes, its parameters unwritten. */
const skipInit: Builtin = (run, act, args, place) =>
  callValue(run, act, arg(run, args, 0), { ...args, items: args.items.slice(1), nodes: [] }, place);

/** `functional_call(module, parameters, args, kwargs)` is a call of the module: other parameters have the same shapes. */
const functionalCall: Builtin = (run, act, args, place) => {
  const given = settled(run, args.items[2] ?? args.keywords.get('args') ?? unknown('no arguments'));
  const named = settled(run, args.items[3] ?? args.keywords.get('kwargs') ?? { kind: 'none' });
  const keywords = keywordsOf(run, named);
  if (given.kind === 'unknown' || keywords === null) return unknown('the arguments are not known');
  const items = given.kind === 'tuple' ? given.items : [given];
  return callValue(run, act, arg(run, args, 0), { ...positional(items), keywords }, place);
};

function keywordsOf(run: Run, value: Value): Arguments['keywords'] | null {
  if (value.kind === 'none') return new Map();
  const object = value.kind === 'ref' ? heapRead(run, value.ref) : undefined;
  if (object?.object !== 'dict' || object.rest !== null) return null;
  const entries = [...object.entries.values()];
  return new Map(
    entries.flatMap((entry) => (entry.key.kind === 'str' ? [[entry.key.value, entry.value] as const] : [])),
  );
}

/** `einops.parse_shape(x, 'b _ c')`: the sizes by their names, but for `_`. */
const parseShape: Builtin = (run, _, args) => {
  const [tensor, pattern] = [arg(run, args, 0), arg(run, args, 1)];
  if (tensor.kind !== 'tensor' || pattern.kind !== 'str') return unknown('the tensor is not known');
  const { layout } = currentTensor(run, tensor);
  const names = pattern.value.trim().split(/\s+/);
  if (layout.front || names.length !== layout.shape.length) return unknown('the rank of the tensor is not known');
  const entries = new Map<string, { readonly key: Value; readonly value: Value }>();
  for (const [d, size] of layout.shape.entries()) {
    const name = names[d] ?? '_';
    if (name !== '_') entries.set(`s:${name}`, { key: { kind: 'str', value: name }, value: intValue(size) });
  }
  return { kind: 'ref', ref: allocate(run, { object: 'dict', entries, rest: null }) };
};

/** Functions that call what they are given, or read what it holds. */
export const HANDING_ON: Readonly<Record<string, Builtin>> = {
  'torch.utils.checkpoint.checkpoint': checkpoint,
  'torch.utils.checkpoint.checkpoint_sequential': checkpointSequential,
  'torch.nn.utils.skip_init': skipInit,
  'torch.func.functional_call': functionalCall,
  'torch.nn.utils.stateless.functional_call': functionalCall,
  'einops.parse_shape': parseShape,
};
