import { type SymInt, symbol, symbolsOf } from '../../symbols/index.ts';
import { type Assign, lineAt } from '../../syntax/index.ts';
import type { Value } from '../../values/value.ts';
import { symbolFor } from '../state/derived.ts';
import { type Activation, heapRead, type Run } from '../state/run.ts';
import { settled } from '../state/settled.ts';
import { saidTensor, shapesBehind, startsOf } from './said.ts';

/** The value of an assignment; where it is not known, the tensor that a shape comment behind the line says it is. */
export function evaluateShapeComment(run: Run, act: Activation, node: Assign, value: Value): Value {
  const [target, ...others] = node.targets;
  if (target?.kind !== 'Name' || others.length > 0 || settled(run, value).kind !== 'unknown') return value;
  const text = shapesBehind(act.file).get(lineAt(startsOf(act.file), act.base + node.end));
  return text === undefined
    ? value
    : saidTensor(run, target.id, text, (name) => sizeNamed(run, act, name), { is: 'unknown' });
}

/** The integer of that name where there is one just now, else a symbol of the function's. */
function sizeNamed(run: Run, act: Activation, name: string): SymInt {
  const frame = heapRead(run, act.frame);
  const local = frame?.object === 'frame' ? frame.variables.get(name) : undefined;
  const value = local === undefined ? null : settled(run, local);
  if (value?.kind === 'int') return value.value;
  if (value?.kind === 'unknown' && value.symbol !== undefined) return symbol(value.symbol);
  const within = act.info?.id ?? -1;
  const made = symbolFor(run, `said ${within} ${name}`, [], name);
  for (const id of symbolsOf(made)) run.said.set(id, { name, within });
  return made;
}
