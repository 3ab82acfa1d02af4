import type { Hover, HoverParams } from 'vscode-languageserver';
import { cardMarkdown, cardText, hover } from '../../engine/index.ts';
import type { Session } from '../session.ts';
import { toRange } from './convert.ts';

/** The card of the tensor under the cursor. */
export function hoverAt(
  session: Session,
  { textDocument, position }: HoverParams,
  format: 'markdown' | 'plaintext',
): Hover | null {
  const document = session.document(textDocument.uri);
  const analysis = session.analyze(textDocument.uri);
  if (document === undefined || analysis === null) return null;
  const found = hover(analysis, document.offsetAt(position));
  if (found === null) return null;
  const render = format === 'markdown' ? cardMarkdown : cardText;
  return { range: toRange(document, found.span), contents: { kind: format, value: render(found.card) } };
}
