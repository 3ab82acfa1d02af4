/**
 * What is made when it is first asked for. A table of functions from files that import, by some way, the file of the table has
 * to be made so: which of such files is read first hangs on who begins.
 */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
