import type { IncomingMessage, ServerResponse } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import type { Context, Hono as HonoApp } from 'hono';
import type { HookRecord } from '../../emit/record.js';
import { describeError } from '../../values/message.js';
import { isObject, type Json } from '../../values/shape.js';
import { stateOf } from '../bound/files.js';
import { pageHead, servedPage } from '../page.js';
import type { HookParts } from './answer-hook.js';
import type { FeedItem } from './feed.js';

/** What the routes need to answer. */
export interface AppParts extends HookParts {
  /** Stored records, selected by the query of a request. `lost` hears of a file that cannot be read, beside one that can. */
  records(query: URLSearchParams, lost: (error: Error) => void): AsyncIterable<HookRecord>;
  /** A record as a line of JSON, with secrets masked. */
  text(record: HookRecord): string;
  /** Masks secrets in any other text. */
  plain(text: string): string;
  /** Records as they come, after a position. */
  events(after: string | undefined, signal: AbortSignal): AsyncIterable<FeedItem>;
  /** Files that differ from what was bound, checked anew. */
  changes(): readonly string[];
  /** What has changed in such a file, in lines that are safe to print and have no secrets. */
  change(path: string): Promise<string>;
  admin(call: 'reload' | 'stop' | 'accept'): Promise<Json>;
  /** Keeps that these changes are about to be accepted. Throws if that fails. */
  keepAccepted(changes: readonly string[], how: string): () => void;
}

type HonoEnv = { readonly Bindings: { readonly incoming: IncomingMessage; readonly outgoing: ServerResponse } };
type HonoContext = Context<HonoEnv>;

/** At most so many changed files are shown; of the others the names. */
const MOST_SHOWN = 50;

/** Adds the routes. Whether a request is allowed was checked before (`refusal`). */
export function addRoutes(app: HonoApp<HonoEnv>, parts: AppParts): void {
  app.get('/', (c) => {
    const page = servedPage();
    return c.body(page.html, 200, pageHead(page));
  });
  app.get('/healthz', (c) => c.json({ ok: true }));
  app.get('/scopes', (c) => {
    const scopes = parts.hosts().all.map(({ host, root }) => ({ root: root ?? null, scopes: host.describe() }));
    // Names of hooks can be command lines, which may contain secrets.
    return c.json(
      JSON.parse(JSON.stringify(scopes), (_, value) => (typeof value === 'string' ? parts.plain(value) : value)),
    );
  });
  app.get('/records', async (c) => {
    const unread: string[] = [];
    let begun = false;
    const lost = (error: Error): void => {
      // Only the head can say that records are missing; afterwards, the answer breaks off.
      if (begun) throw error;
      unread.push(parts.plain(error.message));
    };
    const pieces = lines(parts.records(new URL(c.req.url).searchParams, lost), parts.text);
    try {
      // A wrong query is reported before the answer has begun.
      const first = await pieces.next();
      begun = true;
      const all = first.done === true ? noPieces() : together(first.value, pieces);
      const missing = unread.length === 0 ? {} : { 'hookscope-unread': encodeURIComponent(unread.join(' ')) };
      return new Response(streamOf(all), { headers: { 'content-type': 'application/x-ndjson', ...missing } });
    } catch (error) {
      return c.json({ error: describeError(error) }, 400);
    }
  });
  app.get('/events', (c) => {
    const over = new AbortController();
    c.env.outgoing.once('close', () => over.abort());
    const events = parts.events(c.req.header('last-event-id'), over.signal);
    return new Response(streamOf(messages(events)), { headers: { 'content-type': 'text/event-stream' } });
  });
  app.get('/admin/changes', async (c) => {
    const changes = parts.changes();
    const state = stateOf(changes);
    if (c.req.query('show') === undefined) return c.json({ changes, state });
    const shown: string[] = [];
    for (const path of changes.slice(0, MOST_SHOWN)) shown.push(await parts.change(path));
    // What was shown may be another state than the one before it.
    return c.json({ changes, shown, state: stateOf(changes) === state ? state : '' });
  });
  for (const call of ['reload', 'stop'] as const)
    app.post(`/admin/${call}`, async (c) => c.json(await parts.admin(call)));
  app.post('/admin/accept', async (c) => {
    const { state, by } = (await bodyOf(c)) ?? {};
    if (typeof state !== 'string') {
      const error = 'expected a JSON object with the "state" that GET /admin/changes gave, as {"state":"…"}';
      return c.json({ ok: false, error }, 400);
    }
    // Accepts only the state that the user has seen, not later changes.
    const changes = parts.changes();
    if (state !== stateOf(changes)) return c.json({ ok: false, error: 'it has changed again meanwhile' }, 409);
    // Whoever asks may say so, and the server knows only of the request.
    const said = by === 'terminal' ? ', which said that it is hookscope serve --accept' : '';
    const refused = parts.keepAccepted(changes, `POST /admin/accept${said}`);
    const answer = await parts.admin('accept');
    if (answer['ok'] !== true) refused();
    return c.json(answer);
  });
  app.onError((error, c) => c.json({ error: describeError(error) }, 500));
}

/** The body as an object; undefined if it is not one. */
async function bodyOf(c: HonoContext): Promise<Json | undefined> {
  try {
    const body: unknown = JSON.parse(await c.req.text());
    return isObject(body) ? body : undefined;
  } catch {
    return undefined;
  }
}

/** The longest time in milliseconds that records are read before the event loop can serve hooks. */
const TURN = 5;

/** Joins lines to larger pieces. */
async function* lines(records: AsyncIterable<HookRecord>, text: AppParts['text']): AsyncGenerator<string> {
  let some = '';
  let since = performance.now();
  for await (const record of records) {
    some += `${text(record)}\n`;
    if (performance.now() - since < TURN) continue;
    yield some;
    some = '';
    await setImmediate();
    since = performance.now();
  }
  if (some !== '') yield some;
}

async function* together(first: string, rest: AsyncGenerator<string>): AsyncGenerator<string> {
  yield first;
  yield* rest;
}

async function* noPieces(): AsyncGenerator<string> {
  yield* [];
}

async function* messages(events: AsyncIterable<FeedItem>): AsyncGenerator<string> {
  // Sent at once, so that a client knows that it is connected before the first record.
  yield ': hookscope\n\n';
  for await (const { id, text, dropped } of events)
    yield dropped !== undefined
      ? `: dropped ${dropped}\n\n`
      : `${id === undefined ? '' : `id: ${id}\n`}${text === undefined ? '' : `data: ${text}\n`}\n`;
}

/** Sends pieces as fast as they are read. */
function streamOf(pieces: AsyncGenerator<string>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await pieces.next();
      if (done === true) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
    async cancel() {
      await pieces.return(undefined);
    },
  });
}
