import type { IncomingMessage } from 'node:http';
import { REASONS } from '../agent-protocol.js';
import { MOST_BODY } from '../limits.js';
import type { TokenRight } from '../tokens.js';

/** Each path with the right that a request needs. */
const ROUTES: readonly (readonly [path: RegExp, method: string, right: TokenRight | undefined])[] = [
  [/^\/$/, 'GET', undefined],
  [/^\/hooks\/[A-Za-z][\w-]{0,99}$/, 'POST', 'fire'],
  [/^\/healthz$/, 'GET', undefined],
  [/^\/records$/, 'GET', 'read'],
  [/^\/events$/, 'GET', 'read'],
  [/^\/scopes$/, 'GET', 'read'],
  [/^\/admin\/changes$/, 'GET', 'admin'],
  [/^\/admin\/(?:reload|stop|accept)$/, 'POST', 'admin'],
];

export interface HttpRefusal {
  readonly status: 400 | 401 | 403 | 404 | 405 | 413;
  readonly error: string;
}

export interface RefuseOptions {
  /** Names that the Host header may have. */
  readonly hosts: ReadonlySet<string>;
  check(authorization: string | undefined): TokenRight | undefined;
}

/** Why a request is refused, before its body is read. Nothing in it is trusted. */
export function refusal(request: IncomingMessage, { hosts, check }: RefuseOptions): HttpRefusal | undefined {
  const { headers, method, url = '' } = request;
  // Guards against web pages whose host name resolves to this server (DNS rebinding).
  const host = request.headersDistinct['host'] ?? [];
  if (host.length !== 1 || !hosts.has(host[0] as string)) return { status: 403, error: 'this Host is not served' };
  const path = url.split('?', 1)[0] as string;
  const route = ROUTES.find(([pattern]) => pattern.test(path));
  if (isForeign(headers, route)) return { status: 403, error: 'pages of a browser are not answered' };
  if (route === undefined) return { status: 404, error: 'there is nothing at this path' };
  const [, wanted, right] = route;
  if (method !== wanted) return { status: 405, error: `this path takes ${wanted}` };
  if (right === undefined) return undefined;
  const shown = check(headers.authorization);
  if (shown === undefined) return { status: 401, error: 'no token, or an unknown one' };
  if (shown !== right) return { status: 403, error: `this needs the token to ${right}` };
  // A call of hooks that is too large has its own answer, and a record.
  return right !== 'fire' && isTooLarge(request) ? { status: 413, error: REASONS.large } : undefined;
}

/** Whether a browser sent the request in a way that is not allowed. A user may open our own page, and that page may read; nothing else. */
function isForeign(headers: IncomingMessage['headers'], route: (typeof ROUTES)[number] | undefined): boolean {
  if (headers.origin !== undefined) return true;
  const site = headers['sec-fetch-site'];
  if (site === undefined) return false;
  const [pattern, , right] = route ?? [];
  if (right === 'read') return site !== 'same-origin';
  return pattern?.test('/') !== true || headers['sec-fetch-dest'] !== 'document';
}

/** Whether the length that the head declares is too large. */
export const isTooLarge = ({ headers }: IncomingMessage): boolean => Number(headers['content-length'] ?? 0) > MOST_BODY;
