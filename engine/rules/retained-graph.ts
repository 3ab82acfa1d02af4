import type { FunctionTrace } from '../evaluator/trace.ts';
import type { Call, Expression, Statement } from '../syntax/ast.ts';
import { resultOf } from './flow.ts';
import { keepingMethods, passedTo, sumIn } from './meters.ts';
import { type CheckedFile, insert, quotable, type Report, type ReportFix, rule } from './rule.ts';
import { appendedBy, graphNames, type Loop, liveLosses, loopsAround, underNoGrad } from './training.ts';
import { branches, dottedName, rootOf } from './tree.ts';

const NAME = 'retained-graph';

export const retainedGraph = rule({
  name: NAME,
  summary: 'A loss is summed or collected together with its graph, which then lives as long as the sum',
  severity: 'warning',
  docs: `
A loss is a tensor with a graph behind it. \`total += loss\` makes a sum whose graph reaches back into every step, and
\`losses.append(loss)\` keeps each: memory grows from step to step until the sum is dropped.

Reported in a loop that backpropagates the loss itself (\`loss.backward()\`, \`scaler.scale(loss).backward()\`,
\`accelerator.backward(loss)\`), so that nobody needs the graph any more, where the sum or list outlives the step; also where
the loss is passed to a method of a class in the file that sums what it is given.

Not reported: sums that are backpropagated themselves, \`retain_graph=True\`, \`.item()\`, \`.detach()\`, \`float(…)\`, sums taken
under \`no_grad\`, and sums that each step begins anew.

\`.detach()\` keeps the value without the graph and without waiting for the device; \`.item()\` makes it a Python number.`,
  guides: ['storages'],
  examples: [
    {
      bad: `
def epoch(model, loader, optimizer):
    total = 0.0
    for x, y in loader:
        loss = (model(x) - y).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss  # warning[retained-graph]
    return total`,
      good: `
def epoch(model, loader, optimizer):
    total = 0.0
    for x, y in loader:
        loss = (model(x) - y).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.detach()
    return total`,
      fixed: true,
    },
    {
      bad: `
def epoch(model, loader, optimizer):
    losses = []
    for x, y in loader:
        loss = (model(x) - y).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss)  # warning[retained-graph]
    return losses`,
      good: `
def epoch(model, loader, optimizer):
    losses = []
    for x, y in loader:
        loss = (model(x) - y).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses`,
      fixed: true,
    },
  ],
  *check(trace, file) {
    if (trace.context !== null) return;
    for (const branch of branches(rootOf(file, trace))) {
      const report =
        branch.kind === 'AugAssign' || branch.kind === 'Assign'
          ? (summed(trace, file, branch) ?? summedForCallers(file, branch))
          : branch.kind === 'Call'
            ? (collected(trace, file, branch) ?? passed(trace, file, branch))
            : null;
      if (report !== null) yield report;
    }
  },
});

/** `total += loss`, `total = total + loss`. */
function summed(trace: FunctionTrace, file: CheckedFile, node: Statement): Report | null {
  const sum = sumIn(node);
  if (sum === null || underNoGrad(file, trace, node)) return null;
  const { holder, term } = sum;
  for (const loop of loopsAround(file, trace, node)) {
    const live = liveLosses(loop);
    const name = graphNames(term).find((each) => live.has(each));
    if (name === undefined) continue;
    if (live.has(holder) || isBegunIn(loop, holder) || isWithoutGrad(trace, term, name)) return null;
    return {
      node,
      message: `\`${holder}\` keeps the graph of \`${name}\` of every step, although \`${name}\` was backpropagated; keep .item() or .detach()`,
      fixes: detached(term, name, 'detach'),
    };
  }
  return null;
}

/** `losses.append(loss)`. */
function collected(trace: FunctionTrace, file: CheckedFile, call: Call): Report | null {
  const appended = appendedBy(call);
  const holder = appended && quotable(file, trace, appended.holder);
  if (appended === null || holder === null) return null;
  const { kept } = appended;
  for (const loop of loopsAround(file, trace, call)) {
    const live = liveLosses(loop);
    const name = graphNames(kept).find((each) => live.has(each));
    if (name === undefined) continue;
    if (isBegunIn(loop, holder) || isWithoutGrad(trace, kept, name)) return null;
    return {
      node: call,
      message: `\`${holder}\` keeps the graph of \`${name}\` of every step, although \`${name}\` was backpropagated; keep .item() or .detach()`,
      fixes: detached(kept, name, 'item'),
    };
  }
  return null;
}

/** `meter.update(loss)` where `update` sums what it is given. */
function passed(trace: FunctionTrace, file: CheckedFile, call: Call): Report | null {
  const method = keepingMethods(file).find((each) => passedTo(each, call) !== null);
  const argument = method === undefined ? null : passedTo(method, call);
  if (method === undefined || argument === null) return null;
  for (const loop of loopsAround(file, trace, call)) {
    const live = liveLosses(loop);
    const name = graphNames(argument).find((each) => live.has(each));
    if (name === undefined || isWithoutGrad(trace, argument, name)) continue;
    return {
      node: call,
      message: `\`${method.holder}\` of \`${method.className}\` sums \`${name}\` with its graph: it keeps that of every step; pass .item()`,
      fixes: detached(argument, name, 'item'),
    };
  }
  return null;
}

/** The sum within such a method, where a loop of the file passes it a loss that it backpropagates. */
function summedForCallers(file: CheckedFile, node: Statement): Report | null {
  const method = keepingMethods(file).find((each) => each.statement === node);
  if (method === undefined) return null;
  for (const caller of file.traces) {
    if (caller.context !== null) continue;
    for (const call of branches(rootOf(file, caller))) {
      const argument = call.kind === 'Call' ? passedTo(method, call) : null;
      const live = argument === null ? [] : loopsAround(file, caller, call).flatMap((loop) => [...liveLosses(loop)]);
      if (argument === null || !graphNames(argument).some((name) => live.includes(name))) continue;
      return {
        node,
        message: `\`${method.holder}\` keeps the graph of each \`${method.parameter}\`: \`${caller.function}\` passes a loss that it has backpropagated; sum .item() or .detach()`,
        fixes: detached(method.term, method.parameter, 'detach'),
      };
    }
  }
  return null;
}

/** Whether each turn of the loop makes the holder anew. */
function isBegunIn(loop: Loop, holder: string): boolean {
  const root = /^\w+/.exec(holder)?.[0];
  return loop.body.some(
    (statement) =>
      statement.kind === 'Assign' &&
      sumIn(statement) === null &&
      statement.targets.some((target) => {
        const name = dottedName(target);
        return name !== null && (name === holder || name === root);
      }),
  );
}

/** Whether the trace knows that the loss has no graph. */
function isWithoutGrad(trace: FunctionTrace, term: Expression, name: string): boolean {
  return [...branches(term)].some(
    (each) => each.kind === 'Name' && each.id === name && resultOf(trace, each)?.requiresGrad === false,
  );
}

function detached(term: Expression, name: string, how: 'detach' | 'item'): readonly ReportFix[] {
  const at = [...branches(term)].find((each) => each.kind === 'Name' && each.id === name);
  if (at === undefined) return [];
  const title = `Keep the value without its graph: ${name}.${how}()`;
  return [{ title, safe: false, edits: [insert(at.end, `.${how}()`)] }];
}
