import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type Held, ledger, live } from '../../engine/editor/ledger.ts';
import {
  check,
  createEngine,
  createParser,
  type FileAnalysis,
  type Finding,
  type FunctionTrace,
} from '../../engine/index.ts';
import { viewChain } from '../../engine/rules/flow.ts';
import { written } from '../../engine/rules/sizes.ts';
import { dottedName } from '../../engine/rules/tree.ts';
import { int, mul } from '../../engine/symbols/index.ts';
import { itemsize, resolve } from '../../engine/tensor/index.ts';
import type { Assertion, SpecSeverity } from './assertion.ts';
import type { SpecCase } from './markdown.ts';
import type { Complaint } from './pytorch.ts';
import type { Run } from './recording.ts';
import { contradiction, type SeenLine, type SeenTensor } from './seen.ts';

const require = createRequire(import.meta.url);
const wasm = (path: string): Buffer => readFileSync(require.resolve(path));
const parser = await createParser({
  core: wasm('web-tree-sitter/web-tree-sitter.wasm'),
  python: wasm('tree-sitter-python/tree-sitter-python.wasm'),
});

const PRELUDE = 'import torch\n';
const SEVERITIES: Readonly<Record<Finding['severity'], SpecSeverity>> = {
  error: 'error',
  warning: 'warning',
  information: 'info',
  hint: 'hint',
};

/** Where the assertions of a snippet and the engine part. Symbols are compared by their values in the recorded runs. */
export function compareWithEngine(spec: SpecCase, runs: readonly Run[]): Complaint[] {
  const options = spec.torch === null ? {} : { torchVersion: spec.torch };
  const engine = createEngine({ resolve: () => null, read: () => null }, parser, options);
  engine.update('spec.py', PRELUDE + spec.code);
  const analysis = engine.analyze('spec.py');
  const lines = seenLines(analysis);
  const complaints: Complaint[] = [];
  for (const [line, assertions] of spec.assertions) {
    const rows = runs.flat().filter((row) => row.line === line);
    for (const assertion of assertions) {
      if (assertion.is === 'finding') continue;
      const { specLine, text: says } = assertion;
      const seen = lines.filter((candidate) => candidate.line === line);
      if (seen.length === 0) complaints.push({ specLine, says, is: 'the engine never came here' });
      for (const { sizes } of rows) {
        for (const one of seen) {
          const is = contradiction(assertion, one, sizes);
          if (is !== null) complaints.push({ specLine, says, is });
        }
      }
    }
  }
  return [...complaints, ...compareFindings(spec, analysis)];
}

/** Every finding needs a comment on one of its lines, and every such comment a finding of its own. */
function compareFindings(spec: SpecCase, analysis: FileAnalysis): Complaint[] {
  const open: { readonly line: number; readonly assertion: Assertion & { readonly is: 'finding' } }[] = [];
  for (const [line, assertions] of spec.assertions) {
    for (const assertion of assertions) if (assertion.is === 'finding') open.push({ line, assertion });
  }
  const complaints: Complaint[] = [];
  for (const finding of check(analysis, {})) {
    const [first, last] = [lineAt(analysis, finding.start), lineAt(analysis, finding.end)];
    const severity = SEVERITIES[finding.severity];
    const at = open.findIndex(
      ({ line, assertion }) =>
        line >= first &&
        line <= last &&
        assertion.rule === finding.rule &&
        assertion.severity === severity &&
        finding.message.includes(assertion.fragment),
    );
    if (at >= 0) open.splice(at, 1);
    else
      complaints.push({
        specLine: spec.firstLine + first - 1,
        says: 'nothing',
        is: `${severity}[${finding.rule}]: ${finding.message}`,
      });
  }
  return [
    ...complaints,
    ...open.map(({ assertion }) => ({ specLine: assertion.specLine, says: assertion.text, is: 'no such finding' })),
  ];
}

function seenLines(analysis: FileAnalysis): SeenLine[] {
  return analysis.traces
    .filter((trace) => trace.context === null)
    .flatMap((trace) => {
      const body = trace.definition?.body ?? analysis.module.body;
      return ledger(trace, body).map(({ statement, value, before, after }): SeenLine => {
        const seen = ({ tensor }: Held): SeenTensor => seenTensor(trace, tensor, before);
        const alive = live(trace, after);
        const bound = [...after]
          .filter(([name, held]) => held !== before.get(name))
          .flatMap(([name, [first]]) => (first ? [[name, seen(first)] as const] : []));
        const [only] = value.filter(({ path }) => path === '');
        return {
          line: lineAt(analysis, trace.base + statement.end),
          value: only ? seen(only) : null,
          bound: new Map(bound),
          live: { bytes: alive.bytes && written(trace, alive.bytes), storages: alive.storages },
        };
      });
    });
}

function seenTensor(
  trace: FunctionTrace,
  tensor: Held['tensor'],
  names: ReadonlyMap<string, readonly Held[]>,
): SeenTensor {
  const layout = resolve(tensor.layout, trace.facts);
  const sharing = [...names].flatMap(([name, held]) =>
    held.filter((one) => one.path === '' && one.tensor.storage.id === tensor.storage.id).map((one) => ({ name, one })),
  );
  const size = (value: (typeof layout.shape)[number]): string => written(trace, value);
  const { origin } = tensor.storage;
  const bases = viewChain(trace, tensor).map(({ event }) => (event.self === null ? null : dottedName(event.self)));
  const held = origin.is === 'attribute' || origin.is === 'buffer' || origin.is === 'module-parameter';
  const attribute = held ? [`self.${origin.name.replace(/^self\./, '')}`] : [];
  return {
    shape: layout.front ? null : layout.shape.map(size),
    stride: layout.front ? null : (layout.stride?.map(size) ?? null),
    offset: layout.offset && size(layout.offset),
    dtype: tensor.dtype,
    byte: layout.offset && tensor.dtype ? size(mul(layout.offset, int(itemsize(tensor.dtype)))) : null,
    same: sharing.flatMap(({ name, one }) => (one.tensor.id === tensor.id ? [name] : [])),
    views: [
      ...sharing.flatMap(({ name, one }) => (one.tensor.id === tensor.id ? [] : [name])),
      ...attribute,
      ...bases.filter((name) => name !== null),
    ],
  };
}

/** The line of the snippet, from 1, that an offset of the analysed text stands on; the prelude is line 0. */
function lineAt(analysis: FileAnalysis, offset: number): number {
  return analysis.text.slice(0, offset).split('\n').length - PRELUDE.split('\n').length + 1;
}
