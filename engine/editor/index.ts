/** What editors show: pure data and its two renderings. */
export { type Account, type AccountLine, accountOf } from './account.ts';
export type { Card, TensorCard } from './card.ts';
export { hover } from './hover.ts';
export { cardMarkdown, cardText } from './render.ts';
