/** The torch that the code runs on: major and minor. */
export type TorchVersion = readonly [major: number, minor: number];

/**
 * The versions that were measured. What differs between two of them counts from the newer one on, so that a version between
 * behaves as the newest of these that is not above it.
 */
export const NEWEST_PROFILE: TorchVersion = [2, 13];
export const PROFILES: readonly TorchVersion[] = [[1, 13], [2, 6], NEWEST_PROFILE];

export const NEWEST: TorchVersion = [2, 14];

export const isSince = ([major, minor]: TorchVersion, since: TorchVersion): boolean =>
  major > since[0] || (major === since[0] && minor >= since[1]);

/** Reads `2.6`, `2.6.1` or `2.6.0+cu124`; what is wrong with anything else completes "torch-version …". */
export function readTorchVersion(text: string): TorchVersion | string {
  const [, major, minor] = /^(\d+)\.(\d+)(?:\.\d+)?(?:[a-z+].*)?$/.exec(text) ?? [];
  if (major === undefined || minor === undefined) return 'must be a version in quotes, such as "2.6"';
  const version: TorchVersion = [Number(major), Number(minor)];
  const [oldest] = PROFILES;
  if (oldest === undefined || isSince(version, oldest)) return version;
  return `is ${text}, but the oldest torch that is modelled is ${oldest.join('.')}`;
}
