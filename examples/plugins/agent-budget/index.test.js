import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contract, expectFired, fireHook, payload, testSession } from 'hookscope/testing';
import plugin from './index.js';

const statuses = async (session, count, by) => {
  const results = [];
  for (let i = 0; i < count; i++) results.push((await session.call('Bash', { command: 'ls' }, by)).status);
  return results;
};

test('each subagent has its own budget, the main agent none', async () => {
  const session = await testSession({ plugins: [[plugin, { calls: 2 }]] });
  const [one, two] = await Promise.all(['worker', 'worker'].map((agent_type) => session.session.spawn({ agent_type })));
  assert.deepEqual(await statuses(session, 3, one), ['ran', 'ran', 'denied']);
  assert.deepEqual(await statuses(session, 3, two), ['ran', 'ran', 'denied']);
  assert.deepEqual(await statuses(session, 4), ['ran', 'ran', 'ran', 'ran']);
  await session.close();
});

test('the agent is told why', async () => {
  const session = await testSession({ plugins: [[plugin, { calls: 1 }]] });
  const agent = await session.session.spawn({ agent_type: 'worker' });
  await session.call('Bash', {}, agent);
  assert.match((await session.call('Bash', {}, agent)).reason, /budget of 1 tool calls is spent/);
  await session.close();
});

test('a call that is asked about again is paid for once', async () => {
  const call = payload.preToolUse.bash('ls', { agent_id: 'agent-1' });
  expectFired(await fireHook([plugin, { calls: 1 }], 'PreToolUse', call)).toStaySilent();
});

for (const { name, run } of contract([plugin, { calls: 1 }])) test(name, run);
