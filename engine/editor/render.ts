import type { Card, TensorCard } from './card.ts';

/** The card as plain text, for a terminal. */
export function cardText(card: Card): string {
  return [headOf(card), ...bodyOf(card, (code) => code)].join('\n');
}

/** The card as Markdown, for an editor's hover. */
export function cardMarkdown(card: Card): string {
  const code = (text: string) => `\`${text}\``;
  const [first] = card.tensors;
  const head =
    first === undefined && card.unknown !== null ? `\`${card.name}\`: unknown` : `\`\`\`py\n${headOf(card)}\n\`\`\``;
  return [head, ...bodyOf(card, code)].join('\n\n');
}

function headOf(card: Card): string {
  const { name, tensors, raises } = card;
  const [first] = tensors;
  if (raises !== null) return `${name}: will raise`;
  if (first === undefined) return `${name}: unknown`;
  if (tensors.length === 1 && first.path === '' && card.more === 0) return `${name}: ${typeText(first)}`;
  const rows = tensors.map((tensor) => `${name}${tensor.path}: ${typeText(tensor)}`);
  return [...rows, ...(card.more > 0 ? [`and ${card.more} more`] : [])].join('\n');
}

/** `Tensor[B, T, C] float32`. */
function typeText({ shape, dtype, device }: TensorCard): string {
  const sizes = shape === null ? 'Tensor' : `Tensor[${shape.join(', ')}]`;
  return [sizes, dtype, device].filter((part) => part !== null).join(' ');
}

function bodyOf(card: Card, code: (text: string) => string): readonly string[] {
  const { unknown, raises, context } = card;
  const lines: string[] = [];
  if (raises !== null) lines.push(raises);
  if (unknown !== null) lines.push(`unknown because ${unknown.reason}`);
  if (unknown?.advice != null) lines.push(unknown.advice);
  for (const tensor of card.tensors) {
    const label = tensor.path === '' ? '' : `${tensor.path} `;
    lines.push(`${label}${layoutText(tensor, code)}`);
    // Of several tensors only the layouts are told apart; what they share is said once, by the first.
    if (tensor === card.tensors[0]) lines.push(...storageLines(tensor, code));
  }
  if (context !== null) lines.push(`as called: ${context}`);
  return lines;
}

function layoutText({ stride, offset, contiguity }: TensorCard, code: (text: string) => string): string {
  const parts = [
    stride === null ? null : `strides ${code(tupleText(stride))}`,
    offset === null ? 'offset not known' : `offset ${code(offset)}`,
    contiguity,
  ];
  return parts.filter((part) => part !== null).join('  ');
}

function storageLines(tensor: TensorCard, code: (text: string) => string): readonly string[] {
  const { names, origin, storageBytes, sharedBy, steps, assumes } = tensor;
  const from =
    origin.name === ''
      ? null
      : `${origin.how} ${code(origin.name)}${origin.line === null ? '' : ` (line ${origin.line})`}`;
  const shared = sharedBy.length === 0 ? '' : `shared by ${sharedBy.map(code).join(', ')}`;
  const storage =
    storageBytes === null
      ? shared
      : [`storage ${code(storageBytes)} bytes`, shared].filter((part) => part !== '').join(', ');
  const lines = [[from, storage].filter((part) => part !== null && part !== '').join(' · ')];
  if (steps.length > 1)
    lines.push(`through ${steps.map(({ source, line }) => `${code(source)} (line ${line})`).join(', ')}`);
  lines.push(...names.map(({ name, formula }) => `${code(name)} is ${code(formula)}`));
  lines.push(
    [assumes.length === 0 ? null : `assumes ${assumes.map(code).join(', ')} contiguous`, 'eager']
      .filter((part) => part !== null)
      .join(' · '),
  );
  return lines.filter((line) => line !== '');
}

function tupleText(items: readonly string[]): string {
  return items.length === 1 ? `(${items[0]},)` : `(${items.join(', ')})`;
}
