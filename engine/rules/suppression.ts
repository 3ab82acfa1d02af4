import { type Directive, directivesOf } from '../syntax/index.ts';
import type { Edit, Fix } from './finding.ts';
import { nearest } from './nearest.ts';
import type { CheckedFile } from './rule.ts';

/** One rule that one directive silences. */
export interface Suppression {
  readonly directive: Directive;
  readonly rule: string;
}

export function suppressionsOf(file: CheckedFile): readonly Suppression[] {
  return directivesOf(file.module.comments).directives.flatMap((directive) =>
    directive.rules.map(({ name }) => ({ directive, rule: name })),
  );
}

/** What is to be said of suppressions that suppressed nothing, a directive at a time; `names` are those of all rules. */
export function unusedIn(
  file: CheckedFile,
  unused: readonly Suppression[],
  names: readonly string[],
): readonly { readonly directive: Directive; readonly message: string; readonly fixes: readonly Fix[] }[] {
  const directives = [...new Set(unused.map(({ directive }) => directive))];
  return directives.map((directive) => {
    const gone = unused.filter((each) => each.directive === directive).map(({ rule }) => rule);
    const [strange] = gone.filter((rule) => !names.includes(rule));
    const meant = strange === undefined ? null : nearest(strange, names);
    if (strange !== undefined && meant !== null) {
      const message = `suppresses nothing: there is no rule "${strange}"; did you mean "${meant}"?`;
      return { directive, message, fixes: [renamed(directive, strange, meant)] };
    }
    const what = strange === undefined ? `no ${gone.join(', ')} here` : `there is no rule "${strange}"`;
    const all = directive.rules.length === gone.length;
    const title = all ? 'Remove the suppression' : `Remove ${gone.join(', ')} from the suppression`;
    const fix = { title, safe: true, edits: withoutRules(file, directive, gone) };
    return { directive, message: `suppresses nothing: ${what}; remove it`, fixes: [fix] };
  });
}

/** Not safe: it silences what has been reported so far. */
function renamed(directive: Directive, strange: string, meant: string): Fix {
  const places = directive.rules.filter(({ name }) => name === strange);
  const edits = places.map(({ start, end }) => ({ start, end, text: meant }));
  return { title: `Write ${meant}`, safe: false, edits };
}

/**
 * Takes rules away from their directive; the whole directive where none is left in it, with its comment and the white
 * space before it where nothing else stands there, and with the line where that was all.
 */
function withoutRules(file: CheckedFile, directive: Directive, gone: readonly string[]): readonly Edit[] {
  const kept = directive.rules.filter(({ name }) => !gone.includes(name));
  const [first, last] = [directive.rules[0], directive.rules.at(-1)];
  if (kept.length > 0 && first !== undefined && last !== undefined) {
    return [{ start: first.start, end: last.end, text: kept.map(({ name }) => name).join(', ') }];
  }
  const comment = file.module.comments.find(({ start, end }) => start <= directive.start && directive.end <= end);
  if (comment === undefined) return [];
  const before = file.text.slice(comment.start, directive.start);
  const after = file.text.slice(directive.end, comment.end);
  if (/^#\s*$/.test(before) && after.trim() === '') {
    const lead = /[ \t]*$/.exec(file.text.slice(0, comment.start))?.[0].length ?? 0;
    const line = comment.ownLine ? (/^(\r\n|\r|\n)/.exec(file.text.slice(comment.end))?.[0].length ?? 0) : 0;
    return [{ start: comment.start - lead, end: comment.end + line, text: '' }];
  }
  // Other words of the comment stay: `# why  # stridelint: ignore[x]` and `# stridelint: ignore[x]  # why`.
  const hash = /^#\s*$/.test(before) ? '' : (/\s*#\s*$/.exec(before)?.[0] ?? '');
  const next = hash === '' ? (/^\s*#\s*/.exec(after)?.[0] ?? '') : '';
  return [{ start: directive.start - hash.length, end: directive.end + next.length, text: '' }];
}
