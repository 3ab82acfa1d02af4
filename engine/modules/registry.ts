import { convolutions } from './convolutions.ts';
import { linears } from './linears.ts';
import type { ModuleEntry } from './module.ts';

export const MODULES: readonly (readonly ModuleEntry[])[] = [linears, convolutions];
