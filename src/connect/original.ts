import { sha256 } from '../values/sha256.js';
import { withoutHandlers } from './cut-out.js';
import type { ConnectedFile } from './journal.js';
import { countOurs, isOurs } from './ours.js';

/** A file as it was before it was connected. */
export interface Original {
  /** undefined: there was none. */
  readonly bytes: Buffer | undefined;
  /** Not where it had our entries already, which nobody remembered: it is what is left without them. */
  readonly isExact: boolean;
}

/** Without entries of ours in any case. */
export async function originalOf({ file, before, cleaned }: ConnectedFile): Promise<Original> {
  if (before === null) return { bytes: undefined, isExact: true };
  const bytes = Buffer.from(before, 'base64');
  const text = bytes.toString();
  if (countOurs(text, []) === 0) return { bytes, isExact: cleaned !== true };
  const rest = await withoutHandlers(text, isOurs, file);
  return rest === text ? { bytes, isExact: cleaned !== true } : { bytes: Buffer.from(rest), isExact: false };
}

/** Whether nobody else has changed it. */
export function isAsWritten({ after, replaces }: ConnectedFile, bytes: Buffer): boolean {
  const hash = sha256(bytes);
  return hash === after || hash === replaces;
}

/** The connection that has written these bytes, wherever that was. */
export function asWritten(list: readonly ConnectedFile[], bytes: Buffer): ConnectedFile | undefined {
  const hash = sha256(bytes);
  return list.find(({ after }) => after === hash);
}
