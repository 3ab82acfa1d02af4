import type { FunctionTrace } from '../evaluator/trace.ts';
import type { Call, Expression, Node } from '../syntax/ast.ts';
import { mayReach } from './control.ts';
import { isLiteral, saysTrue } from './library.ts';
import type { CheckedFile } from './rule.ts';
import { type Branch, branches, calleeName, callsIn, dottedName, enclosing, is, rootOf } from './tree.ts';

/** A copy to the host that is under way: the call that began it, and the name of the tensor that is written. */
export interface Arrival {
  readonly call: Call;
  /** Null where the result is used on the spot. */
  readonly name: string | null;
  /** Whether what is written is known to be on the host. */
  readonly onHost: boolean;
}

/** The copies to the host that are begun without waiting for them. */
export function arrivalsIn(trace: FunctionTrace, file: CheckedFile): readonly Arrival[] {
  return callsIn(file, trace).flatMap((call): Arrival[] => {
    if (call.func.kind !== 'Attribute' || !saysTrue(call, 'non_blocking')) return [];
    if (call.func.attr === 'copy_') return [{ call, name: dottedName(call.func.value), onHost: false }];
    const [device] = call.args;
    if (call.func.attr !== 'to' || device === undefined || !isCpu(device)) return [];
    const [statement] = enclosing(file, trace, call);
    const [target] = statement?.kind === 'Assign' ? statement.targets : [];
    return [{ call, name: target === undefined ? null : dottedName(target), onHost: true }];
  });
}

/** `"cpu"`, `torch.device("cpu")`. */
function isCpu(device: Expression): boolean {
  if (isLiteral(device, 'cpu')) return true;
  return device.kind === 'Call' && calleeName(device) === 'device' && isLiteral(device.args[0], 'cpu');
}

/** The first place that reads the elements of a copy before anything waited for it, or null. */
export function earlyRead(trace: FunctionTrace, file: CheckedFile, arrival: Arrival): Node | null {
  const { call, name, onHost } = arrival;
  if (name === null) {
    const use = useOf(trace, file, call, onHost);
    return use.reads && call.func.kind === 'Attribute' && call.func.attr === 'to' ? use.node : null;
  }
  for (const mention of mentionsOf(trace, file, name)) {
    if (mention.start < call.end || !mayReach(file, trace, call, mention)) continue;
    const use = useOf(trace, file, mention, onHost);
    if (use.ends) return null;
    if (!use.reads) continue;
    return waits(trace, file, call, use.node, mention) ? null : use.node;
  }
  return null;
}

function mentionsOf(trace: FunctionTrace, file: CheckedFile, name: string): readonly Expression[] {
  return [...branches(rootOf(file, trace))]
    .filter(
      (branch): branch is Expression => (is(branch, 'Name') || is(branch, 'Attribute')) && dottedName(branch) === name,
    )
    .toSorted((a, b) => a.start - b.start);
}

interface Use {
  readonly node: Node;
  readonly reads: boolean;
  /** What becomes of it from here on is not followed: it is bound anew, or handed to somebody. */
  readonly ends: boolean;
}

/** What is done with a tensor where it is mentioned. Before it is known to be on the host, only `numpy()` counts. */
function useOf(trace: FunctionTrace, file: CheckedFile, mention: Expression, onHost: boolean): Use {
  const [parent, around] = [...enclosing(file, trace, mention)];
  if (parent?.kind === 'Attribute') {
    if (around?.kind !== 'Call' || around.func !== parent) return passes(mention);
    if (parent.attr === 'numpy') return reads(around);
    return onHost && !isLayoutOnly(parent.attr) ? reads(around) : passes(mention);
  }
  if (parent === undefined || parent.kind === 'Subscript') return passes(mention);
  if (parent.kind === 'BinOp' || parent.kind === 'Compare' || parent.kind === 'UnaryOp')
    return onHost ? reads(parent) : passes(mention);
  if (parent.kind === 'Call') return isReader(parent) && onHost ? reads(parent) : ends(mention);
  return ends(mention);
}

const reads = (node: Branch): Use => ({ node, reads: true, ends: false });
const passes = (node: Node): Use => ({ node, reads: false, ends: false });
const ends = (node: Node): Use => ({ node, reads: false, ends: true });

/** Methods that look at sizes and addresses, and those that go on in the stream of the copy. */
const isLayoutOnly = (method: string): boolean => LAYOUT.test(method);
const LAYOUT =
  /^(size|dim|ndimension|numel|nelement|element_size|stride|storage_offset|view(_as)?|reshape|flatten|unflatten|squeeze|unsqueeze|permute|transpose|t|expand|detach|narrow|select|chunk|split|unbind|is_\w+|has_\w+|new_\w+|\w*data_ptr|\w*storage|record_stream|pin_memory|to|cuda|copy_|share_memory_|requires_grad_|type)$/;

/** Functions that look at the elements there and then. */
function isReader(call: Call): boolean {
  const name = dottedName(call.func) ?? '';
  return /^(print|float|int|bool|np\.\w+|numpy\.\w+|torch\.(save|equal|allclose|isnan|any|all|sum|mean|max|min|argmax))$/.test(
    name,
  );
}

/** Whether a call between the two makes the host wait for the device. */
function waits(trace: FunctionTrace, file: CheckedFile, from: Call, use: Node, mention: Node): boolean {
  return callsIn(file, trace).some((call) => {
    if (call.start < from.end || call.end > mention.start) return false;
    if (call.start === use.start && call.end === use.end) return false;
    const name = calleeName(call) ?? '';
    return /sync|wait|query|join|barrier/i.test(name) || (BLOCKING.has(name) && !saysTrue(call, 'non_blocking'));
  });
}

/** Another copy from the device, in the same stream, that blocks. */
const BLOCKING: ReadonlySet<string> = new Set(['cpu', 'item', 'tolist', 'to']);
