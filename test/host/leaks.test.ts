import { execFile } from 'node:child_process';
import { getEventListeners } from 'node:events';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { HOOK_EVENTS } from '../../src/events/catalogue.js';
import { command } from '../../src/handlers/command/spec.js';
import { servicesOf } from '../../src/host/internals.js';
import { useBuilt } from '../built.js';
import { inputOf } from './inputs.js';
import { anyHooks, fireAny, never, testHost, turn, until, watch } from './kit.js';

const built = useBuilt({
  'host-leaks': 'test/fixtures/programs/host-leaks.ts',
  'plugin-leaks': 'test/fixtures/programs/plugin-leaks.ts',
});
const rewrite = { hookSpecificOutput: { updatedInput: { command: 'pwd' } } };

/** Fires of every kind, by what their hooks do. */
const KINDS: Readonly<Record<string, { hooks: unknown[]; group?: object; times?: number }>> = {
  silent: { hooks: [() => undefined, async () => undefined] },
  speaking: { hooks: [() => ({ systemMessage: 'x' }), async () => ({ systemMessage: 'y' })] },
  parallel: { hooks: [async () => undefined, () => undefined], group: { mode: 'parallel' } },
  failing: {
    hooks: [
      () => {
        throw new Error('x');
      },
      () => Promise.reject(new Error('y')),
      () => 7,
    ],
  },
  hanging: { hooks: [never, never], group: { timeout: 0.01, mode: 'parallel' } },
  'hanging, one after the other': { hooks: [never], group: { timeout: 0.01 } },
  rewriting: { hooks: [() => rewrite, async () => undefined] },
  observing: { hooks: [() => undefined], group: { phase: 'observe' } },
  'running once': { hooks: [() => undefined], group: { once: true } },
  'going on': { hooks: [() => ({ async: true, result: turn() }), { handler: async () => undefined, async: true }] },
  commands: { hooks: [command('true')], times: 1 },
};

test.each(Object.keys(KINDS))('a thousand fires that are %s leave nothing behind', async (kind) => {
  const { hooks, group = {}, times = 15 } = KINDS[kind] as (typeof KINDS)[string];
  const { host } = testHost({
    logger: () => {},
    session: { session_id: 's', transcript_path: '', cwd: process.cwd() },
  });
  const services = servicesOf(host);
  const caller = new AbortController();
  for (const event of HOOK_EVENTS) host.register(anyHooks({ [event]: [{ ...group, hooks }] }));
  for (const watched of [false, true]) {
    if (watched) watch(host);
    // 33 events by 15, unwatched and watched, are a thousand.
    for (let i = 0; i < times; i++) {
      const aborted = new AbortController();
      await Promise.allSettled(
        HOOK_EVENTS.flatMap((event) => {
          const fires = [fireAny(host as never, event, inputOf(event), { signal: caller.signal })];
          if (i % 10 === 0) fires.push(fireAny(host as never, event, inputOf(event), { signal: aborted.signal }));
          return fires;
        }).concat(i % 10 === 0 ? [Promise.resolve(void aborted.abort()) as never] : []),
      );
    }
  }
  await until(() => services.clock.idle && services.background.names().length === 0);
  expect(getEventListeners(caller.signal, 'abort')).toHaveLength(0);
  expect([...services.clock.pending()]).toEqual([]);
  expect(await host.close()).toEqual({ pending: [] });
});

test('what fires were given is let go, whatever became of them', async () => {
  const args = ['--expose-gc', join(built, 'host-leaks.js')];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  const { alive, of, grew, pending } = JSON.parse(stdout) as Record<string, number>;
  expect({ alive, pending }).toEqual({ alive: 0, pending: [] });
  expect(of).toBe(3600);
  // A few names of ended agents and of tools are remembered; the inputs alone are three times that.
  expect(grew).toBeLessThan(2_000_000);
});

test('of a plugin in each of hundreds of sessions and their agents nothing stays', async () => {
  const args = ['--expose-gc', join(built, 'plugin-leaks.js')];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  const { grew, ...rest } = JSON.parse(stdout) as Record<string, number>;
  // A session has three uses of it, with two cleanups each, and an agent with hooks of two makers, one with a cleanup.
  expect(rest).toEqual({ alive: 0, of: 2_000, cleaned: 2_800, scopes: 1 });
  // Calls are remembered for alarms. The states alone are a hundred megabytes.
  expect(grew).toBeLessThan(5_000_000);
});
