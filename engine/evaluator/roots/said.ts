import { add, floorDiv, int, mod, mul, type SymInt, sub, symbol, symbolsOf } from '../../symbols/index.ts';
import {
  annotationShape,
  bodiesOf,
  type DimOperator,
  type DimText,
  functionShapes,
  lineAt,
  lineStarts,
  type Parameter,
  type ShapeText,
  type Statement,
  trailingShapes,
} from '../../syntax/index.ts';
import { channelsLastStride, contiguousStride, type Layout, layoutOf, storageNbytes } from '../../tensor/index.ts';
import type { Origin, Tensor } from '../../tensor/tensor.ts';
import type { Value } from '../../values/value.ts';
import { symbolFor } from '../state/derived.ts';
import type { FunctionInfo, SourceFile } from '../state/program.ts';
import { freshSymbol, heapRead, newStorage, nextId, type Run, unknownRank } from '../state/run.ts';
import { demandRank } from '../torch/torch-arguments.ts';

/** What people say of a function's parameters: in annotations, and in comments and docstrings, which have the last word. */
export function shapesSaid(info: FunctionInfo): ReadonlyMap<string, ShapeText> {
  const ofFile = said.get(info.file) ?? new Map<object, ReadonlyMap<string, ShapeText>>();
  said.set(info.file, ofFile);
  const known = ofFile.get(info.definition);
  if (known !== undefined) return known;
  const shapes = new Map<string, ShapeText>();
  const { args } = info.definition;
  for (const { name, annotation } of [...args.positional, ...args.keywordOnly]) {
    const shape = annotation === null ? null : annotationShape(annotation);
    if (shape !== null) shapes.set(name, shape);
  }
  if (info.definition.kind === 'FunctionDef')
    for (const { name, shape } of functionShapes(info.file.module, info.definition, info.base, startsOf(info.file)))
      shapes.set(name, shape);
  ofFile.set(info.definition, shapes);
  return shapes;
}

/** The tensor that a parameter is said to be, or the integer that a shape names like the parameter; else null. */
export function saidValue(run: Run, info: FunctionInfo, self: Value | null, parameter: Parameter): Value | null {
  const { name } = parameter;
  const shape = shapesSaid(info).get(name);
  const named = (id: string): SymInt => namedSize(run, info, self, id, shape?.loose ? name : '');
  if (shape !== undefined)
    return saidTensor(run, name, shape, named, { is: 'parameter', name, ...(shape.loose ? { loose: true } : {}) });
  const names = [...shapesSaid(info).values()].flatMap(({ dims, loose }) => (loose ? [] : dims.flatMap(namesIn)));
  return names.includes(name) ? { kind: 'int', value: named(name) } : null;
}

/** A tensor of unknown rank that is passed where a function says how many dims it takes has so many from there on. */
export function demandSaidRanks(run: Run, info: FunctionInfo, passed: ReadonlyMap<string, Value>): void {
  for (const [name, { dims, front }] of shapesSaid(info)) {
    const value = passed.get(name);
    if (value?.kind === 'tensor' && !front) demandRank(run, value, dims.length);
  }
}

type Named = (name: string) => SymInt;

/** A contiguous tensor of the sizes that `text` gives; `name` is what the source calls it. */
export function saidTensor(run: Run, name: string, text: ShapeText, named: Named, origin: Origin): Tensor {
  const sizes = text.dims.map((dim) => sizeSaid(dim, named, () => freshSymbol(run, name)));
  const layout = layoutSaid(run, name, text, sizes);
  const { dtype, device } = text;
  return {
    kind: 'tensor',
    id: nextId(run),
    layout,
    dtype,
    device,
    requiresGrad: null,
    elements: null,
    storage: newStorage(run, dtype === null || layout.front ? null : storageNbytes(layout, dtype), origin),
    // A memory format that is said is no assumption.
    assumes: text.memoryFormat === null ? [name] : [],
  };
}

function layoutSaid(run: Run, name: string, text: ShapeText, sizes: readonly SymInt[]): Layout {
  if (text.front) {
    const [front] = unknownRank(run, name, 0, true).shape;
    const shape = front === undefined ? sizes : [front, ...sizes];
    return { ...layoutOf(shape, contiguousStride(shape)), front: true };
  }
  const channelsLast = text.memoryFormat === 'channels_last' || text.memoryFormat === 'channels_last_3d';
  return layoutOf(sizes, channelsLast ? channelsLastStride(sizes) : contiguousStride(sizes));
}

function sizeSaid(dim: DimText, named: Named, fresh: () => SymInt): SymInt {
  switch (dim.kind) {
    case 'int':
      return int(dim.value);
    case 'name':
      return named(dim.id);
    case 'unknown':
      return fresh();
    case 'operation':
      return OPERATIONS[dim.op](sizeSaid(dim.left, named, fresh), sizeSaid(dim.right, named, fresh));
  }
}

const OPERATIONS: Readonly<Record<DimOperator, (left: SymInt, right: SymInt) => SymInt>> = {
  '+': add,
  '-': sub,
  '*': mul,
  '//': floorDiv,
  '%': mod,
};

/** One symbol for a name throughout a function; `self.heads` is the attribute, where that is an integer. */
function namedSize(run: Run, info: FunctionInfo, self: Value | null, name: string, of: string): SymInt {
  const attribute = name.startsWith('self.') && self?.kind === 'ref' ? heapRead(run, self.ref) : undefined;
  const value = attribute?.object === 'instance' ? attribute.attributes.get(name.slice('self.'.length)) : undefined;
  if (value?.kind === 'int') return value.value;
  if (value?.kind === 'unknown' && value.symbol !== undefined) return symbol(value.symbol);
  const made = symbolFor(run, `said ${info.id} ${of} ${name}`.replace('  ', ' '), [], name);
  for (const id of symbolsOf(made)) run.said.set(id, { name, within: info.id });
  return made;
}

function namesIn(dim: DimText): readonly string[] {
  if (dim.kind === 'name') return [dim.id];
  return dim.kind === 'operation' ? [...namesIn(dim.left), ...namesIn(dim.right)] : [];
}

/** All that is said in and above a statement of the top level, in comments and docstrings. */
export function saidIn(file: SourceFile, statement: Statement): string {
  const { module, text } = file;
  const lines = startsOf(file);
  const inFunctions = (node: Statement, base: number): readonly unknown[] => {
    const isFunction = node.kind === 'FunctionDef';
    const own = isFunction ? functionShapes(module, node, base + node.start, lines) : [];
    const inner = bodiesOf(node).flatMap((body) =>
      body.flatMap((each) => inFunctions(each, isFunction ? base + node.start : base)),
    );
    return [...own.map(({ name, shape }) => [name, shape]), ...inner];
  };
  const [first, last] = [lineAt(lines, statement.start), lineAt(lines, statement.end)];
  const behind = [...shapesBehind(file)].flatMap(([line]) =>
    line >= first && line <= last ? [text.slice(lines[line], lines[line + 1]).trim()] : [],
  );
  return JSON.stringify([inFunctions(statement, 0), behind]);
}

/** By line, what comments at its end say. */
export function shapesBehind(file: SourceFile): ReadonlyMap<number, ShapeText> {
  const known = behind.get(file) ?? trailingShapes(file.module);
  behind.set(file, known);
  return known;
}

const behind = new WeakMap<SourceFile, ReadonlyMap<number, ShapeText>>();

/** By file and not by function alone: a comment above may change while the function stays. */
const said = new WeakMap<SourceFile, Map<object, ReadonlyMap<string, ShapeText>>>();
const starts = new WeakMap<SourceFile, readonly number[]>();

export function startsOf(file: SourceFile): readonly number[] {
  const known = starts.get(file) ?? lineStarts(file.text);
  starts.set(file, known);
  return known;
}
