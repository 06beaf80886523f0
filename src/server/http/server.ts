import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { Hono } from 'hono';
import { wellFormedJson } from '../../plain.js';
import { HEAD } from '../agent-protocol.js';
import { answerHook } from './answer-hook.js';
import { type HttpRefusal, isTooLarge, type RefuseOptions, refusal } from './refuse.js';
import { type AppParts, addRoutes } from './routes.js';

/** Time limits for clients. */
export interface HttpTimeouts {
  /** Seconds for the head of a request. */
  readonly head: number;
  /** Seconds for a whole request. */
  readonly request: number;
  /** Seconds between two requests of a connection. */
  readonly idle: number;
}

const PATIENCE: HttpTimeouts = { head: 5, request: 30, idle: 15 };
/** How often slow clients are looked for, in milliseconds. */
const LOOK = 500;
/** The path of hooks; every tool call waits for it. */
const HOOK = /^\/hooks\/([\w-]+)/;
/** The most bytes of a request's head, which has tokens, a folder and names of files. */
const HEAD_BYTES = 64 * 1024;

export interface HttpServerOptions extends RefuseOptions {
  /** The proof that is sent with every answer. */
  readonly proof?: string;
  readonly patience?: Partial<HttpTimeouts>;
}

/** The server for a socket or a port; the caller tells it where to listen. */
export function httpServer(parts: AppParts, { patience, proof, ...known }: HttpServerOptions): Server {
  const app = new Hono<{ Bindings: { incoming: IncomingMessage; outgoing: ServerResponse } }>();
  addRoutes(app, parts);
  const listener = getRequestListener(app.fetch as never, { overrideGlobalObjects: false });
  const { head, request, idle } = { ...PATIENCE, ...patience };
  const server = createServer(
    {
      headersTimeout: head * 1000,
      requestTimeout: request * 1000,
      keepAliveTimeout: idle * 1000,
      connectionsCheckingInterval: LOOK,
      maxHeaderSize: HEAD_BYTES,
    },
    (incoming, outgoing) => {
      if (proof !== undefined) outgoing.setHeader(HEAD.proof, proof);
      const refused = refusal(incoming, known);
      if (refused) return end(refused, incoming, outgoing);
      // While the server stops, open connections take no further requests.
      if (!server.listening) outgoing.setHeader('connection', 'close');
      const event = HOOK.exec(incoming.url as string)?.[1];
      if (event === undefined) void listener(incoming, outgoing);
      else void answerHook(event, incoming, outgoing, parts);
    },
  );
  // `Expect: 100-continue`, so that a refused client does not send its body.
  server.on('checkContinue', (incoming: IncomingMessage, outgoing: ServerResponse) => {
    if (proof !== undefined) outgoing.setHeader(HEAD.proof, proof);
    const refused = refusal(incoming, known);
    if (refused) return end(refused, incoming, outgoing);
    if (!isTooLarge(incoming)) outgoing.writeContinue();
    server.emit('request', incoming, outgoing);
  });
  server.on('upgrade', (_, socket) => socket.destroy());
  return server;
}

/** Refuses a request at once and ends the connection; the rest of the request is not read. */
function end({ status, error }: HttpRefusal, incoming: IncomingMessage, outgoing: ServerResponse): void {
  const body = wellFormedJson({ error });
  outgoing.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  });
  outgoing.end(body, () => incoming.socket.destroySoon());
}
