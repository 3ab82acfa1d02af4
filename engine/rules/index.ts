import { channelsLast } from './channels-last.ts';
import { contiguityRequired } from './contiguity-required.ts';
import { detachedAlias } from './detached-alias.ts';
import { dtypeRange } from './dtype-range.ts';
import type { Finding } from './finding.ts';
import { hardCodedBatch } from './hard-coded-batch.ts';
import { hiddenCopy } from './hidden-copy.ts';
import { incompatibleView } from './incompatible-view.ts';
import { inplaceOnSaved } from './inplace-on-saved.ts';
import { invalidArgument } from './invalid-argument.ts';
import { layoutConversion } from './layout-conversion.ts';
import { layoutRoundTrip } from './layout-round-trip.ts';
import { lostWrite } from './lost-write.ts';
import { mappedSlice } from './mapped-slice.ts';
import { mixedLayout } from './mixed-layout.ts';
import { negativeStride } from './negative-stride.ts';
import { nonBlockingTransfer } from './non-blocking-transfer.ts';
import { overlappingWrite } from './overlapping-write.ts';
import { pinMemory } from './pin-memory.ts';
import { pinnedStorage } from './pinned-storage.ts';
import { redundantClone } from './redundant-clone.ts';
import { redundantContiguous } from './redundant-contiguous.ts';
import { repeatForBroadcast } from './repeat-for-broadcast.ts';
import { retainedGraph } from './retained-graph.ts';
import type { CheckedFile, Rule } from './rule.ts';
import { type Levels, runRules } from './run.ts';
import { savedView } from './saved-view.ts';
import { scalarTensorAccumulation } from './scalar-tensor-accumulation.ts';
import { shapeMismatch } from './shape-mismatch.ts';
import { sharedStorageSave } from './shared-storage-save.ts';
import { silentBroadcast } from './silent-broadcast.ts';
import { storageIdentity } from './storage-identity.ts';
import { storedAlias } from './stored-alias.ts';
import { strideZeroWrite } from './stride-zero-write.ts';
import { tailBatch } from './tail-batch.ts';
import { tensorSize } from './tensor-size.ts';
import { unsafeLoad } from './unsafe-load.ts';
import { unscaledFp16 } from './unscaled-fp16.ts';
import { unusedSuppression } from './unused-suppression.ts';
import { viewAsTranspose } from './view-as-transpose.ts';
import { viewOrCopy } from './view-or-copy.ts';
import { writeThroughView } from './write-through-view.ts';

export { type Example, ruleMessages, rulePage, ruleSettings, ruleTable } from './documentation.ts';
export type { Edit, Finding, Fix, Severity, Span } from './finding.ts';
export { didYouMean } from './nearest.ts';
export type { CheckedFile, RuleInfo } from './rule.ts';
export type { Level, Levels } from './run.ts';

/** All rules, in the order of the documentation. */
export const rules: readonly Rule[] = [
  hiddenCopy,
  incompatibleView,
  redundantContiguous,
  redundantClone,
  repeatForBroadcast,
  contiguityRequired,
  negativeStride,
  layoutRoundTrip,
  layoutConversion,
  mixedLayout,
  channelsLast,
  strideZeroWrite,
  overlappingWrite,
  writeThroughView,
  inplaceOnSaved,
  viewOrCopy,
  lostWrite,
  storedAlias,
  detachedAlias,
  pinnedStorage,
  savedView,
  sharedStorageSave,
  mappedSlice,
  retainedGraph,
  scalarTensorAccumulation,
  tailBatch,
  hardCodedBatch,
  viewAsTranspose,
  shapeMismatch,
  invalidArgument,
  silentBroadcast,
  dtypeRange,
  unscaledFp16,
  storageIdentity,
  tensorSize,
  unsafeLoad,
  nonBlockingTransfer,
  pinMemory,
  unusedSuppression,
];

export function checkFile(file: CheckedFile, levels: Levels): readonly Finding[] {
  return runRules(rules, file, levels);
}
