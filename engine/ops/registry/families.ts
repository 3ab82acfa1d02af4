import { transposes } from '../families/transposes.ts';
import type { Entry } from '../op.ts';

/** Every family of ops. Entries of one name are overloads, tried in this order. */
export const FAMILIES: readonly (readonly Entry[])[] = [transposes];
