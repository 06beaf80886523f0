import { sha256 } from '../values/sha256.js';
import { withoutHandlers } from './cut-out.js';
import type { ConnectedFile } from './journal.js';
import { countOurs, isOurs } from './ours.js';

/** A file as it was before it was connected. */
export interface OriginalFile {
  /** Undefined if there was no file. */
  readonly bytes: Buffer | undefined;
  /** False if the file already had entries of ours that no journal knew: `bytes` is what is left without them. */
  readonly isExact: boolean;
}

/** The file as it was before it was connected, always without entries of ours. */
export async function originalOf({ file, before, cleaned }: ConnectedFile): Promise<OriginalFile> {
  if (before === null) return { bytes: undefined, isExact: true };
  const bytes = Buffer.from(before, 'base64');
  const text = bytes.toString();
  if (countOurs(text, []) === 0) return { bytes, isExact: cleaned !== true };
  const rest = await withoutHandlers(text, isOurs, file);
  return rest === text ? { bytes, isExact: cleaned !== true } : { bytes: Buffer.from(rest), isExact: false };
}

/** Whether the file has the bytes that connect wrote, or those that it was about to replace. */
export function isAsWritten({ after, replaces }: ConnectedFile, bytes: Buffer): boolean {
  const hash = sha256(bytes);
  return hash === after || hash === replaces;
}

/** The connection that has written these bytes, into whatever file. */
export function asWritten(list: readonly ConnectedFile[], bytes: Buffer): ConnectedFile | undefined {
  const hash = sha256(bytes);
  return list.find(({ after }) => after === hash);
}
