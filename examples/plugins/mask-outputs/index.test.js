import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contract, expectFired, fireHook, payload } from 'hookscope/testing';
import plugin from './index.js';

const token = `ghp_${'a1B2'.repeat(9)}`;

test('a secret that a tool prints does not reach the model', async () => {
  const printed = { stdout: `GITHUB_TOKEN=${token}\nPORT=80`, stderr: '', interrupted: false };
  const fired = await fireHook(plugin, 'PostToolUse', payload.postToolUse.bash('env', { tool_response: printed }));
  expectFired(fired).toRewrite({ stderr: '', interrupted: false });
  const { stdout } = fired.decision.updatedOutput;
  assert.ok(!stdout.includes(token) && stdout.includes('PORT=80'), stdout);
});

test('nor does one in the answer of an MCP tool, wherever it stands', async () => {
  const answer = [{ type: 'text', text: JSON.stringify({ deep: [token] }) }];
  const input = payload.postToolUse.mcp('vault', 'read', {}, { tool_response: answer });
  const fired = await fireHook(plugin, 'PostToolUse', input);
  assert.ok(!JSON.stringify(fired.decision.updatedOutput).includes(token));
});

test('any other output stays as it is', async () => {
  expectFired(await fireHook(plugin, 'PostToolUse', payload.postToolUse.bash('ls'))).toStaySilent();
});

for (const { name, run } of contract(plugin, { passes: [['PostToolUse', payload.postToolUse.read()]] }))
  test(name, run);
