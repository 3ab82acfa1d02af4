import type { FunctionTrace } from '../evaluator/trace.ts';
import type { Call, Node, Statement } from '../syntax/ast.ts';
import type { DType } from '../tensor/index.ts';
import { mayReach } from './control.ts';
import { callsTo, type LibraryCall, passed } from './library.ts';
import { lineOf, lineStarts } from './lines.ts';
import { type CheckedFile, insert, type Report, type ReportFix, rule, sourceOf } from './rule.ts';
import { calleeName, callsIn, dottedName, enclosing, namesBoundIn, within } from './tree.ts';

const NAME = 'unscaled-fp16';

export const unscaledFp16 = rule({
  name: NAME,
  summary: 'Training in float16 without loss scaling, or with scaling done by halves',
  severity: 'warning',
  docs: `
float16 has nothing between 0 and 6e-8, and many gradients are smaller: they become 0, and what they belong to stops learning.
\`torch.amp.GradScaler\` multiplies the loss before \`backward\` so that they survive, and divides before the step.

Reported are \`backward\` of a loss that was computed under float16 autocast, or by a model that was made \`.half()\`, in a function
that scales nothing; and clipping between \`scaler.scale(loss).backward()\` and \`scaler.step(optimizer)\` without
\`scaler.unscale_(optimizer)\` before it, which compares gradients that are 65536 times too large with the limit.

bfloat16 has the range of float32 and needs no scaler. One beside bfloat16 autocast is an information.`,
  guides: ['dtypes'],
  examples: [
    {
      bad: `
import torch

def step(model, optimizer, scaler, x, y):
    with torch.autocast("cuda", dtype=torch.float16):
        loss = model(x, y)
    scaler.scale(loss).backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)  # warning[unscaled-fp16]
    scaler.step(optimizer)
    scaler.update()`,
      good: `
import torch

def step(model, optimizer, scaler, x, y):
    with torch.autocast("cuda", dtype=torch.float16):
        loss = model(x, y)
    scaler.scale(loss).backward()
    scaler.unscale_(optimizer)
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    scaler.step(optimizer)
    scaler.update()`,
      fixed: true,
    },
    {
      bad: `
import torch

def step(model, optimizer, x, y):
    with torch.autocast("cuda", dtype=torch.float16):
        loss = model(x, y)
    loss.backward()  # warning[unscaled-fp16]
    optimizer.step()`,
      good: `
import torch

def step(model, optimizer, x, y):
    with torch.autocast("cuda", dtype=torch.bfloat16):
        loss = model(x, y)
    loss.backward()
    optimizer.step()`,
      fixed: false,
    },
  ],
  *check(trace, file) {
    const regions = regionsOf(trace);
    if (!scales(trace, file)) {
      const report = afterAutocast(trace, file, regions) ?? afterHalf(trace, file);
      if (report !== null) yield report;
    }
    yield* clippedScaled(trace, file);
    yield* uselessScaler(trace, regions);
  },
});

const AUTOCASTS: ReadonlySet<string> = new Set([
  'torch.autocast',
  'torch.amp.autocast',
  'torch.cuda.amp.autocast',
  'torch.cpu.amp.autocast',
]);
const SCALERS: ReadonlySet<string> = new Set(['torch.amp.GradScaler', 'torch.cuda.amp.GradScaler']);

interface Region {
  readonly call: Call;
  readonly dtype: DType | null;
}

/** The regions of autocast that are on. */
function regionsOf(trace: FunctionTrace): readonly Region[] {
  return callsTo(trace, AUTOCASTS).flatMap(({ event: { value }, call }) =>
    value.kind === 'autocast' && value.region.on !== false ? [{ call, dtype: value.region.dtype }] : [],
  );
}

/** Whether something in the function, by its name, scales a loss or trains on somebody else's terms. */
function scales(trace: FunctionTrace, file: CheckedFile): boolean {
  return /scal(e|er|ing)|accelerat|fabric|deepspeed|engine/i.test(sourceOf(file, trace, extentOf(trace, file)));
}

function extentOf(trace: FunctionTrace, file: CheckedFile): Node {
  const { definition } = trace;
  return definition === null
    ? { start: 0, end: file.text.length }
    : { start: 0, end: definition.end - definition.start };
}

/** `loss.backward()` of a loss that a float16 region computed. */
function afterAutocast(trace: FunctionTrace, file: CheckedFile, regions: readonly Region[]): Report | null {
  for (const { call, dtype } of regions) {
    if (dtype !== 'float16') continue;
    const [block] = enclosing(file, trace, call);
    if (block?.kind !== 'With') continue;
    const bound = namesBoundIn(block);
    const backward = backwardsIn(trace, file).find(
      ({ node, loss }) => bound.has(loss) && (within(file, trace, node, block) || node.start > block.end),
    );
    if (backward === undefined) continue;
    return {
      node: backward.node,
      message: 'float16 gradients below 6e-08 vanish: the loss is not scaled; use torch.amp.GradScaler, or bfloat16',
      related: [{ node: call, message: 'the loss is computed in float16 here' }],
    };
  }
  return null;
}

/** `loss.backward()` beside a step, where the model was made half. */
function afterHalf(trace: FunctionTrace, file: CheckedFile): Report | null {
  const calls = callsIn(file, trace);
  const halved = calls.find((call) => {
    const model = halvedModel(trace, file, call);
    return model !== null && calls.some(({ func }) => dottedName(func) === model);
  });
  const steps = calls.some((call) => calleeName(call) === 'step');
  const backward = backwardsIn(trace, file).find(({ node }) => halved !== undefined && node.start > halved.end);
  if (halved === undefined || !steps || backward === undefined) return null;
  return {
    node: backward.node,
    message:
      'float16 gradients below 6e-08 vanish: the loss is not scaled, and the weights are float16 too; keep them in float32 and use torch.amp.GradScaler, or bfloat16',
    related: [{ node: halved, message: 'the model is made float16 here' }],
  };
}

/** The name of what `.half()` is called on, or is bound to what it gives. */
function halvedModel(trace: FunctionTrace, file: CheckedFile, call: Call): string | null {
  if (call.func.kind !== 'Attribute' || call.func.attr !== 'half' || call.args.length > 0) return null;
  for (const at of enclosing(file, trace, call)) {
    if (at.kind === 'Expr') return dottedName(call.func.value);
    if (at.kind === 'Assign') return at.targets[0] === undefined ? null : dottedName(at.targets[0]);
    // `Net().half().cuda()`: what follows on the same object.
    if (at.kind !== 'Attribute' && at.kind !== 'Call') return null;
  }
  return null;
}

interface Backward {
  readonly node: Call;
  readonly loss: string;
}

/** `loss.backward()` of a name. */
function backwardsIn(trace: FunctionTrace, file: CheckedFile): readonly Backward[] {
  return callsIn(file, trace).flatMap((node) =>
    node.func.kind === 'Attribute' && node.func.attr === 'backward' && node.func.value.kind === 'Name'
      ? [{ node, loss: node.func.value.id }]
      : [],
  );
}

const CLIPS: ReadonlySet<string> = new Set(['clip_grad_norm_', 'clip_grad_value_']);

/** Clipping of gradients that are still scaled. */
function* clippedScaled(trace: FunctionTrace, file: CheckedFile): Generator<Report> {
  const calls = callsIn(file, trace);
  const scaled = calls.find((call) => calleeName(call) === 'backward' && scalerOf(call) !== null);
  const scaler = scaled === undefined ? null : scalerOf(scaled);
  if (scaled === undefined || scaler === null || calls.some((call) => /unscale/.test(calleeName(call) ?? ''))) return;
  for (const clip of calls) {
    if (!CLIPS.has(calleeName(clip) ?? '') || clip.start < scaled.end || !mayReach(file, trace, scaled, clip)) continue;
    const step = calls.find((call) => dottedName(call.func) === `${scaler}.step` && call.start > clip.end);
    if (step === undefined) continue;
    yield {
      node: clip,
      message: 'clips gradients that are still scaled: nothing unscaled them; call scaler.unscale_(optimizer) first',
      related: [{ node: scaled, message: 'scaled here' }],
      fixes: unscaled(trace, file, clip, scaler, step),
    };
  }
}

/** `scaler` of `scaler.scale(loss).backward()`. */
function scalerOf({ func }: Call): string | null {
  if (func.kind !== 'Attribute' || func.value.kind !== 'Call') return null;
  const scale = func.value.func;
  return scale.kind === 'Attribute' && scale.attr === 'scale' ? dottedName(scale.value) : null;
}

function unscaled(
  trace: FunctionTrace,
  file: CheckedFile,
  clip: Call,
  scaler: string,
  step: Call,
): readonly ReportFix[] {
  const [optimizer] = step.args;
  const statement = [...enclosing(file, trace, clip)].find((at) => STATEMENTS.has(at.kind));
  if (optimizer === undefined || statement === undefined) return [];
  const starts = lineStarts(file.text);
  const at = trace.base + statement.start;
  const indent = file.text.slice(starts[lineOf(starts, at)] ?? at, at);
  if (!/^[ \t]*$/.test(indent)) return [];
  const text = `${scaler}.unscale_(${sourceOf(file, trace, optimizer)})\n${indent}`;
  return [{ title: 'Unscale the gradients first', safe: false, edits: [insert(statement.start, text)] }];
}

const STATEMENTS: ReadonlySet<string> = new Set<Statement['kind']>(['Expr', 'Assign', 'AnnAssign']);

/** A scaler where all that autocast does is bfloat16. */
function* uselessScaler(trace: FunctionTrace, regions: readonly Region[]): Generator<Report> {
  if (regions.length === 0 || regions.some(({ dtype }) => dtype !== 'bfloat16')) return;
  for (const scaler of callsTo(trace, SCALERS)) {
    if (!isOn(scaler)) continue;
    yield {
      node: scaler.call,
      severity: 'information',
      message: 'bfloat16 has the range of float32: there is nothing to scale; leave the scaler out',
    };
  }
}

function isOn(scaler: LibraryCall): boolean {
  const enabled = passed(scaler, 'enabled');
  return !scaler.event.open && (enabled === undefined || (enabled.kind === 'bool' && enabled.value));
}
