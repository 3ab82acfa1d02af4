import type { Comment } from './ast.ts';

/** `spans` holds the start and the end of each comment by turns, in order; `starts` are the starts of the lines. */
export function commentsOf(text: string, spans: readonly number[], starts: readonly number[]): Comment[] {
  const comments: Comment[] = [];
  let line = 0;
  for (let index = 0; index + 1 < spans.length; index += 2) {
    const start = spans[index] ?? 0;
    const content = text.slice(start + 1, spans[index + 1]).trimEnd();
    while ((starts[line + 1] ?? Number.POSITIVE_INFINITY) <= start) line++;
    const ownLine = text.slice(starts[line], start).trim() === '';
    comments.push({ start, end: start + 1 + content.length, text: content, line, ownLine });
  }
  return comments;
}
