import { findModule } from '../../modules/index.ts';
import { findOp } from '../../ops/index.ts';
import type { Expression } from '../../syntax/ast.ts';
import { type Unknown, unknown, type Value } from '../../values/value.ts';
import { recordValue } from '../record.ts';
import { partOfUnknown } from '../state/derived.ts';
import { isSequence } from '../state/heap.ts';
import { optionsOf } from '../state/join.ts';
import { type Activation, heapRead, type Run } from '../state/run.ts';
import { joinAll, settled } from '../state/settled.ts';
import { moduleAttribute } from '../statements/names.ts';
import { isNamespace, libraryValue } from '../torch/library.ts';
import { type Spelling, tensorAttribute } from '../torch/torch.ts';
import { asTensor } from '../torch/torch-arguments.ts';
import { numberOfClasses } from './alternatives.ts';
import { classAttribute, findInClass, instanceAttribute } from './classes.ts';
import { fieldOf } from './named-tuples.ts';

/** `of.name` */
export function attributeOf(run: Run, act: Activation, of: Value, name: string, at: Spelling): Value {
  switch (of.kind) {
    case 'tensor':
      return (
        tensorAttribute(run, act, of, name, at) ??
        (findOp(`torch.Tensor.${name}`) || TENSOR_METHODS.has(name)
          ? bound(run, of, { kind: 'torch', name: `torch.Tensor.${name}` })
          : unknown(`\`${name}\` of a tensor is not followed`))
      );
    case 'torch':
      if (name === '__name__' && (findModule(of.name) ?? findOp(of.name)))
        return { kind: 'str', value: of.name.slice(of.name.lastIndexOf('.') + 1) };
      return libraryValue(`${of.name}.${name}`) ?? attributeOfLibrary(`${of.name}.${name}`);
    case 'program':
      if (of.what === 'module') return moduleAttribute(run, of.id, name);
      if (of.what === 'class') return classAttribute(run, act, of.id, name) ?? unknown(`the class has no \`${name}\``);
      if (name === '__name__') return { kind: 'str', value: run.functions[of.id]?.qualname.split('.').at(-1) ?? '' };
      return unknown('attributes of functions are not followed');
    case 'ref':
      return attributeOfObject(run, act, of.ref, name, at);
    case 'unknown':
      if (TENSOR_ONLY.has(name) && !isPlain(run, of)) return attributeOf(run, act, asTensor(run, of), name, at);
      return declaredFlag(run, of, name) ?? partOfUnknown(run, of, `.${name}`);
    case 'either': {
      const options = optionsOf(of).filter((o) => o.kind !== 'none');
      const number = numberOfClasses(run, options, name, `${wordOf(at.self)}.${name}`);
      if (number) return number;
      const values = options.map((o) => attributeOf(run, act, settled(run, o), name, at));
      return joinAll(run, values) ?? unknown('it differs by branch');
    }
    case 'str':
    case 'tuple':
      if (of.kind === 'tuple' && name === 'shape') return unknown('it is a tuple');
      if (of.kind === 'tuple' && (of.fields?.includes(name) || FIELDS.has(name))) return field(run, act, of, name, at);
      return bound(run, of, { kind: 'torch', name: `builtins.${of.kind}.${name}` });
    case 'dtype':
      return name === 'itemsize'
        ? unknown('the item size is not followed')
        : unknown(`dtypes have no \`${name}\` here`);
    case 'slice':
      return name === 'start' ? of.start : name === 'stop' ? of.stop : of.step;
    case 'int':
    case 'float':
      return name === 'real' ? of : bound(run, of, { kind: 'torch', name: `builtins.number.${name}` });
    default:
      return unknown(`\`${name}\` of ${of.kind} is not known`);
  }
}

/** `of.name` that is not called. The name of a method tells nothing of an unknown then: `config.dim` is a number. */
export const attributeRead: typeof attributeOf = (run, act, of, name, at) =>
  of.kind === 'unknown' && TENSOR_ONLY.has(name) && !TENSOR_PROPERTIES.has(name)
    ? partOfUnknown(run, of, `.${name}`)
    : attributeOf(run, act, of, name, at);

const isPlain = (run: Run, { symbol }: Unknown): boolean => symbol !== undefined && run.plain.has(symbol);

/** `block` of `block` and of `self.block`. */
const wordOf = (node: Expression | null): string =>
  node?.kind === 'Name' ? node.id : node?.kind === 'Attribute' ? node.attr : 'block';

/** The default of a field that chooses between ways, where the flags are taken to be at their defaults. */
function declaredFlag(run: Run, of: Unknown, name: string): Value | null {
  const classId = run.label && of.symbol !== undefined ? run.instancesOf.get(of.symbol) : undefined;
  const value = classId === undefined ? undefined : findInClass(run, classId, name);
  return value?.kind === 'bool' || value?.kind === 'str' ? value : null;
}

/** The names that PyTorch gives to the items of results of several tensors, and where they stand. */
const FIELDS: ReadonlyMap<string, number> = new Map([
  ['values', 0],
  ['data', 0],
  ['batch_sizes', 1],
  ['sorted_indices', 2],
  ['unsorted_indices', 3],
  ['output', 0],
  ['loss', 1],
  ['indices', 1],
  ['Q', 0],
  ['R', 1],
  ['U', 0],
  ['S', 1],
  ['Vh', 2],
  ['V', 2],
  ['L', 0],
  ['eigenvalues', 0],
  ['eigenvectors', 1],
  ['sign', 0],
  ['logabsdet', 1],
  ['hist', 0],
  ['bin_edges', 1],
  ['solution', 0],
]);

/** `x.max(1).values` */
function field(run: Run, act: Activation, of: Extract<Value, { kind: 'tuple' }>, name: string, at: Spelling): Value {
  const item = settled(run, fieldOf(of, name) ?? of.items[FIELDS.get(name) ?? 0] ?? unknown(`it has no \`${name}\``));
  if (item.kind === 'tensor') recordValue(run, act, at.node, item, null, [item]);
  return item;
}

function attributeOfObject(run: Run, act: Activation, ref: number, name: string, at: Spelling): Value {
  const object = heapRead(run, ref);
  if (object?.object === 'instance') return instanceAttribute(run, act, ref, name, at);
  if (isSequence(object) || object?.object === 'dict')
    return bound(run, { kind: 'ref', ref }, { kind: 'torch', name: `builtins.${object.object}.${name}` });
  return unknown('the object is not known');
}

/** A method with its receiver. */
export function bound(run: Run, receiver: Value, callee: Value): Value {
  const id = run.methods.push({ id: run.methods.length, receiver, callee }) - 1;
  return { kind: 'program', what: 'method', id };
}

/** Methods that the evaluator itself answers. */
const TENSOR_METHODS = new Set([
  'size',
  'dim',
  'ndimension',
  'item',
  'tolist',
  'backward',
  'numpy',
  'register_hook',
  'requires_grad_',
  'retain_grad',
  'type',
  'get_device',
  'is_contiguous',
  'stride',
  'storage_offset',
  'data_ptr',
  'untyped_storage',
  'storage',
]);

/** Attributes that tell that an unknown is a tensor. */
const TENSOR_ONLY = new Set([
  'shape',
  'size',
  'dim',
  'ndim',
  'ndimension',
  'numel',
  'view',
  'view_as',
  'reshape',
  'permute',
  'transpose',
  'unsqueeze',
  'squeeze',
  'contiguous',
  'expand',
  'expand_as',
  'flatten',
  'masked_fill',
  'masked_fill_',
  'chunk',
  'unbind',
  'unfold',
  'type_as',
  'detach',
  'cuda',
  'clone',
  'float',
  'half',
  'bfloat16',
  'double',
  'long',
  'int',
  'bool',
  'type',
  'softmax',
  'matmul',
  'bmm',
  'is_contiguous',
  'stride',
  'storage_offset',
  'untyped_storage',
  'data_ptr',
  'requires_grad_',
  'mT',
  'add_',
  'sub_',
  'mul_',
  'div_',
  'copy_',
  'zero_',
  'fill_',
  'normal_',
  'uniform_',
  'clamp_',
  'scatter_',
  'index_select',
  'repeat',
  'repeat_interleave',
  'narrow',
  'select',
  'as_strided',
  'swapaxes',
  'movedim',
  'log_softmax',
  'sigmoid',
  'tanh',
  'relu',
  'relu_',
  'exp',
  'neg',
  'argmax',
  'topk',
  'unflatten',
  'new_zeros',
  'new_ones',
  'new_tensor',
  'new_full',
  'new_empty',
  'is_cuda',
  'index_add_',
  'gather',
  'amax',
  'amin',
  'reshape_as',
  'resize_',
  'tril',
  'triu',
  'roll',
  'cumsum',
  'addmm',
  'baddbmm',
  'masked_select',
  'nonzero',
  'bernoulli_',
  'lerp_',
  'addcmul_',
  'addcdiv_',
  'requires_grad',
  'pow',
]);

/** Those among them that are no methods. */
const TENSOR_PROPERTIES = new Set(['shape', 'ndim', 'mT', 'is_cuda', 'requires_grad']);

export const isTensorOnly = (name: string): boolean => TENSOR_ONLY.has(name);

/** What a library has beside what the engine knows goes by its name; of torchvision it is not told what it is. */
const attributeOfLibrary = (name: string): Value =>
  name.startsWith('torchvision.') && !isNamespace(name)
    ? unknown(`\`${name}\` is not modelled`)
    : { kind: 'torch', name };
