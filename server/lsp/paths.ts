import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** The path of a document. One that is no file (an unsaved buffer, a virtual document) keeps its URI for a path. */
export function pathOf(uri: string): string {
  try {
    return uri.startsWith('file:') ? fileURLToPath(uri) : uri;
  } catch {
    return uri;
  }
}

export function uriOf(file: string): string {
  return path.isAbsolute(file) ? pathToFileURL(file).href : file;
}

export function folderOf(uri: string): string {
  const folder = pathOf(uri);
  return folder.length > 1 && folder.endsWith(path.sep) ? folder.slice(0, -1) : folder;
}

export function isWithin(folder: string, file: string): boolean {
  return file.startsWith(folder.endsWith(path.sep) ? folder : folder + path.sep);
}
