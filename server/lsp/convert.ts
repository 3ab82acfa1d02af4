import {
  type CodeAction,
  CodeActionKind,
  type Diagnostic,
  DiagnosticSeverity,
  DiagnosticTag,
  type Range,
  type TextEdit,
} from 'vscode-languageserver';
import { TextDocument } from 'vscode-languageserver-textdocument';
import type { Edit, Finding, Severity, Span } from '../../engine/index.ts';
import { uriOf } from './paths.ts';

/** Between the engine's words and the protocol's. Nothing else in this room knows positions. */

export const RULE_PAGES = 'https://github.com/stridelint/stridelint/blob/main/docs/rules';
export const SOURCE = 'stridelint';

export interface Client {
  readonly relatedInformation: boolean;
  readonly codeDescription: boolean;
  readonly tags: boolean;
}

export function toDiagnostic(
  finding: Finding,
  document: TextDocument,
  client: Client,
  textOf: (path: string) => string | null,
): Diagnostic {
  return {
    range: toRange(document, finding),
    severity: toSeverity(finding.severity),
    code: finding.rule,
    source: SOURCE,
    message: finding.message,
    ...(client.codeDescription ? { codeDescription: { href: `${RULE_PAGES}/${finding.rule}.md` } } : {}),
    ...(client.tags && finding.unnecessary ? { tags: [DiagnosticTag.Unnecessary] } : {}),
    ...(client.relatedInformation && finding.related.length > 0
      ? { relatedInformation: finding.related.map((span) => toRelated(span, finding, document, textOf)) }
      : {}),
  };
}

function toRelated(
  span: Span & { readonly message: string },
  finding: Finding,
  document: TextDocument,
  textOf: (path: string) => string | null,
) {
  const elsewhere = span.path !== finding.path;
  const target = elsewhere ? TextDocument.create(uriOf(span.path), 'python', 0, textOf(span.path) ?? '') : document;
  return { location: { uri: target.uri, range: toRange(target, span) }, message: span.message };
}

export function toRange(
  document: TextDocument,
  { start, end }: { readonly start: number; readonly end: number },
): Range {
  return { start: document.positionAt(start), end: document.positionAt(end) };
}

export function toTextEdit(document: TextDocument, edit: Edit): TextEdit {
  return { range: toRange(document, edit), newText: edit.text };
}

export function toQuickFix(
  title: string,
  edits: readonly Edit[],
  document: TextDocument,
  diagnostics: Diagnostic[],
  preferred: 'preferred' | 'optional',
): CodeAction {
  return {
    title,
    kind: CodeActionKind.QuickFix,
    diagnostics,
    ...(preferred === 'preferred' ? { isPreferred: true } : {}),
    edit: { changes: { [document.uri]: edits.map((edit) => toTextEdit(document, edit)) } },
  };
}

function toSeverity(severity: Severity): DiagnosticSeverity {
  switch (severity) {
    case 'error':
      return DiagnosticSeverity.Error;
    case 'warning':
      return DiagnosticSeverity.Warning;
    case 'information':
      return DiagnosticSeverity.Information;
    case 'hint':
      return DiagnosticSeverity.Hint;
  }
}
