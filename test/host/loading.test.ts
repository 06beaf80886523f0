import { describe, expect, test } from 'vitest';
import { createHost } from '../../src/create-host.js';
import type { Cause } from '../../src/events/failure.js';
import type { Handler } from '../../src/handlers/handler.js';
import { madeHandler } from '../../src/host/register/handler-entry.js';
import { deferred, testHost, watch } from './kit.js';

const LS = { tool_name: 'Bash', tool_input: { command: 'ls' } };

/** A handler whose module is loaded when the test says so. */
function lateHandler() {
  const { promise, resolve } = deferred<void>();
  const seen: string[] = [];
  const handler: Handler = {
    kind: 'command',
    name: 'late',
    load: () => promise.then(() => void seen.push('loaded')),
    run: () => {
      seen.push('run');
      return Promise.resolve({});
    },
  };
  return { handler, loaded: () => resolve(), seen };
}

test('a handler that is still being loaded for one fire is waited for by the next, before its deadline starts', async () => {
  await using host = createHost();
  const { handler, loaded, seen } = lateHandler();
  host.register({ PreToolUse: [{ hooks: [madeHandler(handler) as never] }] });
  const fires = [host.fire('PreToolUse', LS), host.fire('PreToolUse', LS)];
  expect(seen).toEqual([]);
  loaded();
  for (const { failures } of await Promise.all(fires)) expect(failures).toEqual([]);
  expect(seen).toEqual(['loaded', 'loaded', 'run', 'run']);
  await host.fire('PreToolUse', LS);
  expect(seen.slice(4)).toEqual(['run']);
});

describe.each([false, true])('a guard that runs once (watched: %s)', (watched) => {
  /** How often it denies in three calls, if its module cannot be loaded for the first, or its first run fails. */
  async function denials(first: { readonly load?: Error; readonly run?: Cause }): Promise<number> {
    const { host } = testHost();
    if (watched) watch(host);
    let [loads, runs] = [0, 0];
    const handler: Handler = {
      kind: 'http',
      name: 'guard',
      load: () => (loads++ === 0 && first.load ? Promise.reject(first.load) : Promise.resolve()),
      run: async () =>
        runs++ === 0 && first.run ? { failure: { cause: first.run, message: 'no' } } : { output: denied },
    };
    host.register({ PreToolUse: [{ once: true, hooks: [madeHandler(handler) as never] }] });
    let count = 0;
    for (let i = 0; i < 3; i++) if ((await host.fire('PreToolUse', LS)).verdict === 'deny') count++;
    return count;
  }
  const denied = { hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'deny' } };

  test('is still due after what it needs could not be loaded', async () => {
    expect(await denials({ load: new Error('EMFILE') })).toBe(1);
  });

  test.each<[Cause, number]>([
    ['spawn_failed', 1],
    ['connection', 0],
    ['exit_code', 0],
    ['http_status', 0],
    ['timeout', 0],
    ['threw', 0],
    ['bad_json', 0],
  ])('that failed first, with %s, denies %i times', async (cause, times) => {
    expect(await denials({ run: cause })).toBe(times);
  });
});
