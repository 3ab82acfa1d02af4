/** What the workspace needs of a file system. Everything above it also runs where there is no disk. */
export interface Disk {
  /** The bytes of a file, or why there are none. */
  read(path: string): Uint8Array | Unreadable;
  size(path: string): number | null;
  kind(path: string): 'file' | 'folder' | null;
  /** What stands in a folder, sorted by name; symbolic links to folders are left out, so that no walk goes in circles. */
  list(folder: string): readonly Entry[] | Unreadable;
}

export interface Entry {
  readonly name: string;
  readonly kind: 'file' | 'folder';
}

export interface Unreadable {
  readonly problem: string;
}

export function isUnreadable(value: object): value is Unreadable {
  return 'problem' in value;
}
