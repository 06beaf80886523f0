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
  for (const name of process.eventNames()) found.set(`process.on(${String(name)})`, process.listenerCount(name));
  return found;
}

/**
 * Adds its own properties. Of a getter only that it is there: Node replaces its own by what they give, at the first use. Test runners keep
 * their own things under names that begin with two underscores.
 */
function addOwn(found: Map<string, unknown>, at: string, owner: object, hasOthers: boolean): void {
  for (const key of Reflect.ownKeys(owner)) {
    const name = String(key);
    if (hasOthers && name.startsWith('__')) continue;
    const { value } = Object.getOwnPropertyDescriptor(owner, key) ?? {};
    // Outside functions, what is there changes by itself: `process.exitCode`, counters.
    found.set(`${at}${name}`, typeof value === 'function' ? value : hasOthers);
  }
}

/** The places that are no longer as they were, with a name for what was done. */
export function changesSince(before: Surroundings): string[] {
  const now = surroundings();
  const gone = [...before.keys()].filter((place) => !now.has(place)).map((place) => `${place} is gone`);
  return [
    ...gone,
    ...[...now].flatMap(([place, value]) => {
      if (!before.has(place)) return [`${place} is new`];
      const old = before.get(place);
      // A getter that has been used.
      if (old === true || isDeepStrictEqual(old, value)) return [];
      return [`${place} is another`];
    }),
  ];
}
