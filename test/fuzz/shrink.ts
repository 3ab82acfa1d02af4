/** Makes a failing program small: fewer statements, plainer tensors, smaller numbers. */
import { type Program, readsOf, type Statement, targetOf } from './statement.ts';

/** Which of the programs still fail as the first one did. */
export type StillFails = (programs: readonly Program[]) => Promise<readonly boolean[]>;

const MOST_ROUNDS = 80;

export async function shrink(program: Program, stillFails: StillFails): Promise<Program> {
  let smallest = program;
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const candidates = smaller(smallest);
    const verdicts = await stillFails(candidates);
    const better = candidates.find((_, index) => verdicts[index]);
    if (better === undefined) return smallest;
    smallest = better;
  }
  return smallest;
}

/** Programs that are one step smaller, the largest step first. */
export function smaller(program: Program): Program[] {
  const texts = new Set([textOf(program)]);
  return [...withoutStatements(program), ...plainer(program), ...smallerNumbers(program)].filter((candidate) => {
    const text = textOf(candidate);
    if (candidate.length === 0 || texts.has(text)) return false;
    texts.add(text);
    return true;
  });
}

const textOf = (program: Program): string => program.map(({ text }) => text).join('\n');

/** Of every statement what it needs, and the program without each statement and what reads it. */
function withoutStatements(program: Program): Program[] {
  const slices = program.map((_, at) => needed(program, at));
  return [...slices, ...program.map((_, at) => without(program, at))].filter(({ length }) => length < program.length);
}

/** A statement and those before it that its names come from. */
function needed(program: Program, at: number): Program {
  const names = new Set<string>();
  const kept: Statement[] = [];
  for (const statement of program.slice(0, at + 1).reverse()) {
    const target = targetOf(statement);
    if (kept.length > 0 && (target === null || !names.has(target))) continue;
    for (const name of readsOf(statement)) names.add(name);
    kept.unshift(statement);
  }
  return kept;
}

function without(program: Program, at: number): Program {
  const gone = new Set<string>();
  return program.filter((statement, index) => {
    const drops = index === at || [...readsOf(statement)].some((name) => gone.has(name));
    const target = targetOf(statement);
    if (drops && target !== null) gone.add(target);
    return !drops;
  });
}

/** The last method or subscript, the last argument, a dtype left out; a variable put for another. */
function plainer(program: Program): Program[] {
  return program.flatMap((statement, at) => {
    const { text, fresh } = statement;
    const shorter = [
      ...(fresh ? [text.replace(/(?<=\))(?:\.\w+\([^()]*(?:\([^()]*\)[^()]*)*\)|\[[^[\]]*\])$/, '')] : []),
      text.replace(/, dtype=torch\.\w+/, ''),
      text.replace(/torch\.(?:ones|zeros)\(/, 'torch.rand('),
      text.replace(/, [^,()[\]]+(?=[)\]]$)/, ''),
      text.replace(/, \w+=[^,()]+(?=[,)])/, ''),
      text.replace(/(?<=[[(])[^,()[\]]+, /, ''),
    ];
    return shorter
      .filter((other) => other !== text)
      .map((other) => replaced(program, at, { ...statement, text: other }));
  });
}

/** A number smaller everywhere, and smaller in one place. */
function smallerNumbers(program: Program): Program[] {
  const numbers = new Set(program.flatMap(({ text }) => (text.match(NUMBER) ?? []).map(Number)));
  const everywhere = [...numbers]
    .sort((a, b) => b - a)
    .flatMap((n) =>
      less(n).map((m) =>
        program.map((statement) => ({ ...statement, text: inNumbers(statement.text, (k) => (k === n ? m : k)) })),
      ),
    );
  const once = program.flatMap((statement, at) =>
    [...statement.text.matchAll(NUMBER)].flatMap(({ index, 0: digits }) =>
      less(Number(digits)).map((m) => {
        const text = `${statement.text.slice(0, index)}${m}${statement.text.slice(index + digits.length)}`;
        return replaced(program, at, { ...statement, text });
      }),
    ),
  );
  return [...everywhere, ...once];
}

const NUMBER = /(?<![\w.])\d+(?![\w.])/g;

const less = (n: number): number[] => (n > 3 ? [2, 3, n - 1] : n > 1 ? [n - 1] : []);

const inNumbers = (text: string, other: (n: number) => number): string =>
  text.replace(NUMBER, (digits) => `${other(Number(digits))}`);

const replaced = (program: Program, at: number, statement: Statement): Program =>
  program.map((known, index) => (index === at ? statement : known));
