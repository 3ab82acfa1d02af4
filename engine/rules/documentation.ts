import type { Finding, Severity } from './finding.ts';

/** What is no lint: the pages of `docs/guides` that rules link to, by file and title. */
export const GUIDES = {
  'card-and-ledger': 'Reading the card and the ledger',
  compile: 'Eager PyTorch, and what torch.compile changes',
  dtypes: 'Dtypes: how many bytes, which numbers',
  layouts: 'Layouts: NCHW, NHWC and cache lines',
  loading: 'Loading weights: pickles, mapped files, cold starts',
  storages: 'Storages: what lives, for how long, at what cost',
} as const;

/**
 * The line of `bad` that ends in `# SEVERITY[RULE]` is where the rule reports. `good` is what the first fix makes of
 * `bad`, where the rule has a fix, and reports nothing.
 */
export interface Example {
  readonly bad: string;
  readonly good: string;
  /** Whether the rule's first fix turns `bad` into `good`. */
  readonly fixed: boolean;
}

export interface RuleText {
  /** In kebab-case; names the pattern that is flagged. */
  readonly name: string;
  /** One line, without a full stop. */
  readonly summary: string;
  readonly severity: Severity;
  /** The body of the rule's page, in Markdown. */
  readonly docs: string;
  /** The guides that its page links to. */
  readonly guides?: readonly (keyof typeof GUIDES)[];
  readonly examples: readonly Example[];
}

/** The page `docs/rules/NAME.md` of a rule. */
export function rulePage(rule: RuleText): string {
  const examples = rule.examples.map(exampleText).join('\n');
  return `<!-- Generated from engine/rules/${rule.name}.ts by \`npm run generate\`. Do not edit. -->

# ${rule.name}

${rule.summary}. Default severity: **${rule.severity}**.
${rule.docs.trimEnd()}
${guideLinks(rule)}
${examples}
## Silencing it

\`# stridelint: ignore[${rule.name}]\` on the line, \`# stridelint: file-ignore[${rule.name}]\` in the file, or a level for everything:

\`\`\`toml
[tool.stridelint.rules]
${rule.name} = "off"
\`\`\`
`;
}

function guideLinks({ guides = [] }: RuleText): string {
  const links = guides.map((guide) => `[${GUIDES[guide]}](../guides/${guide}.md)`);
  return links.length === 0 ? '' : `\nMore about it: ${links.join(' · ')}\n`;
}

/** What a rule says of its first example, in the README. */
export function ruleMessages(rule: RuleText, findingsIn: (text: string) => readonly Finding[]): string {
  const program = (rule.examples[0]?.bad ?? '').replace(MARK, '').trim();
  const [finding] = findingsIn(program).filter((found) => found.rule === rule.name);
  if (finding === undefined) return '';
  const lineAt = (offset: number) => program.slice(0, offset).split('\n').length;
  const lines = [
    `${finding.severity}: ${finding.message}`,
    ...finding.related.map(({ start, message }) => `why: ${message} (line ${lineAt(start)})`),
    ...finding.fixes.map(({ title, safe }) => `fix: ${title}${safe ? '' : ' (may change what the program does)'}`),
  ];
  const shown = program.split('\n');
  shown[lineAt(finding.start) - 1] += `  # ${rule.name}`;
  return `\`\`\`py\n${shown.join('\n')}\n\`\`\`\n\n${lines.map((line) => `> ${line}  `).join('\n')}\n`;
}

const MARK = /\s*# (?:error|warning|information|hint)\[[\w-]+\]$/gm;

/** The table of rules in the README. */
export function ruleTable(rules: readonly RuleText[]): string {
  const rows = rules.map(
    ({ name, summary, severity }) => `| [\`${name}\`](docs/rules/${name}.md) | ${severity} | ${summary} |`,
  );
  return ['| rule | default | what it finds |', '| --- | --- | --- |', ...rows, ''].join('\n');
}

export interface SettingSchema {
  readonly enum: readonly string[];
  readonly default: string;
  readonly description: string;
}

/** The JSON schemas of the settings that give rules their levels, by rule. */
export function ruleSettings(rules: readonly RuleText[]): Readonly<Record<string, SettingSchema>> {
  const entries = rules.map(({ name, summary, severity }): [string, SettingSchema] => [
    name,
    { enum: ['error', 'warning', 'information', 'hint', 'off'], default: severity, description: `${summary}.` },
  ]);
  return Object.fromEntries(entries);
}

function exampleText(example: Example): string {
  const heading = example.fixed ? 'After the fix:' : 'Instead:';
  return `\`\`\`py\n${example.bad.trim()}\n\`\`\`\n\n${heading}\n\n\`\`\`py\n${example.good.trim()}\n\`\`\`\n`;
}
