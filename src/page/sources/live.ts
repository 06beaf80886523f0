import type { KeptRecords } from '../records/kept.js';
import { begin, changed, older, scopes, showAdded, status, unread } from '../state.js';
import { eachLine } from './lines.js';
import { CatchUp, olderThan, REMEMBERED } from './look-back.js';
import { forgetToken } from './token.js';

/** At first, at most this many of the newest records are read. */
const MOST = 200_000;
/** Milliseconds until a server that is gone is asked again, at first and at most. */
const AGAIN = { first: 200, most: 5_000 };
/** After a gap the store is read again, at once and after these delays in milliseconds: a replaced server stores its last records late. */
const LOOK_AGAIN = [0, 5_000, 40_000];
/** Milliseconds before the last contact that are read again, because clocks differ and several hosts may report at the same time. */
const BACK = 10_000;
/** Milliseconds between two requests for the scope tree. */
const SCOPES = 2_000;

let running: AbortController | undefined;

export function stopFollowing(): void {
  running?.abort();
  running = undefined;
}

class TokenRefused extends Error {}

/** Shows what the server of this page has kept, and what happens, until another source is chosen. The token goes in a header and nowhere else. */
export async function followServer(token: string): Promise<void> {
  stopFollowing();
  const over = new AbortController();
  running = over;
  const into = begin({ type: 'reading', what: 'what the server has kept' }, { once: true });
  const ask = async (path: string, headers: Record<string, string> = {}): Promise<ReadableStream<Uint8Array>> => {
    const response = await fetch(path, {
      headers: { authorization: `Bearer ${token}`, ...headers },
      signal: over.signal,
      cache: 'no-store',
      credentials: 'omit',
      redirect: 'error',
      referrerPolicy: 'no-referrer',
    });
    if (response.status === 401 || response.status === 403) throw new TokenRefused(await problemIn(response));
    if (!response.ok || response.body === null) throw new Error(await problemIn(response));
    if (path.startsWith('/records')) unread.value = decodeURIComponent(response.headers.get('hookscope-unread') ?? '');
    return response.body;
  };
  const one = new LiveFeed(into, ask, over.signal);
  try {
    await one.run();
  } catch (error) {
    if (over.signal.aborted) return;
    if (error instanceof TokenRefused) forgetToken();
    status.value = { type: 'refused', why: (error as Error).message };
  }
}

type FetchStream = (path: string, headers?: Record<string, string>) => Promise<ReadableStream<Uint8Array>>;

class LiveFeed {
  readonly #into: KeptRecords;
  readonly #ask: FetchStream;
  readonly #signal: AbortSignal;
  /** The id of the last event. */
  #last: string | undefined;
  #read = false;

  constructor(into: KeptRecords, ask: FetchStream, signal: AbortSignal) {
    this.#into = into;
    this.#ask = ask;
    this.#signal = signal;
  }

  /** Rejects with `TokenRefused` if the token is not valid. */
  async run(): Promise<void> {
    let pause = AGAIN.first;
    while (!this.#signal.aborted) {
      try {
        const events = await this.#ask('/events', this.#last === undefined ? {} : { 'last-event-id': this.#last });
        pause = AGAIN.first;
        // Records that come in the meantime wait in the open stream.
        await this.#catchUp();
        status.value = { type: 'live' };
        await this.#listen(events);
      } catch (error) {
        if (error instanceof TokenRefused || this.#signal.aborted) throw error;
      }
      status.value = { type: 'lost', why: 'the server does not answer; it is asked again' };
      await sleep(pause, this.#signal);
      pause = Math.min(pause * 2, AGAIN.most);
    }
  }

  async #catchUp(): Promise<void> {
    if (!this.#read) {
      await this.#readNewest();
      this.#read = true;
    } else await this.#lookBack();
    this.#caughtUp.heard(Date.now());
    void this.#readScopes();
  }

  /** Server-sent events: fields until an empty line. */
  async #listen(events: ReadableStream<Uint8Array>): Promise<void> {
    let id: string | undefined;
    let data: string[] = [];
    await eachLine(events, (line) => {
      if (line === '') {
        if (data.length > 0) this.#take(id, data.join('\n'));
        data = [];
        // A record that the server did not make comes without an id.
        id = undefined;
      } else if (line.startsWith('data:')) data.push(line.slice(line[5] === ' ' ? 6 : 5));
      else if (line.startsWith('id:')) id = line.slice(3).trim();
    });
  }

  readonly #caughtUp = new CatchUp();

  #take(id: string | undefined, text: string): void {
    if (id !== undefined) {
      if (this.#last !== undefined && isGap(this.#last, id)) void this.#lookBack().catch(() => undefined);
      this.#last = id;
    }
    this.#caughtUp.note(text);
    this.#caughtUp.heard(Date.now());
    if (this.#into.add(text)) changed();
    this.#scopesSoon();
  }

  async #readNewest(): Promise<void> {
    await this.#readBefore(Number.POSITIVE_INFINITY);
  }

  /** Reads the newest records that were made up to `until`, and adds them in the order in which they were made. */
  async #readBefore(until: number): Promise<void> {
    const lines: string[] = [];
    const limit = until === Number.POSITIVE_INFINITY ? '' : `&until=${until}`;
    await eachLine(await this.#ask(`/records?newest=true&limit=${MOST}${limit}`), (line) => lines.push(line));
    const added = this.#addAll(lines);
    if (limit === '') this.#noteAll(lines);
    showAdded();
    const next = olderThan(lines, { most: MOST, added, until });
    older.value = next === undefined ? undefined : () => this.#readBefore(next);
  }

  /** Adds lines that come newest first, in the order in which they were made. Returns how many were new. */
  #addAll(lines: readonly string[]): number {
    let added = 0;
    for (const line of lines.toReversed()) if (this.#into.add(line)) added += 1;
    return added;
  }

  #noteAll(lines: readonly string[]): void {
    for (const line of lines.slice(0, REMEMBERED).reverse()) this.#caughtUp.note(line);
  }

  /** Reads what was recorded since the last contact, from the end of the store. */
  async #lookBack(): Promise<void> {
    const readings = LOOK_AGAIN.map(() => this.#caughtUp.reading(BACK));
    const look = async (): Promise<void> => {
      const isKnown = readings.shift() as (line: string) => boolean;
      const lines: string[] = [];
      let isEnough = false;
      const take = (line: string): void => {
        lines.push(line);
        isEnough = isKnown(line);
      };
      await eachLine(await this.#ask('/records?newest=true'), take, { isEnough: () => isEnough });
      this.#addAll(lines);
      this.#noteAll(lines);
      changed();
    };
    const [now, ...later] = LOOK_AGAIN;
    await sleep(now as number, this.#signal);
    await look();
    for (const ms of later) void sleep(ms, this.#signal).then(() => look().catch(() => undefined));
  }

  #scopesAt = 0;
  #scopesSoon(): void {
    if (Date.now() < this.#scopesAt) return;
    this.#scopesAt = Date.now() + SCOPES;
    void sleep(SCOPES, this.#signal).then(() => this.#readScopes());
  }

  async #readScopes(): Promise<void> {
    try {
      scopes.value = await new Response(await this.#ask('/scopes')).json();
    } catch {
      // The next record asks again.
    }
  }
}

/** Ids are `boot.number`. There is a gap if the same server continues with another number than the next. */
function isGap(last: string, id: string): boolean {
  const [boot, number] = last.split('.');
  const [sameBoot, next] = id.split('.');
  return boot === sameBoot && Number(next) !== Number(number) + 1;
}

async function problemIn(response: Response): Promise<string> {
  const text = (await response.text().catch(() => '')).slice(0, 200);
  try {
    return String((JSON.parse(text) as { error: unknown }).error).slice(0, 200);
  } catch {
    return `the server answered ${response.status}`;
  }
}

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
