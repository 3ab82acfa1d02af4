/**
 * The Python syntax tree that the engine works on: the names and shapes of CPython's `ast` module.
 *
 * Positions are offsets in UTF-16 units. Inside a function they are relative to the start of that function (its `def`,
 * or the `async` before it), so that an edit above a function leaves its tree unchanged; at module and class level they
 * are relative to the file. A `FunctionDef` itself is placed in the frame of what encloses it.
 */
export interface Node {
  readonly start: number;
  readonly end: number;
}

// ---- expressions ----------------------------------------------------------------------------------

export type Expression =
  | Name
  | Constant
  | JoinedStr
  | Attribute
  | Subscript
  | Slice
  | Call
  | BinOp
  | UnaryOp
  | BoolOp
  | Compare
  | IfExp
  | Lambda
  | Tuple
  | List
  | SetDisplay
  | Dict
  | Comprehension
  | Starred
  | NamedExpr
  | Await
  | Yield
  | BadExpression;

export interface Name extends Node {
  readonly kind: 'Name';
  readonly id: string;
}

/** `value` is null for None, and undefined for `...`. `literal` tells ints (possibly too large) from floats. */
export interface Constant extends Node {
  readonly kind: 'Constant';
  readonly literal: 'int' | 'float' | 'complex' | 'str' | 'bytes' | 'bool' | 'none' | 'ellipsis';
  readonly value: number | string | boolean | null | undefined;
}

/** An f-string: literal text and embedded expressions in order. */
export interface JoinedStr extends Node {
  readonly kind: 'JoinedStr';
  readonly values: readonly (string | Expression)[];
}

export interface Attribute extends Node {
  readonly kind: 'Attribute';
  readonly value: Expression;
  readonly attr: string;
  /** Where the attribute's own name starts. */
  readonly attrStart: number;
}

export interface Subscript extends Node {
  readonly kind: 'Subscript';
  readonly value: Expression;
  /** `x[a, b]` has a Tuple here, as in Python. */
  readonly slice: Expression;
}

export interface Slice extends Node {
  readonly kind: 'Slice';
  readonly lower: Expression | null;
  readonly upper: Expression | null;
  readonly step: Expression | null;
}

export interface Call extends Node {
  readonly kind: 'Call';
  readonly func: Expression;
  readonly args: readonly Expression[];
  readonly keywords: readonly Keyword[];
}

/** `arg` is null for `**kwargs`. */
export interface Keyword extends Node {
  readonly arg: string | null;
  readonly value: Expression;
}

export type BinaryOperator = '+' | '-' | '*' | '/' | '//' | '%' | '**' | '@' | '&' | '|' | '^' | '<<' | '>>';

export interface BinOp extends Node {
  readonly kind: 'BinOp';
  readonly op: BinaryOperator;
  readonly left: Expression;
  readonly right: Expression;
}

export interface UnaryOp extends Node {
  readonly kind: 'UnaryOp';
  readonly op: '+' | '-' | '~' | 'not';
  readonly operand: Expression;
}

export interface BoolOp extends Node {
  readonly kind: 'BoolOp';
  readonly op: 'and' | 'or';
  readonly values: readonly Expression[];
}

export type ComparisonOperator = '==' | '!=' | '<' | '<=' | '>' | '>=' | 'is' | 'is not' | 'in' | 'not in';

export interface Compare extends Node {
  readonly kind: 'Compare';
  readonly left: Expression;
  readonly ops: readonly ComparisonOperator[];
  readonly comparators: readonly Expression[];
}

export interface IfExp extends Node {
  readonly kind: 'IfExp';
  readonly test: Expression;
  readonly body: Expression;
  readonly orelse: Expression;
}

export interface Lambda extends Node {
  readonly kind: 'Lambda';
  readonly args: Parameters;
  readonly body: Expression;
}

export interface Tuple extends Node {
  readonly kind: 'Tuple';
  readonly elts: readonly Expression[];
}

export interface List extends Node {
  readonly kind: 'List';
  readonly elts: readonly Expression[];
}

export interface SetDisplay extends Node {
  readonly kind: 'Set';
  readonly elts: readonly Expression[];
}

/** A null key is `**value`. */
export interface Dict extends Node {
  readonly kind: 'Dict';
  readonly keys: readonly (Expression | null)[];
  readonly values: readonly Expression[];
}

/** `element` is the key of a dict comprehension, whose value is `value`. */
export interface Comprehension extends Node {
  readonly kind: 'Comprehension';
  readonly form: 'list' | 'set' | 'dict' | 'generator';
  readonly element: Expression;
  readonly value: Expression | null;
  readonly generators: readonly Generator[];
}

export interface Generator {
  readonly target: Expression;
  readonly iter: Expression;
  readonly ifs: readonly Expression[];
}

export interface Starred extends Node {
  readonly kind: 'Starred';
  readonly value: Expression;
}

export interface NamedExpr extends Node {
  readonly kind: 'NamedExpr';
  readonly target: Name;
  readonly value: Expression;
}

export interface Await extends Node {
  readonly kind: 'Await';
  readonly value: Expression;
}

export interface Yield extends Node {
  readonly kind: 'Yield';
  readonly value: Expression | null;
  readonly from: boolean;
}

/** What could not be parsed. It evaluates to an unknown. */
export interface BadExpression extends Node {
  readonly kind: 'BadExpression';
}

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

export interface Parameters {
  readonly positional: readonly Parameter[];
  /** How many of `positional` stand before a `/`. */
  readonly positionalOnly: number;
  readonly vararg: Parameter | null;
  readonly keywordOnly: readonly Parameter[];
  readonly kwarg: Parameter | null;
}

/** Placed in the frame of its own function; `default` and `annotation` are too. */
export interface Parameter extends Node {
  readonly name: string;
  readonly annotation: Expression | null;
  readonly default: Expression | null;
}

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
