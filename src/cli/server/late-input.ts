import { readStdin } from '../../server/client/stdin.js';

/** Milliseconds for the input to come, after the answer. */
const WAIT = 500;
/** Characters of the longest input that goes into the record: to parse and mask more would keep the agent waiting for the exit code. */
const MOST = 256 * 1024;

/** The event on standard input, for the record of an answer that was given without it; undefined: it has not come, nobody sends any, or it is too long. */
export async function readLate(stdin: NodeJS.ReadStream): Promise<string | undefined> {
  if (stdin.isTTY) return undefined;
  const body = await readStdin(stdin, performance.now() + WAIT);
  return typeof body === 'string' && body.length <= MOST ? body : undefined;
}
