import { readStdin } from '../../server/client/stdin.js';

/** Milliseconds for the input to come, after the answer. */
const WAIT = 500;

/** The event on standard input, for the record of an answer that was given without it; undefined: it has not come, or nobody sends any. */
export async function readLate(stdin: NodeJS.ReadStream): Promise<string | undefined> {
  if (stdin.isTTY) return undefined;
  const body = await readStdin(stdin, performance.now() + WAIT);
  return typeof body === 'string' ? body : undefined;
}
