import { lstatSync, type Stats, statSync } from 'node:fs';
import { join } from 'node:path';
import type { HookRecord } from '../emit/record.js';
import { kindOfFile } from '../emit/sinks/files/database-file.js';
import { HookscopeError, isHookscopeError } from '../errors.js';
import { checkFile } from '../files/folder.js';
import { readRegularFile } from '../files/regular-file.js';
import { isObject } from '../values/shape.js';
import { runtimeFolder, stateFolder } from '../values/user-folders.js';
import { mergedStore } from './merged.js';
import { ndjsonStore } from './ndjson.js';
import { sqliteStore } from './sqlite.js';
import type { RecordStore, StoreOptions } from './store.js';

/** The path of the user's server socket. */
export function defaultSocket(env: NodeJS.ProcessEnv = process.env): string {
  const run = runtimeFolder(env);
  return join(run === undefined ? join(stateFolder(env), 'run') : join(run, 'hookscope'), 'serve.sock');
}

/**
 * Opens a store of records: a server (`http://127.0.0.1:PORT` or a socket), a SQLite file, or an NDJSON file with its rotated predecessors. A file that does not exist yet
 * can be followed. Throws FILE.
 */
export async function openStore(place: string, options: StoreOptions = {}): Promise<RecordStore> {
  if (/^https?:/.test(place)) {
    const [{ httpAddress }, { serverStore }] = await client();
    const address = httpAddress(place);
    return serverStore({ address: () => address, token: readToken }, options);
  }
  const stats = statsOf(place);
  // A server that does not run yet can be followed too.
  if (stats?.isSocket() || (stats === undefined && place.endsWith('.sock'))) {
    if (stats !== undefined && !isOwn(stats))
      throw new HookscopeError('FILE', { file: place, problem: "is another user's socket" });
    const [{ socketAddress }, { serverStore }] = await client();
    return serverStore({ address: () => socketAddress(place), token: readToken }, options);
  }
  if (stats === undefined && place.endsWith('.db')) return awaited(place, options);
  return stats?.isFile() && isDatabase(place) ? sqliteStore(place, options) : ndjsonStore(place, options);
}

/** A database that does not exist yet. It can be followed; reading it would create the file, so that throws FILE. */
function awaited(place: string, options: StoreOptions): RecordStore {
  const store = sqliteStore(place, options);
  return {
    ...store,
    records(query) {
      checkFile(place);
      return store.records(query);
    },
  };
}

/** Whether a file is a database; for an empty file, or one that cannot be read (of which whoever reads it says why), its name decides. */
function isDatabase(file: string): boolean {
  try {
    const kind = kindOfFile(file);
    if (kind !== 'empty') return kind === 'database';
  } catch (error) {
    if (!isFileError(error)) throw error;
  }
  return file.endsWith('.db');
}

const isFileError = (error: unknown): boolean => typeof (error as NodeJS.ErrnoException).syscall === 'string';

/** The client of a server, loaded only for servers. */
const client = () => Promise.all([import('./ask.js'), import('./server.js')]);

/**
 * The places to read if the user named none: the running server, or else the stores in the state folder. If the server refuses this user's
 * token, those stores are read too, and `note` reports it.
 */
export async function foundPlaces(note: (text: string) => void = () => undefined): Promise<string[]> {
  const socket = defaultSocket();
  const state = await serverState(socket);
  const kept = keptPlaces(stateFolder());
  // Opening the socket reports that another program answers.
  if (state === 'stranger') return [socket];
  if (state !== 'runs') return kept;
  if (kept.length === 0 || !(await refusesToken(socket))) return [socket];
  note(`${socket}: ${NO_TOKEN}; its records are read from ${kept.join(' and ')}`);
  return kept;
}

const NO_TOKEN = 'the server does not take the token of tokens.json, which is gone or another one; start it again';

/** Whether the server at a socket refuses the read token. It checks the token before anything else in a request. */
export async function refusesToken(socket: string): Promise<boolean> {
  const [{ ask, socketAddress }] = await client();
  try {
    // A known token that may not do this gets another status than 401.
    const response = await ask(socketAddress(socket), '/admin/changes', { token: readToken(), patience: PATIENCE });
    response.destroy();
    return response.statusCode === 401;
  } catch {
    return false;
  }
}

/** The stores in a state folder that exist: a database, an NDJSON file, or both if SQLite became available or unavailable. A link that leads nowhere is one, too: nothing is kept there. */
export function keptPlaces(state: string): string[] {
  return keptNames(state).filter(isEntry);
}

function isEntry(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}

/** The paths of the stores in a state folder, whether they exist or not. */
export const keptNames = (state: string): string[] => ['records.db', 'records.ndjson'].map((name) => join(state, name));

/** Opens one or several places as one store. Throws like `openStore`. `lost`: hears of each of several that cannot be read; without it, that throws. */
export async function openStores(
  places: readonly string[],
  options: StoreOptions = {},
  lost?: (place: string, error: HookscopeError) => void,
): Promise<RecordStore> {
  const stores: RecordStore[] = [];
  for (const place of places) stores.push(await openStore(place, options));
  if (stores.length === 1) return stores[0] as RecordStore;
  return mergedStore(lost === undefined ? stores : leftOut(stores, lost));
}

/** The stores, of which each that cannot be read is empty from then on. The error of the last one that is left is thrown. */
function leftOut(stores: readonly RecordStore[], lost: (place: string, error: HookscopeError) => void): RecordStore[] {
  const gone = new Set<RecordStore>();
  return stores.map((store) => {
    async function* read(records: () => AsyncIterable<HookRecord>): AsyncGenerator<HookRecord> {
      if (gone.has(store)) return;
      try {
        yield* records();
      } catch (error) {
        if (!isHookscopeError(error) || error.code !== 'FILE' || gone.size + 1 === stores.length) throw error;
        gone.add(store);
        lost(store.place, error);
      }
    }
    return {
      ...store,
      records: (query) => read(() => store.records(query)),
      follow: (signal) => read(() => store.follow(signal)),
    };
  });
}

/** Milliseconds that a server has to answer. */
const PATIENCE = 2_000;

/** The state of the server at a socket. `dead`: nobody answers; `stranger`: another program answers; `none`: there is no socket, or it is another user's. */
export async function serverState(socket: string): Promise<'runs' | 'dead' | 'stranger' | 'none'> {
  const stats = statsOf(socket);
  if (!stats?.isSocket() || !isOwn(stats)) return 'none';
  const [{ ask, isStranger, socketAddress }] = await client();
  try {
    const response = await ask(socketAddress(socket), '/healthz', { patience: PATIENCE });
    response.destroy();
    return response.statusCode === 200 ? 'runs' : 'dead';
  } catch (error) {
    return isStranger(error) ? 'stranger' : 'dead';
  }
}

/** undefined: the path does not exist, or cannot be read (a part of it is a file, or closed to this user). */
function statsOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/** Whether the socket is this user's; Node gives no owners on Windows. */
const isOwn = ({ uid }: Stats): boolean => process.getuid === undefined || uid === process.getuid();

/** The user's read token; undefined: there is none, which the server will report. */
function readToken(): string | undefined {
  try {
    const found: unknown = JSON.parse(readRegularFile(join(stateFolder(), 'tokens.json')).toString('utf8'));
    const token = isObject(found) && Object.hasOwn(found, 'read') ? found['read'] : undefined;
    return typeof token === 'string' && /^[\w-]{1,200}$/.test(token) ? token : undefined;
  } catch {
    return undefined;
  }
}
