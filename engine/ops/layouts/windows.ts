import type { SymInt } from '../../symbols/index.ts';
import { type Fault, raises } from '../../tensor/index.ts';

/** One number for all spatial dims, or one for each; and none of them below `least`. An empty list may stand for a default. */
export function outOfBounds(name: string, values: readonly SymInt[], spatial: number, least: number): Fault | null {
  if (values.length !== 1 && values.length !== spatial)
    return raises({
      is: 'argument',
      name,
      got: `${values.length} numbers`,
      expects: spatial === 1 ? '1' : `1 or ${spatial}`,
    });
  const wrong = values.find(({ constant }) => constant !== null && constant < least);
  return wrong === undefined
    ? null
    : raises({ is: 'argument', name, got: `${wrong.constant}`, expects: `at least ${least}` });
}
