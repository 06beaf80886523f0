import type { IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { HookRecord } from '../emit/record.js';
import { HookscopeError } from '../errors.js';
import { type Address, ask, isStranger, statusProblem } from './ask.js';
import { createNotes, type StoreNotes } from './notes.js';
import { queryParams } from './query.js';
import { recordOf } from './record-line.js';
import { isWanted, type RecordQuery, type RecordStore, type StoreOptions } from './store.js';
import { splitLines } from './stream-lines.js';

/** The records of a warm server: `GET /records`, and `GET /events` as they come. `token`: the one to read. */
export function serverStore(address: Address, token: string | undefined, options: StoreOptions = {}): RecordStore {
  return {
    place: address.name,
    records: (query = {}) => readRecords(address, token, query, options),
    follow: (signal) => followEvents(address, token, signal, options),
    close: async () => undefined,
  };
}

async function* readRecords(
  address: Address,
  token: string | undefined,
  query: RecordQuery,
  { note }: StoreOptions,
): AsyncGenerator<HookRecord> {
  const notes = createNotes(note);
  const response = await ask(address, `/records?${queryParams(query)}`, { token });
  try {
    const refusal = await refusalOf(response, address);
    if (refusal) throw refusal;
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

/** Half an answer is not all that happened: it ends with FILE. */
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

/** Milliseconds until it is tried again, at first and at most. */
const RETRY = { first: 200, most: 5_000 };

/** Goes on behind the last record that came, whenever the server is there. */
async function* followEvents(
  address: Address,
  token: string | undefined,
  signal: AbortSignal,
  { note }: StoreOptions,
): AsyncGenerator<HookRecord> {
  const notes = createNotes(note);
  let last: string | undefined;
  let pause = RETRY.first;
  let gone = false;
  while (!signal.aborted) {
    let refusal: HookscopeError | undefined;
    try {
      const response = await ask(address, '/events', { token, signal, headers: last ? { 'last-event-id': last } : {} });
      // A client that may not read now may not read later.
      if ((response.statusCode ?? 0) < 500) refusal = await refusalOf(response, address);
      if (refusal) throw refusal;
      if (gone) note?.(`${address.name} answers again`);
      gone = false;
      pause = RETRY.first;
      for await (const { id, data } of messages(response)) {
        if (id !== undefined) last = id;
        const record = await recordAt(data, notes, `${address.name}, event ${id ?? ''}`);
        if (record) yield record;
      }
    } catch (error) {
      if (refusal) throw refusal;
      if (isStranger(error)) throw error;
      // There is no server, or no longer: it is tried again.
    } finally {
      notes.end();
    }
    if (signal.aborted) return;
    if (!gone) note?.(`${address.name} does not answer; waiting for it`);
    gone = true;
    await sleep(pause, undefined, { signal }).catch(() => undefined);
    pause = Math.min(pause * 2, RETRY.most);
  }
}

/** Server-sent events: fields until an empty line. */
async function* messages(response: IncomingMessage): AsyncGenerator<{ id: string | undefined; data: Buffer }> {
  let id: string | undefined;
  let data: Buffer[] = [];
  for await (const bytes of splitLines(response)) {
    const line = bytes.at(-1) === 13 ? bytes.subarray(0, -1) : bytes;
    if (line.length === 0) {
      if (data.length > 0) yield { id, data: Buffer.concat(data) };
      data = [];
    } else if (line.indexOf('data:') === 0) data.push(line.subarray(line[5] === 32 ? 6 : 5));
    else if (line.indexOf('id:') === 0) id = line.toString('utf8', 3).trim();
  }
}

/** undefined: it answers what was asked. */
async function refusalOf(response: IncomingMessage, address: Address): Promise<HookscopeError | undefined> {
  return response.statusCode === 200 ? undefined : problem(address, await statusProblem(response));
}

function problem({ name }: Address, text: string, cause?: unknown): HookscopeError {
  return new HookscopeError('FILE', { file: name, problem: text }, { cause });
}
