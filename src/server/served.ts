import { HookscopeError } from '../errors.js';
import { sameFiles } from '../files/same-files.js';
import { isObject } from '../values/shape.js';
import { type Bindings, bindSet, changedScripts, changedSince } from './binding.js';
import { droppedFrom, keyOf, type NamedSet } from './named-set.js';
import { makeOwnFolder, readOwned, writeOwned } from './owned.js';
import type { Places } from './places.js';

/** What the last server was started with. Kept until the next one starts, so that a guard is still known when its server is gone. */
export interface ServedSet {
  readonly set: NamedSet;
  readonly cwd: string;
  readonly projects: readonly string[];
  /** Reloaded unasked: nothing is bound. */
  readonly dev: boolean;
  readonly bindings: Bindings;
}

/** undefined: none was started yet. Throws UNTRUSTED, FILE. */
export function readServed({ served: file }: Places): ServedSet | undefined {
  const text = readOwned(file);
  if (text === undefined) return undefined;
  try {
    const found: unknown = JSON.parse(text);
    if (isObject(found) && found['version'] === 1 && isObject(found['set']) && isObject(found['bindings']))
      return found as unknown as ServedSet;
  } catch {
    // Reported below.
  }
  const problem = 'does not say what was served; start hookscope serve again after you have moved it away';
  throw new HookscopeError('FILE', { file, problem });
}

export function writeServed(places: Places, served: ServedSet): void {
  makeOwnFolder(places.state);
  writeOwned(places.served, `${JSON.stringify({ version: 1, ...served }, undefined, 2)}\n`);
}

/** Whether both name the same. */
export function isSameSet(one: Pick<ServedSet, 'set' | 'cwd'>, other: Pick<ServedSet, 'set' | 'cwd'>): boolean {
  return keyOf(one.set, one.cwd) === keyOf(other.set, other.cwd);
}

/** What the last server bound and the next one would not: starting another server must not remove a guard. */
export function droppedSince(before: ServedSet, now: Omit<ServedSet, 'bindings'>): string[] {
  const gone = before.projects.filter((root) => !now.projects.includes(root)).map((root) => `--project ${root}`);
  return [
    ...droppedFrom(before.set, before.cwd, now.set, now.cwd).map((named) => `no longer named: ${named}`),
    ...gone.map((named) => `no longer named: ${named}`),
    ...(now.dev && !before.dev ? ['what changes would be loaded unasked: --dev'] : []),
  ];
}

/** Files of it that are not as the last server was started with them. */
export function changesSince(served: ServedSet | undefined): string[] {
  if (served === undefined || served.dev) return [];
  const { files, scripts } = served.bindings;
  return [...changedSince(files), ...changedScripts(scripts)];
}

/**
 * The same for what a set needs that may name other files as well, or fewer: no file that was bound runs as edited because a command names it
 * beside others.
 */
export async function changesFor(asked: Pick<ServedSet, 'set' | 'cwd'>, served: ServedSet): Promise<string[]> {
  if (served.dev) return [];
  if (isSameSet(asked, served)) return changesSince(served);
  const named = sameFiles(Object.keys(await bindSet(asked.set, asked.cwd)));
  const { files, scripts } = served.bindings;
  const found = Object.entries(files).flatMap(([path, bound]) => {
    const { real = path } = bound;
    // A link may lead elsewhere by now, and what it led to may be named.
    return [path, ...(real === path ? [] : [real])].filter(named).map((one) => [path, one, bound] as const);
  });
  const holders = new Set(found.map(([path]) => path));
  const theirs = Object.entries(scripts).filter(([key]) => holders.has(key.slice(key.indexOf(':') + 1)));
  return [
    ...changedSince(Object.fromEntries(found.map(([, one, bound]) => [one, bound]))),
    ...changedScripts(Object.fromEntries(theirs)),
  ];
}
