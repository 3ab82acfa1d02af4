import type { FunctionTrace } from '../evaluator/trace.ts';
import type { Call, Expression, FunctionDef, Module } from '../syntax/ast.ts';
import { isLiteral, keywordIn } from './library.ts';
import type { CheckedFile, Report } from './rule.ts';
import { valuesOfName } from './training.ts';
import { branches, calleeName, callsIn, dottedName, enclosing } from './tree.ts';

/** One convolution is no network: converting for it costs what it saves. */
const FEWEST = 2;

/**
 * Networks of convolutions that run in half precision although nothing in the file makes them channels_last. Only those of
 * which the file shows what they are made of.
 */
export function* halfConvolutions(trace: FunctionTrace, file: CheckedFile): Generator<Report> {
  if (trace.context !== null || file.text.includes('channels_last')) return;
  const told = new Set<string>();
  for (const call of callsIn(file, trace)) {
    const run = halved(trace, file, call) ?? underAutocast(trace, file, call);
    const made = run === null || told.has(run.model) ? null : maker(trace, file, run.model);
    const convolutions = made === null ? 0 : convolutionsIn(file, made);
    if (run === null || convolutions < FEWEST) continue;
    told.add(run.model);
    yield {
      node: call,
      severity: 'information',
      message: `\`${run.model}\` runs ${convolutions} convolutions in ${run.dtype} and never becomes channels_last: cuDNN wants channels innermost there and converts at each; convert the model and its input once with .to(memory_format=torch.channels_last)`,
    };
  }
}

interface Run {
  readonly model: string;
  readonly dtype: string;
}

/** `model.half()`, `model = Net().to(torch.bfloat16)`, where the model is called then. */
function halved(trace: FunctionTrace, file: CheckedFile, call: Call): Run | null {
  const dtype = halfDtype(call);
  if (dtype === null || call.func.kind !== 'Attribute') return null;
  const model = dottedName(call.func.value) ?? boundTo(trace, file, call);
  const isCalled = callsIn(file, trace).some(({ func }) => model !== null && dottedName(func) === model);
  return model === null || !isCalled ? null : { model, dtype };
}

function halfDtype(call: Call): string | null {
  const name = calleeName(call);
  if (call.args.length === 0 && name === 'half') return 'float16';
  if (call.args.length === 0 && name === 'bfloat16') return 'bfloat16';
  if (name !== 'to') return null;
  const given = [...call.args, ...call.keywords.map(({ value }) => value)].map(dottedName);
  if (given.includes('torch.bfloat16')) return 'bfloat16';
  return given.includes('torch.float16') || given.includes('torch.half') ? 'float16' : null;
}

/** The name that `Net().half().cuda()` is bound to. */
function boundTo(trace: FunctionTrace, file: CheckedFile, call: Call): string | null {
  for (const at of enclosing(file, trace, call)) {
    if (at.kind === 'Assign') return at.targets[0] === undefined ? null : dottedName(at.targets[0]);
    if (at.kind !== 'Attribute' && at.kind !== 'Call') return null;
  }
  return null;
}

/** `model(x)` within `with torch.autocast("cuda"):` */
function underAutocast(trace: FunctionTrace, file: CheckedFile, call: Call): Run | null {
  if (call.func.kind !== 'Name') return null;
  for (const at of enclosing(file, trace, call)) {
    const context = at.kind === 'With' ? at.items.find((item) => isAutocast(item.context))?.context : undefined;
    if (context?.kind !== 'Call') continue;
    const said = keywordIn(context, 'dtype')?.value;
    const dtype = said !== undefined && dottedName(said) === 'torch.bfloat16' ? 'bfloat16' : 'float16';
    return { model: call.func.id, dtype };
  }
  return null;
}

function isAutocast(context: Expression): boolean {
  if (context.kind !== 'Call' || calleeName(context) !== 'autocast') return false;
  const onHost = isLiteral(context.args[0] ?? keywordIn(context, 'device_type')?.value, 'cpu');
  return !onHost && keywordIn(context, 'enabled') === null;
}

/** What the model is made by: a class of this file, or `nn.Sequential` with its layers. */
function maker(trace: FunctionTrace, file: CheckedFile, model: string): FunctionDef | Call | null {
  const [value, ...others] = valuesOfName(file, trace, model).filter((each) => each.kind === 'Call');
  if (value?.kind !== 'Call' || others.length > 0) return null;
  for (const each of branches(value)) {
    if (each.kind !== 'Call') continue;
    if (calleeName(each) === 'Sequential') return each;
    const init = constructorOf(file.module, calleeName(each));
    if (init !== null) return init;
  }
  return null;
}

function constructorOf(module: Module, name: string | null): FunctionDef | null {
  const found = module.body.find((each) => each.kind === 'ClassDef' && each.name === name);
  const methods = found?.kind === 'ClassDef' ? found.body : [];
  return methods.flatMap((each) => (each.kind === 'FunctionDef' && each.name === '__init__' ? [each] : []))[0] ?? null;
}

/** The convolutions that a constructor makes, those of the file's own blocks included. */
function convolutionsIn(file: CheckedFile, root: FunctionDef | Call, depth = 0): number {
  let count = 0;
  for (const each of branches(root)) {
    if (each.kind !== 'Call') continue;
    const name = calleeName(each);
    if (name === 'Conv2d' || name === 'ConvTranspose2d') count++;
    const inner = depth < DEEPEST ? constructorOf(file.module, name) : null;
    if (inner !== null) count += convolutionsIn(file, inner, depth + 1);
  }
  return count;
}

const DEEPEST = 4;
