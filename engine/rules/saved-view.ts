import type { FunctionTrace } from '../evaluator/trace.ts';
import type { Call, Expression } from '../syntax/ast.ts';
import { excessOf, excessText, retained } from './excess.ts';
import type { Edit } from './finding.ts';
import { firstOverStorage, resultOf, viewChain } from './flow.ts';
import { type CheckedFile, insert, quoted, type ReportFix, replace, rule } from './rule.ts';
import { branches, callsIn, dottedName, isPrimary, rootOf } from './tree.ts';

const NAME = 'saved-view';

export const savedView = rule({
  name: NAME,
  summary: 'torch.save of a view, which writes its whole storage',
  severity: 'warning',
  docs: `
\`torch.save\` writes storages, not elements: \`torch.save(x[:200], path)\` writes all of \`x\`, and loading it brings all of \`x\`
back into memory.

Reported where the saved tensor, alone or in a dict or list, is less than a quarter of its storage.

\`.clone()\` packs the view. \`.contiguous()\` does not always: a leading slice is contiguous already, and comes back as it is.`,
  guides: ['loading'],
  examples: [
    {
      bad: `
import torch

def dump(path):
    x = torch.zeros(500_000)
    torch.save(x[:200], path)  # warning[saved-view]`,
      good: `
import torch

def dump(path):
    x = torch.zeros(500_000)
    torch.save(x[:200].clone(), path)`,
      fixed: true,
    },
  ],
  *check(trace, file) {
    for (const call of callsIn(file, trace)) {
      if (dottedName(call.func) !== 'torch.save') continue;
      const small = savedIn(trace, file, call).flatMap((saved) => smallView(trace, saved) ?? []);
      const [first] = small;
      if (first === undefined) continue;
      const { saved, view, base, excess } = first;
      const source = quoted(file, trace, saved, 'a view');
      yield {
        node: call,
        message: `torch.save of ${source} writes its whole storage: ${excessText(trace, base, excess)}; save .clone()`,
        related: [{ node: saved, message: 'the view that is saved' }],
        fixes: packed(small.map((each) => each.saved)),
        bytes: retained(trace, base, excess.whole),
        assumes: view.assumes,
      };
    }
  },
});

function smallView(trace: FunctionTrace, saved: Expression) {
  const view = resultOf(trace, saved);
  // What a loop runs over is a view that no single op made.
  const base = view && (viewChain(trace, view).at(-1)?.of ?? firstOverStorage(trace, view));
  const excess = view && base && excessOf(trace, view, base);
  return view && base && excess ? { saved, view, base, excess } : null;
}

/** The expressions that are saved: the argument itself, or what stands in the dict or list that it is. */
function savedIn(trace: FunctionTrace, file: CheckedFile, call: Call): readonly Expression[] {
  const [argument] = call.args;
  if (argument === undefined) return [];
  const value = argument.kind === 'Name' ? (displayNamed(trace, file, argument.id) ?? argument) : argument;
  switch (value.kind) {
    case 'Dict':
      return value.values;
    case 'List':
    case 'Tuple':
      return value.elts;
    default:
      return [value];
  }
}

/** The only dict or list display that the name is bound to in the function. */
function displayNamed(trace: FunctionTrace, file: CheckedFile, name: string): Expression | null {
  const values = [...branches(rootOf(file, trace))].flatMap((branch) => {
    const binds =
      branch.kind === 'Assign' && branch.targets.some((target) => target.kind === 'Name' && target.id === name);
    return binds ? [branch.value] : [];
  });
  const [only, ...others] = values;
  return others.length === 0 && (only?.kind === 'Dict' || only?.kind === 'List' || only?.kind === 'Tuple')
    ? only
    : null;
}

/** One call writes them all, so one fix packs them all. */
function packed(views: readonly Expression[]): readonly ReportFix[] {
  const edits = views.map(packing).filter((edit) => edit !== null);
  return edits.length < views.length ? [] : [{ title: 'Save a packed copy: .clone()', safe: true, edits }];
}

function packing(saved: Expression): Edit | null {
  if (saved.kind === 'Call' && saved.func.kind === 'Attribute' && saved.func.attr === 'contiguous') {
    const { attr, attrStart } = saved.func;
    return replace(attrStart, attrStart + attr.length, 'clone');
  }
  return isPrimary(saved) ? insert(saved.end, '.clone()') : null;
}
