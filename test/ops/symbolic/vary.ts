import type { SampleArgument } from '../../../engine/ops/sample.ts';
import type { Parameter } from '../../../engine/ops/signature.ts';
import { int } from '../../../engine/symbols/index.ts';
import { DTYPES, type DType } from '../../../engine/tensor/index.ts';
import { boolValue, intValue, type MemoryFormat, type Value } from '../../../engine/values/value.ts';
import type { Choices } from './choices.ts';
import type { Filling, Form, Slot, Subject } from './subject.ts';

type Shaped = Extract<SampleArgument, { is: 'tensor' }>;

/** A form of the subject as it stands, or one like it: other sizes, ranks, dtypes, arguments. */
export function varied(subject: Subject, choices: Choices): Form {
  let form = choices.among(subject.forms) ?? [];
  if (choices.rarely(5)) form = withDType(form, choices);
  if (choices.rarely(6)) form = withDim(form, choices);
  if (choices.rarely(6)) form = withSize(form, choices);
  if (choices.rarely(5)) form = withOther(form, subject, choices);
  if (choices.rarely(4)) form = withMore(form, subject, choices);
  return form;
}

const FLOATS: readonly DType[] = ['float64', 'float16', 'bfloat16', 'complex64'];

/** All tensors of one dtype get another, or a single tensor does. */
function withDType(form: Form, choices: Choices): Form {
  const to = choices.rarely(4) ? choices.among(DTYPES) : choices.among(FLOATS);
  const only = choices.rarely(3) ? choices.below(form.length) : -1;
  return onTensors(form, (tensor, slot) =>
    to === undefined || tensor.elements !== null || (only < 0 ? tensor.dtype !== 'float32' : slot !== only)
      ? tensor
      : { ...tensor, dtype: to },
  );
}

/** All tensors of one rank get another dim in the same place. */
function withDim(form: Form, choices: Choices): Form {
  const ranks = tensorsOf(form).map(({ shape }) => shape.length);
  const rank = choices.among(ranks);
  if (rank === undefined) return form;
  const place = choices.below(rank + 1);
  const size = choices.pick(3, 2, 1);
  return onTensors(form, (tensor) =>
    tensor.elements !== null || tensor.shape.length !== rank
      ? tensor
      : { ...tensor, stride: null, shape: [...tensor.shape.slice(0, place), size, ...tensor.shape.slice(place)] },
  );
}

/** A size of one tensor becomes 1, or one size of all tensors becomes 1, 0 or another. */
function withSize(form: Form, choices: Choices): Form {
  const to = choices.pick(1, 1, 1, 0, 7);
  const from = choices.among(tensorsOf(form).flatMap(({ shape }) => shape));
  const only = choices.rarely(2) ? choices.below(form.length) : -1;
  return onTensors(form, (tensor, slot) =>
    tensor.elements !== null || (only >= 0 && slot !== only) || !tensor.shape.includes(from ?? -1)
      ? tensor
      : { ...tensor, stride: null, shape: tensor.shape.map((size) => (size === from ? to : size)) },
  );
}

/** An argument as another form of the subject has it. */
function withOther(form: Form, { forms }: Subject, choices: Choices): Form {
  const at = choices.below(form.length);
  const slot = form[at];
  if (slot === undefined || slot.filling.is !== 'literal') return form;
  const other = choices.among(forms.flatMap((each) => each.filter(({ name }) => name === slot.name)));
  return other === undefined ? form : form.with(at, { ...slot, filling: other.filling });
}

/** An argument that the form leaves out. */
function withMore(form: Form, { forms, optional }: Subject, choices: Choices): Form {
  const given = new Set(form.map(({ name }) => name));
  const parameter = choices.among(optional.filter(({ name }) => !given.has(name)));
  if (parameter === undefined) return form;
  const { name, types } = parameter;
  const elsewhere = choices.among(forms.flatMap((each) => each.filter((slot) => slot.name === name)));
  const filling = elsewhere?.filling ?? anyArgument(parameter, choices);
  return filling === null ? form : [...form, { keyword: name, name, types, filling }];
}

const FORMATS: readonly MemoryFormat[] = ['channels_last', 'contiguous_format', 'preserve_format'];

function anyArgument({ types, default: fallback }: Parameter, choices: Choices): Filling | null {
  const value = (given: Value): Filling => ({ is: 'value', value: given });
  if (types.includes('bool') || fallback === 'False' || fallback === 'True')
    return value(boolValue(fallback !== 'True'));
  if (types.includes('ScalarType')) return value({ kind: 'dtype', value: choices.among(DTYPES) ?? 'int64' });
  if (types.includes('MemoryFormat'))
    return value({ kind: 'memory-format', value: choices.among(FORMATS) ?? 'preserve_format' });
  return types.some((type) => /^(int|SymInt)(\[1\])?$/.test(type))
    ? value(intValue(int(choices.pick(1, 0, -1, 2))))
    : null;
}

const isShaped = (filling: { readonly is: string }): filling is Shaped => filling.is === 'tensor';

function tensorsOf(form: Form): readonly Shaped[] {
  return form.flatMap(({ filling }) =>
    filling.is === 'tensors' ? filling.items.filter(isShaped) : isShaped(filling) ? [filling] : [],
  );
}

function onTensors(form: Form, change: (tensor: Shaped, slot: number) => Shaped): Form {
  return form.map((slot, at): Slot => {
    const { filling } = slot;
    if (isShaped(filling)) return { ...slot, filling: change(filling, at) };
    if (filling.is !== 'tensors') return slot;
    return {
      ...slot,
      filling: { is: 'tensors', items: filling.items.map((item) => (isShaped(item) ? change(item, at) : item)) },
    };
  });
}
