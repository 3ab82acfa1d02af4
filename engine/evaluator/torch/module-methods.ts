import { NONE, tupleOf, unknown, type Value } from '../../values/value.ts';
import type { Arguments, Place } from '../calls/calls.ts';
import { setAttribute } from '../calls/classes.ts';
import { callContainer } from '../calls/containers.ts';
import { recordStore } from '../record.ts';
import type { Instance } from '../state/heap.ts';
import { iteratorOf } from '../state/objects.ts';
import { type Activation, heapRead, heapWrite, nextId, type Run } from '../state/run.ts';
import { joinAll, settled } from '../state/settled.ts';
import { iterate } from '../statements/iteration.ts';
import { keptContiguous } from './buffers.ts';
import { convertModule, convertsTo, formatModule } from './dtypes.ts';
import { appendChild, children, isContainer, namedChildren } from './nn.ts';

/** Methods that every `nn.Module` has, and those of its containers; the instance is the first argument. */
export function callModuleMethod(run: Run, act: Activation, method: string, args: Arguments, place: Place): Value {
  const [self, first, second] = args.items;
  if (self?.kind !== 'ref') return unknown('the module is not known');
  const object = heapRead(run, self.ref);
  if (object?.object !== 'instance') return unknown('the module is not known');
  switch (method) {
    case '__init__':
      return NONE;
    case '__setattr__':
      if (first?.kind === 'str' && second) setAttribute(run, self, first.value, second);
      return NONE;
    case 'register_buffer':
    case 'register_parameter': {
      const value = settled(run, second ?? args.keywords.get('tensor') ?? args.keywords.get('param') ?? NONE);
      if (first?.kind !== 'str') return NONE;
      const writable = heapWrite(run, self.ref);
      const tensor = value.kind === 'tensor' ? keptContiguous(run, value, first.value) : null;
      const is = method === 'register_buffer' ? 'buffer' : 'module-parameter';
      const kept: Value = tensor
        ? { ...tensor, storage: { ...tensor.storage, origin: { is, name: first.value } } }
        : value;
      if (writable?.object === 'instance') writable.attributes.set(first.value, kept);
      const expression = args.nodes[1];
      if (expression) recordStore(run, act, place.node, 'attribute', `self.${first.value}`, value, expression, true);
      return NONE;
    }
    case 'add_module':
    case 'register_module':
      if (second) appendChild(run, self.ref, first?.kind === 'str' ? first.value : null, second);
      return NONE;
    case 'append':
      if (first) appendChild(run, self.ref, null, first);
      return self;
    case 'extend':
      if (first) for (const child of iterate(run, settled(run, first)).items) appendChild(run, self.ref, null, child);
      return self;
    case 'items':
    case 'keys':
    case 'values':
    case 'update': {
      const kids = isContainer(object) ? children(object) : null;
      return kids
        ? callContainer(run, act, 'dict', method, { ...args, items: [kids, ...args.items.slice(1)] }, place)
        : unknown('its modules are not known');
    }
    case 'parameters':
    case 'buffers': {
      const found = tensorsOf(run, object, 0).map(([, value]) => value);
      return iteratorOf(run, [], joinAll(run, found) ?? unknown('it has no parameters'));
    }
    case 'named_parameters':
    case 'named_buffers': {
      const found = joinAll(
        run,
        tensorsOf(run, object, 0).map(([, value]) => value),
      );
      return iteratorOf(run, [], tupleOf([unknown('the name is not known'), found ?? unknown('it has no parameters')]));
    }
    case 'children':
    case 'named_children': {
      const held = namedChildren(run, object);
      if (held)
        return iteratorOf(
          run,
          held.map(([key, value]) => (method === 'children' ? value : tupleOf([key, value]))),
          null,
        );
      return method === 'children'
        ? iteratorOf(run, [], unknown('which module it is, is not known'))
        : iteratorOf(run, [], tupleOf([unknown('the name is not known'), unknown('which module it is, is not known')]));
    }
    case 'modules':
      return iteratorOf(run, [], unknown('which module it is, is not known'));
    case 'named_modules':
      return iteratorOf(
        run,
        [],
        tupleOf([unknown('the name is not known'), unknown('which module it is, is not known')]),
      );
    case 'to':
    case 'cuda':
    case 'cpu':
    case 'half':
    case 'float':
    case 'double':
    case 'bfloat16':
    case 'eval':
    case 'train':
    case 'apply':
    case 'requires_grad_':
    case 'type':
    case 'compile': {
      const dtype = convertsTo(
        method,
        args.items.slice(1).map((item) => settled(run, item)),
        args.keywords,
        act.file.text.slice(act.base + place.node.start, act.base + place.node.end),
      );
      if (method === 'requires_grad_' || method === 'apply') run.frozen = true;
      if (dtype !== undefined) convertModule(run, self.ref, dtype);
      const format = args.keywords.get('memory_format');
      if (format?.kind === 'memory-format' && format.value !== 'preserve_format')
        formatModule(run, self.ref, format.value);
      return self;
    }
    default:
      return unknown(`\`${method}\` of a module is not followed`);
  }
}

/** The tensors that a module and its submodules hold. */
function tensorsOf(run: Run, object: Instance, depth: number): [string, Value][] {
  if (depth > 3) return [];
  return [...object.attributes].flatMap(([name, value]): [string, Value][] => {
    if (value.kind === 'tensor') return [[name, { ...value, id: nextId(run) }]];
    const inner = value.kind === 'ref' ? heapRead(run, value.ref) : undefined;
    return inner?.object === 'instance' ? tensorsOf(run, inner, depth + 1) : [];
  });
}
