/** What an editor shows about an expression: facts in the words of the source, still to be laid out. */
export interface Card {
  /** `x`, or the op that the expression is: `transpose`. */
  readonly name: string;
  /** One for a tensor; several, told apart by their paths, for a tuple or list of them. */
  readonly tensors: readonly TensorCard[];
  /** How many more there are than `tensors` holds. */
  readonly more: number;
  /** Why there is nothing to show, and the one thing that would tell it. */
  readonly unknown: { readonly reason: string; readonly advice: string | null } | null;
  /** What PyTorch will say instead of a result. */
  readonly raises: string | null;
  /** The call that these facts are true of; null for the function in general. */
  readonly context: string | null;
}

export interface TensorCard {
  /** `[0]`, `[0][1]`; empty for the value itself. */
  readonly path: string;
  /** Sizes as the source would write them; a leading `...` stands for dims that are not known. Null: nothing is known. */
  readonly shape: readonly string[] | null;
  /** The names in the sizes that stand for formulas, and what those are. */
  readonly names: readonly { readonly name: string; readonly formula: string }[];
  readonly dtype: string | null;
  readonly device: string | null;
  readonly stride: readonly string[] | null;
  readonly offset: string | null;
  /** `contiguous`, or why not: `not contiguous: dims 1 and 2 are swapped`. */
  readonly contiguity: string;
  /** `view of`, `fresh from`, `argument`: how the tensor came to its storage, with the line where that is somewhere else. */
  readonly origin: { readonly how: string; readonly name: string; readonly line: number | null };
  /** Bytes of the whole storage, as an expression. */
  readonly storageBytes: string | null;
  /** Names that live in the same storage just now. */
  readonly sharedBy: readonly string[];
  /** The ops on the way from the storage's first tensor to this one, in their order. */
  readonly steps: readonly { readonly source: string; readonly line: number }[];
  /** Parameters that are taken to be contiguous for this to hold. */
  readonly assumes: readonly string[];
}
