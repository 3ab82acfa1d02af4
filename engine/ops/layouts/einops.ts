import {
  always,
  decide,
  divideExactly,
  floorDiv,
  int,
  learnEqual,
  mod,
  mul,
  ONE,
  product,
  type SymInt,
  simplify,
  ZERO,
} from '../../symbols/index.ts';
import {
  expand,
  isFault,
  type Layout,
  permute,
  type Result,
  raises,
  reshape,
  resolve,
  unsqueeze,
  unsure,
} from '../../tensor/index.ts';
import type { Call } from '../context.ts';
import { type Axis, ELLIPSIS, type Recipe } from '../einops.ts';
import { agree } from './inquiry.ts';
import { reduced } from './reduction.ts';

export interface Transformed {
  readonly layout: Layout;
  readonly how: 'same' | 'view' | 'copy' | 'either';
}

/** Sizes by axis name: the keywords of the call. */
export type Lengths = ReadonlyMap<string, SymInt>;

/** Runs a recipe; both reshapes may copy, and a reduction always does. */
export function transform(layout: Layout, recipe: Recipe, lengths: Lengths, call: Call): Result<Transformed> {
  if (layout.front && !keepsFront(recipe)) return unsure('the rank of the tensor is not known');
  const demanded: (readonly [SymInt, SymInt])[] = [];
  const sizes = axisSizes(layout, recipe, lengths, {
    ...call,
    demand: (left, right) => {
      demanded.push([left, right]);
      call.demand(left, right);
    },
  });
  if (isFault(sizes)) return sizes;
  if (demanded.length === 0) return carriedOut(layout, recipe, sizes, call);
  // What the pattern demands holds from here on: without it the sizes of the axes would not multiply to the dims.
  const facts = demanded.reduce((known, [left, right]) => learnEqual(known, left, right), call.ask.facts);
  const ask = decide(facts);
  const made = carriedOut(resolve(layout, facts), recipe, sizes, { ...call, ask });
  for (const { relation, left, right } of ask.guards)
    if (relation === 'equal') call.ask.equal(left, right);
    else call.ask.less(left, right);
  return made;
}

function carriedOut(
  layout: Layout,
  recipe: Recipe,
  sizes: ReadonlyMap<string, SymInt>,
  call: Call,
): Result<Transformed> {
  const size = (axis: Axis): SymInt => simplify(sizes.get(axis.name) ?? ONE, call.ask.facts);
  let state: Result<Transformed> = { layout, how: 'same' };
  if (recipe.input.some((group) => group.length !== 1)) state = reshaped(state, recipe.axes.map(size), call);
  if (isFault(state)) return state;
  state = permuted(state, recipe.permutation);
  if (isFault(state)) return state;
  if (recipe.reduced > 0) {
    const dims = Array.from({ length: recipe.reduced }, (_, i) => i - recipe.reduced);
    const sum = reduced(state.layout, dims, false);
    if (isFault(sum)) return sum;
    state = { layout: sum, how: 'copy' };
  }
  state = widened(state, recipe, size, call);
  if (isFault(state)) return state;
  if (recipe.output.every((group) => group.length === 1)) return state;
  return reshaped(
    state,
    recipe.output.map((group) => simplify(product(group.map(size)), call.ask.facts)),
    call,
  );
}

/** The ellipsis covers the unknown front, stays first and alone. */
function keepsFront({ input, output, permutation }: Recipe): boolean {
  const alone = (side: Recipe['input']) => side[0]?.length === 1 && side[0][0]?.name === `${ELLIPSIS}0`;
  return alone(input) && alone(output) && permutation[0] === 0;
}

/** The size of every axis, solved dim by dim from the layout and the keywords. */
function axisSizes(layout: Layout, recipe: Recipe, lengths: Lengths, call: Call): Result<ReadonlyMap<string, SymInt>> {
  const sizes = new Map<string, SymInt>(lengths);
  for (const axis of [...recipe.axes, ...recipe.added.map((added) => added.axis)])
    if (axis.length !== null) sizes.set(axis.name, int(axis.length));
  for (const [d, group] of recipe.input.entries()) {
    const length = layout.shape[d] ?? ONE;
    const open = group.filter(({ name }) => !sizes.has(name));
    const known = product(group.flatMap(({ name }) => sizes.get(name) ?? []));
    const [axis, another] = open;
    if (another !== undefined)
      return raises({
        is: 'argument',
        name: 'pattern',
        got: `unknown sizes of ${axis?.name} and ${another.name}`,
        expects: 'at most one',
      });
    if (axis === undefined) {
      const differs = agree(length, known, `dim ${d} of tensor`, call);
      if (differs !== null) return differs;
    } else {
      const solved = solve(length, known, axis, d, call);
      if (isFault(solved)) return solved;
      sizes.set(axis.name, solved);
    }
  }
  const missing = recipe.added.find(({ axis }) => !sizes.has(axis.name));
  if (missing !== undefined)
    return raises({ is: 'argument', name: missing.axis.name, got: 'nothing', expects: 'a size for the new axis' });
  return sizes;
}

function solve(length: SymInt, known: SymInt, axis: Axis, dim: number, call: Call): Result<SymInt> {
  const { facts } = call.ask;
  const exact = divideExactly(length, known, facts);
  if (exact !== null) return exact;
  if (always('equal', mod(length, known), ZERO, facts) === false)
    return raises({
      is: 'argument',
      name: axis.name,
      got: `dim ${dim} of size ${length.constant ?? length.key}`,
      expects: `a multiple of ${known.constant ?? known.key}`,
    });
  const solved = floorDiv(length, known);
  call.demand(length, mul(known, solved));
  return solved;
}

function reshaped({ layout, how }: Transformed, shape: readonly SymInt[], call: Call): Result<Transformed> {
  const made = reshape(layout, shape, call.ask, { front: layout.front, demand: call.demand });
  if (isFault(made)) return made;
  const next = made.copies === undefined ? 'either' : made.copies ? 'copy' : 'view';
  return { layout: made.layout, how: how === 'copy' || next === 'copy' ? 'copy' : how === 'either' ? 'either' : next };
}

/** A permutation that moves nothing is not carried out. */
function permuted(state: Transformed, permutation: readonly number[]): Result<Transformed> {
  if (permutation.every((from, to) => from === to)) return state;
  const { layout } = state;
  const how = state.how === 'same' ? 'view' : state.how;
  if (!layout.front) {
    const moved = permute(layout, permutation);
    return isFault(moved) ? moved : { layout: moved, how };
  }
  const pick = (values: readonly SymInt[]) => permutation.map((from) => values[from] ?? ONE);
  return { layout: { ...layout, shape: pick(layout.shape), stride: layout.stride && pick(layout.stride) }, how };
}

function widened(state: Transformed, recipe: Recipe, size: (axis: Axis) => SymInt, call: Call): Result<Transformed> {
  if (recipe.added.length === 0) return state;
  let { layout } = state;
  if (layout.front) return unsure('the rank of the tensor is not known');
  for (const { at } of recipe.added) {
    const wide = unsqueeze(layout, at);
    if (isFault(wide)) return wide;
    layout = wide;
  }
  const added = new Map(recipe.added.map(({ at, axis }) => [at, size(axis)]));
  const expanded = expand(
    layout,
    layout.shape.map((length, d) => added.get(d) ?? length),
    call.ask,
    { demand: call.demand },
  );
  return isFault(expanded) ? expanded : { layout: expanded, how: state.how === 'same' ? 'view' : state.how };
}
