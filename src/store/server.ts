import { EventEmitter, once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import querystring from 'node:querystring';
import { setTimeout as sleep } from 'node:timers/promises';
import type { HookRecord } from '../emit/record.js';
import { HookscopeError } from '../errors.js';
import { type Address, ask, isStranger, statusProblem } from './ask.js';
import { onceOnly } from './merged.js';
import { createNotes, type StoreNotes } from './notes.js';
import { queryParams } from './query.js';
import { recordOf } from './record-line.js';
import { isWanted, type RecordQuery, type RecordStore, type StoreOptions } from './store.js';
import { splitLines } from './stream-lines.js';

/** A server to ask. Functions, because a server that starts later may have another address or token. */
export interface AskedServer {
  address(): Address;
  /** The read token. */
  token(): string | undefined;
}

/** The records of a running server: `GET /records` for stored ones, `GET /events` to follow. */
export function serverStore(server: AskedServer, options: StoreOptions = {}): RecordStore {
  const attempts = new EventEmitter();
  const told = new Set<string>();
  const lost = (text: string): void => {
    if (!told.has(text)) options.note?.(text);
    told.add(text);
  };
  return {
    place: server.address().name,
    records: (query = {}) => readRecords(server, query, options, lost),
    async *follow(signal) {
      // A server process that replaces another sends again what the old one may not have sent.
      const isNew = onceOnly();
      for await (const record of followEvents(server, signal, options, attempts)) if (isNew(record)) yield record;
    },
    async tryAgain() {
      if (attempts.emit('now'))
        await once(attempts, 'over', { signal: AbortSignal.timeout(PATIENCE) }).catch(() => undefined);
    },
    close: async () => undefined,
  };
}

async function* readRecords(
  server: AskedServer,
  query: RecordQuery,
  { note }: StoreOptions,
  lost: (text: string) => void,
): AsyncGenerator<HookRecord> {
  const address = server.address();
  const notes = createNotes(note, address.name);
  const token = server.token();
  const response = await ask(address, `/records?${queryParams(query)}`, { token });
  try {
    const refusal = await refusalOf(response, address);
    if (refusal) throw refusal;
    const unread = response.headers['hookscope-unread'];
    if (unread !== undefined)
      lost(`${address.name}: ${querystring.unescape(String(unread))} What is in the other file is shown.`);
    let left = query.limit ?? Number.POSITIVE_INFINITY;
    let line = 0;
    for await (const bytes of wholeLines(response, address)) {
      if (left <= 0) return;
      line += 1;
      const record = await recordAt(bytes, notes, `${address.name}, line ${line} of its records`);
      if (!record || !isWanted(record, query)) continue;
      left -= 1;
      yield record;
    }
  } finally {
    response.destroy();
    notes.end();
  }
}

/** The lines of a response. Throws FILE if it ends early, so that half an answer is not taken for all records. */
async function* wholeLines(response: IncomingMessage, address: Address): AsyncGenerator<Buffer> {
  const lines = splitLines(response);
  for (;;) {
    const next = await lines.next().catch((cause: unknown) => {
      throw problem(address, 'ended before it had sent all of its records', cause);
    });
    if (next.done) return;
    yield next.value;
  }
}

const recordAt = (bytes: Buffer, notes: StoreNotes, place: string): Promise<HookRecord | undefined> =>
  recordOf({ bytes, at: 0 }, notes, async () => place);

/** Milliseconds before the next attempt, at first and at most. */
const RETRY = { first: 200, most: 5_000 };
/** Milliseconds that `tryAgain` waits for an answer. */
const PATIENCE = 1_000;

/**
 * Follows the server's records, and continues after the last one when the server is reachable again. Of `attempts`, `now` ends the pause before the
 * next one, and `over` tells that one has an answer or has failed.
 */
async function* followEvents(
  server: AskedServer,
  signal: AbortSignal,
  { note }: StoreOptions,
  attempts: EventEmitter,
): AsyncGenerator<HookRecord> {
  const { name } = server.address();
  const notes = createNotes(note, name);
  let last: string | undefined;
  let pause = RETRY.first;
  /** How often it has not answered, or has ended its answer, since it answered last. A process that takes another one's place answers at the first attempt. */
  let failed = 0;
  while (!signal.aborted) {
    let refusal: HookscopeError | undefined;
    try {
      const address = server.address();
      const headers = last ? { 'last-event-id': last } : {};
      const response = await ask(address, '/events', { token: server.token(), signal, headers });
      // A refusal (below 500) is final: it would be the same on the next attempt.
      if ((response.statusCode ?? 0) < 500) refusal = await refusalOf(response, address);
      if (refusal) throw refusal;
      if (failed > 1) note?.(`${name} answers again`);
      failed = 0;
      attempts.emit('over');
      pause = RETRY.first;
      for await (const { id, data } of messages(response)) {
        const missing = last === undefined || id === undefined ? 0 : missingBetween(last, id);
        if (missing > 0) note?.(`${missing === 1 ? '1 record is' : `${missing} records are`} not shown: ${SLOW}`);
        if (id !== undefined) last = id;
        if (data === undefined) continue;
        const record = await recordAt(data, notes, `${name}, event ${id ?? ''}`);
        if (record) yield record;
      }
    } catch (error) {
      if (refusal) throw refusal;
      if (isStranger(error)) throw error;
      // There is no server, or not any more: tried again later.
    } finally {
      notes.end();
    }
    if (signal.aborted) return;
    failed += 1;
    if (failed === 2) note?.(`${name} does not answer; waiting for it`);
    attempts.emit('over');
    const over = new AbortController();
    const end = (): void => over.abort();
    signal.addEventListener('abort', end);
    attempts.once('now', end);
    await sleep(pause, undefined, { signal: over.signal }).catch(() => undefined);
    signal.removeEventListener('abort', end);
    attempts.off('now', end);
    pause = Math.min(pause * 2, RETRY.most);
  }
}

const SLOW = 'they came faster than they were read; hookscope history has them';

/** How many records lie between two positions (`boot.number`) of the same run of a server. */
function missingBetween(last: string, id: string): number {
  const [[boot, from], [sameBoot, to]] = [last.split('.'), id.split('.')];
  return boot === sameBoot ? Math.max(0, Number(to) - Number(from) - 1) : 0;
}

/** Parses server-sent events: fields until an empty line. An event without data only gives the position. */
async function* messages(
  response: IncomingMessage,
): AsyncGenerator<{ id: string | undefined; data: Buffer | undefined }> {
  let id: string | undefined;
  let data: Buffer[] = [];
  for await (const bytes of splitLines(response)) {
    const line = bytes.at(-1) === 13 ? bytes.subarray(0, -1) : bytes;
    if (line.length === 0) {
      if (data.length > 0 || id !== undefined) yield { id, data: data.length > 0 ? Buffer.concat(data) : undefined };
      data = [];
    } else if (line.indexOf('data:') === 0) data.push(line.subarray(line[5] === 32 ? 6 : 5));
    else if (line.indexOf('id:') === 0) id = line.toString('utf8', 3).trim();
  }
}

/** undefined: the request was accepted. */
async function refusalOf(response: IncomingMessage, address: Address): Promise<HookscopeError | undefined> {
  return response.statusCode === 200 ? undefined : problem(address, await statusProblem(response));
}

function problem({ name }: Address, text: string, cause?: unknown): HookscopeError {
  return new HookscopeError('FILE', { file: name, problem: text }, { cause });
}
