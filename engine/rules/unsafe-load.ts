import type { FunctionTrace } from '../evaluator/trace.ts';
import { isSince } from '../ops/versions.ts';
import type { Call } from '../syntax/ast.ts';
import { addKeyword, callsTo, keywordIn, type LibraryCall, passed } from './library.ts';
import { type CheckedFile, type ReportFix, replace, rule, sourceOf } from './rule.ts';
import { callsIn, dottedName } from './tree.ts';

const NAME = 'unsafe-load';

/** Loaders, and whether they load weights alone where they are not told. */
const LOAD = 'torch.load';
const LOADERS: ReadonlySet<string> = new Set([
  LOAD,
  'torch.hub.load_state_dict_from_url',
  'torch.utils.model_zoo.load_url',
]);

export const unsafeLoad = rule({
  name: NAME,
  summary: 'torch.load of a pickle that may run any code',
  severity: 'warning',
  docs: `
A file that \`torch.save\` wrote is a pickle, and a pickle is a program: what it names is imported and called while it is
loaded. With \`weights_only=False\`, whoever can write the file, or the place that it is downloaded from, runs code here.

With \`weights_only=True\` nothing is called but what rebuilds tensors, and anything else raises. Since torch 2.6 that is the
default; before, leaving the argument out meant \`False\`, and is reported too where \`torch-version\` is older. A class that a
checkpoint needs can be let in by name with \`torch.serialization.add_safe_globals\`. safetensors files hold no code at all.

Not reported: what the same function saved before, as in a round trip through a file or a buffer.`,
  guides: ['loading'],
  examples: [
    {
      bad: `
import torch

def restore(model, path):
    checkpoint = torch.load(path, map_location="cpu", weights_only=False)  # warning[unsafe-load]
    model.load_state_dict(checkpoint["model"])`,
      good: `
import torch

def restore(model, path):
    checkpoint = torch.load(path, map_location="cpu", weights_only=True)
    model.load_state_dict(checkpoint["model"])`,
      fixed: true,
    },
  ],
  *check(trace, file) {
    for (const load of callsTo(trace, LOADERS)) {
      const said = passed(load, 'weights_only');
      const explicit = said?.kind === 'bool' && !said.value;
      if (!explicit && !isOldDefault(file, load)) continue;
      if (savedBefore(trace, file, load.call)) continue;
      const how = explicit ? 'with weights_only=False' : 'without weights_only=True';
      yield {
        node: load.call,
        message: `${load.event.name.slice(load.event.name.lastIndexOf('.') + 1)} ${how} runs whatever code the file holds; weights_only=True does not`,
        fixes: weightsOnly(file, trace, load.call),
      };
    }
  },
});

/** Before 2.6 a file that is loaded without a word is trusted; a `pickle_module` of one's own is a word. */
function isOldDefault(file: CheckedFile, load: LibraryCall): boolean {
  const said = passed(load, 'weights_only');
  if (load.event.name !== LOAD || load.event.open || isSince(file.torch, [2, 6])) return false;
  return (said === undefined || said.kind === 'none') && passed(load, 'pickle_module', 2) === undefined;
}

/** Whether the function itself wrote what it loads: `torch.save(x, buffer)` … `torch.load(buffer)`. */
function savedBefore(trace: FunctionTrace, file: CheckedFile, load: Call): boolean {
  const from = argumentOf(load, 'f', 0);
  if (from === undefined) return false;
  const place = sourceOf(file, trace, from);
  return callsIn(file, trace).some((call) => {
    if (dottedName(call.func) !== 'torch.save' || call.end > load.start) return false;
    const to = argumentOf(call, 'f', 1);
    return to !== undefined && sourceOf(file, trace, to) === place;
  });
}

const argumentOf = (call: Call, name: string, position: number) => call.args[position] ?? keywordIn(call, name)?.value;

function weightsOnly(file: CheckedFile, trace: FunctionTrace, call: Call): readonly ReportFix[] {
  const said = keywordIn(call, 'weights_only');
  if (said === null && call.keywords.some(({ arg }) => arg === null)) return [];
  const edit =
    said === null
      ? addKeyword(file, trace, call, 'weights_only=True')
      : replace(said.value.start, said.value.end, 'True');
  return [{ title: 'Load weights only: weights_only=True', safe: false, edits: [edit] }];
}
