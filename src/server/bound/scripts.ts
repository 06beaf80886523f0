import { isAbsolute } from 'node:path';
import type { Consent } from '../../trust/consent.js';

/** The files that commands in it name, by the folder they are found from and the file that holds the command (`keyOfScripts`), and by the name. */
export type BoundScripts = Record<string, Record<string, Consent['files'][string]>>;

/** It stands in no path. */
const BETWEEN = '\0';

export const keyOfScripts = (folder: string, file: string): string => `${folder}${BETWEEN}${file}`;

/**
 * The same, also where an older version wrote them, which put a colon between folder and file. Where that can be read in several ways, each
 * of them stands: a wrong one looks like a change, and is asked about.
 */
export function readScripts(scripts: BoundScripts): BoundScripts {
  const all = Object.entries(scripts).flatMap(([key, found]) => waysToRead(key).map((one) => [one, found] as const));
  return Object.fromEntries(all);
}

function waysToRead(key: string): string[] {
  if (key.includes(BETWEEN)) return [key];
  const colons = [...key.matchAll(/:/g)].map(({ index }) => index);
  return colons
    .filter((at) => isAbsolute(key.slice(at + 1)))
    .map((at) => keyOfScripts(key.slice(0, at), key.slice(at + 1)));
}

/** Those that commands in these files name. */
export function scriptsOf(scripts: BoundScripts, holders: ReadonlySet<string>): BoundScripts {
  return Object.fromEntries(
    Object.entries(scripts).filter(([key]) => holders.has(key.slice(key.indexOf(BETWEEN) + 1))),
  );
}

/** Where their names are found from. */
export const folderOf = (key: string): string => key.slice(0, key.indexOf(BETWEEN));
