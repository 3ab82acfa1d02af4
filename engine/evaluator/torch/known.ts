import { findOp } from '../../ops/index.ts';
import { builtinOf } from '../calls/builtins.ts';
import { libraryValue } from './library.ts';
import { isModuleClass } from './nn.ts';

/** The name under which the engine knows what source calls by `name`: `torch.nn.Linear` for `torch.nn.modules.linear.Linear`. */
export function libraryName(name: string): string {
  const value = libraryValue(name);
  return value?.kind === 'torch' ? value.name : name;
}

/** Whether a call of this name gives what the engine can tell something of: an op, a module, a function of a library. */
export function isKnown(name: string): boolean {
  return findOp(name) !== null || isModuleClass(name) || builtinOf(name) !== null;
}
