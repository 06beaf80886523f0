/// <reference path="../../packages.d.ts" />
import type { LookupFunction, Socket } from 'node:net';
import type { Dispatcher } from 'undici';
import request from 'undici/lib/api/api-request.js';
import connector from 'undici/lib/core/connect.js';
import Client from 'undici/lib/dispatcher/client.js';
import { unlessAborted } from '../../values/waiting/abort.js';
import { PrivateAddressError } from './private-address.js';

/** Milliseconds within which a server must accept the connection. */
const CONNECT = 10_000;

export interface HttpPost {
  readonly url: URL;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
  /** The most bytes that an answer may have. */
  readonly limit: number;
  /** Resolves host names; undefined: the system's resolver. */
  readonly lookup: LookupFunction | undefined;
  readonly signal: AbortSignal;
}

export interface HttpResponse {
  readonly status: number;
  /** The target of a redirect. */
  readonly location: string | undefined;
  /** The body, which is read only for a 2xx status. */
  readonly text: string;
  readonly tooLarge: boolean;
}

/**
 * Sends one request on a connection of its own. A server may close a kept-alive connection just as the next request is sent, and
 * a guard would then fail for no reason. Proxy settings are ignored. Never throws.
 */
export async function post(wanted: HttpPost): Promise<HttpResponse | { readonly problem: string }> {
  const { url, lookup, signal } = wanted;
  const connect = connector({ timeout: CONNECT, ...(lookup && { lookup }) });
  let socket: Socket | undefined;
  const client = new Client(url.origin, {
    pipelining: 0,
    // The host sets the deadline, through the signal.
    headersTimeout: 0,
    bodyTimeout: 0,
    connect(options, callback) {
      socket = connect(options, callback);
    },
  });
  try {
    const answer = await unlessAborted(signal, () => exchange(client, wanted));
    return answer?.value ?? { problem: 'its time was up' };
  } catch (error) {
    return { problem: problemOf(error) };
  } finally {
    // Neither the signal nor destroying the client stops a connection attempt.
    socket?.destroy(new Error('It is not needed any more'));
    void client.destroy();
  }
}

async function exchange(client: Client, { url, headers, body, signal, limit }: HttpPost): Promise<HttpResponse> {
  const path = `${url.pathname}${url.search}`;
  const answer = await request.call(client, { path, method: 'POST', headers, body, signal });
  const { statusCode: status } = answer;
  const location = answer.headers['location'];
  const read = status >= 200 && status <= 299;
  const { text, tooLarge } = read ? await readBody(answer.body, limit) : drop(answer.body);
  return { status, location: Array.isArray(location) ? location[0] : location, text, tooLarge };
}

type ResponseBody = Dispatcher.ResponseData['body'];

async function readBody(body: ResponseBody, limit: number): Promise<{ text: string; tooLarge: boolean }> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length;
    // Leaving the loop destroys the body, and with it the connection.
    if (size > limit) return { text: '', tooLarge: true };
    chunks.push(chunk);
  }
  return { text: Buffer.concat(chunks).toString('utf8'), tooLarge: false };
}

/** Discards a body that is not needed, and with it the connection. */
function drop(body: ResponseBody): { text: string; tooLarge: boolean } {
  body.on('error', () => undefined);
  body.destroy();
  return { text: '', tooLarge: false };
}

function problemOf(error: unknown): string {
  const { message, code, errors } = error as NodeJS.ErrnoException & { errors?: readonly Error[] };
  if (error instanceof PrivateAddressError) return `${message}; the host option httpHookPrivateAddresses allows these`;
  // An AggregateError, after every address of the name was tried, has one error per address and no message of its own.
  const said = message || errors?.map((e) => e.message).join(', ');
  return said || code || String(error);
}
