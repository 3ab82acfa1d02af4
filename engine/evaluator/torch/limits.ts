import { int } from '../../symbols/index.ts';
import { floatingLimits, integerLimits } from '../../tensor/index.ts';
import { intValue, unknown, type Value } from '../../values/value.ts';
import type { Builtin } from '../calls/builtin-values.ts';
import { objectWith } from '../state/objects.ts';
import type { Run } from '../state/run.ts';
import { settled } from '../state/settled.ts';

/** `torch.finfo(dtype)`; without a dtype that of the default one. */
const finfo: Builtin = (run, _, args) => {
  const given = args.items[0] ?? args.keywords.get('type');
  const value = given === undefined ? null : settled(run, given);
  const dtype = value === null ? run.defaultDType : value.kind === 'dtype' ? value.value : null;
  const limits = dtype === null ? null : floatingLimits(dtype);
  const float = (number: number | undefined): Value => ({ kind: 'float', value: number ?? null });
  const tiny = float(limits?.tiny);
  return object(run, {
    min: float(limits === null ? undefined : -limits.max),
    max: float(limits?.max),
    eps: float(limits?.eps),
    tiny,
    smallest_normal: tiny,
    resolution: float(undefined),
  });
};

/** `torch.iinfo(dtype)`. The bounds of 64 bits are told by no double. */
const iinfo: Builtin = (run, _, args) => {
  const given = args.items[0] ?? args.keywords.get('type');
  const value = given === undefined ? null : settled(run, given);
  const limits = value?.kind === 'dtype' ? integerLimits(value.value) : null;
  const exact = (number: number | undefined): Value =>
    number === undefined || !Number.isSafeInteger(number)
      ? unknown('the limits of the dtype are not known')
      : intValue(int(number));
  return object(run, { min: exact(limits?.[0]), max: exact(limits?.[1]) });
};

const object = (run: Run, attributes: Readonly<Record<string, Value>>): Value =>
  objectWith(run, new Map(Object.entries(attributes)));

export const limits: Readonly<Record<string, Builtin>> = { 'torch.finfo': finfo, 'torch.iinfo': iinfo };

/** What Python's `float` reads of a text, null where it reads no number. */
export function floatOf(text: string): number | null {
  const [, sign, word] = /^\s*([-+]?)(inf|infinity|nan|[\d.]+(?:e[-+]?\d+)?)\s*$/i.exec(text) ?? [];
  if (word === undefined) return null;
  const size = /^inf/i.test(word) ? Number.POSITIVE_INFINITY : /^nan$/i.test(word) ? Number.NaN : Number(word);
  return sign === '-' ? -size : size;
}
