import type { PredictedTensor, Prediction } from './prediction.ts';
import type { Answer, AnsweredTensor, StatementAnswer } from './pytorch.ts';
import type { Program, Statement } from './statement.ts';

/** Where the engine and PyTorch part: what was said, and what is so. */
export interface Contradiction {
  readonly at: number;
  readonly op: string;
  /** The part that differs: `shape`, `stride`, `raises`, … */
  readonly what: string;
  readonly says: string;
  readonly is: string;
}

/** What the engine did not tell: a part of a result, or that a statement raises. */
export interface Silence {
  readonly op: string;
  readonly what: string;
}

export interface Comparison {
  readonly statements: number;
  readonly raises: number;
  readonly told: number;
  readonly contradiction: Contradiction | null;
  readonly silences: readonly Silence[];
}

/** Compares statement by statement, up to the first contradiction or exception. */
export function compare(program: Program, predictions: readonly Prediction[], answer: Answer): Comparison {
  const silences: Silence[] = [];
  const storages: Storages = { pairs: [], unsure: new Set() };
  const objects = new Set<number>();
  let statements = 0;
  for (const [at, statement] of program.entries()) {
    const [said, is] = [predictions[at], answer?.[at]];
    if (said === undefined || is === undefined) break;
    statements++;
    const { op, fresh } = statement;
    if ('raises' in is) {
      if (said.error === null) silences.push({ op, what: `${is.raises}: ${is.message}` });
      return { statements, raises: 1, told: said.error === null ? 0 : 1, contradiction: null, silences };
    }
    const contradiction =
      raisesIndeed(said) ??
      tensorsDiffer(said, is, (what) => silences.push({ op, what })) ??
      (fresh ? null : sharingDiffers(said, is, objects)) ??
      storagesDiffer(said, is, storages);
    for (const { object } of is.tensors) objects.add(object);
    if (contradiction) return { statements, raises: 0, told: 0, contradiction: { at, op, ...contradiction }, silences };
    if (said.tensors === null && is.tensors.length > 0 && !isAlias(statement)) silences.push({ op, what: 'no result' });
  }
  return { statements, raises: 0, told: 0, contradiction: null, silences };
}

/** `v1 = v0` has no row of its own, as it makes nothing. */
const isAlias = ({ text }: Statement): boolean => /^\w+ = [\w[\]]+$/.test(text);

type Difference = Pick<Contradiction, 'what' | 'says' | 'is'> | null;
type Made = Extract<StatementAnswer, { tensors: unknown }>;

/** The storages so far under both names, and those of which the engine does not know whether they are another's. */
interface Storages {
  readonly pairs: { readonly said: string; readonly is: number }[];
  readonly unsure: Set<string>;
}

const raisesIndeed = ({ error }: Prediction): Difference =>
  error === null ? null : { what: 'raises', says: error, is: 'it runs' };

function tensorsDiffer({ tensors }: Prediction, is: Made, silent: (what: string) => void): Difference {
  if (tensors === null || is.tensors.length === 0) return null;
  for (const said of tensors) {
    const actual = is.tensors.find(({ path }) => path === said.path);
    if (actual === undefined) {
      if (said.shape === null) continue;
      return {
        what: 'path',
        says: `a tensor at "${said.path}"`,
        is: is.tensors.map(({ path }) => `"${path}"`).join(', '),
      };
    }
    const difference = tensorDiffers(said, actual, silent);
    if (difference) return difference;
  }
  if (is.tensors.some(({ path }) => !tensors.some((said) => said.path === path))) silent('some tensors of the result');
  return null;
}

function tensorDiffers(said: PredictedTensor, is: AnsweredTensor, silent: (what: string) => void): Difference {
  const differ = (what: string): Difference => ({ what, says: shown(said), is: shown(is) });
  const sizes: readonly (readonly [string, readonly (string | null)[] | null, readonly number[]])[] = [
    ['shape', said.shape, is.shape],
    ['stride', said.stride, is.stride],
    ['offset', said.offset === null ? null : [said.offset], [is.offset]],
  ];
  for (const [what, claimed, actual] of sizes) {
    if (claimed === null) silent(what);
    else if (claimed.length !== actual.length) return differ(what);
    else {
      const known = claimed.map((size) => (size !== null && /^-?\d+$/.test(size) ? Number(size) : null));
      if (known.some((size, d) => size !== null && size !== actual[d])) return differ(what);
      if (known.includes(null)) silent(claimed.includes(null) ? what : `${what} by a symbol`);
    }
  }
  if (said.dtype === null) silent('dtype');
  else if (said.dtype !== is.dtype) return differ('dtype');
  return null;
}

/** Whether the result is an object that stood before, as `same` says and `view` and `copy` deny. */
function sharingDiffers({ tensors, copies }: Prediction, is: Made, objects: ReadonlySet<number>): Difference {
  for (const said of tensors ?? []) {
    const actual = is.tensors.find(({ path }) => path === said.path);
    if (actual === undefined || said.sharing === 'unknown') continue;
    const known = objects.has(actual.object);
    if (known !== (said.sharing === 'same'))
      return { what: 'object', says: `${said.sharing}`, is: known ? 'an object that stood before' : 'a new object' };
    if (copies && known) return { what: 'copy', says: 'copies', is: 'an object that stood before' };
  }
  return null;
}

function storagesDiffer({ tensors }: Prediction, is: Made, { pairs, unsure }: Storages): Difference {
  for (const said of tensors ?? []) {
    const actual = is.tensors.find(({ path }) => path === said.path);
    if (said.sharing === 'unknown') unsure.add(said.storage);
    if (actual === undefined || unsure.has(said.storage)) continue;
    const pair = { said: said.storage, is: actual.storage };
    const other = pairs.find((known) => (known.said === pair.said) !== (known.is === pair.is));
    if (other) {
      const [apart, shared] = ['a storage of its own', 'the storage of an earlier tensor'];
      const together = other.is === pair.is;
      return { what: 'storage', says: together ? apart : shared, is: together ? shared : apart };
    }
    pairs.push(pair);
  }
  return null;
}

interface Shown {
  readonly shape: readonly (string | number | null)[] | null;
  readonly stride: readonly (string | number | null)[] | null;
  readonly offset: string | number | null;
  readonly dtype: string | null;
}

/** As specifications write a tensor. */
export function shown({ shape, stride, offset, dtype }: Shown): string {
  const list = (sizes: Shown['shape']): string => sizes?.map((size) => size ?? '?').join(', ') ?? '?';
  const at = `${offset}` === '0' ? '' : ` offset ${offset ?? '?'}`;
  return `Tensor[${list(shape)}] strides (${list(stride)})${at} ${dtype ?? '?'}`;
}
