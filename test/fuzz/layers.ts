/** Modules: constructed and called as in their samples, with other inputs. */
import { className, moduleQuestions } from '../modules/samples.ts';
import { argumentWriter, isInstalled, type Surroundings } from './calls.ts';
import type { Chance } from './chance.ts';

const QUESTIONS = moduleQuestions().filter(({ grad }) => grad);

export interface Layer {
  readonly op: string;
  /** The expression that makes it. */
  readonly made: string;
  readonly call: (layer: string) => string;
}

export function anyLayer(chance: Chance, around: Surroundings): Layer | null {
  const question = chance.oneOf(QUESTIONS.filter((one) => isInstalled(className(one.construction), around.libraries)));
  if (question === undefined) return null;
  const { construction, training, inputs, keywords } = question;
  const write = argumentWriter(chance, around);
  const written: string[] = [];
  for (const input of inputs) written.push(input.is === 'again' ? (written[input.input] ?? '') : write(input));
  const named = Object.entries(keywords).map(([name, input]) =>
    input.is === 'again' ? '' : `${name}=${write(input)}`,
  );
  return {
    op: className(construction),
    // A bare class, also one among the arguments, is of `torch.nn`.
    made: `${construction.replace(/(?<![\w.'])([A-Z]\w*)\(/g, 'nn.$1(')}${training ? '' : '.eval()'}`,
    call: (layer) => `${layer}(${[...written, ...named].join(', ')})`,
  };
}
