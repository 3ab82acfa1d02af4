import { decide } from '../../symbols/index.ts';
import { isContiguous } from '../../tensor/index.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import type { Unknown, Value } from '../../values/value.ts';
import { sameValue } from '../state/join.ts';
import { heapRead, hintOf, namedUnknown, newStorage, nextId, type Run } from '../state/run.ts';
import { settled } from '../state/settled.ts';

/** What code names the class or function that makes its normalizations, activations and dropouts. */
const MAKER = /^(norm|act|activation|norm_act|gate|drop|drop_path)_(layer|layer_cl|block)$/;
const NORM = /^norm_/;
const MADE = '(…)';

/** What code names the class of an activation, where it stands for the function itself too: `scale_activation()`. */
const ACTIVATION = /^(\w+_)?(act|activation|nonlinearity)(_fn|_cls|_class|_type)?$/;

/** What a class that is not known makes where it goes by the name of a layer that keeps sizes: `norm_layer(dim)`. */
export function madeByName(run: Run, maker: string, args: readonly Value[]): Unknown | null {
  const makes = MAKER.test(maker) || (ACTIVATION.test(maker) && args.length === 0);
  if (!makes || args.some(({ kind }) => kind === 'tensor')) return null;
  return namedUnknown(run, `${maker}${MADE}`, `which \`${maker}\` it is, is not known`);
}

/** Whether a value is such a layer. */
export const isLayer = (value: Value): value is Unknown & { readonly symbol: string } =>
  value.kind === 'unknown' && value.symbol !== undefined && hintOf(value.symbol).endsWith(MADE);

/**
 * What such a layer gives: the sizes that it gets. An activation or a dropout writes what is contiguous contiguously, and so
 * do normalizations but those of images, which may turn them to have the channels last.
 */
export function throughLayer(run: Run, layer: Unknown & { readonly symbol: string }, input: Tensor): Tensor {
  const { layout } = input;
  const turns = NORM.test(hintOf(layer.symbol)) && (layout.front || layout.shape.length > 3);
  const stride = !turns && isContiguous(layout, decide(run.layer.facts)) === true ? layout.stride : null;
  return {
    ...input,
    id: nextId(run),
    layout: { ...layout, stride, offset: null },
    dtype: null,
    requiresGrad: null,
    graph: null,
    storage: newStorage(run, null, { is: 'unknown' }),
    elements: null,
  };
}

/** A layer of torch that is made with further arguments is a layer of that class: `partial(nn.BatchNorm2d, eps=1e-3)`. */
export function withoutPartial(run: Run, value: Value): Value {
  if (value.kind === 'either') {
    const [first, ...others] = value.options.map((option) => withoutPartial(run, settled(run, option)));
    return first && others.every((other) => sameValue(first, other)) ? first : value;
  }
  const object = value.kind === 'ref' ? heapRead(run, value.ref) : undefined;
  const called = object?.object === 'instance' ? object.attributes.get('__call__') : undefined;
  if (object?.object !== 'instance' || called?.kind !== 'torch') return value;
  const made = settled(run, object.attributes.get('func') ?? value);
  return made.kind === 'torch' ? made : value;
}
