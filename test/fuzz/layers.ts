/** Modules: constructed and called as in their samples, with other inputs. */
import { moduleQuestions } from '../modules/samples.ts';
import { argumentWriter, type Bind } from './calls.ts';
import type { Chance } from './chance.ts';
import type { Readable } from './statement.ts';

const QUESTIONS = moduleQuestions().filter(({ grad }) => grad);

export function anyLayer(
  chance: Chance,
  readables: readonly Readable[],
  bind: Bind,
): { readonly op: string; readonly layer: string; readonly call: (layer: string) => string } | null {
  const question = chance.oneOf(QUESTIONS);
  if (question === undefined) return null;
  const { construction, training, inputs, keywords } = question;
  const write = argumentWriter(chance, readables, bind);
  const written: string[] = [];
  for (const input of inputs) written.push(input.is === 'again' ? (written[input.input] ?? '') : write(input));
  const named = Object.entries(keywords).map(([name, input]) =>
    input.is === 'again' ? '' : `${name}=${write(input)}`,
  );
  return {
    op: `torch.nn.${construction.slice(0, construction.indexOf('('))}`,
    layer: `nn.${construction}${training ? '' : '.eval()'}`,
    call: (layer) => `${layer}(${[...written, ...named].join(', ')})`,
  };
}
