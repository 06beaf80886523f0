import { REASONS } from '../../server/agent-protocol.js';
import { type Terminal, UncaughtError } from '../terminal.js';

/** Why the command ends before its hooks have answered; undefined: nothing ends it. */
export function whyEnded({ signal }: Pick<Terminal, 'signal'>): string | undefined {
  if (!signal.aborted) return undefined;
  return signal.reason instanceof UncaughtError ? REASONS.uncaught(signal.reason.message) : REASONS.ended;
}

/** Redirects what other people's code prints to standard error: standard output is only for the answer. */
export function keepStdout(): void {
  Object.defineProperty(process, 'stdout', { value: process.stderr, configurable: true });
}
