import { existsSync, rmSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { HookscopeError } from '../errors.js';
import { replaceFile } from '../files/replace-file.js';
import { messageOf } from '../values/waiting/promises.js';
import { removeDrafts } from './drafts.js';
import { type ConnectedFile, Journal } from './journal.js';
import { asWritten, isAsWritten, originalOf } from './original.js';
import { countOurs, oursIn } from './ours.js';
import { problem, readIfThere, realPath, removeEmpty, same, textOf } from './settings-file.js';
import type { HandlerTest } from './settings-text.js';
import { withoutOurs } from './take-out.js';

/** The result of disconnecting a file. */
export interface DisconnectedFile {
  readonly file: string;
  /**
   * `restored`: it is as it was before, byte for byte. `removed`: it did not exist before, and was deleted. `taken_out`: it was changed since,
   * so only the parts that connect had written were removed. `unknown`: those were removed, and nobody knows how it was before. `clean`: it
   * has none of them, and was left. `gone`: it does not exist any more.
   */
  readonly how: 'restored' | 'removed' | 'taken_out' | 'unknown' | 'clean' | 'gone';
}

/** A file that could not be disconnected. */
export interface StillConnected {
  readonly file: string;
  readonly error: unknown;
}

/** Undoes what `connect` did to a file. Undefined if the file has nothing that connect wrote. Rejects with FILE. */
export async function disconnect(file: string, journal = new Journal()): Promise<DisconnectedFile | undefined> {
  const path = realPath(file);
  const all = await disconnectAll([file], journal);
  const failed = all.find((one) => 'error' in one);
  if (failed) throw failed.error;
  const done = all.filter((one) => 'how' in one);
  return done.find((one) => one.file === path) ?? done[0];
}

/**
 * Undoes what `connect` did to the files that these names lead to now, or led to when they were connected: a link may have been added or
 * removed since. Every file is tried, even if another failed.
 */
export async function disconnectAll(
  names: readonly string[],
  journal = new Journal(),
): Promise<(DisconnectedFile | StillConnected)[]> {
  const list = journal.list();
  const { files, places } = reached(names, list);
  const isOurs = oursIn(list);
  const results: (DisconnectedFile | StillConnected)[] = [];
  for (const file of files) {
    const led = [...places.keys()].filter((one) => places.get(one)?.includes(file));
    const result = await disconnectFile({ file, list, isOurs, led });
    if (result !== undefined) results.push(result);
  }
  const failed = results.flatMap((one) => ('error' in one ? [one.file] : []));
  for (const [{ file, folders }, its] of places)
    if (!its.some((one) => failed.includes(one))) journal.forget(file, folders.filter(existsSync));
  return results;
}

interface ReachableFiles {
  readonly files: ReadonlySet<string>;
  /** Where the content of each connection may be now. */
  readonly places: ReadonlyMap<ConnectedFile, readonly string[]>;
}

/** The files that names lead to now or led to when they were connected, and the connections of these files. */
function reached(names: readonly string[], list: readonly ConnectedFile[]): ReachableFiles {
  const files = new Set(names.map((name) => realPath(name)));
  const known = new Set([...files, ...names.map((name) => resolve(name))]);
  const places = new Map<ConnectedFile, string[]>();
  for (let before = -1; before < places.size; ) {
    before = places.size;
    for (const one of list) {
      const { file, named = file } = one;
      const its = [realPath(file), realPath(named)];
      if (![file, named, ...its].some((path) => known.has(path))) continue;
      places.set(one, its);
      for (const path of its) files.add(path);
      for (const path of [file, named, ...its]) known.add(path);
    }
  }
  return { files, places };
}

interface ConnectedPlace {
  readonly file: string;
  readonly list: readonly ConnectedFile[];
  readonly isOurs: HandlerTest;
  /** Connections whose content may be in this file now. */
  readonly led: readonly ConnectedFile[];
}

async function disconnectFile(place: ConnectedPlace): Promise<DisconnectedFile | StillConnected | undefined> {
  const { file, list, led } = place;
  let bytes: Buffer | undefined;
  try {
    bytes = readIfThere(file);
    const how = bytes === undefined ? gone(place) : await takeOut(place, bytes);
    return how && { file, how };
  } catch (error) {
    const left = bytes === undefined ? undefined : countOurs(bytes.toString(), list);
    // Neither the journal nor the file shows that it was ever connected.
    if (led.length === 0 && !left) return undefined;
    return { file, error: stillThere(file, left, error) };
  }
}

function gone({ file, led }: ConnectedPlace): DisconnectedFile['how'] | undefined {
  const its = led.filter((one) => realPath(one.file) === file);
  for (const connection of its) {
    removeDrafts(connection);
    removeEmpty(connection.folders);
  }
  return its.length === 0 ? undefined : 'gone';
}

async function takeOut(place: ConnectedPlace, bytes: Buffer): Promise<DisconnectedFile['how'] | undefined> {
  const { file, list, led } = place;
  const own = list.find((one) => one.file === file);
  if (own) removeDrafts(own);
  const known = own ?? asWritten([...led, ...list], bytes) ?? led[0];
  const write = (data: Uint8Array): void => replaceFile(file, data, statSync(file).mode & 0o7777);
  const text = textOf(bytes, file);
  const original = known && (await originalOf(known));
  if (known && original && isAsWritten(known, bytes)) {
    if (original.bytes === undefined) return remove(file, known.folders);
    if (!same(original.bytes, bytes)) write(original.bytes);
    return original.isExact ? 'restored' : 'unknown';
  }
  const { rest } = await withoutOurs({ ...place, text }, known);
  const isLeft = rest === text;
  // Nothing else is known of a file that was not connected by its own path.
  if (isLeft && own === undefined) return led.length === 0 ? undefined : 'clean';
  if (original && original.bytes === undefined && isBare(rest)) return remove(file, known?.folders ?? []);
  if (!isLeft) write(Buffer.from(rest));
  if (original === undefined) return 'unknown';
  if (original.isExact && same(Buffer.from(rest), original.bytes)) return 'restored';
  return isLeft ? 'clean' : 'taken_out';
}

function remove(file: string, folders: readonly string[]): 'removed' {
  rmSync(file);
  removeEmpty(folders);
  return 'removed';
}

/** An empty object, or one with only the version, which connect may have added. */
const isBare = (text: string): boolean => /^\s*\{\s*(?:"version"\s*:\s*\d+\s*)?\}\s*$/.test(text);

/** `left`: how many hooks are still in the file; undefined: it could not be read. */
function stillThere(file: string, left: number | undefined, error: unknown): HookscopeError {
  const isKnown = error instanceof HookscopeError && error.code === 'FILE';
  const why = isKnown ? (error.details as { problem: string }).problem : `cannot be restored: ${messageOf(error)}`;
  if (left === 0) return problem(file, why, error);
  const what =
    left === undefined
      ? 'hooks that connect has written may still be in it'
      : `${left} ${left === 1 ? 'hook' : 'hooks'} that connect has written ${left === 1 ? 'is' : 'are'} still in it`;
  return problem(file, `${why}; ${what}: mend that and undo it again, or take them out by hand`, error);
}
