import type { IncomingMessage } from 'node:http';
import { HEAD } from '../agent-protocol.js';
import { MOST_BODY } from '../limits.js';
import { isTooLarge } from './refuse.js';

/** A response. */
export interface HttpReply {
  readonly status: number;
  readonly body: string;
  readonly head?: Readonly<Record<string, string | string[]>>;
}

/** The whole body as text, or why it could not be read. */
export type ReadBody = { readonly text: string } | { readonly problem: 'input' | 'large' };

export function readBody(incoming: IncomingMessage): Promise<ReadBody> {
  if (isTooLarge(incoming)) return Promise.resolve({ problem: 'large' });
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let size = 0;
    incoming.on('data', (chunk: Buffer) => {
      size += chunk.length;
      // Chunks have no declared length.
      if (size > MOST_BODY) {
        incoming.removeAllListeners('data');
        resolve({ problem: 'large' });
      } else chunks.push(chunk);
    });
    incoming.on('end', () => {
      const bytes = chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks);
      resolve({ text: bytes.toString('utf8') });
    });
    incoming.on('close', () => resolve({ problem: 'input' }));
    incoming.on('error', () => resolve({ problem: 'input' }));
  });
}

/** The answer if nothing was run. It returns the input, because the thin command keeps no copy, and has to pass it to Node. */
export const returned = (text: string): HttpReply => ({
  status: HEAD.notServed,
  body: text,
  head: { [HEAD.returned]: 'yes' },
});

export async function notServed(incoming: IncomingMessage): Promise<HttpReply> {
  const read = await readBody(incoming);
  return 'text' in read ? returned(read.text) : { status: 413, body: '{}', head: { connection: 'close' } };
}
