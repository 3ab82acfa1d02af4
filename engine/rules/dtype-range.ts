import type { FunctionTrace, OpEvent } from '../evaluator/trace.ts';
import type { Call, Expression } from '../syntax/ast.ts';
import { type Constant, type DType, floatingLimits, holds, isFault, isFloat } from '../tensor/index.ts';
import type { Value } from '../values/value.ts';
import { lastName, opEvents, producerOf } from './flow.ts';
import { roundedPosition } from './half-positions.ts';
import { failuresOf } from './raising.ts';
import { type CheckedFile, mentions, type Report, type ReportFix, replace, rule, sourceOf } from './rule.ts';
import { is, isPrimary, siteOf } from './tree.ts';
import { exceptions } from './unless.ts';
import { calleeText } from './wording.ts';

const NAME = 'dtype-range';

export const dtypeRange = rule({
  name: NAME,
  summary: 'A number that the dtype does not hold: it raises, overflows, vanishes or rounds',
  severity: 'warning',
  docs: `
float16 ends at 65504, and next to 0 it has nothing below 6e-8. What PyTorch makes of a number outside depends on the call:

- \`scores.masked_fill(mask, -1e9)\`, \`fill_\`, \`clamp\`, \`full_like\`, \`F.pad\` convert the number first, and raise.
- \`x + -1e9\`, \`mask * -1e9\`, \`x[mask] = -1e9\`, \`torch.where(mask, x, -1e9)\`, \`torch.tensor(-1e9, dtype=x.dtype)\` give
  infinities without a word. A row of them makes \`softmax\` NaN.
- \`x / (norm + 1e-8)\`: the sum rounds to \`norm\`, and where that is 0 the division is by 0.

\`torch.finfo(x.dtype).min\` is the lowest number that \`x\` can hold, \`float("-inf")\` fits every floating dtype, and
\`torch.finfo(x.dtype).tiny\` is a guard that does not vanish. bfloat16 has the range of float32, so none of this is reported of it.

Whole numbers have another limit: bfloat16 counts to 256 and float16 to 2048, then they round. Positions or ids made by
\`torch.arange\` in these dtypes, or cast to them, are no longer distinct. In integer dtypes arithmetic wraps around:
\`uint8_tensor + 300\` adds 44.`,
  guides: ['dtypes'],
  examples: [
    {
      bad: `
import torch

def masked(q, k, mask):
    scores = q.half() @ k.half().transpose(-2, -1)
    return scores.masked_fill(mask, -1e9)  # error[dtype-range]`,
      good: `
import torch

def masked(q, k, mask):
    scores = q.half() @ k.half().transpose(-2, -1)
    return scores.masked_fill(mask, torch.finfo(scores.dtype).min)`,
      fixed: true,
    },
    {
      bad: `
import torch

def normalized(x):
    x = x.half()
    return x / (x.norm(dim=-1, keepdim=True) + 1e-8)  # warning[dtype-range]`,
      good: `
import torch

def normalized(x):
    x = x.half()
    return x / (x.norm(dim=-1, keepdim=True) + torch.finfo(torch.float16).tiny)`,
      fixed: true,
    },
    {
      bad: `
import torch

def positions():
    return torch.arange(4096).to(torch.bfloat16)  # warning[dtype-range]`,
      good: `
import torch

def positions():
    return torch.arange(4096).to(torch.float32)`,
      fixed: false,
    },
  ],
  *check(trace, file) {
    for (const { event, cause } of failuresOf(NAME, trace, file)) {
      const { text, named } = exceptions(trace, event.guards, () => false);
      if (!named || cause.is !== 'number-overflows') continue;
      yield {
        node: siteOf(file, trace, event),
        severity: 'error',
        message: `${calleeText(event)} will raise: ${cause.dtype} does not hold ${Number.isNaN(Number(cause.number)) ? cause.number : pythonNumber(Number(cause.number))}${text}${isFloat(cause.dtype) ? '; use torch.finfo of that dtype' : ''}`,
        fixes: isFloat(cause.dtype) ? withinLimits(trace, file, event, Number(cause.number), cause.dtype) : [],
      };
    }
    for (const event of opEvents(trace)) {
      if (isFault(event.result)) continue;
      const report =
        outOfRange(trace, file, event) ??
        vanishing(trace, file, event) ??
        lostPositions(trace, event) ??
        longSum(trace, event);
      if (report !== null) yield report;
    }
  },
});

const SUMS: ReadonlySet<string> = new Set(['+', '-', '+=', '-=', 'add', 'sub', 'add_', 'sub_']);
const PRODUCTS: ReadonlySet<string> = new Set(['*', '*=', 'mul', 'mul_']);
/** Ops that store a number as it is, and what PyTorch does not look at. */
const STORES: ReadonlySet<string> = new Set(['setitem', 'where', 'tensor', 'full', 'new_full', 'new_tensor']);

/** A number that becomes an infinity, or another number, without an exception. */
function outOfRange(trace: FunctionTrace, file: CheckedFile, event: OpEvent): Report | null {
  const dtype = dtypeOf(event);
  const op = lastName(event.op);
  const takes = SUMS.has(op) || PRODUCTS.has(op);
  if (dtype === null || dtype === 'bool' || (takes ? !isOneOperand(event) : !STORES.has(op))) return null;
  const number = numbersOf(event).find(({ value, kind }) => !survives(dtype, value, kind));
  if (number === undefined || (!isFloat(dtype) && number.kind !== 'int')) return null;
  const node = siteOf(file, trace, event);
  const said = pythonNumber(number.value);
  if (!isFloat(dtype))
    return takes
      ? { node, message: `${dtype} does not hold ${said}: the result wraps around; convert to a wider dtype first` }
      : null;
  const becomes = number.value < 0 ? '-inf' : 'inf';
  const where = PRODUCTS.has(op)
    ? `the product is infinite from ${shortly(limitOf(dtype) / Math.abs(number.value))} on`
    : SUMS.has(op)
      ? 'the result is infinite'
      : `it becomes ${becomes}`;
  const advice = `use torch.finfo(torch.${dtype}).${number.value < 0 ? 'min' : 'max'}`;
  return {
    node,
    message: `${dtype} does not hold ${said}: ${where}; ${advice}`,
    fixes: PRODUCTS.has(op) ? maskLimit(file, event, number.value) : [],
  };
}

/** The dtype that the numbers are brought to: that of what comes out, or of what is written. */
function dtypeOf(event: OpEvent): DType | null {
  if (event.op === 'setitem') return event.inputs[0]?.dtype ?? null;
  const [output] = event.outputs;
  const dtype = output?.tensor.dtype ?? null;
  const operand = event.inputs[0]?.dtype;
  return operand === undefined || operand === dtype || event.op === 'where' ? dtype : null;
}

/** One tensor and a number; beside two tensors a number is a factor of theirs. */
const isOneOperand = ({ inputs }: OpEvent): boolean => inputs.length === 1;

function numbersOf(event: OpEvent): readonly Constant[] {
  const values = event.op === 'setitem' ? event.arguments.slice(-1) : event.arguments;
  return values.flatMap(numberIn);
}

function numberIn(value: Value): readonly Constant[] {
  if (value.kind === 'int' && value.value.constant !== null) return [{ value: value.value.constant, kind: 'int' }];
  return value.kind === 'float' && value.value !== null ? [{ value: value.value, kind: 'float' }] : [];
}

/** Whether a number is no infinity after rounding: 65519 is 65504 in float16, 65520 is not. */
function survives(dtype: DType, value: number, kind: 'int' | 'float'): boolean {
  return holds(dtype, { value, kind }) || (isFloat(dtype) && Math.abs(value) < limitOf(dtype));
}

/** Half a step above the largest number. */
function limitOf(dtype: DType): number {
  const limits = floatingLimits(dtype);
  return limits === null ? Number.POSITIVE_INFINITY : limits.max * (1 + limits.eps / (2 * (2 - limits.eps)));
}

/** Below half of float16's least number a constant is 0. */
const VANISHES = 2 ** -25;

/** `x + 1e-8` is `x` in float16. */
function vanishing(trace: FunctionTrace, file: CheckedFile, event: OpEvent): Report | null {
  const op = lastName(event.op);
  const guards = SUMS.has(op) || op === 'clamp' || op === 'clamp_min' || op === 'clip';
  if (!guards || !isOneOperand(event) || dtypeOf(event) !== 'float16') return null;
  const number = numbersOf(event).find(({ value }) => value !== 0 && Math.abs(value) <= VANISHES);
  if (number === undefined) return null;
  return {
    node: siteOf(file, trace, event),
    message: `${pythonNumber(number.value)} is 0 in float16, which has nothing below 6e-08: it guards against nothing; use torch.finfo(torch.float16).tiny`,
    fixes: replaced(file, event, number.value, 'torch.finfo(torch.float16).tiny', 'Use the least normal number'),
  };
}

function lostPositions(trace: FunctionTrace, event: OpEvent): Report | null {
  const lost = roundedPosition(trace, event);
  if (lost === null) return null;
  const dtype = event.outputs[0]?.tensor.dtype ?? '';
  const becomes = Number.isFinite(lost.becomes) ? `${lost.becomes}` : 'inf';
  return { node: event.node, message: `${dtype} does not hold all whole numbers: ${lost.number} becomes ${becomes}` };
}

/** Ones and zeros that are counted in float16: 65520 of them are too many. */
function longSum(trace: FunctionTrace, event: OpEvent): Report | null {
  const [input] = event.inputs;
  if (event.op !== 'sum' || event.arguments.length !== 1 || input === undefined) return null;
  if (input.dtype !== 'float16' || event.outputs[0]?.tensor.dtype !== 'float16') return null;
  const cast = producerOf(trace, input);
  const count = input.layout.shape.reduce<number | null>(
    (n, { constant }) => (n === null || constant === null ? null : n * constant),
    1,
  );
  if (cast?.inputs[0]?.dtype !== 'bool' || input.layout.front || count === null || count < limitOf('float16'))
    return null;
  return {
    node: event.node,
    severity: 'information',
    message: `a count of up to ${count} in float16, which ends at 65504, may be infinite; sum with dtype=torch.float32`,
  };
}

/** The number of a call in reach: `torch.finfo(x.dtype).min` in place of `-1e9`. */
function withinLimits(
  trace: FunctionTrace,
  file: CheckedFile,
  event: OpEvent,
  number: number,
  dtype: DType,
): readonly ReportFix[] {
  const self = event.self !== null && isPrimary(event.self) && METHODS.has(event.op) ? event.self : null;
  const of = self === null ? `torch.${dtype}` : `${sourceOf(file, trace, self)}.dtype`;
  const limit = number < 0 ? 'min' : 'max';
  const title = `Use the ${number < 0 ? 'lowest' : 'largest'} number that fits`;
  return replaced(file, event, number, `torch.finfo(${of}).${limit}`, title);
}

const METHODS: ReadonlySet<string> = new Set(['masked_fill', 'masked_fill_', 'fill_', 'clamp', 'clamp_', 'index_fill']);

function maskLimit(file: CheckedFile, event: OpEvent, number: number): readonly ReportFix[] {
  const dtype = dtypeOf(event);
  if (dtype === null || number >= 0) return [];
  const title = 'Use the lowest number that fits';
  return replaced(file, event, number, `torch.finfo(torch.${dtype}).min`, title);
}

/** Another text in the place of the literal. */
function replaced(
  file: CheckedFile,
  event: OpEvent,
  number: number,
  text: string,
  title: string,
): readonly ReportFix[] {
  const literal = operandsOf(event).find((operand) => literalNumber(operand) === number);
  if (literal === undefined || !mentions(file, '\\bimport torch\\b')) return [];
  return [{ title, safe: false, edits: [replace(literal.start, literal.end, text)] }];
}

function operandsOf({ node }: OpEvent): readonly Expression[] {
  if (is(node, 'BinOp')) return [node.left, node.right];
  if (is(node, 'AugAssign')) return [node.value];
  if (!is(node, 'Call')) return [];
  const call: Call = node;
  return [...call.args, ...call.keywords.map(({ value }) => value)];
}

/** A number as it is written out, with its sign. */
function literalNumber(expression: Expression): number | null {
  if (expression.kind === 'Constant') return typeof expression.value === 'number' ? expression.value : null;
  if (expression.kind !== 'UnaryOp' || expression.op !== '-') return null;
  const number = literalNumber(expression.operand);
  return number === null ? null : -number;
}

/** As Python prints it. */
const pythonNumber = (value: number): string => {
  const [digits = '', exponent] = value.toExponential().split('e');
  const power = Number(exponent);
  if (Number.isInteger(value) && Math.abs(power) < 9) return `${value}`;
  if (power >= -4 && power < 9) return `${value}`;
  return `${digits}e${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`;
};

const shortly = (value: number): string => pythonNumber(Number(value.toPrecision(2)));
