import type { FunctionTrace } from '../evaluator/trace.ts';
import type { Expression } from '../syntax/ast.ts';
import { mayReach } from './control.ts';
import { resultOf } from './flow.ts';
import { type CheckedFile, insert, type Report } from './rule.ts';
import { valuesBound } from './training.ts';
import { type Branch, branches, dottedName, rootOf } from './tree.ts';

/**
 * `x = torch.from_numpy(array)` and then `x -= …`: the tensor has no memory of its own, so the array changes, which is the
 * caller's or is kept by `self`. Told by the names alone, since arrays are not followed.
 */
export function* arrayWrites(trace: FunctionTrace, file: CheckedFile): Generator<Report> {
  if (trace.context !== null) return;
  const all = [...branches(rootOf(file, trace))];
  yield* itemWrites(trace, file, all);
  for (const node of all) {
    if (node.kind !== 'AugAssign' || node.target.kind !== 'Name') continue;
    const name = node.target.id;
    const [made, ...others] = all.flatMap((each) => (each.kind === 'AugAssign' ? [] : boundHere(each, name)));
    const array = made === undefined || others.length > 0 ? null : arrayIn(made);
    const owner = array === null ? null : ownerOf(trace, all, array);
    const isUsed = all.some(
      (each) => each.kind === 'Name' && each.id === name && each.start >= node.end && mayReach(file, trace, node, each),
    );
    if (made === undefined || owner === null || !isUsed || made.start > node.start) continue;
    yield {
      node,
      message: `\`${name}\` shares the memory of \`${owner.name}\`: \`${node.op}=\` changes ${owner.whose} too; write out of place, or to a .clone()`,
      related: [{ node: made, message: 'the array is taken as it lies here' }],
      fixes: [
        {
          title: 'Leave the original alone: .clone()',
          safe: false,
          edits: [insert(made.end, '.clone()')],
        },
      ],
    };
  }
}

/**
 * `x = self.data[i]` and then `x.sub_(…)` in `__getitem__`, where what `data` is comes from a file: a list hands out the very
 * tensor, a tensor a view of it. What is known of it is left to the events.
 */
function* itemWrites(trace: FunctionTrace, file: CheckedFile, all: readonly Branch[]): Generator<Report> {
  if (!/(^|\.)__getitem__$/.test(trace.function)) return;
  for (const node of all) {
    const method = node.kind === 'Call' && node.func.kind === 'Attribute' ? node.func : null;
    if (method?.value.kind !== 'Name' || !/^[a-z]\w*[a-z]_$/.test(method.attr)) continue;
    const name = method.value.id;
    const [made, ...others] = all.flatMap((each) => boundHere(each, name));
    if (made?.kind !== 'Subscript' || others.length > 0 || made.start > node.start) continue;
    const holder = dottedName(made.value);
    const isItem = holder?.startsWith('self.') === true && isSingle(trace, made.slice);
    if (!isItem || resultOf(trace, method.value) !== null) continue;
    const isUsed = all.some(
      (each) => each.kind === 'Name' && each.id === name && each.start >= node.end && mayReach(file, trace, node, each),
    );
    if (!isUsed) continue;
    yield {
      node,
      message: `\`${name}\` is what \`${holder}\` holds, or a view of it: ${method.attr} changes the stored tensor too; write out of place, or to a .clone()`,
      related: [{ node: made, message: `an item of \`${holder}\` is taken here` }],
      fixes: [{ title: 'Leave the original alone: .clone()', safe: false, edits: [insert(made.end, '.clone()')] }],
    };
  }
}

const boundHere = (branch: Branch, name: string): readonly Expression[] =>
  branch.kind === 'Assign' || branch.kind === 'AnnAssign' || branch.kind === 'NamedExpr'
    ? valuesBound(branch, name)
    : [];

function arrayIn(made: Expression): Expression | null {
  if (made.kind !== 'Call' || made.args.length !== 1) return null;
  const callee = dottedName(made.func);
  return callee === 'torch.from_numpy' || callee === 'from_numpy' ? (made.args[0] ?? null) : null;
}

interface Owner {
  readonly name: string;
  readonly whose: string;
}

/** A parameter that the function does not bind anew, or what `self` keeps; an index by a number is a view of an array, too. */
function ownerOf(trace: FunctionTrace, all: readonly Branch[], array: Expression): Owner | null {
  const whole = array.kind === 'Subscript' && isSingle(trace, array.slice) ? array.value : array;
  const name = dottedName(whole);
  if (name === null) return null;
  if (name.startsWith('self.')) return { name, whose: 'the stored array' };
  const isParameter = trace.parameters.some((parameter) => parameter.name === name);
  const isRebound = all.some((each) => boundHere(each, name).length > 0);
  return isParameter && !isRebound ? { name, whose: "the caller's array" } : null;
}

/** A number, as what a sampler hands to `__getitem__` is: of a list or an array of places NumPy makes a copy. */
const isSingle = (trace: FunctionTrace, slice: Expression): boolean =>
  slice.kind === 'Constant' || (slice.kind === 'Name' && /(^|\.)__getitem__$/.test(trace.function));
