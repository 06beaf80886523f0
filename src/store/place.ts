import { existsSync, readFileSync, type Stats, statSync } from 'node:fs';
import { join } from 'node:path';
import { kindOfFile } from '../emit/sinks/files/database-file.js';
import { HookscopeError } from '../errors.js';
import { isObject } from '../values/shape.js';
import { stateFolder } from '../values/state-folder.js';
import { mergedStore } from './merged.js';
import { ndjsonStore } from './ndjson.js';
import { sqliteStore } from './sqlite.js';
import type { RecordStore, StoreOptions } from './store.js';

/** The socket of the user's server. */
export function defaultSocket(env: NodeJS.ProcessEnv = process.env): string {
  const { XDG_RUNTIME_DIR: run } = env;
  return join(run?.startsWith('/') ? join(run, 'hookscope') : join(stateFolder(env), 'run'), 'serve.sock');
}

/**
 * Opens what holds records, by what it is: `http://127.0.0.1:PORT` or a socket is a server, else it is a SQLite file, or an NDJSON file with those that were moved aside. A
 * file that is not there may still come (`follow`). Throws FILE.
 */
export async function openStore(place: string, options: StoreOptions = {}): Promise<RecordStore> {
  if (/^https?:/.test(place)) {
    const [{ httpAddress }, { serverStore }] = await client();
    const address = httpAddress(place);
    return serverStore({ address: () => address, token: readToken }, options);
  }
  const stats = statSync(place, { throwIfNoEntry: false });
  // A server that does not run yet may be waited for.
  if (stats?.isSocket() || (stats === undefined && place.endsWith('.sock'))) {
    if (stats !== undefined && !isOwn(stats))
      throw new HookscopeError('FILE', { file: place, problem: "is another user's socket" });
    const [{ socketAddress }, { serverStore }] = await client();
    return serverStore({ address: () => socketAddress(place), token: readToken }, options);
  }
  if (stats === undefined && place.endsWith('.db')) return awaited(place, options);
  return stats?.isFile() && isDatabase(place) ? sqliteStore(place, options) : ndjsonStore(place, options);
}

/** A database that is not there yet can be followed; to read it would make one. */
function awaited(place: string, options: StoreOptions): RecordStore {
  const store = sqliteStore(place, options);
  const records = (): never => {
    throw new HookscopeError('FILE', { file: place, problem: 'there is no such file' });
  };
  return { ...store, records };
}

/** An empty file is recognised by its name. */
function isDatabase(file: string): boolean {
  const kind = kindOfFile(file);
  return kind === 'empty' ? file.endsWith('.db') : kind === 'database';
}

/** Loaded where there is a server: a file needs none of it. */
const client = () => Promise.all([import('./ask.js'), import('./server.js')]);

/**
 * The places to read where none was named: the server that runs, else all that is kept. `note`: is told that a server does not take this
 * user's token; what is kept is read then, too.
 */
export async function foundPlaces(note: (text: string) => void = () => undefined): Promise<string[]> {
  const socket = defaultSocket();
  const state = await serverState(socket);
  const kept = keptPlaces(stateFolder());
  // The user is told if a stranger answers.
  if (state === 'stranger') return [socket];
  if (state !== 'runs') return kept;
  if (kept.length === 0 || !(await refusesToken(socket))) return [socket];
  note(`${socket}: ${NO_TOKEN}; its records are read from ${kept.join(' and ')}`);
  return kept;
}

const NO_TOKEN = 'the server does not take the token of tokens.json, which is gone or another one; start it again';

/** Whether the server at a socket does not know the token to read. It says so before it looks at anything else. */
export async function refusesToken(socket: string): Promise<boolean> {
  const [{ ask, socketAddress }] = await client();
  try {
    // For a token that it knows, but not for this, it says something else.
    const response = await ask(socketAddress(socket), '/admin/changes', { token: readToken(), patience: PATIENCE });
    response.destroy();
    return response.statusCode === 401;
  } catch {
    return false;
  }
}

/** The stores that sinks have left in a state folder: a database, a file of lines, or both if SQLite became available or unavailable. */
export function keptPlaces(state: string): string[] {
  return keptNames(state).filter((file) => existsSync(file));
}

/** What they are called, whether they are there or not. */
export const keptNames = (state: string): string[] => ['records.db', 'records.ndjson'].map((name) => join(state, name));

/** One or several of them as one store. Throws as `openStore`. */
export async function openStores(places: readonly string[], options: StoreOptions = {}): Promise<RecordStore> {
  const stores: RecordStore[] = [];
  for (const place of places) stores.push(await openStore(place, options));
  return stores.length === 1 ? (stores[0] as RecordStore) : mergedStore(stores);
}

/** Milliseconds a server has to say that it is there. */
const PATIENCE = 2_000;

/** The state of the server at a socket: `dead`, nobody answers; `stranger`, the one that answers is not the user's; `none`, there is no socket, or it is not ours. */
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

/** undefined: it is not there, and may be unable to be: a part of its path is a file, or closed to us. */
function statsOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/** Windows has no owners here. */
const isOwn = ({ uid }: Stats): boolean => process.getuid === undefined || uid === process.getuid();

/** The user's token to read; undefined: there is none, and the server will say so. */
function readToken(): string | undefined {
  try {
    const found: unknown = JSON.parse(readFileSync(join(stateFolder(), 'tokens.json'), 'utf8'));
    const token = isObject(found) && Object.hasOwn(found, 'read') ? found['read'] : undefined;
    return typeof token === 'string' && /^[\w-]{1,200}$/.test(token) ? token : undefined;
  } catch {
    return undefined;
  }
}
