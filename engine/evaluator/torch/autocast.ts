import type { DType } from '../../tensor/dtype.ts';
import { type Autocast, boolValue, NONE, unknown, type Value } from '../../values/value.ts';
import type { Builtin } from '../calls/builtin-values.ts';
import { optionsOf } from '../state/join.ts';
import type { Run } from '../state/run.ts';
import { settled } from '../state/settled.ts';

/** What a region runs in where it does not say (torch/amp/autocast_mode.py, 2.13). */
const DEFAULT: ReadonlyMap<string, DType> = new Map([
  ['cuda', 'float16'],
  ['cpu', 'bfloat16'],
  ['mps', 'float16'],
  ['xpu', 'float16'],
]);

/** `torch.autocast(device_type, dtype, enabled)`, and the older classes that know their device: `(enabled, dtype)`. */
const autocast =
  (device: string | null): Builtin =>
  (run, _, args) => {
    // used as a decorator on a function value it gives the function back
    const [only] = args.items;
    if (only?.kind === 'program') return only;
    const given = (at: number, name: string, otherwise: Value): Value =>
      settled(run, args.items[at] ?? args.keywords.get(name) ?? (args.open ? unknown('') : otherwise));
    const type = device ?? typeOf(given(0, 'device_type', NONE));
    const enabled = given(device === null ? 2 : 0, 'enabled', boolValue(true));
    const dtype = given(1, 'dtype', NONE);
    return { kind: 'autocast', region: region(type, enabled, dtype) };
  };

export const autocasts: Readonly<Record<string, Builtin>> = {
  'torch.autocast': autocast(null),
  'torch.amp.autocast': autocast(null),
  'torch.cuda.amp.autocast': autocast('cuda'),
  'torch.cpu.amp.autocast': autocast('cpu'),
};

function region(device: string | null, enabled: Value, dtype: Value): Autocast {
  const on = enabled.kind === 'bool' ? enabled.value : undefined;
  const low =
    dtype.kind === 'dtype'
      ? dtype.value
      : dtype.kind === 'none' && device !== null
        ? (DEFAULT.get(device) ?? null)
        : null;
  // The CPU knows two, and warns that it does nothing in any other.
  const refused = device === 'cpu' && low !== null && low !== 'bfloat16' && low !== 'float16';
  return { device, on: refused ? false : on, dtype: low };
}

function typeOf(value: Value): string | null {
  const text = value.kind === 'str' || value.kind === 'device' ? value.value : null;
  return text?.split(':')[0] ?? null;
}

/** Enters what a `with` holds that is none of the grad modes. What is no autocast for certain may be one. */
export function enterAutocast(run: Run, context: Value): void {
  const options = optionsOf(context);
  const regions = options.flatMap((option) => (option.kind === 'autocast' ? [option.region] : []));
  if (regions.length === 0) run.autocastOpen = true;
  for (const one of regions) run.autocast = [...run.autocast, options.length === 1 ? one : { ...one, on: undefined }];
}
