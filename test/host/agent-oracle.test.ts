import { expect, test } from 'vitest';
import { createHost, type FireRecord, HookscopeError, type Host, rule, type Session } from '../../src/index.js';
import { replay } from '../../src/replay.js';
import { generated, randomFrom, SEED } from '../seed.js';
import { deferred, fires, watch } from './kit.js';

const TYPES = ['reviewer', 'builder', 'no hooks'] as const;
const GUARDED = ['reviewer', 'builder'] as const;
const silent = { hooks: [() => undefined] };
/** A hook by hand, or an agent, cannot be where another with its id is. */
const REFUSED: readonly string[] = ['SCOPE_CONFLICT', 'UNKNOWN_SCOPE'];

/** What must be true of an agent's id in a session. */
interface Known {
  /** Of the agent that has started with it last, whether or not it has ended. */
  type?: string;
  isAtWork: boolean;
  /** The one that a session drives. */
  driven?: { close(): Promise<unknown> } | undefined;
  /** Below which it is: by hand, or where it was spawned. */
  parent?: string | undefined;
  /** The names of hooks by hand. */
  byHand: string[];
  /** A stop has ended its scope, unless that was there before. */
  mayHaveLost: boolean;
}

/** Whether a start is aborted, and a stop blocked, by hooks of the host. */
interface Steered {
  abort?: AbortController | undefined;
  blocks: boolean;
  /** Starts in that folder wait for it. */
  readonly until: Map<string, Promise<void>>;
  /** Takes the hooks of both types from the host, until it is called again. */
  switchTypes?(): void;
}

function hostWith(how: object, now: Steered): Host {
  const host = createHost({ logger: () => undefined, onAlarm: () => undefined, ...how }) as Host;
  const guardOf = (type: string) =>
    host.spawnHooks(type, {
      PreToolUse: [
        { name: type, matcher: 'Write', hooks: [rule('deny', type)] },
        { name: `${type} once`, matcher: 'Bash', once: true, hooks: [rule('deny', `${type} once`)] },
      ],
    });
  let undos = GUARDED.map(guardOf);
  now.switchTypes = () => {
    const isOn = undos.length > 0;
    for (const undo of undos) undo();
    undos = isOn ? [] : GUARDED.map(guardOf);
  };
  const aborting = async ({ cwd }: { cwd: string }): Promise<void> => {
    await now.until.get(cwd);
    now.abort?.abort();
  };
  const blocking = () => (now.blocks ? ({ decision: 'block', reason: 'go on' } as const) : undefined);
  host.register({ SubagentStart: [{ hooks: [aborting] }], SubagentStop: [{ hooks: [blocking] }] });
  return host;
}

/** Random starts, failed starts of agents and sessions, starts that overlap, where hooks by type come and go if all fail, stops, spawns and hooks by hand, also below agents; what runs for each call is what must. */
async function live(seed: number, steps: number): Promise<void> {
  const random = randomFrom(seed);
  const pick = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)] as T;
  const how = pick([{}, { session: { session_id: 's1' } }]);
  const now: Steered = { blocks: false, until: new Map() };
  const host = hostWith(how, now);
  const records = watch(host);
  const told: string[] = [JSON.stringify(how)];
  const all = new Map<string, Known>();
  const sessions = new Map<string, Session>();
  const knownOf = (key: string): Known => {
    const known = all.get(key) ?? { isAtWork: false, byHand: [], mayHaveLost: false };
    all.set(key, known);
    return known;
  };
  const refOf = (key: string) => ({ session: key.slice(0, 2), agent: key.slice(2) });
  const inputOf = (key: string) => ({ session_id: key.slice(0, 2), agent_id: key.slice(2) });
  const sessionOf = async (name: string): Promise<Session> => {
    const open = sessions.get(name) ?? (await host.openSession({ session_id: name }));
    sessions.set(name, open as Session);
    return open as Session;
  };
  const below = (key: string): string[] =>
    [...all].filter(([, { parent }]) => parent === key).flatMap(([child]) => [child, ...below(child)]);
  const chainOf = (key: string): string[] => {
    const parent = all.get(key)?.parent;
    return parent === undefined ? [key] : [...chainOf(parent), key];
  };
  const ends = (key: string): void => {
    Object.assign(knownOf(key), {
      isAtWork: false,
      driven: undefined,
      parent: undefined,
      byHand: [],
      mayHaveLost: false,
    });
  };
  /** What is below an agent that ends may go with it: it is ended first, so that it is known. */
  const endBelow = async (key: string): Promise<void> => {
    for (const child of below(key).reverse()) {
      await knownOf(child).driven?.close();
      host.unregisterScoped(refOf(child));
      ends(child);
    }
  };
  const starts = (key: string, type: string, more: Partial<Known> = {}): void => {
    Object.assign(knownOf(key), { type, isAtWork: true, ...more });
  };
  const failing = {
    plugin: () => ({
      hooks: { PreToolUse: [{ name: 'of a failed start', ...silent }] },
      plugins: [{ name: 'p', apply: () => Promise.reject(new Error('no')) }],
    }),
    hooks: () => ({ hooks: { PreToolUse: 'none' } }),
    signal: () => {
      const over = new AbortController();
      const abort = [{ hooks: [() => over.abort()] }];
      return { signal: over.signal, hooks: { SessionStart: abort, SubagentStart: abort } };
    },
  };

  const call = async (key: string, tool: string): Promise<void> => {
    const known = knownOf(key);
    const named = random() < 0.5 && known.type !== undefined ? { agent_type: known.type } : {};
    const input = { ...inputOf(key), ...named, tool_name: tool, tool_input: {}, tool_use_id: String(told.length) };
    const shown = host.explain('PreToolUse', input as never).hooks.filter(({ runs }) => runs);
    await host.fire('PreToolUse', input as never);
    const rows = (fires(records).at(-1) as FireRecord).handlers.filter(({ status }) => status === 'ran');
    const ran = rows.map(({ name }) => name);
    expect(shown.map(({ name }) => name)).toEqual(ran);
    if (tool !== 'Write') return;
    const chain = chainOf(key);
    const isSure = (one: string): boolean => one === key || knownOf(one).isAtWork;
    const guards = (one: string): string[] => GUARDED.filter((type) => type === knownOf(one).type);
    const may = chain.flatMap((one) => [...guards(one), ...knownOf(one).byHand]);
    const must = chain.flatMap((one) => [
      ...(isSure(one) ? guards(one) : []),
      ...(knownOf(one).mayHaveLost ? [] : knownOf(one).byHand),
    ]);
    expect({
      missing: must.filter((name) => !ran.includes(name)),
      foreign: ran.filter((name) => !may.includes(name)),
    }).toEqual({
      missing: [],
      foreign: [],
    });
    if (known.mayHaveLost)
      Object.assign(known, { mayHaveLost: false, byHand: ran.filter((one) => known.byHand.includes(one)) });
  };

  const step = async (name: string, key: string, type: string): Promise<void> => {
    const known = knownOf(key);
    const start = { ...inputOf(key), agent_type: type };
    told.push(`${name} ${key} ${type}`);
    if (name === 'call') return call(key, pick(['Write', 'Write', 'Bash']));
    if (name === 'failed session') {
      const session_id = key.slice(0, 2);
      const opened = (): Promise<unknown> =>
        host.openSession({ session_id, ...(pick(Object.values(failing))() as object) });
      if (!sessions.has(session_id)) await expect(opened()).rejects.toThrow();
      return;
    }
    if (name === 'by hand') {
      const parent =
        random() < 0.5 ? undefined : pick([...all.keys()].filter((one) => one.startsWith(key.slice(0, 2))));
      const hook = `by hand ${told.length}`;
      told.push(`  ${hook} below ${parent}`);
      const isNew = known.byHand.length === 0 && known.driven === undefined && below(key).length === 0;
      const options = parent === undefined ? {} : { parent: refOf(parent) };
      host.registerScoped(refOf(key), { PreToolUse: [{ name: hook, ...silent }] }, options);
      known.byHand.push(hook);
      if (isNew && parent !== undefined) known.parent = parent;
    }
    if (known.driven) {
      if (name !== 'close') return;
      await endBelow(key);
      await known.driven.close();
      ends(key);
    } else if (name === 'by hand is gone' && known.byHand.length > 0) {
      await endBelow(key);
      host.unregisterScoped(refOf(key));
      ends(key);
    } else if (name === 'start') {
      await host.fire('SubagentStart', start as never);
      starts(key, type);
    } else if (name === 'wrong start') {
      await expect(host.fire('SubagentStart', { ...start, cwd: 5 } as never)).rejects.toThrow();
    } else if (name === 'aborted start') {
      now.abort = new AbortController();
      await expect(host.fire('SubagentStart', start as never, { signal: now.abort.signal })).rejects.toThrow();
      now.abort = undefined;
    } else if (name === 'overlapping starts') {
      const all = Array.from({ length: 2 + Math.floor(random() * 2) }, (_, i) => ({
        type: pick(TYPES),
        cwd: `/${i}`,
        over: new AbortController(),
        asked: deferred<void>(),
        place: random(),
      }));
      const last = random() < 0.5 ? undefined : pick(all);
      const isUndone = last === undefined && known.isAtWork && random() < 0.5;
      const types = all.map((one) => `${one.type} ${one.place}`);
      told.push(`  ${types}: ${last?.cwd} succeeds${isUndone ? ', undone' : ''}`);
      if (isUndone) now.switchTypes?.();
      const fired = all.map(({ type, cwd, over, asked, place }) => {
        now.until.set(cwd, asked.promise);
        const result = host.fire('SubagentStart', { ...start, agent_type: type, cwd } as never, {
          signal: over.signal,
        });
        return { result, cwd, over, asked, place };
      });
      for (const { cwd, over, asked, result } of fired.sort((a, b) => a.place - b.place)) {
        if (cwd === last?.cwd) asked.resolve();
        else over.abort();
        await (cwd === last?.cwd ? result : expect(result).rejects.toThrow());
      }
      now.until.clear();
      if (isUndone) now.switchTypes?.();
      if (last) starts(key, last.type);
    } else if (name.includes('stop') && known.type !== undefined) {
      now.blocks = name === 'blocked stop';
      if (!now.blocks) await endBelow(key);
      const more = { agent_type: known.type, stop_hook_active: false, agent_transcript_path: '' };
      await host.fire('SubagentStop', { ...inputOf(key), ...more } as never);
      if (!now.blocks) Object.assign(known, { isAtWork: false, mayHaveLost: known.byHand.length > 0 });
      now.blocks = false;
    } else if (name === 'spawn') {
      const session = await sessionOf(key.slice(0, 2));
      const drives = [...all].filter(([one, { driven }]) => driven && one.startsWith(key.slice(0, 2)));
      const [parent] = random() < 0.5 || drives.length === 0 ? [undefined] : pick(drives);
      const from = parent === undefined ? session : (knownOf(parent).driven as unknown as Session);
      const driven = await from.spawn({ id: key.slice(2), agent_type: type });
      starts(key, type, { driven, parent: parent ?? known.parent });
    } else if (name in failing) {
      const session = await sessionOf(key.slice(0, 2));
      const more = failing[name as keyof typeof failing]();
      const spawned = session.spawn({ id: key.slice(2), agent_type: type, ...more } as never);
      await expect(spawned).rejects.toThrow();
    }
  };

  const names = ['call', 'call', 'call', 'start', 'start', 'by hand', 'by hand', 'aborted start', 'wrong start'];
  names.push(
    'overlapping starts',
    'stop',
    'blocked stop',
    'spawn',
    'close',
    'by hand is gone',
    'failed session',
    ...Object.keys(failing),
  );
  try {
    for (let i = 0; i < steps; i++) {
      const key = pick(['s1', 's2']) + pick(['a', 'b', 'c']);
      await step(pick(names), key, pick(TYPES)).catch((error: unknown) => {
        const isRefused = error instanceof HookscopeError && REFUSED.includes(error.code);
        if (!isRefused) throw error;
      });
    }
    for (const session of sessions.values()) await session.close();
    await host.close();
    const later = hostWith(how, { blocks: false, until: new Map() });
    // Another configuration: what is not computed is not known.
    later.register({ Stop: [silent] });
    for await (const { fire, changed } of replay(later, fires(records)))
      if (changed !== 'unknown') expect([fire.event, changed]).toEqual([fire.event, undefined]);
    await later.close();
  } catch (error) {
    throw new Error(`seed ${seed}:\n${told.join('\n')}`, { cause: error });
  }
}

const LIVES = generated(60);

test(`in ${LIVES} random lives of agents exactly the hooks run that must, explain() names them, and a replay decides the same`, {
  timeout: 300_000,
}, async () => {
  for (let i = 0; i < LIVES; i++) await live(SEED * 1000 + i, 16);
});
