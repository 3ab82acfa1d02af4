import { construct, forward, type ModuleEntry, rankDemandedBy } from '../../../engine/modules/index.ts';
import { MODULES } from '../../../engine/modules/registry.ts';
import type { OpContext, Outcome } from '../../../engine/ops/index.ts';
import { type Fault, isFault, unsure } from '../../../engine/tensor/index.ts';
import { boolValue, NONE, type Value } from '../../../engine/values/value.ts';
import { argumentsOf, entryOf, tensorOf } from '../../modules/instance.ts';
import { type ModuleQuestion, moduleQuestions } from '../../modules/samples.ts';
import type { Filling, Form, Given, Slot, Subject } from './subject.ts';

/** Every class of `engine/modules`, made and called at once: sizes of the constructor and of the inputs go together. */
export function modules(): readonly Subject[] {
  const questions = moduleQuestions();
  return MODULES.flat().map((entry) => ({
    name: entry.name,
    forms: questions.filter((question) => entryOf(question) === entry).map((question) => formOf(entry, question)),
    optional: [],
    takesOut: false,
    call: (given, context) => called(entry, given, context),
  }));
}

/** How slots are named that are no inputs: the mode, and the arguments of the constructor. */
const MODE = ['%training', '%grad'] as const;
const MADE = '%made ';

function formOf({ signature }: ModuleEntry, { training, grad, construction, inputs, keywords }: ModuleQuestion): Form {
  const made = argumentsOf(construction);
  const positional = signature.parameters.filter(({ keywordOnly }) => !keywordOnly);
  const typesOf = (name: string) => signature.parameters.find((parameter) => parameter.name === name)?.types ?? ['any'];
  const value = (given: Value): Filling => ({ is: 'value', value: given });
  const head: readonly Slot[] = [
    slotOf(MODE[0], ['any'], value(boolValue(training))),
    slotOf(MODE[1], ['any'], value(boolValue(grad))),
    ...made.args.map((given, at) => {
      const name = positional[at]?.name ?? `${at}`;
      return slotOf(`${MADE}${at}`, typesOf(name), value(given));
    }),
    ...[...made.keywords].map(([name, given]) => slotOf(`${MADE}${name}`, typesOf(name), value(given))),
  ];
  const filled = (input: ModuleQuestion['inputs'][number]): Filling =>
    input.is === 'again' ? { is: 'again', slot: head.length + input.input } : input;
  return [
    ...head,
    ...inputs.map((input): Slot => ({ keyword: null, name: '', types: ['Tensor'], filling: filled(input) })),
    ...Object.entries(keywords).map(([name, input]) => slotOf(name, ['Tensor'], filled(input))),
  ];
}

const slotOf = (keyword: string, types: readonly string[], filling: Filling): Slot => ({
  keyword,
  name: keyword,
  types,
  filling,
});

function called(entry: ModuleEntry, { args, keywords }: Given, context: OpContext): Outcome {
  const mode = MODE.map((name) => keywords.get(name));
  const [training, grad] = mode.map((flag) => (flag?.kind === 'bool' ? flag.value : undefined));
  const here: OpContext = { ...context, training, grad };
  const made = [...keywords].filter(([name]) => name.startsWith(MADE));
  const named = made.map(([name, value]) => [name.slice(MADE.length), value] as const);
  const construction = construct(
    entry,
    named.filter(([name]) => /^\d/.test(name)).map(([, value]) => value),
    new Map(named.filter(([name]) => !/^\d/.test(name))),
    here,
  );
  if (isFault(construction)) return failed(construction);
  const attributes = new Map(construction.attributes);
  let id = PARAMETER;
  for (const { name, shape, dtype, buffer } of construction.parameters)
    attributes.set(
      name,
      tensorOf(shape, dtype, !buffer, () => id++),
    );
  if (rankDemandedBy(entry, attributes, args).length > 0) return failed(unsure('the rank is not known'));
  const inputs = new Map([...keywords].filter(([name]) => !name.startsWith('%')));
  return forward(entry, attributes, args.length === 0 ? [NONE] : args, inputs, here);
}

/** No input has such an identity. */
const PARAMETER = 5000;

const failed = (fault: Fault): Outcome => ({ result: fault, guards: [], writes: [], demands: [] });
