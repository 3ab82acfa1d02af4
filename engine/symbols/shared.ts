/** Values of which one is made for all that ask: a table that a long-lived process does not fill memory with. */
export interface Shared<Key, Value> {
  get(key: Key): Value | undefined;
  set(key: Key, value: Value): void;
}

/** How many a generation holds; there are two. */
const MOST = 10_000;

/** What nobody asks for while a whole generation is made is dropped; whoever still has it may meet its like. */
export function newShared<Key, Value>(): Shared<Key, Value> {
  let young = new Map<Key, Value>();
  let old = new Map<Key, Value>();
  const set = (key: Key, value: Value): void => {
    if (young.size >= MOST) {
      old = young;
      young = new Map();
    }
    young.set(key, value);
  };
  return {
    get(key) {
      const known = young.get(key);
      if (known !== undefined) return known;
      const before = old.get(key);
      if (before !== undefined) set(key, before);
      return before;
    },
    set,
  };
}
