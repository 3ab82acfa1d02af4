import type { BinaryOperator, Expression, Keyword, Node, Parameters } from './expression.ts';

/**
 * The Python syntax tree that the engine works on: the names and shapes of CPython's `ast` module.
 *
 * Positions are offsets in UTF-16 units. Inside a function they are relative to the start of that function (its `def`,
 * or the `async` before it), so that an edit above a function leaves its tree unchanged; at module and class level they
 * are relative to the file. A `FunctionDef` itself is placed in the frame of what encloses it.
 */
export type * from './expression.ts';

// ---- statements -----------------------------------------------------------------------------------

export type Statement =
  | FunctionDef
  | ClassDef
  | Return
  | Delete
  | Assign
  | AugAssign
  | AnnAssign
  | For
  | While
  | If
  | With
  | Match
  | Raise
  | Try
  | Assert
  | Import
  | ImportFrom
  | Global
  | ExpressionStatement
  | Pass
  | Break
  | Continue
  | BadStatement;

export type Body = readonly Statement[];

export interface FunctionDef extends Node {
  readonly kind: 'FunctionDef';
  readonly name: string;
  readonly nameStart: number;
  readonly args: Parameters;
  readonly returns: Expression | null;
  /** Placed in the frame of what encloses the function, like the function itself. */
  readonly decorators: readonly Expression[];
  readonly body: Body;
  readonly docstring: string | null;
  readonly isAsync: boolean;
  readonly isGenerator: boolean;
}

export interface ClassDef extends Node {
  readonly kind: 'ClassDef';
  readonly name: string;
  readonly nameStart: number;
  readonly bases: readonly Expression[];
  readonly keywords: readonly Keyword[];
  readonly decorators: readonly Expression[];
  readonly body: Body;
  readonly docstring: string | null;
}

export interface Return extends Node {
  readonly kind: 'Return';
  readonly value: Expression | null;
}

export interface Delete extends Node {
  readonly kind: 'Delete';
  readonly targets: readonly Expression[];
}

export interface Assign extends Node {
  readonly kind: 'Assign';
  /** `a = b = value` has two targets. */
  readonly targets: readonly Expression[];
  readonly value: Expression;
}

export interface AugAssign extends Node {
  readonly kind: 'AugAssign';
  readonly target: Expression;
  readonly op: BinaryOperator;
  readonly value: Expression;
}

export interface AnnAssign extends Node {
  readonly kind: 'AnnAssign';
  readonly target: Expression;
  readonly annotation: Expression;
  readonly value: Expression | null;
}

export interface For extends Node {
  readonly kind: 'For';
  readonly target: Expression;
  readonly iter: Expression;
  readonly body: Body;
  readonly orelse: Body;
}

export interface While extends Node {
  readonly kind: 'While';
  readonly test: Expression;
  readonly body: Body;
  readonly orelse: Body;
}

export interface If extends Node {
  readonly kind: 'If';
  readonly test: Expression;
  readonly body: Body;
  /** `elif` is an If alone in here, as in Python. */
  readonly orelse: Body;
}

export interface With extends Node {
  readonly kind: 'With';
  readonly items: readonly WithItem[];
  readonly body: Body;
}

export interface WithItem {
  readonly context: Expression;
  readonly target: Expression | null;
}

export interface Match extends Node {
  readonly kind: 'Match';
  readonly subject: Expression;
  readonly cases: readonly MatchCase[];
}

/** `names` are all names that the pattern binds; `literal` is set where the whole pattern is one literal or dotted name. */
export interface MatchCase {
  readonly names: readonly string[];
  readonly literal: Expression | null;
  readonly irrefutable: boolean;
  readonly guard: Expression | null;
  readonly body: Body;
}

export interface Raise extends Node {
  readonly kind: 'Raise';
  readonly exception: Expression | null;
}

export interface Try extends Node {
  readonly kind: 'Try';
  readonly body: Body;
  readonly handlers: readonly ExceptHandler[];
  readonly orelse: Body;
  readonly finalbody: Body;
}

export interface ExceptHandler {
  readonly type: Expression | null;
  readonly name: string | null;
  readonly body: Body;
}

export interface Assert extends Node {
  readonly kind: 'Assert';
  readonly test: Expression;
  readonly message: Expression | null;
}

export interface Import extends Node {
  readonly kind: 'Import';
  readonly names: readonly Alias[];
}

/** `module` has no leading dots; `level` counts them. `names` is `[{ name: '*', asname: null }]` for a star import. */
export interface ImportFrom extends Node {
  readonly kind: 'ImportFrom';
  readonly module: string;
  readonly level: number;
  readonly names: readonly Alias[];
}

export interface Alias {
  readonly name: string;
  readonly asname: string | null;
}

/** `global` and `nonlocal`. */
export interface Global extends Node {
  readonly kind: 'Global';
  readonly nonlocal: boolean;
  readonly names: readonly string[];
}

export interface ExpressionStatement extends Node {
  readonly kind: 'Expr';
  readonly value: Expression;
}

export interface Pass extends Node {
  readonly kind: 'Pass';
}

export interface Break extends Node {
  readonly kind: 'Break';
}

export interface Continue extends Node {
  readonly kind: 'Continue';
}

/** A line that could not be parsed: it costs that line. */
export interface BadStatement extends Node {
  readonly kind: 'BadStatement';
}

// ---- files ----------------------------------------------------------------------------------------

/** A comment, without its `#`, placed in the frame of the file; `line` is 0-based. */
export interface Comment extends Node {
  readonly text: string;
  readonly line: number;
  /** Nothing but white space stands before it on its line. */
  readonly ownLine: boolean;
}

export interface SyntaxProblem extends Node {
  readonly message: string;
}

export interface Module {
  readonly body: Body;
  readonly docstring: string | null;
  readonly comments: readonly Comment[];
  readonly problems: readonly SyntaxProblem[];
}
