import type { IncomingMessage } from 'node:http';
import { beginning } from '../../emit/redact/total.js';
import { HEAD } from '../agent-protocol.js';
import { MOST_BODY } from '../limits.js';
import { fitsHeader } from '../named-set.js';
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

/** Milliseconds without a byte after which a client sends no more. */
const LULL = 250;

/** Reads and drops the rest of a request that is too large, because a client that still sends might not read the answer if the connection ended. */
export function restOf(incoming: IncomingMessage): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, LULL);
    incoming.on('data', () => timer.refresh());
    incoming.on('close', resolve);
    incoming.on('end', resolve);
  });
}

/** The answer if nothing was run. It returns the input, because the thin command keeps no copy, and has to pass it to Node. */
export const returned = (text: string): HttpReply => ({
  status: HEAD.notServed,
  body: text,
  head: { [HEAD.returned]: 'yes' },
});

/** The largest length and number of messages beside an answer. Clients do not read longer heads. */
const LONGEST = 1_000;
const MOST = 10;

/** What a command is to print on standard error, as the head of its answer. */
export function asideHead(stderr: string): NonNullable<HttpReply['head']> {
  const aside = stderr.split('\n').map((line) => beginning(line.trim(), LONGEST, ''));
  const lines = aside.filter((line) => line !== '' && fitsHeader(line)).slice(0, MOST);
  return lines.length === 0 ? {} : { [HEAD.aside]: lines.map(latin1) };
}

/** UTF-8 as Latin-1 characters, because Node writes headers as Latin-1. */
const latin1 = (text: string): string => Buffer.from(text, 'utf8').toString('latin1');
