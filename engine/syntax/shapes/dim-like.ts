import type { DimText } from './shape-text.ts';

/**
 * Whether a list of sizes without a name before it is meant as a shape. `# (left, right)` and `# (see, below)` have the form
 * of one; a shape has a size among them that can be nothing else.
 */
export function looksLikeShape(dims: readonly DimText[]): boolean {
  return dims.some((dim) => dim.kind !== 'int' && isDimLike(dim));
}

function isDimLike(dim: DimText): boolean {
  switch (dim.kind) {
    case 'int':
    case 'unknown':
      return false;
    case 'name':
      return /^[A-Z][A-Z0-9]?$/.test(dim.id) || WORDS.has(dim.id.toLowerCase()) || PARTS.test(dim.id);
    case 'operation':
      return true;
  }
}

/** Single lower-case letters leave out those of coordinates and indices. */
const WORDS = new Set(
  [
    'b c d e f g h l m n o p q s t w bs bsz bz nb nh hd hw thw dh hs ch cin cout',
    'batch batches seq length len sequence time times frames steps tokens heads head_dim channels channel height width depth',
    'dim dims dimension hidden embed embedding embeddings features feature classes vocab patches queries keys experts',
    'groups chunks blocks windows levels points boxes anchors num_classes qlen klen slen tlen nheads',
  ].flatMap((line) => line.split(' ')),
);

const PARTS =
  /^(?:num_?|n_|len_|in_|out_|total_)\w+$|_(?:len|length|size|dim|dims|heads|channels|tokens|features|classes|frames|patches|queries|h|w|q|k)$|^[A-Z][A-Za-z]?_\w+$/i;
