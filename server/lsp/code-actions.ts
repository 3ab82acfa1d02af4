import { type CodeAction, CodeActionKind, type CodeActionParams, type Diagnostic } from 'vscode-languageserver';
import type { TextDocument } from 'vscode-languageserver-textdocument';
import type { Edit, Finding } from '../../engine/index.ts';
import type { Session } from '../session.ts';
import { SOURCE, toQuickFix, toTextEdit } from './convert.ts';
import { suppress } from './suppression.ts';

export const FIX_ALL = `${CodeActionKind.SourceFixAll}.stridelint`;

/** Quick fixes for the findings in a range, the comment that allows each, and all safe fixes of the file where that is asked for. */
export function codeActions(session: Session, params: CodeActionParams): CodeAction[] {
  const document = session.document(params.textDocument.uri);
  if (document === undefined) return [];
  const wanted = (kind: string) =>
    params.context.only === undefined ||
    params.context.only.some((only) => kind === only || kind.startsWith(`${only}.`));
  const findings = session.findings(document.uri);
  const actions: CodeAction[] = [];
  if (wanted(CodeActionKind.QuickFix)) {
    const [from, to] = [document.offsetAt(params.range.start), document.offsetAt(params.range.end)];
    for (const finding of findings.filter((found) => found.start <= to && from <= found.end)) {
      actions.push(...quickFixes(finding, document, params.context.diagnostics));
    }
  }
  // An editor lists source actions apart; unasked, they would crowd the light bulb.
  if (params.context.only !== undefined && wanted(FIX_ALL)) {
    const edits = safeEdits(findings).map((edit) => toTextEdit(document, edit));
    if (edits.length > 0) {
      actions.push({ title: 'Apply all safe fixes', kind: FIX_ALL, edit: { changes: { [document.uri]: edits } } });
    }
  }
  return actions;
}

function quickFixes(finding: Finding, document: TextDocument, sent: readonly Diagnostic[]): CodeAction[] {
  const start = document.positionAt(finding.start);
  const diagnostics = sent.filter(
    ({ source, code, range }) =>
      source === SOURCE &&
      code === finding.rule &&
      range.start.line === start.line &&
      range.start.character === start.character,
  );
  const fixes = finding.fixes.map((fix, i) =>
    toQuickFix(fix.title, fix.edits, document, diagnostics, i === 0 && fix.safe ? 'preferred' : 'optional'),
  );
  const allow = suppress(document.getText(), finding);
  if (allow !== null) {
    fixes.push(toQuickFix(`Allow ${finding.rule} on this line`, [allow], document, diagnostics, 'optional'));
  }
  return fixes;
}

/** The edits of the first safe fix of every finding, as far as they do not overlap: what is left is found again afterwards. */
export function safeEdits(findings: readonly Finding[]): Edit[] {
  const taken: Edit[] = [];
  for (const finding of findings) {
    const fix = finding.fixes.find((candidate) => candidate.safe);
    if (fix === undefined) continue;
    const clashes = fix.edits.some((edit) => taken.some((other) => edit.start <= other.end && other.start <= edit.end));
    if (!clashes) taken.push(...fix.edits);
  }
  return taken.sort((a, b) => a.start - b.start);
}
