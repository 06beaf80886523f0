import { expect, test } from 'vitest';
import { on, opened } from './kit.js';

const call = (name: string) => ({ name, input: { command: 'rm x' }, execute: () => 'ran' });

test.each<[string, string, object, RegExp | undefined]>([
  ['a matcher', 'bash', { matcher: 'Edit, Bash' }, /PreToolUse hook guard is for the tool "Bash", .* one "bash"/],
  ['a rule', 'BASH', { if: 'Bash(rm *)' }, /is for the tool "Bash", .* one "BASH"/],
  ['a rule without a pattern', 'readfile', { if: 'readFile' }, /is for the tool "readFile"/],
  ['the same name', 'Bash', { matcher: 'Bash' }, undefined],
  ['both names', 'bash', { matcher: 'Bash|bash' }, undefined],
  ['another name', 'bash2', { matcher: 'Bash' }, undefined],
  ['every tool', 'bash', {}, undefined],
])('a tool that is called nearly as a guard has it is told, once: %s', async (_, name, group, words) => {
  const { host, session, reports } = await opened();
  host.register({ PreToolUse: [{ name: 'guard', ...group, hooks: [() => undefined] }] });
  for (let i = 0; i < 3; i++) await session.tool(call(name));
  await session.toolBatch([call(name)]);
  expect(reports).toEqual(words === undefined ? [] : [expect.stringMatching(words)]);
  await host.close();
});

test('nobody is told where another hook names the tool exactly; hooks of an agent are looked at in that agent', async () => {
  const { host, session, reports } = await opened();
  host.register({ PreToolUse: [{ matcher: 'Bash', hooks: [() => undefined] }] });
  host.register({ PreToolUse: [{ matcher: 'bash', hooks: [() => undefined] }] });
  host.spawnHooks('reviewer', { PreToolUse: [{ name: 'own', matcher: 'Write', hooks: [() => undefined] }] });
  await session.tool(call('bash'));
  await session.tool(call('write'));
  expect(reports).toEqual([]);
  const agent = await session.spawn({ agent_type: 'reviewer' });
  await agent.tool(call('write'));
  expect(reports).toEqual([expect.stringMatching(/hook own is for the tool "Write"/)]);
  on(host, 'Stop', () => undefined);
  await host.close();
});

test('made-up names are not remembered without end', async () => {
  const { host, session, reports } = await opened();
  host.register({ PreToolUse: [{ name: 'guard', matcher: 'Bash', hooks: [() => undefined] }] });
  for (let i = 0; i < 1000; i++) await session.tool(call(`t${i}`));
  await session.tool(call('bash'));
  expect(reports).toEqual([]);
  await host.close();
});
