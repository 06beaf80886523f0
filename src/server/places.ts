import { join } from 'node:path';
import { proofFile } from '../values/server-proof.js';
import { runtimeFolder, stateFolder } from '../values/user-folders.js';

/** Where a user's server can be found, and what it stores. */
export interface ServerPaths {
  /** The folder with the socket. */
  readonly run: string;
  readonly socket: string;
  /** The folder of lasting files: tokens, what was served last, records. */
  readonly state: string;
  readonly tokens: string;
  /** The header with the token for firing, for clients that cannot read JSON. */
  readonly fireHeader: string;
  /** The server's proof, which is in every answer on its socket. No program without it is trusted. */
  readonly proof: string;
  /** What the last server was started with, and a hash of the files it named. */
  readonly served: string;
}

/** From the environment: `$XDG_STATE_HOME/hookscope` (default `~/.local/state`), with the socket under `$XDG_RUNTIME_DIR` if set. */
export function placesOf(env: NodeJS.ProcessEnv = process.env): ServerPaths {
  const state = stateFolder(env);
  const runtime = runtimeFolder(env);
  const run = runtime === undefined ? join(state, 'run') : join(runtime, 'hookscope');
  return {
    run,
    socket: join(run, 'serve.sock'),
    state,
    tokens: join(state, 'tokens.json'),
    fireHeader: join(state, 'fire.header'),
    proof: proofFile(state),
    served: join(state, 'served.json'),
  };
}
