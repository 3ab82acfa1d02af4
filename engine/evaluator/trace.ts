import type { OpResult, Write } from '../ops/outcome.ts';
import type { Facts, Guard, Phrase, SymInt } from '../symbols/index.ts';
import type { Expression, FunctionDef, Node } from '../syntax/ast.ts';
import type { Fault } from '../tensor/fault.ts';
import type { Tensor } from '../tensor/tensor.ts';
import type { Value } from '../values/value.ts';

/**
 * What one analysis of one function saw, in order. A function has a generic analysis (`context` null: its parameters are
 * symbols) and one for each kind of call that really stands in the workspace.
 */
export interface FunctionTrace {
  readonly path: string;
  /** Python's qualified name; `<module>` at the top. */
  readonly function: string;
  readonly definition: FunctionDef | null;
  /** Offset in the file of the frame that the nodes' positions are relative to. */
  readonly base: number;
  readonly context: string | null;
  /** It rests on a call that leaves out all that may be left out: what is known then, but other calls do other things. */
  readonly plainCall: boolean;
  /** Where in the function what `self` was configured with begins to tell what it does; null where nowhere. */
  readonly configuredFrom: number | null;
  /** `always`: a call that is made whenever its file is run, no branch stands between. `guarded`: one that somebody expects to fail. */
  readonly happens: 'always' | 'perhaps' | 'guarded';
  /** Whether the function was begun with, or called on the way. */
  readonly place: 'root' | 'call';
  /** A call from another file, of an object that was made there: other files may make others. */
  readonly isFromElsewhere?: boolean;
  /** The kind of the tensors that the parameters are; analyses of one kind look alike from outside. */
  readonly signature: string | null;
  readonly parameters: readonly { readonly name: string; readonly node: Node; readonly value: Value }[];
  readonly events: readonly TraceEvent[];
  /** What held at the end; resolves the sizes in the events. */
  readonly facts: Facts;
  /** The name that this function's source uses for a symbol, or a fresh one that is no identifier of the source. */
  readonly nameOf: (symbol: string) => string;
  /** Numbers that the source has a name for although they are made of others that it has none for: `self.num_patches`. */
  readonly phrases: readonly Phrase[];
  /** The numbers that names of this source stand for, those among them that stand for one throughout. */
  readonly numbers: ReadonlyMap<string, SymInt>;
  /** Whether the function returned normally on some path. */
  readonly returned: Value | null;
}

/** A call of `of` in a certain `context`; `kind` tells what its `self` is. */
export interface CallKind {
  readonly of: string;
  readonly context: string;
  readonly kind: string;
}

export type TraceEvent = OpEvent | StoreEvent | ReadEvent | ReturnEvent | ValueEvent | CallEvent;

/** Where an expression or statement stands, and how it is embedded. */
export interface Site {
  readonly node: Node;
  /** Under `torch.no_grad()` or the like. */
  readonly noGrad: boolean;
  /** Depth of enclosing loops whose body runs more than once. */
  readonly loops: number;
  /** A condition of a branch holds that may be false. */
  readonly conditional: boolean;
}

/** A torch operation, index, operator or module call. */
export interface OpEvent extends Site {
  readonly event: 'op';
  /** The op's canonical name: `reshape`, `add_`, `getitem`, `setitem`, `linear`. */
  readonly op: string;
  /** As the source spells the callee's last name: `flatten`, `+=`, `Flatten`. */
  readonly spelled: string;
  readonly inputs: readonly Tensor[];
  /** All that went in, by position and then by name: the tensors, and the numbers, dtypes and flags. */
  readonly arguments: readonly Value[];
  /** The expression of the first tensor input (`self`), where it has one. */
  readonly self: Expression | null;
  readonly result: OpResult | Fault;
  /** The tensors that came out, in order, with their paths. */
  readonly outputs: readonly { readonly path: string; readonly tensor: Tensor }[];
  /** What came out of one of several calls behind the expression, as of a child of `nn.Sequential`, whose `outputs` are then none. */
  readonly inner?: OpEvent['outputs'];
  readonly guards: readonly Guard[];
  readonly writes: readonly Write[];
  readonly ints: readonly SymInt[];
}

/** A value was kept beyond the statement: `self.a = v`, `xs.append(v)`, `d[k] = v`, a closure, a global. */
export interface StoreEvent extends Site {
  readonly event: 'store';
  readonly into: 'attribute' | 'list' | 'dict' | 'global' | 'closure';
  /** `self.cache`, `feats`: what holds it, as the source says. */
  readonly holder: string;
  readonly value: Value;
  /** The stored expression. */
  readonly expression: Expression;
  /** The holder outlives the function: an attribute, a global, a container that is returned or was passed in. */
  readonly outlives: boolean;
}

/** A name or attribute that holds a tensor was read. */
export interface ReadEvent extends Site {
  readonly event: 'read';
  readonly name: string;
  readonly tensor: Tensor;
}

export interface ReturnEvent extends Site {
  readonly event: 'return';
  readonly value: Value;
}

/** Any other expression that yields tensors (a name binding, a call of a program function). */
export interface ValueEvent extends Site {
  readonly event: 'value';
  readonly value: Value;
  /** `x` in `x = …`, else null. */
  readonly bound: string | null;
  /** The tensors that went into the call. */
  readonly inputs: readonly Tensor[];
  readonly outputs: readonly { readonly path: string; readonly tensor: Tensor }[];
}

/** A call into a library that is no tensor op: `torch.load`, `sys.getsizeof`, `DataLoader`, `torch.autocast`. */
export interface CallEvent extends Site {
  readonly event: 'call';
  /** The callee's qualified name: `torch.load`, `builtins.id`. */
  readonly name: string;
  readonly arguments: readonly Value[];
  readonly keywords: ReadonlyMap<string, Value>;
  /** A `*` or `**` of unknown content stands among the arguments. */
  readonly open: boolean;
  readonly value: Value;
}
