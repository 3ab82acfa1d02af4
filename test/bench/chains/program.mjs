// The functions of chains.py as closures over the engine. What is left to do when one runs is what the evaluator does for a
// call: look the op up, call it, learn what it demands, and make a tensor of the outcome.
const NO_KEYWORDS = new Map();

/** The chains of the text. Sizes are the numbers that it gives, or where `symbolic`, symbols that nothing is known of. */
export function programs(engine, parser, text, { symbolic }) {
  const { body } = engine.parse(parser, text);
  const scope = { engine, parser, sizes: new Map(), facts: engine.NO_FACTS };
  for (const statement of body) if (statement.kind === 'Assign') defineSizes(scope, statement, symbolic);
  return body.filter(({ kind }) => kind === 'FunctionDef').map((definition) => program(scope, definition));
}

function defineSizes(scope, { targets: [target], value }, symbolic) {
  const pairs = target.kind === 'Tuple' ? target.elts.map(({ id }, i) => [id, value.elts[i]]) : [[target.id, value]];
  for (const [id, said] of pairs) {
    const { engine, sizes } = scope;
    const isSymbol = symbolic && said.kind === 'Constant';
    sizes.set(id, isSymbol ? engine.intValue(engine.symbol(`${id}#${sizes.size}`)) : evaluated(scope, said));
    // `D = C // H` in the source means that H divides C.
    if (said.op === '//')
      scope.facts = engine.learnDivisible(
        scope.facts,
        evaluated(scope, said.left).value,
        evaluated(scope, said.right).value,
      );
  }
}

const evaluated = (scope, expression) => compile({ ...scope, slots: new Map() }, expression)(null);

function program(scope, { name, args, body }) {
  const { engine, parser, facts } = scope;
  const local = { ...scope, slots: new Map(args.positional.map((parameter, i) => [parameter.name, i])) };
  const frame = { values: [], facts, ops: 0, ids: 0, symbols: 0, faults: new Set() };
  const inputs = args.positional.map(({ annotation }) => {
    const [{ value }] = engine.parse(parser, `(${annotation.value},)`).body;
    const shape = value.elts.map((size) => evaluated(scope, size).value);
    return fresh(engine, frame, { layout: engine.contiguous(shape), dtype: 'float32' });
  });
  const steps = body.map((statement) => step(local, statement));
  const run = () => {
    frame.facts = facts;
    frame.ops = 0;
    frame.symbols = 0;
    for (let i = 0; i < inputs.length; i++) frame.values[i] = inputs[i];
    for (let i = 0; i < steps.length; i++) steps[i](frame);
  };
  return { name, run, frame };
}

function step(scope, statement) {
  const value = compile(scope, statement.value);
  if (statement.kind === 'Return') return (frame) => value(frame);
  const [target] = statement.targets;
  if (target.kind === 'Name') {
    const slot = slotOf(scope, target.id);
    return (frame) => {
      frame.values[slot] = value(frame);
    };
  }
  const slots = target.elts.map(({ id }) => slotOf(scope, id));
  return (frame) => {
    const { items } = value(frame);
    for (let i = 0; i < slots.length; i++) frame.values[slots[i]] = items?.[i] ?? UNKNOWN;
  };
}

const UNKNOWN = { kind: 'unknown', reason: 'what is unpacked has fewer items' };

function slotOf({ slots }, id) {
  if (!slots.has(id)) slots.set(id, slots.size);
  return slots.get(id);
}

/** An expression as a function of the frame. */
function compile(scope, node) {
  switch (node?.kind) {
    case undefined:
      return () => scope.engine.NONE;
    case 'Constant':
      return constant(scope, node);
    case 'Name': {
      const slot = scope.slots.get(node.id);
      const size = scope.sizes.get(node.id);
      return slot === undefined ? () => size : (frame) => frame.values[slot];
    }
    case 'Tuple':
    case 'List': {
      const items = node.elts.map((item) => compile(scope, item));
      return (frame) => ({ kind: 'tuple', items: items.map((item) => item(frame)) });
    }
    case 'Slice': {
      const [start, stop, by] = [node.lower, node.upper, node.step].map((bound) => compile(scope, bound));
      return (frame) => ({ kind: 'slice', start: start(frame), stop: stop(frame), step: by(frame) });
    }
    case 'Subscript':
      return subscript(scope, node);
    case 'UnaryOp':
      return unary(scope, node);
    case 'BinOp':
    case 'Compare':
      return binary(scope, node);
    case 'Call':
      return call(scope, node);
    default:
      throw new Error(`no chain holds a ${node.kind}`);
  }
}

function constant({ engine }, { literal, value }) {
  const made =
    literal === 'int'
      ? engine.intValue(engine.int(value))
      : literal === 'none'
        ? engine.NONE
        : literal === 'ellipsis'
          ? { kind: 'ellipsis' }
          : { kind: literal, value };
  return () => made;
}

function subscript(scope, node) {
  const { engine } = scope;
  const [value, key] = [compile(scope, node.value), compile(scope, node.slice)];
  return (frame) => outcome(engine, frame, engine.getItem(value(frame), key(frame), context(engine, frame)));
}

function unary(scope, { op, operand }) {
  const { engine } = scope;
  const value = compile(scope, operand);
  return (frame) => {
    const only = value(frame);
    if (only.kind === 'int') return engine.intValue(engine.neg(only.value));
    if (only.kind === 'float') return { kind: 'float', value: -only.value };
    return outcome(engine, frame, engine.unary(op, only, context(engine, frame)));
  };
}

const INTEGERS = { '+': 'add', '-': 'sub', '*': 'mul', '//': 'floorDiv' };

function binary(scope, node) {
  const { engine } = scope;
  const [left, right] = [node.left, node.right ?? node.comparators[0]].map((operand) => compile(scope, operand));
  const integers = engine[INTEGERS[node.op]];
  const [operate, operator] = node.kind === 'Compare' ? [engine.compare, node.ops[0]] : [engine.binary, node.op];
  return (frame) => {
    const [a, b] = [left(frame), right(frame)];
    if (a.kind === 'int' && b.kind === 'int') return engine.intValue(integers(a.value, b.value));
    return outcome(engine, frame, operate(operator, a, b, context(engine, frame)));
  };
}

const NAMESPACES = { torch: 'torch', F: 'torch.nn.functional' };

function call(scope, { func, args, keywords }) {
  const { engine } = scope;
  const namespace = NAMESPACES[func.value.id];
  const name = `${namespace ?? 'torch.Tensor'}.${func.attr}`;
  const given = (namespace === undefined ? [func.value, ...args] : args).map((arg) => compile(scope, arg));
  const named = keywords.filter(({ arg }) => arg !== 'device').map(({ arg, value }) => [arg, compile(scope, value)]);
  return (frame) => {
    const keys = named.length === 0 ? NO_KEYWORDS : new Map(named.map(([arg, value]) => [arg, value(frame)]));
    const values = given.map((arg) => arg(frame));
    return outcome(engine, frame, engine.callOp(engine.findOp(name), values, keys, context(engine, frame)));
  };
}

const context = (engine, frame) => ({
  facts: frame.facts,
  fresh: (hint) => engine.symbol(`${hint}#${1000 + frame.symbols++}`),
  training: false,
  grad: false,
  torch: [2, 13],
});

function outcome(engine, frame, { result, demands }) {
  frame.ops++;
  for (const [left, right] of demands) frame.facts = engine.learnEqual(frame.facts, left, right);
  return valueFrom(engine, frame, result);
}

function valueFrom(engine, frame, result) {
  if ('fault' in result) {
    frame.faults.add(result.reason ?? JSON.stringify(result.cause));
    return UNKNOWN;
  }
  switch (result.is) {
    case 'same':
      return result.of;
    case 'view':
    case 'either':
      return tensor(frame, result, result.of.storage);
    case 'fresh':
      return fresh(engine, frame, result);
    case 'value':
      return result.value;
    default:
      return { kind: 'tuple', items: result.items.map((item) => valueFrom(engine, frame, item)) };
  }
}

function fresh(engine, frame, result) {
  const nbytes = engine.storageNbytes(result.layout, result.dtype);
  return tensor(frame, result, { id: frame.ids++, nbytes, origin: { is: 'fresh', op: '' } });
}

function tensor(frame, { layout, dtype, elements }, storage) {
  return {
    kind: 'tensor',
    id: frame.ids++,
    layout,
    dtype,
    device: null,
    requiresGrad: null,
    storage,
    assumes: NO_NAMES,
    elements: elements ?? null,
  };
}

const NO_NAMES = [];
