/** Where a node stands; ast.ts says in which frame. */
export interface Node {
  readonly start: number;
  readonly end: number;
}

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
  /** Whether a value is written otherwise than `str` writes it: `{i:02d}`, `{name!r}`, `{x=}`. */
  readonly formatted: boolean;
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
