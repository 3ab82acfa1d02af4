import { int, mul, ONE, type SymInt } from '../../symbols/index.ts';
import { type Fault, isFault, type Layout, type Result, raises, transpose, unsure } from '../../tensor/index.ts';
import { fresh } from './format.ts';
import { agree, type Inquiry } from './inquiry.ts';

export interface Recurrent {
  readonly inputSize: SymInt;
  readonly hiddenSize: SymInt;
  /** Size of the outputs: the projection of an LSTM, else the hidden size. */
  readonly outputSize: SymInt;
  readonly layers: SymInt;
  readonly directions: 1 | 2;
  readonly batchFirst: boolean;
}

export interface RecurrentResult {
  readonly output: Layout;
  /** h_n; c_n has the hidden size in place of the output size. */
  readonly hidden: Layout;
  readonly cell: Layout;
}

/**
 * RNN, LSTM and GRU: the output is contiguous over (time, batch, features), and with batch_first a transposed view of
 * that; the final states are contiguous.
 */
export function recurrent(
  input: Layout,
  states: readonly Layout[],
  given: Recurrent,
  inquiry: Inquiry,
): Result<RecurrentResult> {
  if (input.front) return unsure('the rank of the input is not known');
  const ndim = input.shape.length;
  if (ndim !== 2 && ndim !== 3) return raises({ is: 'rank-differs', what: 'input', expected: '2 or 3', got: ndim });
  const differs = agree(input.shape[ndim - 1] ?? ONE, given.inputSize, `dim ${ndim - 1} of input`, inquiry);
  if (differs !== null) return differs;
  const directions = int(given.directions);
  const features = mul(given.outputSize, directions);
  const depth = mul(given.layers, directions);
  const [first = ONE, second = ONE] = input.shape;
  const batch = ndim === 2 ? [] : [given.batchFirst ? first : second];
  const hidden = fresh([depth, ...batch, given.outputSize]);
  const cell = fresh([depth, ...batch, given.hiddenSize]);
  for (const [index, state] of states.entries()) {
    const wrong = stateAgrees(state, index === 0 ? hidden : cell, index === 0 ? 'h_0' : 'c_0', inquiry);
    if (wrong !== null) return wrong;
  }
  if (ndim === 2) return { output: fresh([first, features]), hidden, cell };
  if (!given.batchFirst) return { output: fresh([first, second, features]), hidden, cell };
  const output = transpose(fresh([second, first, features]), 0, 1);
  return isFault(output) ? output : { output, hidden, cell };
}

/** A state that is given has the sizes of the one that comes out. */
export function stateAgrees(state: Layout, expected: Layout, what: string, inquiry: Inquiry): Fault | null {
  if (state.front || expected.front) return null;
  const ndim = expected.shape.length;
  if (state.shape.length !== ndim)
    return raises({ is: 'rank-differs', what, expected: `${ndim}`, got: state.shape.length });
  for (const [d, size] of state.shape.entries()) {
    const differs = agree(size, expected.shape[d] ?? ONE, `dim ${d} of ${what}`, inquiry);
    if (differs !== null) return differs;
  }
  return null;
}
