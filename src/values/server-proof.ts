import { join } from 'node:path';

/** The response header by which a client checks that the server on the socket belongs to the same user. */
export const PROOF_HEAD = 'hookscope-proof';

/** The file that holds the proof. It is in the state folder and only the user can read it. */
export const proofFile = (state: string): string => join(state, 'server.proof');
