import { isDeepStrictEqual } from 'node:util';
import { runInNewContext } from 'node:vm';
import { exitWatch } from '../values/exit-watch.js';

/** The global state that a plugin must restore, by place: `fetch`, `Date.now`, `process.env.NAME`. */
export type GlobalState = ReadonlyMap<string, unknown>;

/** Built-in objects whose properties are compared: those of the language, and those of Node that libraries often patch. */
const SHARED: readonly string[] = [
  ...(runInNewContext('Object.getOwnPropertyNames(globalThis)') as string[]).filter((name) => /^[A-Z]/.test(name)),
  'console',
  'process',
];

/** Global names to ignore: test runners use names that begin with two underscores, and the first `fetch` adds a symbol. */
const IGNORED = /^__|^Symbol\(undici\./;

/** Listeners of the contract itself. */
export const OWN_LISTENERS: WeakSet<object> = new WeakSet();

/** What a plugin may listen to, with the prefix of the places. Reading standard input keeps a process alive. */
const emitters = (): readonly (readonly [at: string, emitter: NodeJS.EventEmitter])[] => [
  ['process', process],
  ['process.stdin', process.stdin],
];

/** The objects whose properties are compared, with the prefix of their places. */
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

export function surroundings(): GlobalState {
  const found = new Map<string, unknown>();
  // Hosts keep exit listeners on `process` for a while after commands have ended. These are not the plugin's.
  exitWatch.rest();
  for (const [at, owner] of owners()) addOwn(found, at, owner, at === '');
  for (const [name, value] of Object.entries(process.env)) found.set(`process.env.${name}`, value);
  found.set('process.cwd()', process.cwd());
  // Node creates these at their first use, which may add a listener, and a module that imports `node:process` uses stdin.
  void [process.stdin, process.stdout, process.stderr];
  // Events whose names are symbols are Node's own: standard input that is a file has one until it is open.
  for (const [at, emitter] of emitters())
    for (const name of emitter.eventNames().filter((one) => typeof one === 'string'))
      found.set(
        `${at}.on(${name})`,
        emitter.listeners(name).filter((one) => !OWN_LISTENERS.has(one)),
      );
  found.set('whether process.stdin is read', process.stdin.readableFlowing === true);
  return found;
}

/** A cache of the names of places, by prefix and key. Reusing the strings halves the time of a comparison. */
const places = new Map<string, Map<PropertyKey, string>>();

/**
 * Adds an object's own properties. For a getter only its presence is recorded, because Node replaces its getters by values at first use.
 */
function addOwn(found: Map<string, unknown>, at: string, owner: object, hasOthers: boolean): void {
  const known = places.get(at) ?? new Map<PropertyKey, string>();
  places.set(at, known);
  for (const key of Reflect.ownKeys(owner)) {
    // Registered symbols are shared by several copies of a library and are meant to stay.
    if (hasOthers && (IGNORED.test(String(key)) || (typeof key === 'symbol' && Symbol.keyFor(key) !== undefined)))
      continue;
    const place = hasOthers ? String(key) : (known.get(key) ?? `${at}${String(key)}`);
    if (!hasOthers) known.set(key, place);
    const value = Object.getOwnPropertyDescriptor(owner, key)?.value;
    // Only functions are compared by value: other values, such as `process.exitCode` and counters, change by themselves.
    found.set(place, typeof value === 'function' ? value : hasOthers);
  }
}

/** A place whose value has changed. Undefined as `before` or `after` means that it did not exist. */
export interface StateChange {
  readonly place: string;
  readonly before: unknown;
  readonly after: unknown;
}

export function changesSince(before: GlobalState): StateChange[] {
  const now = surroundings();
  const changes: StateChange[] = [];
  const compare = (place: string, had: unknown, has: unknown): void => {
    // Most are identical. `true` means that only the presence is known, as for a getter that has since been replaced by its value.
    if (had === has || (had === true && has !== undefined) || isDeepStrictEqual(had, has)) return;
    changes.push({ place, before: had, after: has });
  };
  for (const [place, had] of before) compare(place, had, now.get(place));
  for (const [place, has] of now) if (!before.has(place)) compare(place, undefined, has);
  return changes;
}

export function inWords({ place, before, after }: StateChange): string {
  if (after === undefined) return `${place} is gone`;
  return before === undefined ? `${place} is new` : `${place} is another`;
}

/** Undoes a change. Returns a function that makes it again, or undefined if it cannot be undone because the old value is unknown. */
export function putBack({ place, before, after }: StateChange): (() => void) | undefined {
  if (place.startsWith('process.env.')) return putBackVariable(place.slice('process.env.'.length), before);
  for (const [at, emitter] of emitters()) {
    const event = emitter.eventNames().find((name) => place === `${at}.on(${String(name)})`);
    if (event === undefined) continue;
    const [had, left] = [before ?? [], after ?? []] as [unknown[], unknown[]];
    if (had.some((one) => !left.includes(one))) return undefined;
    const added = left.filter((one) => !had.includes(one)) as (() => void)[];
    for (const one of added) emitter.off(event, one);
    return () => {
      for (const one of added) if (!emitter.listeners(event).includes(one)) emitter.on(event, one);
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
