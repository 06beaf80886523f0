import type { CommandAnswer } from '../../server/agent-protocol.js';
import { writeSync } from '../keep-stdout.js';

/** For a process and the thread that watches it: the indexes of their shared array, and the phases of the answer. */
export const AT = { phase: 0, code: 1 } as const;
export const PHASE = { unanswered: 0, speaking: 1, answered: 2, hurried: 3 } as const;

/** Writes the answer synchronously, ahead of any output that still waits. */
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
