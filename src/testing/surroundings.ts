import { isDeepStrictEqual } from 'node:util';
import { runInNewContext } from 'node:vm';

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

export function surroundings(): Surroundings {
  const found = new Map<string, unknown>();
  addOwn(found, '', globalThis, true);
  for (const name of SHARED) {
    const value = (globalThis as Record<string, unknown>)[name];
    if (value === null || (typeof value !== 'object' && typeof value !== 'function')) continue;
    addOwn(found, `${name}.`, value, false);
    const { prototype } = value as { readonly prototype?: unknown };
    if (typeof prototype === 'object' && prototype !== null) addOwn(found, `${name}.prototype.`, prototype, false);
  }
  for (const [name, value] of Object.entries(process.env)) found.set(`process.env.${name}`, value);
  found.set('process.cwd()', process.cwd());
  // With a terminal, their first use adds a listener.
  void [process.stdout, process.stderr];
  for (const name of process.eventNames()) found.set(`process.on(${String(name)})`, process.listeners(name as 'exit'));
  return found;
}

/**
 * Adds its own properties. Of a getter only that it is there: Node replaces its own by what they give, at the first use.
 */
function addOwn(found: Map<string, unknown>, at: string, owner: object, hasOthers: boolean): void {
  for (const key of Reflect.ownKeys(owner)) {
    const name = String(key);
    if (hasOthers && IGNORED.test(name)) continue;
    const { value } = Object.getOwnPropertyDescriptor(owner, key) ?? {};
    // Outside functions, what is there changes by itself: `process.exitCode`, counters.
    found.set(`${at}${name}`, typeof value === 'function' ? value : hasOthers);
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
  return [...new Set([...before.keys(), ...now.keys()])].flatMap((place) => {
    const change = { place, before: before.get(place), after: now.get(place) };
    // A getter that has been used.
    const isSame =
      isDeepStrictEqual(change.before, change.after) || (change.before === true && change.after !== undefined);
    return isSame ? [] : [change];
  });
}

export function inWords({ place, before, after }: Change): string {
  if (after === undefined) return `${place} is gone`;
  return before === undefined ? `${place} is new` : `${place} is another`;
}
