import type { FunctionTrace } from '../evaluator/trace.ts';
import type { TorchVersion } from '../ops/versions.ts';
import type { Expression, Module, Node } from '../syntax/ast.ts';
import { type RuleText, rulePage } from './documentation.ts';
import type { Edit, Severity } from './finding.ts';

/** A file as the rules see it: one analysis, every function of it traced. */
export interface CheckedFile {
  readonly path: string;
  readonly text: string;
  readonly module: Module;
  readonly traces: readonly FunctionTrace[];
  /** The torch that it was analysed for. */
  readonly torch: TorchVersion;
}

/**
 * What a rule has to say about one site. Nodes and edits are placed in the frame of the trace; the runner makes a
 * finding of it, with the rule's name, offsets in the file and the level the user asked for.
 */
export interface Report {
  readonly node: Node;
  readonly message: string;
  /** Where it differs from the rule's own. */
  readonly severity?: Severity;
  readonly related?: readonly { readonly node: Node; readonly message: string }[];
  readonly fixes?: readonly ReportFix[];
  /** Bytes copied or retained, as a Python expression. */
  readonly bytes?: string | null;
  /** The parameters whose assumed contiguity the report rests on. */
  readonly assumes?: readonly string[];
  readonly unnecessary?: boolean;
}

export interface ReportFix {
  readonly title: string;
  readonly safe: boolean;
  readonly edits: readonly Edit[];
}

/** A rule as the world outside sees it: with its whole page, in Markdown. */
export interface RuleInfo extends RuleText {
  readonly documentation: string;
}

export interface Rule extends RuleInfo {
  readonly check: (trace: FunctionTrace, file: CheckedFile) => Iterable<Report>;
}

export function rule(entry: RuleText & Pick<Rule, 'check'>): Rule {
  return Object.freeze({ ...entry, documentation: rulePage(entry) });
}

/** Puts `text` in the place of a stretch of the trace's frame. */
export function replace(start: number, end: number, text: string): Edit {
  return { start, end, text };
}

export function insert(at: number, text: string): Edit {
  return { start: at, end: at, text };
}

/** Whether words stand anywhere in the file, or a line that matches. Rules ask this way, so that it is known what they rest on. */
export function mentions(file: CheckedFile, pattern: string): boolean {
  const answers = mentioned.get(file) ?? new Map<string, boolean>();
  mentioned.set(file, answers);
  const answer = answers.get(pattern) ?? expressionOf(pattern).test(file.text);
  answers.set(pattern, answer);
  notes.get(file)?.add(pattern);
  return answer;
}

/** Made once: an expression that is asked often is asked quickly. */
function expressionOf(pattern: string): RegExp {
  const made = expressions.get(pattern) ?? new RegExp(pattern, 'm');
  expressions.set(pattern, made);
  return made;
}

const expressions = new Map<string, RegExp>();
const mentioned = new WeakMap<CheckedFile, Map<string, boolean>>();
const notes = new WeakMap<CheckedFile, Set<string>>();

/** The patterns that are asked for while `work` goes on. */
export function notingMentions<Result>(file: CheckedFile, work: () => Result): readonly [Result, ReadonlySet<string>] {
  const asked = new Set<string>();
  notes.set(file, asked);
  const result = work();
  notes.delete(file);
  return [result, asked];
}

/** The source of an expression as it stands in the file. */
export function sourceOf(file: CheckedFile, trace: FunctionTrace, node: Node): string {
  return file.text.slice(trace.base + node.start, trace.base + node.end);
}

/** The source of an expression on one line, or null where it is too long to be quoted in a message. */
export function quotable(file: CheckedFile, trace: FunctionTrace, node: Expression | Node): string | null {
  const text = sourceOf(file, trace, node).replace(/\s+/g, ' ').trim();
  return text !== '' && text.length <= 40 && !text.includes('`') ? text : null;
}

/** The same for the middle of a sentence: in backticks, or `otherwise`. */
export function quoted(file: CheckedFile, trace: FunctionTrace, node: Expression | Node, otherwise: string): string {
  const text = quotable(file, trace, node);
  return text === null ? otherwise : `\`${text}\``;
}
