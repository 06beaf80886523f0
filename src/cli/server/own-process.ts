import { REASONS } from '../../server/agent-protocol.js';
import { type Terminal, UncaughtError } from '../terminal.js';

/** Why the command ends before its hooks have answered; undefined: nothing ends it. */
export function whyEnded({ signal }: Pick<Terminal, 'signal'>): string | undefined {
  if (!signal.aborted) return undefined;
  return signal.reason instanceof UncaughtError ? REASONS.uncaught(signal.reason.message) : REASONS.ended;
}

/** What code that is not ours prints goes to standard error: standard output is for the answer alone. */
export function keepStdout(): void {
  Object.defineProperty(process, 'stdout', { value: process.stderr, configurable: true });
}
