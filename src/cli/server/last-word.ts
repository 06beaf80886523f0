import type { CommandAnswer } from '../../server/agent-protocol.js';
import { writeSync } from '../keep-stdout.js';

/** For a process and the thread that watches it: the indexes of their shared array, and the phases of the answer. */
export const AT = { phase: 0, code: 1 } as const;
export const PHASE = { unanswered: 0, speaking: 1, answered: 2, hurried: 3 } as const;

/** Writes the answer synchronously, ahead of any output that still waits. */
export function sayAtOnce({ stdout, stderr, code }: CommandAnswer): void {
  tellBegun();
  const isOut = say(1, stdout);
  say(2, stderr);
  if (isOut) tellCode(code);
}

/** The process id of the thin command, if that has started this process; hooks are not told. */
export const PARENT = process.env['HOOKSCOPE_PARENT'];

/** Where the thin command reads that the answer has begun, and then its exit code, to which it adds nothing however this process ends. */
const THIN = 4;
export const tellBegun = (): unknown => PARENT !== undefined && say(THIN, 'begun\n');
export const tellCode = (code: number): unknown => PARENT !== undefined && say(THIN, `${code}\n`);

/** False if it was not written: there may be no reader any more. */
function say(to: number, text: string): boolean {
  try {
    return writeSync(to, text) === Buffer.byteLength(text);
  } catch {
    // The exit code says it as well.
    return false;
  }
}
