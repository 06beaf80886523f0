import type { FireRecord, HandlerRecord } from '../emit/record.js';
import { typeOf } from './meaning.js';
import { placeOf } from './words.js';

/** A hook as a fire lists it. */
interface ListedHook {
  readonly host: string | undefined;
  /** Within its host, the hook's own. */
  readonly id: string;
  /** What it runs. */
  readonly what: string;
  /** The event, and the scope whose hook it is. */
  readonly where: string;
}

interface KnownHook {
  readonly key: string;
  last: ListedHook;
  readonly where: Set<string>;
}

/** Whether a hook is a known one, the surest first. What runs something else in another host may be a known one that was edited since. */
const SAME: readonly ((known: KnownHook, now: ListedHook) => boolean)[] = [
  ({ last }, now) => last.host === now.host && last.id === now.id,
  ({ last }, now) => last.what === now.what,
  ({ last, where }, now) => last.host !== now.host && where.has(now.where),
];

/** The most hooks of one name and place that are told apart; further ones count as the last. */
const MOST = 100;

/** Knows hooks again in other fires: by name and place, and those of one name and place by what they run. */
export class SameHooks {
  /** By name and place. */
  readonly #known = new Map<string, KnownHook[]>();
  #count = 0;

  /** A key for each hook of a fire, which it has in other fires too. */
  keysOf(fire: FireRecord): string[] {
    const hooks = fire.handlers.map((handler) => ({ now: listedIn(fire, handler), known: this.#alike(fire, handler) }));
    const found: (KnownHook | undefined)[] = hooks.map(() => undefined);
    const taken = new Set<KnownHook>();
    for (const isSame of SAME)
      for (const [i, { now, known }] of hooks.entries()) {
        found[i] ??= known.find((one) => !taken.has(one) && isSame(one, now));
        if (found[i] !== undefined) taken.add(found[i]);
      }
    return hooks.map(({ now, known }, i) => {
      const hook = found[i] ?? this.#added(known, now);
      hook.last = now;
      hook.where.add(now.where);
      return hook.key;
    });
  }

  #added(known: KnownHook[], last: ListedHook): KnownHook {
    if (known.length < MOST) known.push({ key: `${++this.#count}`, last, where: new Set() });
    return known.at(-1) as KnownHook;
  }

  /** The known hooks of the same name and place. */
  #alike(
    { input: { cwd } }: FireRecord,
    { name, plugin, source: { kind, name: of, file } }: HandlerRecord,
  ): KnownHook[] {
    // Without a server, a file is recorded as it was named.
    const place = file === undefined ? [kind, of, plugin] : resolved(cwd, file);
    const key = JSON.stringify([name, place]);
    const known = this.#known.get(key) ?? [];
    this.#known.set(key, known);
    return known;
  }
}

function listedIn(fire: FireRecord, { id, handler: kind, scope, definition, predicate }: HandlerRecord): ListedHook {
  // Agents have other ids in other hosts.
  const owner = scope === fire.scope ? (typeOf(fire) ?? scope) : scope;
  const what = `${kind} ${definition} ${predicate}`;
  return { host: fire.host_id, id, what, where: `${fire.event} ${owner}` };
}

/** Like `placeOf`, with the whole path of a file: files of two folders may have been named alike. */
export function placeIn({ input: { cwd } }: FireRecord, handler: HandlerRecord): string {
  const { source } = handler;
  return source.file === undefined
    ? placeOf(handler)
    : placeOf({ ...handler, source: { ...source, file: resolved(cwd, source.file) } });
}

/** As `resolve` of node:path, which a page in a browser does not have. */
function resolved(cwd: unknown, path: string): string {
  const folder = typeof cwd === 'string' ? cwd : '';
  if (path.startsWith('/') && !/\/\.{0,2}(?:\/|$)/.test(path)) return path;
  const parts: string[] = [];
  for (const part of `${path.startsWith('/') ? '' : folder}/${path}`.split('/'))
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  return `/${parts.join('/')}`;
}
