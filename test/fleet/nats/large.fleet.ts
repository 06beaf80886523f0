import { expect, test } from 'vitest';
import { createHost, type Host } from '../../../src/create-host.js';
import { fleet } from '../../../src/fleet/fleet.js';
import { natsEngine } from '../../../src/fleet/nats/engine.js';
import { ownFolder } from '../bundles.js';
import { until } from '../contract.js';
import { bash } from '../ground.js';
import { startNats } from './server.js';

test('a decision that is larger than the broker takes holds up no other: each arrives once, that one without what is not its result', async () => {
  const server = await startNats('max_payload: 65536');
  const operator = natsEngine({ servers: [server.url], team: 'acme', name: 'operator' });
  await until(() => operator.connected);
  await operator.prepare();
  const engine = natsEngine({ servers: [server.url], team: 'acme', name: 'h1' });
  const team = await fleet({ engine, team: 'acme', host: 'h1', keys: [], folder: ownFolder() });
  const host = createHost({ logger: () => undefined }) as Host;
  team.join(host);
  const text = 'x y '.repeat(400_000);
  const rewrites = () => ({
    hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'allow', updatedInput: { command: text } },
  });
  host.register({ PreToolUse: [{ if: 'Bash(big)', hooks: [rewrites as never] }] });
  for (const command of ['a', 'big', 'b', text.slice(0, 100_000), 'c'])
    await host.fire('PreToolUse', bash(command) as never);
  await host.fire('PreToolUse', bash('d', { session_id: text }) as never);
  await until(() => team.status().log.sent === 6);
  expect(team.status().log).toEqual({ sent: 6, waiting: 0, dropped: 0 });
  const records: { input: object; truncated?: string[]; decision: { verdict: string } }[] = [];
  for await (const { bytes } of operator.decisions.read(0)) records.push(JSON.parse(Buffer.from(bytes).toString()));
  expect(records.map(({ truncated }) => truncated?.[0])).toHaveLength(6);
  const cut = records.filter(({ truncated }) => truncated !== undefined);
  expect(cut.length).toBe(3);
  // A command that is too long to be compared counts as one that matches.
  expect(cut.map(({ decision }) => decision.verdict).sort()).toEqual(['allow', 'allow', 'none']);
  await team.close();
  await host.close();
  await engine.close();
  await operator.close();
  await server.end();
});
