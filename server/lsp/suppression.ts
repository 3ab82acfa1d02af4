import type { Edit, Finding } from '../../engine/index.ts';

/** The edit that writes `# stridelint: ignore[rule]` on the line of a finding; null where no comment can stand there. */
export function suppress(text: string, finding: Finding): Edit | null {
  const lineEnd = endOfLine(text, finding.start);
  const line = text.slice(text.lastIndexOf('\n', finding.start - 1) + 1, lineEnd);
  const present = /#\s*stridelint:\s*ignore\[([^\]]*)\]/.exec(line);
  if (present !== null) {
    const at = lineEnd - line.length + present.index + present[0].length - 1;
    return { start: at, end: at, text: present[1]?.trim() === '' ? finding.rule : `, ${finding.rule}` };
  }
  // A backslash joins the next line, and a comment after it is an error.
  if (line.trimEnd().endsWith('\\')) return null;
  const end = lineEnd - (line.length - line.trimEnd().length);
  return { start: end, end: lineEnd, text: `  # stridelint: ignore[${finding.rule}]` };
}

function endOfLine(text: string, offset: number): number {
  const found = /\r\n|\r|\n/g;
  found.lastIndex = offset;
  return found.exec(text)?.index ?? text.length;
}
