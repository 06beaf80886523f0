import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The head of an answer on the server's socket that shows whose it is. */
export const PROOF_HEAD = 'hookscope-proof';

/** What it shows: the contents of a file that only the user can read, in the state folder. */
export const proofFile = (state: string): string => join(state, 'server.proof');

/** undefined: no server was ever started. */
export function readProof(state: string): string | undefined {
  try {
    return readFileSync(proofFile(state), 'utf8').trim() || undefined;
  } catch {
    return undefined;
  }
}
