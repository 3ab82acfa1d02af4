import type { FunctionTrace } from '../evaluator/trace.ts';
import type { Expression, Node } from '../syntax/ast.ts';
import { type CheckedFile, insert, quoted, type Report } from './rule.ts';
import { type Branch, branches, calleeName, dottedName, enclosing, isPrimary, rootOf } from './tree.ts';

/** `[p.data for p in model.parameters()]`, `shadow[name] = p.data`: kept under a name that says snapshot. */
export function* keptParameters(trace: FunctionTrace, file: CheckedFile): Generator<Report> {
  const root = rootOf(file, trace);
  for (const node of branches(root)) {
    if (node.kind === 'Comprehension' && (node.form === 'list' || node.form === 'dict')) {
      const kept = node.value ?? node.element;
      const [generator, ...more] = node.generators;
      if (generator === undefined || more.length > 0 || !givesParameters(generator.iter)) continue;
      const parameter = aliased(kept);
      if (parameter === null || !mentions(generator.target, parameter)) continue;
      const holder = holderOf(trace, file, node);
      if (holder !== null) yield snapshot(trace, file, node, kept, holder);
    } else if (node.kind === 'For' && givesParameters(node.iter)) {
      const all = [...branches(node)];
      for (const each of all) {
        const store = storeIn(each);
        const parameter = store === null ? null : aliased(store.kept);
        if (store === null || parameter === null || !mentions(node.target, parameter)) continue;
        if (!saysSnapshot(store.holder) || all.some((other) => swaps(other, parameter))) continue;
        yield snapshot(trace, file, each, store.kept, store.holder);
      }
    }
  }
}

function snapshot(trace: FunctionTrace, file: CheckedFile, node: Node, kept: Expression, holder: string): Report {
  const source = quoted(file, trace, kept, 'an alias');
  return {
    node,
    message: `${source} shares the memory of the parameter: \`${holder}\` follows it with every step and is no snapshot; .clone() makes one`,
    fixes: isPrimary(kept)
      ? [{ title: 'Take a copy: .clone()', safe: false, edits: [insert(kept.end, '.clone()')] }]
      : [],
  };
}

/** `shadow[name] = p.data`, `backup.append(p.data)`. */
function storeIn(node: Branch): { readonly holder: string; readonly kept: Expression } | null {
  if (node.kind === 'Assign') {
    const [target] = node.targets;
    const holder = target?.kind === 'Subscript' ? dottedName(target.value) : null;
    return holder === null ? null : { holder, kept: node.value };
  }
  const [kept] = node.kind === 'Call' ? node.args : [];
  if (node.kind !== 'Call' || node.func.kind !== 'Attribute' || node.func.attr !== 'append' || kept === undefined)
    return null;
  const holder = dottedName(node.func.value);
  return holder === null ? null : { holder, kept };
}

/** The name of which an expression is a detached alias. */
function aliased(kept: Expression): string | null {
  if (kept.kind === 'Attribute') return kept.attr === 'data' ? (aliased(kept.value) ?? dottedName(kept.value)) : null;
  if (kept.kind !== 'Call' || kept.func.kind !== 'Attribute' || kept.func.attr !== 'detach') return null;
  return aliased(kept.func.value) ?? dottedName(kept.func.value);
}

const givesParameters = (iter: Expression): boolean =>
  [...branches(iter)].some(
    (each) => each.kind === 'Call' && /^(named_)?(parameters|buffers)$/.test(calleeName(each) ?? ''),
  );

const mentions = (target: Expression, name: string): boolean =>
  [...branches(target)].some((each) => each.kind === 'Name' && each.id === name);

/** `p.data = other` puts another storage into the parameter; the alias then keeps the old one to itself. */
const swaps = (node: Branch, parameter: string): boolean =>
  node.kind === 'Assign' && node.targets.some((target) => dottedName(target) === `${parameter}.data`);

/** What the comprehension is bound to, or the function that returns it, where its name says snapshot. */
function holderOf(trace: FunctionTrace, file: CheckedFile, node: Node): string | null {
  const [parent] = enclosing(file, trace, node);
  if (parent?.kind === 'Assign') {
    const [target] = parent.targets;
    const name = target === undefined ? null : dottedName(target);
    return name !== null && saysSnapshot(name) ? name : null;
  }
  return parent?.kind === 'Return' && saysSnapshot(trace.function) ? trace.function : null;
}

/** Whether the last part of a dotted name has a word that promises another, earlier value. */
function saysSnapshot(name: string): boolean {
  const words = name.slice(name.lastIndexOf('.') + 1).split(/_|(?<=[a-z])(?=[A-Z])/);
  return words.some((word) => SNAPSHOT.test(word));
}

const SNAPSHOT =
  /^(shadows?|snapshots?|backups?|old|prev|previous|before|saved|original|initial|best|ema|copy|copies)$/i;
