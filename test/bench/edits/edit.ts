import type { Chance } from '../../fuzz/chance.ts';

/** Something that a person types or takes away at one place, of a few kinds that are drawn alike. */
export function edited(text: string, chance: Chance): string {
  const at = chance.below(text.length);
  const lines = text.split('\n');
  const line = chance.below(lines.length);
  switch (chance.below(6)) {
    case 0:
      return text.slice(0, at) + (chance.oneOf(TYPED) ?? '') + text.slice(at);
    case 1:
      return text.slice(0, at) + text.slice(at + 1);
    case 2:
      return [...lines.slice(0, line), ...lines.slice(line + 1)].join('\n');
    case 3:
      return [...lines.slice(0, line + 1), lines[line] ?? '', ...lines.slice(line + 1)].join('\n');
    case 4:
      return [...lines.slice(0, line), (lines[line] ?? '').replace(/\w+/, 'renamed'), ...lines.slice(line + 1)].join(
        '\n',
      );
    default:
      return [...lines.slice(0, line), `${lines[line] ?? ''}  # a word`, ...lines.slice(line + 1)].join('\n');
  }
}

const TYPED = ['x', '1', ' ', '\n', '(', '.', ',', '=', ':', "'"];
