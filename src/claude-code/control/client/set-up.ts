import { HookscopeError } from '../../../errors.js';
import { timerDelay } from '../../../values/waiting/timer.js';
import type { Peer } from '../peer/peer.js';
import type { ControlAsk, Json } from '../peer/wire.js';
import { whyNoReply } from './info.js';
import type { ProgramEnd } from './process.js';

export const controlFailed = (peer: string, problem: string): HookscopeError =>
  new HookscopeError('CONTROL_FAILED', { peer, problem });

export interface InitializeOptions {
  readonly peer: Peer;
  readonly name: string;
  /** The `initialize` request. */
  readonly ask: ControlAsk;
  /** How long to wait for the reply, in seconds; 0: forever. */
  readonly seconds: number;
  /** Waits a short time for the program's end. Resolves with how it ended, if it did. */
  end(): Promise<ProgramEnd>;
  /** The program's output, to be appended to an error message. */
  said(): string;
}

/** Registers our hooks with the program. Resolves with its reply; rejects with CONTROL_FAILED or CONTROL_REFUSED. */
export async function setUp({ peer, name, ask, seconds, end, said }: InitializeOptions): Promise<Json> {
  const late = seconds > 0 ? AbortSignal.timeout(timerDelay(seconds)) : undefined;
  let reply: unknown;
  try {
    reply = await peer.ask(ask, (response) => response, { signal: late });
  } catch (error) {
    if (late?.aborted) throw controlFailed(name, `it was not ready within ${seconds} s${said()}`);
    if (error instanceof HookscopeError && error.code === 'CONTROL_REFUSED') throw error;
    const { exitCode, signal } = await end();
    const how = exitCode === undefined ? (signal ?? 'its output was closed') : `exit code ${exitCode}`;
    throw controlFailed(name, `it ended before it was ready (${how})${said()}`);
  }
  const wrong = whyNoReply(reply);
  if (wrong !== undefined) throw controlFailed(name, `its reply to initialize makes no sense: ${wrong}`);
  const response = reply as Json;
  if (response['hooks_applied'] === false)
    throw new HookscopeError('CONTROL_REFUSED', { peer: name, message: 'it did not register our hooks.' });
  return response;
}
