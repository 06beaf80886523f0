import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The head of an answer on the server's socket that shows whose it is. */
export const PROOF_HEAD = 'hookscope-proof';

/** The file with the proof: only the user can read it, in the state folder. */
export const proofFile = (state: string): string => join(state, 'server.proof');

/** undefined: no server was ever started. */
export function readProof(state: string): string | undefined {
  try {
    return readFileSync(proofFile(state), 'utf8').trim() || undefined;
  } catch {
    return undefined;
  }
}
