import { activations } from './activations.ts';
import { attentions } from './attentions.ts';
import { classifiers } from './classifiers.ts';
import { convolutions } from './convolutions.ts';
import { einops } from './einops.ts';
import { embeddings } from './embeddings.ts';
import { lazies } from './lazies.ts';
import { linears } from './linears.ts';
import { losses } from './losses.ts';
import { mixes } from './mixes.ts';
import type { ModuleEntry } from './module.ts';
import { norms } from './norms.ts';
import { pools } from './pools.ts';
import { recurrents } from './recurrents.ts';
import { shapes } from './shapes.ts';
import { transformers } from './transformers.ts';
import { vision } from './vision.ts';

export const MODULES: readonly (readonly ModuleEntry[])[] = [
  linears,
  convolutions,
  norms,
  activations,
  pools,
  shapes,
  embeddings,
  recurrents,
  attentions,
  transformers,
  einops,
  mixes,
  losses,
  classifiers,
  lazies,
  vision,
];
