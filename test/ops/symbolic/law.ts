import type { OpResult, Outcome } from '../../../engine/ops/index.ts';
import { symbolsOf } from '../../../engine/symbols/index.ts';
import { type Cause, isFault, type Layout } from '../../../engine/tensor/index.ts';
import { difference } from './agree.ts';
import type { Choices } from './choices.ts';
import { context, type Draw, drawn, withPacked } from './draw.ts';
import { tensorsIn } from './forget.ts';
import { anyNumbers, isClaimedFor, meeting, type Numbers, numbered } from './numbers.ts';
import { showGiven, showNumbers, showOutcome } from './show.ts';
import type { Given, Subject } from './subject.ts';

/** How a draw went, for those who look after the generator. */
export interface Tally {
  draws: number;
  decided: number;
  raised: number;
  unsure: number;
  compared: number;
  outside: number;
}

/** What contradicts the claim of one draw, as text; null where nothing does. */
export function contradiction(subject: Subject, choices: Choices, tally: Tally): string | null {
  const draw = drawn(subject, choices);
  const claim = subject.call(draw.told.given, context);
  tally.draws++;
  if (!isFault(claim.result)) tally.decided++;
  else if (claim.result.fault === 'raises') tally.raised++;
  else {
    tally.unsure++;
    return null;
  }
  if (draw.told.listed && layoutsIn(claim).every(({ front }) => !front)) return null;
  for (const numbers of numberings(draw, claim, choices)) {
    const answered = numbered(draw.exact, numbers);
    if (answered === null || (claim.demands.length > 0 && hasEmpty(answered))) continue;
    if (!isClaimedFor(claim, numbers)) {
      tally.outside++;
      continue;
    }
    const answer = subject.call(answered, context);
    if (isFault(answer.result) && answer.result.fault === 'unsure') continue;
    tally.compared++;
    const found = parted(claim, answer, numbers, answered, draw);
    if (found !== null)
      return [
        `${subject.name}: ${found}`,
        `  ${showGiven(draw.told.given)}`,
        `  claims ${showOutcome(claim)}`,
        `  with ${showNumbers(numbers)}`,
        `  ${showGiven(answered)}`,
        `  is ${showOutcome(answer)}`,
      ].join('\n');
  }
  return null;
}

function* numberings({ base, told }: Draw, { demands }: Outcome, choices: Choices): Generator<Numbers> {
  yield withPacked(base, told);
  for (let i = 0; i < 2; i++) yield withPacked(meeting(demands, anyNumbers(base, choices)), told);
}

function parted(
  claim: Outcome,
  answer: Outcome,
  numbers: Numbers,
  answered: Given,
  { told, exact }: Draw,
): string | null {
  const empty = hasEmpty(answered) || hasZero(exact, numbers) || layoutsIn(answer).some(isEmpty);
  if (isFault(claim.result)) {
    if (isFault(answer.result) || claim.result.fault === 'unsure') return null;
    return empty ? null : 'does not raise';
  }
  if (isFault(answer.result))
    return answer.result.fault === 'unsure' ||
      claim.writes.some(({ overlap }) => overlap === 'unknown') ||
      told.given !== exact ||
      BOUNDS.has(answer.result.cause.is) ||
      layoutsIn(claim).some(({ stride }) => stride === null)
      ? null
      : `raises ${answer.result.cause.is}`;
  return difference(claim, answer, numbers, empty);
}

/** A call that is claimed to succeed may fail for a size that is too small, or for offsets that nobody can compare. */
const BOUNDS: ReadonlySet<Cause['is']> = new Set([
  'index-out-of-range',
  'out-of-storage',
  'argument',
  'partial-overlap',
]);

const hasEmpty = ({ args, keywords }: Given): boolean =>
  tensorsIn([...args, ...keywords.values()]).some(({ layout }) => isEmpty(layout));

/** A size `n + 1` with an n of 0: sizes are taken as made of sizes. */
const hasZero = ({ args, keywords }: Given, numbers: Numbers): boolean =>
  tensorsIn([...args, ...keywords.values()]).some(({ layout: { shape, stride } }) =>
    [...shape, ...(stride ?? [])].some((size) => [...symbolsOf(size)].some((id) => numbers.get(id) === 0)),
  );

const isEmpty = ({ shape }: Layout): boolean => shape.some(({ constant }) => constant === 0);

const layoutsIn = ({ result, writes }: Outcome): readonly Layout[] => [
  ...writes.flatMap(({ region, becomes }) => (becomes === null ? [region] : [region, becomes.layout])),
  ...(isFault(result) ? [] : layoutsOf(result)),
];

function layoutsOf(result: OpResult): readonly Layout[] {
  if ('items' in result) return result.items.flatMap(layoutsOf);
  return 'layout' in result ? [result.layout] : [];
}
