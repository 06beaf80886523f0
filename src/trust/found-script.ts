import { type BigIntStats, lstatSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { hashRegularFile } from '../files/hash-file.js';
import { readText } from '../files/json-file.js';
import { nameTest } from '../matching/bash/glob-name.js';
import { isObject, isText } from '../values/shape.js';
import type { RunName } from './named/run-names.js';

/** The paths, relative to a folder, of what a name leads to from there. */
export function found({ finding, paths }: RunName, folder: string): readonly string[] {
  const at = (path: string): string => `${folder}/${path}`;
  if (finding === 'module') return paths.filter((path) => isThere(at(path)) && !statOf(at(path))?.isDirectory());
  if (finding === 'list') return paths.flatMap((path) => fitting(folder, path));
  if (finding === 'search') return paths.filter((path) => isProgram(at(path))).slice(0, 1);
  const [path = ''] = paths;
  if (finding === 'node') {
    const end = nodeEnd(at(path));
    if (end !== undefined) return [path + end];
  }
  return isThere(at(path)) ? [path] : [];
}

/** The paths that are scripts: what a hook is bound to. */
export const scriptsOf = (name: RunName, folder: string): readonly string[] =>
  found(name, folder).filter((path) => isFile(`${folder}/${path}`));

/** Whether a name leads, in a folder, to something else than the bound scripts. Nothing at all is nothing else: then the command fails by itself. */
export function isOther(name: RunName, bound: readonly string[], home: string, folder: string): boolean {
  const there = found(name, folder);
  if (there.length === 0) return false;
  if (name.finding === 'list' && there.join('\0') !== bound.join('\0')) return true;
  return there.some((path, i) => {
    const own = name.finding === 'module' ? bound.find((one) => one === path) : bound[i];
    return own === undefined || !isSame(`${home}/${own}`, `${folder}/${path}`);
  });
}

/** Whether a path leads to the bound file, or to one with the same bytes. */
function isSame(bound: string, path: string): boolean {
  const [here, there] = [statOf(bound), statOf(path)];
  if (here === undefined || there === undefined || !there.isFile()) return false;
  if (here.ino === there.ino && here.dev === there.dev) return true;
  if (here.size !== there.size) return false;
  const hash = hashOf(path, there);
  return hash !== undefined && hash === hashOf(bound, here);
}

/** Hashes of large files that have not changed since. */
const HASHES = new Map<string, string>();
const LARGE = 64 * 1024;
const MOST_HASHES = 200;
/** A file that was changed a moment ago may change again without a new time. */
const SETTLED_MS = 2000;

function hashOf(path: string, { dev, ino, size, mtimeNs, ctimeNs, ctimeMs }: BigIntStats): string | undefined {
  const key = [dev, ino, size, mtimeNs, ctimeNs].join();
  const known = HASHES.get(key);
  if (known !== undefined) return known;
  try {
    const hash = hashRegularFile(path);
    const after = statOf(path);
    const isSettled = after?.ctimeNs === ctimeNs && Date.now() - Number(ctimeMs) > SETTLED_MS;
    if (size < LARGE || !isSettled) return hash;
    if (HASHES.size >= MOST_HASHES) HASHES.clear();
    HASHES.set(key, hash);
    return hash;
  } catch {
    return undefined;
  }
}

/** The suffixes with which Node looks for a file, in its order. */
const ENDS = ['.js', '.json', '.node'];

/** What Node adds to a path to find what it runs; undefined if it finds nothing. */
function nodeEnd(path: string): string | undefined {
  const stat = statOf(path);
  if (stat !== undefined && !stat.isDirectory()) return '';
  const end = ENDS.find((one) => isThere(path + one));
  if (end !== undefined || stat === undefined) return end;
  const main = mainOf(path);
  const starts = main === undefined ? ['/index'] : [`/${main}`, `/${main}/index`, '/index'];
  const ends = starts.flatMap((start) => ['', ...ENDS].map((one) => start + one));
  return ends.find((one) => isFile(path + one));
}

function mainOf(folder: string): string | undefined {
  try {
    const manifest: unknown = JSON.parse(readText(`${folder}/package.json`));
    return isObject(manifest) && isText(manifest['main']) ? manifest['main'] : undefined;
  } catch {
    return undefined;
  }
}

/** The paths that a glob in the last part of a path finds, in order. */
function fitting(folder: string, path: string): string[] {
  const glob = basename(path);
  const within = dirname(path);
  const fits = nameTest(glob);
  try {
    const names = readdirSync(`${folder}/${within}`).filter(
      (name) => fits(name) && (name[0] !== '.' || glob[0] === '.'),
    );
    return names.sort().map((name) => `${within}/${name}`);
  } catch {
    return [];
  }
}

const isFile = (path: string): boolean => statOf(path)?.isFile() === true;

function isProgram(path: string): boolean {
  const stat = statOf(path);
  return stat?.isFile() === true && (stat.mode & 0o111n) !== 0n;
}

/** Whether there is anything at a path, also a link that leads nowhere yet. */
function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}

/** Undefined if there is nothing that this user can reach. */
function statOf(path: string): BigIntStats | undefined {
  try {
    return statSync(path, { bigint: true, throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
