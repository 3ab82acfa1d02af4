import type { FunctionTrace } from '../evaluator/trace.ts';
import type { Expression } from '../syntax/ast.ts';
import { isLiteral, keywordIn } from './library.ts';
import { type CheckedFile, insert, mentions, quoted, type Report, rule } from './rule.ts';
import { valuesOfName } from './training.ts';
import { branches, calleeName, dottedName, is, rootOf } from './tree.ts';

const NAME = 'mapped-slice';

export const mappedSlice = rule({
  name: NAME,
  summary: 'A slice of a tensor of a mapped file is kept: the whole file stays mapped',
  severity: 'information',
  docs: `
\`torch.load(path, mmap=True)\` and safetensors' \`load_file\` map the file into memory: the tensors are views of it. A slice that is kept,
\`self.table = weights["table"][:100]\`, keeps the mapping of the whole file, and the file open, as long as it lives.

Reported where a slice of such a tensor goes into an attribute, a list or a dict that was not made for it.

\`.clone()\` copies what is needed; the file is let go.`,
  guides: ['loading'],
  examples: [
    {
      bad: `
import torch

class Table:
    def __init__(self, path):
        weights = torch.load(path, mmap=True, weights_only=True)
        self.rows = weights["table"][:100]  # information[mapped-slice]`,
      good: `
import torch

class Table:
    def __init__(self, path):
        weights = torch.load(path, mmap=True, weights_only=True)
        self.rows = weights["table"][:100].clone()`,
      fixed: true,
    },
  ],
  *check(trace, file) {
    if (trace.context !== null) return;
    for (const node of branches(rootOf(file, trace))) {
      const kept = keptIn(node);
      const report = kept === null ? null : sliceOfFile(trace, file, kept.holder, kept.value);
      if (report !== null) yield report;
    }
  },
});

/** `self.a = value`, `d[k] = value`, `xs.append(value)`. */
function keptIn(node: Parameters<typeof is>[0]): { readonly holder: Expression; readonly value: Expression } | null {
  if (is(node, 'Assign')) {
    const [target] = node.targets;
    return target?.kind === 'Attribute' || target?.kind === 'Subscript' ? { holder: target, value: node.value } : null;
  }
  if (!is(node, 'Call') || node.func.kind !== 'Attribute' || node.func.attr !== 'append') return null;
  const [value] = node.args;
  return value === undefined ? null : { holder: node.func.value, value };
}

function sliceOfFile(trace: FunctionTrace, file: CheckedFile, holder: Expression, value: Expression): Report | null {
  // A tensor of the file is a subscript or `get_tensor`, a part of it one subscript more.
  if (value.kind !== 'Subscript' || !isTensorOfFile(trace, file, value.value)) return null;
  const [where, source] = [quoted(file, trace, holder, 'it'), quoted(file, trace, value, 'a slice')];
  return {
    node: value,
    message: `${where} keeps ${source}, a part of a mapped file: all of the file stays mapped; .clone() lets it go`,
    fixes: [{ title: 'Keep a copy: .clone()', safe: true, edits: [insert(value.end, '.clone()')] }],
  };
}

function isTensorOfFile(trace: FunctionTrace, file: CheckedFile, tensor: Expression): boolean {
  if (tensor.kind === 'Name') {
    const [value, ...others] = valuesOfName(file, trace, tensor.id);
    return value !== undefined && others.length === 0 && value.kind !== 'Name' && isTensorOfFile(trace, file, value);
  }
  if (tensor.kind !== 'Subscript') return false;
  const { value: weights } = tensor;
  const [loaded, ...others] = weights.kind === 'Name' ? valuesOfName(file, trace, weights.id) : [weights];
  return loaded !== undefined && others.length === 0 && isMapped(file, loaded);
}

function isMapped(file: CheckedFile, loaded: Expression): boolean {
  if (loaded.kind !== 'Call') return false;
  if (dottedName(loaded.func) === 'torch.load') return isLiteral(keywordIn(loaded, 'mmap')?.value, true);
  return calleeName(loaded) === 'load_file' && mentions(file, '\\bsafetensors\\b');
}
