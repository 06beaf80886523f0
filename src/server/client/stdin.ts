import type { Readable } from 'node:stream';
import { timerUntil } from '../../values/waiting/timer.js';
import { MOST_BODY } from '../limits.js';

interface NoInput {
  readonly problem: 'input' | 'large' | 'open' | 'short';
}

/** The least time for reading in milliseconds; with less it is not known whether the input would have been closed. */
const ENOUGH = 50;

/**
 * Reads all of standard input, the text of a JSON object. It must be closed before the deadline (`performance.now()`), because an agent
 * that leaves it open would otherwise wait until it gives up.
 */
export function readStdin(stdin: Readable, deadline: number): Promise<string | NoInput> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const end = (result: string | NoInput): void => {
      clearTimeout(timer);
      stdin.removeAllListeners();
      stdin.on('error', () => undefined);
      stdin.pause();
      resolve(result);
    };
    const isShort = deadline - performance.now() < ENOUGH;
    const timer = setTimeout(() => end({ problem: isShort ? 'short' : 'open' }), timerUntil(deadline));
    stdin.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > MOST_BODY) end({ problem: 'large' });
      else chunks.push(chunk);
    });
    stdin.on('error', () => end({ problem: 'input' }));
    stdin.on('end', () => {
      const text = Buffer.concat(chunks).toString('utf8');
      end(isJsonObject(text) ? text : { problem: 'input' });
    });
    // Input that is there would otherwise win over the timer at times, and a server be asked that cannot answer in time.
    if (deadline <= performance.now()) end({ problem: 'short' });
  });
}

function isJsonObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
