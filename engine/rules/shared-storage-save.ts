import type { FunctionTrace } from '../evaluator/trace.ts';
import { decide } from '../symbols/index.ts';
import type { Call, Dict, Expression } from '../syntax/ast.ts';
import { isContiguous, resolve, type Tensor } from '../tensor/index.ts';
import { resultOf, sharesStorage } from './flow.ts';
import { type CheckedFile, insert, mentions, quoted, type Report, type ReportFix, rule } from './rule.ts';
import { valuesOfName } from './training.ts';
import { branches, calleeName, callsIn, dottedName, isPrimary, rootOf } from './tree.ts';

const NAME = 'shared-storage-save';

export const sharedStorageSave = rule({
  name: NAME,
  summary: 'safetensors is given tensors that share storage or are not contiguous: it raises',
  severity: 'error',
  docs: `
safetensors writes packed tensors, each once. \`save_file\` raises where two of the tensors share memory, as tied weights and
views of one tensor do, and where one is not contiguous.

Reported where the tensors of a dict display are known, and for the state dict of a model of the file that ties weights
(\`self.head.weight = self.embed.weight\`).

\`.contiguous()\` packs a transposed tensor, \`.clone()\` parts it from what it shares with; \`safetensors.torch.save_model\` knows
tied weights.`,
  guides: ['loading'],
  examples: [
    {
      bad: `
import torch
from safetensors.torch import save_file

def dump(path):
    w = torch.zeros(3, 4)
    save_file({"w": w.t()}, path)  # error[shared-storage-save]`,
      good: `
import torch
from safetensors.torch import save_file

def dump(path):
    w = torch.zeros(3, 4)
    save_file({"w": w.t().contiguous()}, path)`,
      fixed: true,
    },
  ],
  *check(trace, file) {
    if (!mentions(file, '\\bsafetensors\\b')) return;
    for (const call of callsIn(file, trace)) {
      if (!/^(save_file|safetensors\.torch\.save_file)$/.test(dottedName(call.func) ?? '')) continue;
      const [saved] = call.args;
      if (saved === undefined) continue;
      const report = ofDisplay(trace, file, call, saved) ?? ofTiedModel(trace, file, call, saved);
      if (report !== null) yield report;
    }
  },
});

interface Entry {
  readonly value: Expression;
  readonly tensor: Tensor;
}

function ofDisplay(trace: FunctionTrace, file: CheckedFile, call: Call, saved: Expression): Report | null {
  const display = displayOf(trace, file, saved);
  if (display === null) return null;
  const entries = display.values.flatMap((value): Entry[] => {
    const tensor = resultOf(trace, value);
    return tensor === null ? [] : [{ value, tensor }];
  });
  for (const [at, { value, tensor }] of entries.entries()) {
    const source = quoted(file, trace, value, 'a tensor');
    const other = entries.slice(0, at).find((each) => overlaps(trace, each.tensor, tensor));
    if (other !== undefined) {
      const first = quoted(file, trace, other.value, 'another');
      return {
        node: call,
        message: `save_file will raise: ${first} and ${source} share memory; pass a .clone() of one`,
        fixes: packed(value, 'clone'),
      };
    }
    if (isContiguous(resolve(tensor.layout, trace.facts), decide(trace.facts)) === false)
      return {
        node: call,
        message: `save_file will raise: ${source} is not contiguous; pass .contiguous()`,
        fixes: packed(value, 'contiguous'),
        assumes: tensor.assumes,
      };
  }
  return null;
}

/** One of the two is all of the storage that both share, as far as is known; views of different parts are let through. */
function overlaps(trace: FunctionTrace, a: Tensor, b: Tensor): boolean {
  if (!sharesStorage(a, b)) return false;
  const starts = [a, b].map(({ layout }) => resolve(layout, trace.facts).offset);
  const [one, other] = starts;
  return one?.constant !== undefined && one.constant !== null && one.constant === other?.constant;
}

function displayOf(trace: FunctionTrace, file: CheckedFile, saved: Expression): Dict | null {
  if (saved.kind === 'Dict') return saved;
  const [value, ...others] = saved.kind === 'Name' ? valuesOfName(file, trace, saved.id) : [];
  return value?.kind === 'Dict' && others.length === 0 ? value : null;
}

/** `save_file(model.state_dict(), path)` of a class that ties weights. */
function ofTiedModel(trace: FunctionTrace, file: CheckedFile, call: Call, saved: Expression): Report | null {
  if (saved.kind !== 'Call' || calleeName(saved) !== 'state_dict' || saved.func.kind !== 'Attribute') return null;
  const model = dottedName(saved.func.value);
  const made = model === null ? undefined : valuesOfName(file, trace, model).at(-1);
  const className = made?.kind === 'Call' ? calleeName(made) : null;
  const tied = className === null ? null : tiedIn(file, className);
  if (model === null || tied === null) return null;
  return {
    node: call,
    message: `save_file will raise: ${className} ties \`${tied}\`; save_model(${model}, …) saves it once`,
  };
}

function tiedIn(file: CheckedFile, className: string): string | null {
  const init = file.traces.find((trace) => trace.function === `${className}.__init__`);
  for (const node of init === undefined ? [] : branches(rootOf(file, init))) {
    if (node.kind !== 'Assign' || node.targets.length !== 1) continue;
    const [target, value] = [node.targets[0], node.value];
    const [to, from] = [target === undefined ? null : dottedName(target), dottedName(value)];
    if (to !== null && from !== null && /^self\..*\.weight$/.test(to) && /^self\..*\.weight$/.test(from)) return to;
  }
  return null;
}

function packed(value: Expression, how: 'clone' | 'contiguous'): readonly ReportFix[] {
  if (!isPrimary(value)) return [];
  return [{ title: `Save a packed copy: .${how}()`, safe: true, edits: [insert(value.end, `.${how}()`)] }];
}
