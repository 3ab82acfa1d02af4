import { type Diagnostic, DiagnosticSeverity } from 'vscode-languageserver';
import type { Session } from '../session.ts';
import { type Client, SOURCE, toDiagnostic } from './convert.ts';

/** What is found in an open document. Where the analysis fails, the one diagnostic says so: the server lives on. */
export function diagnosticsFor(
  session: Session,
  uri: string,
  client: Client,
  log: (message: string) => void,
): Diagnostic[] {
  const document = session.document(uri);
  if (document === undefined) return [];
  try {
    return session.findings(uri).map((finding) => toDiagnostic(finding, document, client, session.textOf));
  } catch (error) {
    log(`${uri}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
    const message = error instanceof Error ? error.message : String(error);
    return [
      {
        range: { start: { line: 0, character: 0 }, end: { line: 1, character: 0 } },
        severity: DiagnosticSeverity.Information,
        source: SOURCE,
        code: 'not-analysed',
        message: `Stridelint failed on this file, please report it: ${message}`,
      },
    ];
  }
}
