import type { Comment } from '../syntax/ast.ts';
import type { Edit } from './finding.ts';
import type { CheckedFile } from './rule.ts';

/** One rule that one comment silences. */
export interface Suppression {
  readonly comment: Comment;
  readonly rule: string;
  readonly scope: 'line' | 'file';
  /** 0-based. */
  readonly line: number;
  /** Where the rule's name stands, as offsets in the file. */
  readonly start: number;
  readonly end: number;
}

const DIRECTIVE = /stridelint:\s*(ignore|file-ignore)\s*\[([^\]]*)\]/;

export function suppressionsOf(file: CheckedFile): readonly Suppression[] {
  return file.module.comments.flatMap((comment) => {
    // Offsets are counted in the file's own text, where the comment starts with its `#`.
    const text = file.text.slice(comment.start, comment.end);
    const match = DIRECTIVE.exec(text);
    const [, kind, list] = match ?? [];
    if (match === null || kind === undefined || list === undefined) return [];
    const listStart = comment.start + match.index + match[0].indexOf('[') + 1;
    return [...list.matchAll(/[\w-]+/g)].map((name) => ({
      comment,
      rule: name[0],
      scope: kind === 'ignore' ? ('line' as const) : ('file' as const),
      line: comment.line,
      start: listStart + name.index,
      end: listStart + name.index + name[0].length,
    }));
  });
}

/**
 * Takes the rules away from their comment; the whole comment where none is left in it, with the white space before it,
 * and the whole line where nothing else stands there.
 */
export function withoutRules(
  file: CheckedFile,
  gone: readonly Suppression[],
  all: readonly Suppression[],
): readonly Edit[] {
  const [first] = gone;
  if (first === undefined) return [];
  const { comment } = first;
  const kept = all.filter((each) => each.comment === comment && !gone.includes(each));
  const text = file.text.slice(comment.start, comment.end);
  const match = DIRECTIVE.exec(text);
  if (match === null) return [];
  const [whole] = match;
  const start = comment.start + match.index;
  if (kept.length > 0) {
    const open = start + whole.indexOf('[') + 1;
    return [{ start: open, end: start + whole.length - 1, text: kept.map((each) => each.rule).join(', ') }];
  }
  const before = text.slice(0, match.index).replace(/^#\s*/, '').trim();
  const after = text.slice(match.index + whole.length).trim();
  if (before !== '' || after !== '') return [removal(file.text, start, start + whole.length, text, match.index)];
  return [wholeComment(file.text, comment)];
}

/** Other words of the comment stay: `# why  # stridelint: ignore[x]` and `# stridelint: ignore[x]  # why`. */
function removal(text: string, start: number, end: number, comment: string, index: number): Edit {
  const hash = comment.slice(0, index).match(/\s*#\s*$/);
  if (hash !== null && index > hash[0].length) return { start: start - hash[0].length, end, text: '' };
  const next = text.slice(end).match(/^\s*#\s*/);
  return { start, end: end + (next?.[0].length ?? 0), text: '' };
}

function wholeComment(text: string, comment: Comment): Edit {
  const lead = text.slice(0, comment.start).match(/[ \t]*$/)?.[0].length ?? 0;
  const start = comment.start - lead;
  const newline = comment.ownLine ? (text.slice(comment.end).match(/^(\r\n|\r|\n)/)?.[0].length ?? 0) : 0;
  return { start, end: comment.end + newline, text: '' };
}
