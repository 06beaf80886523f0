import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  rmdirSync,
  rmSync,
  statSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { HookscopeError } from '../errors.js';
import { NotRead, readRegularFile } from '../files/regular-file.js';
import { draftOf, replaceFile } from '../files/replace-file.js';
import { textDiff } from '../files/text-diff.js';
import { isRunning } from '../values/processes.js';
import { sha256 } from '../values/sha256.js';
import { type ConnectedFile, Journal } from './journal.js';
import type { Layout } from './layout.js';
import { type Entry, handlersIn, voidOf, withEntries } from './settings-text.js';
import { nameOf, withoutOurs } from './take-out.js';

/** The result of connecting a file. */
export interface ConnectPlan {
  readonly file: string;
  /** As a unified diff for display. Empty: there is nothing to do. */
  readonly difference: string;
  /** Why the agent runs none of the file's hooks as it is, and where; absent: it runs them. */
  readonly void?: string;
  /** Does it, all or nothing. Throws FILE. */
  write(): void;
}

/** The result of disconnecting a file. */
export interface Disconnected {
  readonly file: string;
  /**
   * `restored`: it is as it was before, byte for byte. `removed`: it did not exist before, and was deleted. `taken_out`: it was changed since,
   * so only the parts that connect had written were removed. `gone`: it does not exist any more.
   */
  readonly how: 'restored' | 'removed' | 'taken_out' | 'gone';
}

interface ConnectWhat {
  readonly agent: string;
  readonly file: string;
  /** The entry that is added to the list of each event. */
  readonly entries: Readonly<Record<string, Entry>>;
  readonly layout: Layout;
}

/** The change that adds the entries to a file; earlier entries are replaced. Nothing is written yet. Rejects with FILE. */
export async function planConnect(
  { agent, file, entries, layout }: ConnectWhat,
  journal = new Journal(),
): Promise<ConnectPlan> {
  const path = realPath(file);
  const bytes = readIfThere(path);
  const earlier = journal.find(path);
  const text = textOf(bytes, path);
  const base = earlier && bytes ? await withoutOurs(earlier, text) : text;
  const untouched = earlier !== undefined && bytes !== undefined && isAsWritten(earlier, bytes);
  // The content before the first connection, as long as nobody else has changed the file since.
  const original = untouched ? originalOf(earlier) : earlier && bytes ? Buffer.from(base) : bytes;
  const from = untouched ? textOf(original, path) : base;
  const { text: result, added } = await withEntries(from, entries, layout, path);
  const next = Buffer.from(result);
  const isVoid = await voidOf(result, layout);
  return {
    file: path,
    difference: await textDiff(path, text, result),
    ...(isVoid === undefined ? {} : { void: isVoid }),
    write() {
      // Another program may have written it while the user read the difference.
      if (!same(readIfThere(path), bytes)) throw problem(path, 'it has changed in the meantime; nothing was changed');
      const folders = [...missingFolders(dirname(path)), ...(earlier?.folders ?? [])];
      const before = original === undefined ? null : original.toString('base64');
      const handlers = handlersOf(entries);
      const what = { agent, file: path, at: new Date().toISOString() };
      const kept = { ...what, before, after: sha256(next), written: next.toString('base64'), added, folders };
      // Written first: everything from here on can be undone.
      const replaces = bytes && sha256(bytes);
      if (earlier !== undefined) removeDrafts(earlier);
      journal.keep({ ...kept, replaces, handlers: [...handlers, ...(earlier?.handlers ?? [])] });
      const missing = missingFolders(dirname(path));
      try {
        for (const folder of missing) mkdirSync(folder, { mode: 0o700 });
        replaceFile(path, next, bytes === undefined ? 0o600 : statSync(path).mode & 0o7777);
      } catch (error) {
        removeEmpty(missing);
        if (earlier === undefined) journal.forget(path);
        else journal.keep(earlier);
        throw problem(path, `cannot be written: ${(error as Error).message}`, error);
      }
      journal.keep({ ...kept, handlers });
    },
  };
}

/** Undoes what `connect` did to a file; undefined: it did nothing there. Rejects with FILE. */
export async function disconnect(file: string, journal = new Journal()): Promise<Disconnected | undefined> {
  const path = realPath(file);
  const connection = journal.find(path);
  if (connection === undefined) return undefined;
  const how = await restore(connection);
  journal.forget(path, connection.folders.filter(existsSync));
  return { file: path, how };
}

/** Removes what a killed command had begun to write; recognised by its name, and by being the beginning of the written text. */
function removeDrafts({ file, before, written }: ConnectedFile): void {
  const folder = dirname(file);
  const texts = [before, written].flatMap((text) => (text ? [Buffer.from(text, 'base64')] : []));
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    const pid = draftOf(basename(file), name);
    if (pid === undefined || (pid !== process.pid && isRunning(pid))) continue;
    try {
      const draft = readRegularFile(join(folder, name));
      if (texts.some((text) => draft.equals(text.subarray(0, draft.length)))) rmSync(join(folder, name));
    } catch {
      // A file that cannot be read is not ours.
    }
  }
}

async function restore(connection: ConnectedFile): Promise<Disconnected['how']> {
  const { file, folders } = connection;
  const bytes = readIfThere(file);
  const original = originalOf(connection);
  removeDrafts(connection);
  if (bytes === undefined) {
    removeEmpty(folders);
    return 'gone';
  }
  const write = (data: Uint8Array): void => replaceFile(file, data, statSync(file).mode & 0o7777);
  try {
    if (!isAsWritten(connection, bytes)) {
      const rest = Buffer.from(await withoutOurs(connection, textOf(bytes, file)));
      if (original !== undefined || !isBare(rest.toString())) {
        if (!same(rest, bytes)) write(rest);
        return original !== undefined && same(rest, original) ? 'restored' : 'taken_out';
      }
    } else if (original !== undefined) {
      if (!same(original, bytes)) write(original);
      return 'restored';
    }
    rmSync(file);
    removeEmpty(folders);
    return 'removed';
  } catch (error) {
    if (error instanceof HookscopeError) throw error;
    throw problem(file, `cannot be restored: ${(error as Error).message}`, error);
  }
}

/** Whether nobody else has changed it. */
function isAsWritten({ after, replaces }: ConnectedFile, bytes: Buffer): boolean {
  const hash = sha256(bytes);
  return hash === after || hash === replaces;
}

/** An empty object, or one with only the version, which connect has written too. */
const isBare = (text: string): boolean => /^\s*\{\s*(?:"version"\s*:\s*\d+\s*)?\}\s*$/.test(text);

const originalOf = ({ before }: ConnectedFile): Buffer | undefined =>
  before === null ? undefined : Buffer.from(before, 'base64');

/** How the handlers of entries are recognised. */
export const handlersOf = (entries: ConnectWhat['entries']): string[] => [
  ...new Set(Object.values(entries).flatMap((entry) => handlersIn(entry).map(nameOf))),
];

/** The file that a link leads to is the one that is read and replaced. */
function realPath(file: string, links = 0): string {
  const path = resolve(file);
  if (existsSync(path)) return realpathSync(path);
  // A missing target of a link is created, and the link stays.
  if (links < 40 && lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink())
    return realPath(resolve(dirname(path), readlinkSync(path)), links + 1);
  const folder = dirname(path);
  return existsSync(folder) ? join(realpathSync(folder), basename(path)) : path;
}

function readIfThere(path: string): Buffer | undefined {
  try {
    return readRegularFile(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    if (error instanceof NotRead) throw problem(path, `${error.message}; nothing was changed`, error);
    throw problem(path, `cannot be read: ${(error as Error).message}`, error);
  }
}

function textOf(bytes: Buffer | undefined, path: string): string {
  try {
    // A mark at its beginning stays where it is.
    return bytes === undefined ? '' : new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    throw problem(path, 'is not UTF-8 text; nothing was changed', error);
  }
}

function same(one: Buffer | undefined, other: Buffer | undefined): boolean {
  return one === undefined || other === undefined ? one === other : one.equals(other);
}

/** Outermost first. */
function missingFolders(folder: string): string[] {
  return existsSync(folder) ? [] : [...missingFolders(dirname(folder)), folder];
}

/** Removes the created folders, unless they have other content now; some may be gone. */
function removeEmpty(folders: readonly string[]): void {
  for (const folder of folders.toReversed()) {
    try {
      rmdirSync(folder);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') return;
    }
  }
}

function problem(file: string, text: string, cause?: unknown): HookscopeError {
  return new HookscopeError('FILE', { file, problem: text }, { cause });
}
