import { isDeepStrictEqual } from 'node:util';
import { runInNewContext } from 'node:vm';
import { exitWatch } from '../values/exit-watch.js';

/** The state that a plugin must restore, by places: `fetch`, `Date.now`, `process.env`. */
export type Surroundings = ReadonlyMap<string, unknown>;

/** Those of the language itself, and of Node where others like to put their own. */
const SHARED: readonly string[] = [
  ...(runInNewContext('Object.getOwnPropertyNames(globalThis)') as string[]).filter((name) => /^[A-Z]/.test(name)),
  'console',
  'process',
];

/** Test runners keep their own things under names that begin with two underscores; the first `fetch` adds a symbol. */
const IGNORED = /^__|^Symbol\(undici\./;

/** Listeners of the contract itself. */
export const OWN_LISTENERS: WeakSet<object> = new WeakSet();

const listenersOf = (name: string | symbol): unknown[] =>
  process.listeners(name as 'exit').filter((one) => !OWN_LISTENERS.has(one));

/** Whose properties are looked at, by what their places begin with. */
function* owners(): Generator<[at: string, owner: object]> {
  yield ['', globalThis];
  for (const name of SHARED) {
    const value = (globalThis as Record<string, unknown>)[name];
    if (value === null || (typeof value !== 'object' && typeof value !== 'function')) continue;
    yield [`${name}.`, value];
    const { prototype } = value as { readonly prototype?: unknown };
    if (typeof prototype === 'object' && prototype !== null) yield [`${name}.prototype.`, prototype];
  }
}

export function surroundings(): Surroundings {
  const found = new Map<string, unknown>();
  // What hosts have put on `process` for commands that have ended is no plugin's.
  exitWatch.rest();
  for (const [at, owner] of owners()) addOwn(found, at, owner, at === '');
  for (const [name, value] of Object.entries(process.env)) found.set(`process.env.${name}`, value);
  found.set('process.cwd()', process.cwd());
  // Each is made at its first use: with a terminal it adds a listener, and Node uses stdin when a module that imports `node:process` is loaded.
  void [process.stdin, process.stdout, process.stderr];
  for (const name of process.eventNames()) found.set(`process.on(${String(name)})`, listenersOf(name));
  return found;
}

/** What the places of the language and of Node are called, by what they begin with and their key: with the same texts again, a look takes half as long. */
const places = new Map<string, Map<PropertyKey, string>>();

/**
 * Adds its own properties. Of a getter only that it is there: Node replaces its own by what they give, at the first use.
 */
function addOwn(found: Map<string, unknown>, at: string, owner: object, hasOthers: boolean): void {
  const known = places.get(at) ?? new Map<PropertyKey, string>();
  places.set(at, known);
  for (const key of Reflect.ownKeys(owner)) {
    // What several copies of a library share in a process, and keep.
    if (hasOthers && (IGNORED.test(String(key)) || (typeof key === 'symbol' && Symbol.keyFor(key) !== undefined)))
      continue;
    const place = hasOthers ? String(key) : (known.get(key) ?? `${at}${String(key)}`);
    if (!hasOthers) known.set(key, place);
    const value = Object.getOwnPropertyDescriptor(owner, key)?.value;
    // Outside functions, what is there changes by itself: `process.exitCode`, counters.
    found.set(place, typeof value === 'function' ? value : hasOthers);
  }
}

/** A place that is no longer as it was; without a value: it was not, or is not, there. */
export interface Change {
  readonly place: string;
  readonly before: unknown;
  readonly after: unknown;
}

export function changesSince(before: Surroundings): Change[] {
  const now = surroundings();
  const changes: Change[] = [];
  const compare = (place: string, had: unknown, has: unknown): void => {
    // Most are the same, and of a getter that has been used it is only known that it was there.
    if (had === has || (had === true && has !== undefined) || isDeepStrictEqual(had, has)) return;
    changes.push({ place, before: had, after: has });
  };
  for (const [place, had] of before) compare(place, had, now.get(place));
  for (const [place, has] of now) if (!before.has(place)) compare(place, undefined, has);
  return changes;
}

export function inWords({ place, before, after }: Change): string {
  if (after === undefined) return `${place} is gone`;
  return before === undefined ? `${place} is new` : `${place} is another`;
}

/** Makes a place as it was. Returns what makes it as it was found; undefined: it stays as it is, since what was there is not known. */
export function putBack({ place, before, after }: Change): (() => void) | undefined {
  if (place.startsWith('process.env.')) return putBackVariable(place.slice('process.env.'.length), before);
  const event = process.eventNames().find((name) => place === `process.on(${String(name)})`);
  if (event !== undefined) {
    const [had, left] = [before ?? [], after ?? []] as [unknown[], unknown[]];
    if (had.some((one) => !left.includes(one))) return undefined;
    const added = left.filter((one) => !had.includes(one)) as (() => void)[];
    for (const one of added) process.off(event as 'exit', one);
    return () => {
      for (const one of added) if (!process.listeners(event as 'exit').includes(one)) process.on(event as 'exit', one);
    };
  }
  for (const [at, owner] of owners())
    for (const key of Reflect.ownKeys(owner))
      if (`${at}${String(key)}` === place) return putBackKey(owner, key, before);
  return undefined;
}

function putBackVariable(name: string, before: unknown): () => void {
  const set = (value: string | undefined): void => {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  };
  const found = process.env[name];
  set(before as string | undefined);
  return () => set(found);
}

function putBackKey(owner: object, key: string | symbol, before: unknown): (() => void) | undefined {
  const found = Object.getOwnPropertyDescriptor(owner, key);
  if (!found?.configurable || (before !== undefined && typeof before !== 'function')) return undefined;
  if (before === undefined) Reflect.deleteProperty(owner, key);
  else Object.defineProperty(owner, key, { ...found, value: before });
  return () => void Object.defineProperty(owner, key, found);
}
