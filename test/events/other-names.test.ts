import { expect, test } from 'vitest';
import { TABLES } from '../../src/agents/agents.js';
import { createHost } from '../../src/create-host.js';
import { HOOK_EVENTS } from '../../src/events/catalogue.js';
import { OTHER_NAMES } from '../../src/events/other-names.js';
import { nearest } from '../../src/values/nearest.js';

const rows = TABLES.flatMap((table) => table.events.map((row) => ({ ...row, from: table.name as string })));

test('each name is one of the agent, and means what its table says', () => {
  for (const [name, { from, ours }] of Object.entries(OTHER_NAMES))
    expect(
      rows.some((row) => row.name === name && row.from === from && row.ours === ours),
      name,
    ).toBe(true);
});

test('each event of an agent that has one of ours under a quite different name is there', () => {
  const far = rows.filter((row) => !row.own && row.name !== row.ours && nearest(row.name, HOOK_EVENTS) === undefined);
  const missing = far.filter(({ name }) => !Object.hasOwn(OTHER_NAMES, name));
  expect(missing.map(({ name }) => name)).toEqual([]);
});

test('a matcher in the place of a hook is told where it belongs', async () => {
  await using host = createHost();
  expect(() => host.on('PreToolUse', 'Bash' as never, (() => undefined) as never)).toThrow(
    'the matcher belongs into the options: on(event, fn, { matcher: "Bash" })',
  );
});
