import { type DType, type Fault, isComplex, isIntegralOrBool, raises } from '../tensor/index.ts';

/** Whether a function rejects a dtype. */
export type Rejects = (dtype: DType) => boolean;

export const noBool: Rejects = (dtype) => dtype === 'bool';
export const noComplex: Rejects = (dtype) => isComplex(dtype);
export const onlyIntegral: Rejects = (dtype) => !isIntegralOrBool(dtype);

/** The refusal of a known dtype by the function `name`; nothing is told of one that is not known. */
export const refused = (name: string, dtype: DType | null, rejects: Rejects | undefined): Fault | null =>
  dtype !== null && rejects?.(dtype)
    ? raises({ is: 'argument', name: 'self', got: dtype, expects: `a dtype that ${name} has` })
    : null;
