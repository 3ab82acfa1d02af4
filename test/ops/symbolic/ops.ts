import { callOp, type Entry, entries, findOp, type Outcome, rankDemanded } from '../../../engine/ops/index.ts';
import { readSample, type SampleArgument } from '../../../engine/ops/sample.ts';
import type { Parameter, Signature } from '../../../engine/ops/signature.ts';
import { unsure } from '../../../engine/tensor/index.ts';
import type { Filling, Form, Slot, Subject } from './subject.ts';

/** Every entry of the registry, under each of its names. */
export const ops = (): readonly Subject[] => entries().map(subjectOf);

function subjectOf(entry: Entry): Subject {
  const { signature, names } = entry;
  const [name = ''] = names;
  const forms = formsOf(entry);
  return {
    name: signature.text,
    forms: forms.length > 0 ? forms : plainForms(signature),
    optional: signature.parameters.filter((parameter) => parameter.default !== null),
    takesOut: entry.out !== null,
    call: ({ args, keywords }, context) => {
      const op = findOp(name);
      if (op === null) throw new Error(`no such op: ${name}`);
      // The dims of these are told apart before the call.
      return rankDemanded(op, args, keywords).length > 0 ? RANK_OPEN : callOp(op, args, keywords, context);
    },
  };
}

const RANK_OPEN: Outcome = { result: unsure('the rank is not known'), guards: [], writes: [], demands: [] };

function formsOf({ signature, samples }: Entry): readonly Form[] {
  const positional = signature.parameters.filter((parameter) => !parameter.keywordOnly);
  const last = positional[positional.length - 1];
  return samples
    .map((text) => readSample(signature, text))
    .filter(({ raises }) => !raises)
    .map(({ args, keywords }) => [
      ...args.map((filling, at) => slotOf(positional[at] ?? last, null, filling)),
      ...Object.entries(keywords).map(([keyword, filling]) =>
        slotOf(
          signature.parameters.find(({ name }) => name === keyword),
          keyword,
          filling,
        ),
      ),
    ]);
}

const slotOf = (parameter: Parameter | undefined, keyword: string | null, filling: Filling): Slot => ({
  keyword,
  name: parameter?.name ?? keyword ?? '',
  // Axes by name are all gathered in one parameter.
  types: parameter?.types ?? ['named'],
  filling,
});

/** For an op without samples, whose values no recording can hold: tensors of one shape of any rank, and numbers that fit. */
const plainForms = ({ parameters }: Signature): readonly Form[] =>
  PLAIN.map((shape) =>
    parameters
      .filter((parameter) => parameter.default === null)
      .map((parameter) => slotOf(parameter, null, plainArgument(parameter, shape))),
  );

const PLAIN = [[4, 6, 6], [6], [4, 6], [2, 4, 6, 6], [2, 4, 6, 6, 6]] as const;

function plainArgument({ types }: Parameter, shape: readonly number[]): Filling {
  const tensor: SampleArgument = { is: 'tensor', shape, stride: null, dtype: 'float32', elements: null };
  if (types.includes('Tensor')) return tensor;
  if (types.includes('Tensor[]')) return { is: 'tensors', items: [tensor, tensor] };
  return { is: 'literal', text: '2' };
}
