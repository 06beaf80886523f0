import { join, relative, sep } from 'node:path';
import { HookscopeError } from '../errors.js';
import { inodeOf, namesOf } from '../files/same-files.js';
import { bindSet } from './bound/bind-set.js';
import { type Bindings, changedSince } from './bound/files.js';
import { changedScripts, readScripts, scriptsOf } from './bound/scripts.js';
import { wrongIn } from './bound/served-shape.js';
import { droppedFrom, keyOf, type NamedSet } from './named-set.js';
import { makeOwnFolder, readOwned, writeOwned } from './owned.js';
import type { ServerPaths } from './places.js';

/** What the last server was started with. It is kept until the next one starts, so that guards are still known when their server is gone. */
export interface ServedSet {
  readonly set: NamedSet;
  readonly cwd: string;
  readonly projects: readonly string[];
  /** Files of which only the name is bound. */
  readonly data?: readonly string[];
  /** 0: any port that was free. */
  readonly port?: number;
  /** Changes are loaded without asking, so nothing is bound. */
  readonly dev: boolean;
  readonly bindings: Bindings;
}

/** What the last server was started with; undefined if none was started yet. Throws UNTRUSTED, FILE. */
export function readServed({ served: file }: ServerPaths): ServedSet | undefined {
  const text = readOwned(file);
  if (text === undefined) return undefined;
  const refuse = (what: string): HookscopeError => {
    const problem = `${what}; start hookscope serve again after you have moved it away`;
    return new HookscopeError('FILE', { file, problem });
  };
  let found: unknown;
  try {
    found = JSON.parse(text);
  } catch {
    throw refuse('does not say what was served: it is not JSON');
  }
  const wrong = wrongIn(found);
  if (wrong !== undefined) throw refuse(`does not say what was served: ${wrong}`);
  const served = found as ServedSet;
  const { files, scripts } = served.bindings;
  return { ...served, bindings: { files, scripts: readScripts(scripts) } };
}

export function writeServed(places: ServerPaths, served: ServedSet): void {
  makeOwnFolder(places.state);
  writeOwned(places.served, `${JSON.stringify({ version: 1, ...served }, undefined, 2)}\n`);
}

/** Whether both name the same hooks. */
export function isSameSet(one: Pick<ServedSet, 'set' | 'cwd'>, other: Pick<ServedSet, 'set' | 'cwd'>): boolean {
  return keyOf(one.set, one.cwd) === keyOf(other.set, other.cwd);
}

/** What the last server bound and the next one would not, because starting another server must not remove a guard. */
export function droppedSince(before: ServedSet, now: Omit<ServedSet, 'bindings'>): string[] {
  const gone = before.projects.filter((root) => !now.projects.includes(root)).map((root) => `--project ${root}`);
  const loose = (now.data ?? []).filter((file) => before.data?.includes(file) !== true);
  return [
    ...droppedFrom(before.set, before.cwd, now.set, now.cwd).map((named) => `no longer named: ${named}`),
    ...gone.map((named) => `no longer named: ${named}`),
    ...loose.map((file) => `bound by its name alone: --data ${file}`),
    ...(now.dev && !before.dev ? ['what changes would be loaded unasked: --dev'] : []),
  ];
}

/** Files that have changed since the last server was started with them. */
export function changesSince(served: ServedSet | undefined): string[] {
  if (served === undefined || served.dev) return [];
  const { files, scripts } = served.bindings;
  return [...changedSince(files), ...changedScripts(scripts)];
}

/**
 * Like `changesSince`, for the files that a set needs, which may name more or fewer files than the server's. A bound file must not run
 * after an edit just because a command names it together with others.
 */
export async function changesFor(asked: Pick<ServedSet, 'set' | 'cwd'>, served: ServedSet): Promise<string[]> {
  if (served.dev) return [];
  if (isSameSet(asked, served)) return changesSince(served);
  const named = await bindSet(asked.set, asked.cwd);
  const { files, scripts } = served.bindings;
  const listed = Object.keys(named).flatMap(namesServed(served));
  const roots = Object.values(named).flatMap(({ by = [] }) => by.flat());
  // Files that are gone are not among those that the set needs now, so they are found by what led to them.
  const found = [...listed, ...broughtBy(served, new Set([...roots, ...listed.flat()]))];
  // Both the name and the place to which it led are checked, because a link may lead elsewhere by now.
  const changed = found.flatMap(([name, place]) => changedSince({ [place]: files[name] as (typeof files)[string] }));
  return [...new Set([...changed, ...changedScripts(scriptsOf(scripts, new Set(found.map(([name]) => name))))])];
}

/**
 * For a path: each served file that it leads to or through, by the name and the place under which it was served. A path leads to a file
 * by name or by inode. The present target of a served link does not count, because it was not served.
 */
export function namesServed({ bindings }: ServedSet): (path: string) => [name: string, place: string][] {
  const all = Object.entries(bindings.files).map(([name, { real = name, through = [] }]) => {
    return { name, real, through, inode: inodeOf(real) };
  });
  return (path) => {
    const names = new Set(namesOf(path));
    const inode = inodeOf([...names].at(-1) as string);
    return all.flatMap((one) => {
      const found: [string, string][] = [];
      if (names.has(one.real) || (inode !== undefined && inode === one.inode)) found.push([one.name, one.real]);
      const isCalledSo = [one.name, ...one.through].some((name) => names.has(name));
      if (one.real !== one.name && isCalledSo) found.push([one.name, one.name]);
      return found;
    });
  };
}

/** The served files that were bound because one of `roots` was named, at the places to which these lead. */
function broughtBy({ bindings }: ServedSet, roots: ReadonlySet<string>): [name: string, place: string][] {
  return Object.entries(bindings.files).flatMap(([name, { by = [] }]) =>
    by.flatMap((names) => {
      const [first = '', last = first] = [names[0], names.at(-1)];
      const found: [string, string][] = [];
      if (names.some((one) => one !== last && roots.has(one)) || (first === last && roots.has(last)))
        found.push([name, name]);
      const isBelow = name.startsWith(first + sep);
      if (first !== last && roots.has(last)) found.push([name, isBelow ? join(last, relative(first, name)) : name]);
      return found;
    }),
  );
}
