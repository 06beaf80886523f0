import { writeSync } from 'node:fs';
import type { CommandAnswer } from '../../server/agent-protocol.js';

/** Says it at once, past all that waits to be written. */
export function sayAtOnce({ stdout, stderr }: CommandAnswer): void {
  say(1, stdout);
  say(2, stderr);
}

/** There may be no reader any more. */
function say(to: number, text: string): void {
  try {
    writeSync(to, text);
  } catch {
    // The exit code says it as well.
  }
}
