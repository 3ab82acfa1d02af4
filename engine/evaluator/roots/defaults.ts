import type { OpResult } from '../../ops/outcome.ts';
import { complexOf, type DType, isComplex, isFloat } from '../../tensor/index.ts';
import { NONE, unknown, type Value } from '../../values/value.ts';
import { arg, type Builtin } from '../calls/builtin-values.ts';
import type { Run } from '../state/run.ts';
import { tensorsOf } from '../torch/torch-results.ts';

/** Calls that set the default dtype, by their text. */
const SETS_DTYPE = /\bset_default_(dtype|tensor_type)\s*\(/g;
const SETS_DEVICE = /\bset_default_device\s*\(/g;

/** `torch.set_default_dtype`: for all that runs after it; null, where that hangs on a branch. */
const setDefaultDType: Builtin = (run, _, args) => {
  const value = arg(run, args, 0);
  run.defaultDType = certainly(run) && value.kind === 'dtype' ? value.value : null;
  run.defaultsSet++;
  return NONE;
};

const setDefaultDevice: Builtin = (run, _, args) => {
  const value = arg(run, args, 0);
  run.defaultDevice = certainly(run) ? deviceType(value) : null;
  run.defaultsSet++;
  return NONE;
};

export const defaults: Readonly<Record<string, Builtin>> = {
  'torch.get_default_dtype': (run) =>
    run.defaultDType === null ? unknown('the default dtype is not known') : { kind: 'dtype', value: run.defaultDType },
  'torch.set_default_dtype': setDefaultDType,
  'torch.set_default_tensor_type': setDefaultDType,
  'torch.set_default_device': setDefaultDevice,
  'torch.get_default_device': (run) => ({ kind: 'device', value: run.defaultDevice }),
};

const certainly = (run: Run): boolean => run.stack.every(({ conditional, loops }) => conditional === 0 && loops === 0);

const deviceType = (value: Value): string | null =>
  value.kind === 'str' || value.kind === 'device' ? value.value : null;

/** What functions find when they are called: what the top level set, unless something else sets it too. */
export function settleDefaults(run: Run, text: string): void {
  const [dtypes, devices] = [SETS_DTYPE, SETS_DEVICE].map((pattern) => text.match(pattern)?.length ?? 0);
  if ((dtypes ?? 0) + (devices ?? 0) === run.defaultsSet) return;
  if (dtypes) run.defaultDType = null;
  if (devices) run.defaultDevice = null;
}

/**
 * A result with the defaults of the program. Ops know the usual ones, float32 on the CPU: a result is of the default dtype
 * where nothing that went in is a floating tensor or a dtype, and on the default device where nothing says another.
 */
export function withDefaults(run: Run, result: OpResult, args: readonly Value[]): OpResult {
  if (run.defaultDType === 'float32' && run.defaultDevice === 'cpu') return result;
  if ('items' in result) return { ...result, items: result.items.map((item) => withDefaults(run, item, args)) };
  if (result.is !== 'fresh') return result;
  const dtypes = tensorsOf(args).map(({ dtype }) => dtype);
  const floats = dtypes.some((dtype) => dtype === null || isFloat(dtype) || isComplex(dtype));
  const saysDType = floats || args.some(({ kind }) => kind === 'dtype');
  const saysDevice = args.some((value) => value.kind === 'device' || (value.kind === 'str' && value.value === 'cpu'));
  return {
    ...result,
    dtype: saysDType ? result.dtype : byDefault(result.dtype, run.defaultDType),
    ...(result.device !== 'cpu' || saysDevice ? {} : { device: run.defaultDevice }),
  };
}

/** The dtype that a result has by default where it would usually have this one. */
export function byDefault(usual: DType | null, dtype: DType | null): DType | null {
  if (usual === 'float32') return dtype;
  return usual === 'complex64' ? dtype && complexOf(dtype) : usual;
}
