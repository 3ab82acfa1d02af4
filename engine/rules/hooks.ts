import type { FunctionTrace, StoreEvent } from '../evaluator/trace.ts';
import type { Call, Expression } from '../syntax/ast.ts';
import { isLiteral, keywordIn } from './library.ts';
import { type CheckedFile, insert, quoted, type Report } from './rule.ts';
import { valuesOfName } from './training.ts';
import { branches, calleeName, dottedName, isPrimary, rootOf } from './tree.ts';

/**
 * A forward hook that keeps its output, or a detached alias of it, in a file in which a layer works in place: where the
 * layer behind the hooked one is that layer, what is kept is what it made of the output.
 */
export function keptHookOutput(trace: FunctionTrace, file: CheckedFile, event: StoreEvent): Report | null {
  const output = trace.definition?.args.positional.at(-1)?.name;
  if (output === undefined || trace.definition?.args.positional.length !== lengthOfHook(trace)) return null;
  const kept = aliasedName(event.expression);
  if (kept !== output) return null;
  const behind = registrations(file, trace).map((each) => inplaceBehind(file, trace, each));
  const layer = behind.find((each) => each !== null);
  if (layer === undefined || layer === null) return null;
  const source = quoted(file, trace, event.expression, `\`${output}\``);
  return {
    node: event.expression,
    message: `\`${event.holder}\` keeps ${source}, the hooked layer's own output: \`${layer}\` overwrites it where it comes next; keep .clone()`,
    fixes: isPrimary(event.expression)
      ? [{ title: 'Keep a copy: .clone()', safe: false, edits: [insert(event.expression.end, '.clone()')] }]
      : [],
  };
}

/** `(module, inputs, output)`, and `self` before them for a method. */
const lengthOfHook = (trace: FunctionTrace): number => (trace.definition?.args.positional[0]?.name === 'self' ? 4 : 3);

/** The name of which the expression is an alias: `output`, `output.detach()`, `output.data`, `output[0]`. */
function aliasedName(expression: Expression): string | null {
  if (expression.kind === 'Name') return expression.id;
  if (expression.kind === 'Attribute') return expression.attr === 'data' ? aliasedName(expression.value) : null;
  if (expression.kind !== 'Call' || expression.func.kind !== 'Attribute') return null;
  return expression.func.attr === 'detach' ? aliasedName(expression.func.value) : null;
}

/** The calls that register this function, or what the function that makes it returns, as a forward hook. */
function registrations(file: CheckedFile, trace: FunctionTrace): readonly Call[] {
  const names = trace.function.split('.').filter((part) => part !== '<locals>');
  return callsIn(file).filter((call) => {
    if (calleeName(call) !== 'register_forward_hook') return false;
    const [hook] = call.args;
    const named = hook?.kind === 'Call' ? hook.func : hook;
    const name = named === undefined ? null : dottedName(named);
    return name !== null && names.includes(name.slice(name.lastIndexOf('.') + 1));
  });
}

/** The layer behind the hooked one, where it works in place; of a module that is not known any such layer of the file. */
function inplaceBehind(file: CheckedFile, trace: FunctionTrace, registration: Call): string | null {
  const hooked = registration.func.kind === 'Attribute' ? registration.func.value : null;
  if (hooked?.kind === 'Subscript' && hooked.value.kind === 'Name' && hooked.slice.kind === 'Constant') {
    const [made, ...others] = valuesOfName(file, trace, hooked.value.id);
    if (others.length === 0 && made?.kind === 'Call' && calleeName(made) === 'Sequential') {
      const next = made.args[Number(hooked.slice.value) + 1];
      return next?.kind === 'Call' && worksInPlace(next) ? spelled(next) : null;
    }
  }
  const layer = callsIn(file).find(worksInPlace);
  return layer === undefined ? null : spelled(layer);
}

const worksInPlace = (call: Call): boolean => isLiteral(keywordIn(call, 'inplace')?.value, true);

const spelled = (call: Call): string => `${dottedName(call.func) ?? calleeName(call)}(inplace=True)`;

const known = new WeakMap<CheckedFile, readonly Call[]>();

function callsIn(file: CheckedFile): readonly Call[] {
  const before = known.get(file);
  if (before !== undefined) return before;
  const roots = [file.module, ...new Set(file.traces.map((trace) => rootOf(file, trace)))];
  const found = [...new Set(roots.flatMap((root) => [...branches(root)]))].filter((each) => each.kind === 'Call');
  known.set(file, found);
  return found;
}
