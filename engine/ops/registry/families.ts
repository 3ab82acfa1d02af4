import { activations } from '../families/activations.ts';
import { attentions } from '../families/attentions.ts';
import { autograd } from '../families/autograd.ts';
import { arithmetic, binary } from '../families/binary.ts';
import { blockDropouts } from '../families/block-dropouts.ts';
import { boxes } from '../families/boxes.ts';
import { callbacks } from '../families/callbacks.ts';
import { collectives } from '../families/collectives.ts';
import { convolutions } from '../families/convolutions.ts';
import { copies } from '../families/copies.ts';
import { counting } from '../families/counting.ts';
import { diagonals } from '../families/diagonals.ts';
import { distances } from '../families/distances.ts';
import { dropouts } from '../families/dropouts.ts';
import { einops } from '../families/einops.ts';
import { einopsPacks } from '../families/einops-packs.ts';
import { embeddings } from '../families/embeddings.ts';
import { factories, likes, randoms } from '../families/factories.ts';
import { factorizations } from '../families/factorizations.ts';
import { fills } from '../families/fills.ts';
import { foreach } from '../families/foreach.ts';
import { fourier } from '../families/fourier.ts';
import { gathers } from '../families/gathers.ts';
import { gradients } from '../families/gradients.ts';
import { grids } from '../families/grids.ts';
import { groupedProducts } from '../families/grouped-products.ts';
import { imageValues } from '../families/image-values.ts';
import { images } from '../families/images.ts';
import { initializers } from '../families/initializers.ts';
import { joins } from '../families/joins.ts';
import { linalg } from '../families/linalg.ts';
import { literals } from '../families/literals.ts';
import { losses } from '../families/losses.ts';
import { masked } from '../families/masked.ts';
import { nativeLosses } from '../families/native-losses.ts';
import { natives } from '../families/natives.ts';
import { norms } from '../families/norms.ts';
import { numerics } from '../families/numerics.ts';
import { packs } from '../families/packed.ts';
import { pairLosses } from '../families/pair-losses.ts';
import { planes } from '../families/planes.ts';
import { pools } from '../families/pools.ts';
import { powers } from '../families/powers.ts';
import { products } from '../families/products.ts';
import { puts } from '../families/puts.ts';
import { queries } from '../families/queries.ts';
import { rearrangements } from '../families/rearrangements.ts';
import { reductions } from '../families/reductions.ts';
import { regions } from '../families/regions.ts';
import { repeats } from '../families/repeats.ts';
import { resamplings } from '../families/resamplings.ts';
import { reshapes } from '../families/reshapes.ts';
import { scans } from '../families/scans.ts';
import { sequences } from '../families/sequences.ts';
import { signals } from '../families/signals.ts';
import { softmaxes } from '../families/softmaxes.ts';
import { special } from '../families/special.ts';
import { specialReductions } from '../families/special-reductions.ts';
import { broadcasts, splits } from '../families/splits.ts';
import { metadataWrites } from '../families/storage.ts';
import { clamps, maskedFills, ternary } from '../families/ternary.ts';
import { traits } from '../families/traits.ts';
import { transposes } from '../families/transposes.ts';
import { twins } from '../families/twins.ts';
import { predicates, preserving, unary } from '../families/unary.ts';
import { unmodelled } from '../families/unmodelled.ts';
import { unpools } from '../families/unpools.ts';
import { viewCopies } from '../families/view-copies.ts';
import { aliases, dimViews, sizedViews } from '../families/views.ts';
import type { Entry } from '../op.ts';

/** Every family of ops. Entries of one name are overloads, tried in this order. */
export const FAMILIES: readonly (readonly Entry[])[] = [
  transposes,
  sizedViews,
  dimViews,
  aliases,
  splits,
  broadcasts,
  reshapes,
  copies,
  counting,
  metadataWrites,
  autograd,
  fills,
  factories,
  likes,
  randoms,
  literals,
  unary,
  predicates,
  preserving,
  binary,
  arithmetic,
  powers,
  clamps,
  ternary,
  maskedFills,
  queries,
  activations,
  attentions,
  convolutions,
  dropouts,
  embeddings,
  gathers,
  initializers,
  joins,
  pairLosses,
  losses,
  distances,
  norms,
  planes,
  pools,
  products,
  puts,
  rearrangements,
  reductions,
  repeats,
  resamplings,
  scans,
  softmaxes,
  twins,
  unpools,
  fourier,
  linalg,
  factorizations,
  numerics,
  signals,
  diagonals,
  foreach,
  collectives,
  traits,
  natives,
  nativeLosses,
  sequences,
  specialReductions,
  unmodelled,
  groupedProducts,
  masked,
  callbacks,
  special,
  viewCopies,
  grids,
  einops,
  einopsPacks,
  gradients,
  boxes,
  regions,
  blockDropouts,
  images,
  imageValues,
  packs,
];
