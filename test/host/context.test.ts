import { expect, test } from 'vitest';
import { createHost, type HookRecord } from '../../src/index.js';

test.each([
  ['the session', undefined, 'session'],
  ['an agent nobody opened', 'a2', 'a2'],
  ['an open agent', 'a1', 'a1'],
])('a hook fired in %s is told the scope that the records name', async (_, scope, id) => {
  await using host = createHost();
  const seen: string[] = [];
  const records: HookRecord[] = [];
  host.registerScoped('a1', {});
  host.register({ Stop: [{ hooks: [(_input, _id, context) => void seen.push(context.scope)] }] });
  host.events$.subscribe((record) => void records.push(record));
  await host.fire('Stop', { stop_hook_active: false }, { scope });
  expect(seen).toEqual([id]);
  expect(new Set(records.map((record) => (record as { scope: string }).scope))).toEqual(new Set([id]));
});
