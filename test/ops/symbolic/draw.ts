import type { OpContext } from '../../../engine/ops/index.ts';
import { NO_FACTS, type SymInt, symbol, symbolsOf, ZERO } from '../../../engine/symbols/index.ts';
import { bytesNeeded, isFault, layoutOf, type Tensor } from '../../../engine/tensor/index.ts';
import type { Choices } from './choices.ts';
import { filled } from './fill.ts';
import { forgetting, type Told } from './forget.ts';
import { type Numbers, numberOf } from './numbers.ts';
import type { Sizes } from './sizes.ts';
import { anyStride } from './strides.ts';
import type { Given, Subject } from './subject.ts';
import { varied } from './vary.ts';

/** One call: all that could be known of it, what the engine is told, and numbers that it certainly stands for. */
export interface Draw {
  readonly exact: Given;
  readonly told: Told;
  readonly base: Numbers;
}

let made = 0;

/** Sizes that the engine makes up are no symbols of the draw. */
export const context: OpContext = {
  facts: NO_FACTS,
  fresh: () => symbol(`?${made++}`),
  training: true,
  grad: true,
  torch: [2, 13],
};

export function drawn(subject: Subject, choices: Choices): Draw {
  const { given, sizes } = filled(varied(subject, choices), choices);
  const exact = subject.takesOut && choices.rarely(5) ? withOut(subject, given, sizes, choices) : given;
  return { exact, told: forgetting(exact, choices), base: sizes.base };
}

/** The numbers of a draw with those of the dims that it was not told one by one. */
export function withPacked(numbers: Numbers, { packed }: Told): Numbers {
  const all = new Map(numbers);
  for (const [id, dims] of packed)
    all.set(
      id,
      dims.reduce((product, dim) => product * (numberOf(dim, numbers) ?? 1), 1),
    );
  return all;
}

/** The call with an `out=` that has the shape of the result, or a dim less. */
function withOut(subject: Subject, given: Given, sizes: Sizes, choices: Choices): Given {
  const { result } = subject.call(given, context);
  if (isFault(result) || result.is !== 'fresh') return given;
  const shape = choices.rarely(4) ? result.layout.shape.slice(1) : result.layout.shape;
  if (!shape.every((size) => isNamed(size, sizes))) return given;
  const layout = layoutOf(shape, anyStride(shape, sizes, choices), ZERO);
  const dtype = result.dtype ?? 'float32';
  const out: Tensor = {
    kind: 'tensor',
    id: 1000,
    layout,
    dtype,
    device: 'cpu',
    requiresGrad: false,
    storage: { id: 1001, nbytes: bytesNeeded(layout, dtype), origin: { is: 'fresh', op: 'sample' } },
    assumes: [],
    elements: null,
  };
  return { ...given, keywords: new Map([...given.keywords, ['out', out]]) };
}

const isNamed = (size: SymInt, { base }: Sizes): boolean => [...symbolsOf(size)].every((id) => base.has(id));
