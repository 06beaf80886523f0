import { expect, test } from 'vitest';
import { createHost } from '../../src/create-host.js';
import type { Handler } from '../../src/handlers/handler.js';
import { madeHandler } from '../../src/host/register/handler-entry.js';
import { deferred } from './kit.js';

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
