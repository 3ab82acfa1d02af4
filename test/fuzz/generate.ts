/** Random programs. What a statement made is looked up in the engine, so that most statements fit the tensors they get. */
import { anyCall } from './calls.ts';
import { chanceOf } from './chance.ts';
import { type Draft, draftOf, knownSizes } from './draft.ts';
import { anyLayer } from './layers.ts';
import type { Predict } from './prediction.ts';
import type { Program, Readable } from './statement.ts';
import { anyKey, anyValue } from './subscripts.ts';
import { anyShape, DTYPES, freshTensor } from './tensors.ts';

/** How many times of a hundred a kind of statement is tried. */
const KINDS: readonly (readonly [number, (draft: Draft) => boolean])[] = [
  [58, call],
  [10, subscript],
  [6, assignment],
  [7, operation],
  [4, attribute],
  [7, layer],
  [5, rearrangement],
  [3, alias],
];

const COMPARISONS = ['<', '==', '!=', '>='] as const;
const ARITHMETIC = ['+', '-', '*', '/', '//', '%', '**', '@', '&', '|', '^', '<<'] as const;

/** The program of a seed: the same for the same engine and libraries. */
export function generate(seed: number, predict: Predict, libraries: readonly string[]): Program {
  const draft = draftOf(chanceOf(seed), predict, libraries);
  const { chance } = draft;
  draft.attempt(() => {
    const dtype = chance.happens(0.7) ? 'float32' : chance.pick(DTYPES);
    draft.bind(freshTensor(chance, anyShape(chance), dtype));
    return true;
  });
  for (let steps = chance.between(1, 8); steps > 0; steps--) if (step(draft) === 'raises') return draft.program();
  lookAtAll(draft);
  return draft.program();
}

/** Adds a statement and the tensors that it needs. What the engine takes for an exception is kept seldom, and ends it. */
function step(draft: Draft): 'raises' | 'runs' {
  const { chance } = draft;
  for (let attempts = 4; attempts > 0; attempts--) {
    let raising = -1;
    const added = draft.attempt(() => {
      if (!anyStatement(draft)) return false;
      raising = draft.predict(draft.program()).findIndex(({ error }) => error !== null);
      return raising < 0 || chance.happens(0.25);
    });
    if (!added) continue;
    if (raising < 0) return 'runs';
    draft.endAt(raising);
    return 'raises';
  }
  return 'runs';
}

function anyStatement(draft: Draft): boolean {
  let at = draft.chance.below(100);
  for (const [share, add] of KINDS) {
    if (at < share) return add(draft);
    at -= share;
  }
  return false;
}

/** The state of all variables at the end. */
function lookAtAll(draft: Draft): void {
  for (const { text } of draft.readables()) if (/^v\d+$/.test(text)) draft.assign(`${text}.detach()`, 'end');
}

function call(draft: Draft): boolean {
  const { chance, assign } = draft;
  const made = anyCall(chance, { ...draft, readables: draft.readables() });
  if (made === null) return false;
  const { op, text, withKeyword, takesOut, returns } = made;
  const out = takesOut && chance.happens(0.2) ? target(draft, text, op) : null;
  const name = assign(out === null ? text : withKeyword(`out=${out}`), op);
  // What is no tensor has no row: it becomes sizes of one.
  const sizes = returns === 'int' || /\.(size|stride|broadcast_shapes)\(/.test(text);
  if (sizes) assign(`torch.zeros(1).expand(${name})`, op);
  if (returns === 'bool') assign(`torch.zeros(2 if ${name} else 3)`, op);
  return true;
}

/** A tensor for a result to go to: of its sizes, empty, or one that stands. */
function target(draft: Draft, text: string, op: string): string | null {
  const { chance, bind } = draft;
  if (chance.happens(0.2)) return bind('torch.empty(0)');
  if (chance.happens(0.2)) return chance.oneOf(draft.readables())?.text ?? null;
  const [made] = draft.predict([...draft.program(), { text: `r = ${text}`, op, fresh: false }]).at(-1)?.tensors ?? [];
  const shape = made?.path === '' ? knownSizes(made.shape) : null;
  return shape && bind(freshTensor(chance, shape, made?.dtype ?? 'float32'));
}

function subscript(draft: Draft): boolean {
  const of = draft.chance.oneOf(draft.readables());
  if (of === undefined) return false;
  draft.assign(`${of.text}[${anyKey(draft.chance, of, draft.bind)}]`, 'getitem');
  return true;
}

function assignment(draft: Draft): boolean {
  const of = draft.chance.oneOf(draft.readables());
  if (of === undefined) return false;
  const key = anyKey(draft.chance, of, draft.bind);
  draft.append(`${of.text}[${key}] = ${anyValue(draft.chance, of, draft.readables(), draft.bind)}`, 'setitem');
  return true;
}

function operation(draft: Draft): boolean {
  const { chance, assign } = draft;
  const left = chance.oneOf(draft.readables());
  if (left === undefined) return false;
  if (chance.happens(0.15)) {
    assign(`${chance.pick(['-', '~', '+'])}${left.text}`, 'unary operator');
    return true;
  }
  const right = chance.happens(0.3) ? chance.pick(['2', '1.5', '0', 'True', '-1', '1j']) : partner(draft, left);
  const arithmetic = chance.pick(ARITHMETIC);
  if (chance.happens(0.25) && /^v\d+$/.test(left.text)) {
    draft.append(`${left.text} ${arithmetic}= ${right}`, `${arithmetic}=`);
    return true;
  }
  const operator = chance.happens(0.25) ? chance.pick(COMPARISONS) : arithmetic;
  const [a, b] = chance.happens(0.15) ? [right, left.text] : [left.text, right];
  assign(`${a} ${operator} ${b}`, operator);
  return true;
}

/** Another operand: one that stands, or a fresh one that broadcasts. */
function partner({ chance, readables, bind }: Draft, of: Readable): string {
  const stood = chance.happens(0.2) ? chance.oneOf(readables()) : undefined;
  if (stood) return stood.text;
  const shape = of.shape.slice(chance.happens(0.2) ? 1 : 0).map((size) => (chance.happens(0.2) ? 1 : size));
  return bind(freshTensor(chance, shape, chance.happens(0.6) ? of.dtype : chance.pick(DTYPES)));
}

function attribute({ chance, readables, assign }: Draft): boolean {
  const of = chance.oneOf(readables());
  if (of === undefined) return false;
  const name = chance.pick(['T', 'mT', 'H', 'mH', 'real', 'imag', 'data']);
  assign(`${of.text}.${name}`, `.${name}`);
  return true;
}

function layer({ chance, readables, bind, assign, libraries }: Draft): boolean {
  const made = anyLayer(chance, { readables: readables(), bind, libraries });
  if (made === null) return false;
  assign(made.call(assign(made.made, made.op)), made.op);
  return true;
}

/** Sizes that fit, which samples cannot know. */
function rearrangement({ chance, readables, assign }: Draft): boolean {
  const of = chance.oneOf(readables());
  if (of === undefined) return false;
  const sizes = otherSizes(of.shape);
  if (chance.happens(0.3) && sizes.length > 0) sizes[chance.below(sizes.length)] = -1;
  const order = chance.shuffled(of.shape.map((_, dim) => dim));
  const expanded = [chance.between(1, 3), ...of.shape];
  const [name, list] = chance.pick([
    ['view', sizes],
    ['reshape', sizes],
    ['permute', order],
    ['expand', expanded],
  ]);
  assign(`${of.text}.${name}(${list.join(', ')})`, `torch.Tensor.${name}`);
  return true;

  function otherSizes(shape: readonly number[]): number[] {
    if (chance.happens(0.3) || shape.length < 2) return chance.shuffled(shape);
    const dim = chance.below(shape.length - 1);
    const merged = [...shape];
    merged.splice(dim, 2, (shape[dim] ?? 1) * (shape[dim + 1] ?? 1));
    return chance.happens(0.2) ? [...merged, 1] : merged;
  }
}

function alias({ chance, readables, assign }: Draft): boolean {
  const of = chance.oneOf(readables());
  if (of === undefined) return false;
  assign(of.text, 'alias');
  return true;
}
