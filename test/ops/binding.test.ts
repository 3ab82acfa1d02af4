import { describe, expect, it } from 'vitest';
import { callOp, entries, findOp, type OpContext, rankDemanded } from '../../engine/ops/index.ts';
import { formatInt, int, NO_FACTS, type SymInt, symbol } from '../../engine/symbols/index.ts';
import { contiguous, isFault, type Layout, type Tensor, withFront } from '../../engine/tensor/index.ts';
import { intValue, NONE, tupleOf, unknown, type Value } from '../../engine/values/value.ts';

const context: OpContext = {
  facts: NO_FACTS,
  fresh: (hint) => symbol(`?${hint}`),
  training: true,
  grad: true,
  torch: [2, 13],
};

let ids = 0;

const tensor = (layout: Layout): Tensor => ({
  kind: 'tensor',
  id: ids++,
  layout,
  dtype: 'float32',
  device: 'cpu',
  requiresGrad: false,
  storage: { id: ids++, nbytes: null, origin: { is: 'fresh', op: 'sample' } },
  assumes: [],
  elements: null,
});

const x = tensor(contiguous([int(2), int(3), int(4)]));
const number = (value: number | SymInt): Value => intValue(typeof value === 'number' ? int(value) : value);

/** The shape that a call makes, in Python's words, or why there is none. */
function called(name: string, args: readonly Value[], keywords: Readonly<Record<string, Value>> = {}): string {
  const op = findOp(name);
  if (op === null) return 'no such op';
  const { result } = callOp(op, args, new Map(Object.entries(keywords)), context);
  if (isFault(result)) return result.fault;
  const layout = 'layout' in result ? result.layout : result.is === 'same' ? result.of.layout : null;
  return layout === null ? result.is : layout.shape.map((size) => formatInt(size, (id) => id)).join(' ');
}

describe('arguments', () => {
  it('stand without brackets where sizes are all there is', () => {
    expect(called('torch.Tensor.view', [x, number(6), number(4)])).toBe('6 4');
    expect(called('torch.Tensor.view', [x, tupleOf([number(6), number(4)])])).toBe('6 4');
    expect(called('torch.Tensor.permute', [x, number(2), number(0), number(1)])).toBe('4 2 3');
    expect(called('torch.zeros', [number(2), number(3)])).toBe('2 3');
  });

  it('need brackets where the function takes the tensor too', () => {
    expect(called('torch.permute', [x, number(2), number(0), number(1)])).toBe('raises');
    expect(called('torch.permute', [x, tupleOf([number(2), number(0), number(1)])])).toBe('4 2 3');
  });

  it('come by keyword, also by the names that NumPy gives them', () => {
    expect(called('torch.transpose', [], { input: x, dim0: number(0), dim1: number(2) })).toBe('4 3 2');
    expect(called('torch.Tensor.unbind', [x], { axis: number(0) })).toBe('tuple');
    expect(called('torch.Tensor.transpose', [x, number(0)], { dim: number(1) })).toBe('raises');
  });

  it('choose the overload', () => {
    expect(called('torch.Tensor.view', [x, { kind: 'dtype', value: 'int32' }])).toBe('2 3 4');
    expect(called('torch.split', [x, number(2), number(1)])).toBe('tuple');
    expect(called('torch.where', [x, x, x])).toBe('raises');
  });

  it('of the wrong kind or number raise', () => {
    expect(called('torch.Tensor.transpose', [x, number(0)])).toBe('raises');
    expect(called('torch.Tensor.transpose', [x, NONE, number(0)])).toBe('raises');
    expect(called('torch.Tensor.transpose', [x, number(0), number(1), number(2)])).toBe('raises');
  });
});

describe('an unknown argument', () => {
  it('that is a size makes that size unknown and no more, or is told by the others', () => {
    expect(called('torch.zeros', [number(2), unknown('it is read from a file')])).toBe('2 ?size');
    expect(called('torch.Tensor.view', [x, unknown('it is read from a file'), number(4)])).toBe('6 4');
  });

  it('that is a dim makes the result unknown', () => {
    expect(called('torch.Tensor.transpose', [x, unknown('it is read from a file'), number(0)])).toBe('unsure');
  });

  it('that changes nothing is not looked at', () => {
    expect(called('torch.Tensor.masked_fill', [x, { ...x, dtype: 'bool' }, unknown('it is computed')])).toBe('2 3 4');
    expect(called('torch.zeros', [number(2)], { device: unknown('it is an argument') })).toBe('2');
  });
});

it('demands a rank of a tensor that has none', () => {
  const op = findOp('torch.Tensor.permute');
  const front = tensor(withFront(contiguous([symbol('front'), symbol('C')])));
  const dims = [number(0), number(2), number(3), number(1)];
  expect(op && rankDemanded(op, [front, ...dims], new Map())).toEqual([{ argument: front, ndim: 4 }]);
});

it('has one entry for each signature of a name', () => {
  const seen = new Set<string>();
  const twice: string[] = [];
  for (const { names, signature } of entries())
    for (const name of names) {
      const key = `${name} ${signature.text.slice(signature.text.indexOf('('))}`;
      if (seen.has(key)) twice.push(key);
      seen.add(key);
    }
  expect(twice).toEqual([]);
});
