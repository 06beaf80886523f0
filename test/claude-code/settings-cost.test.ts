import { afterEach, expect, test } from 'vitest';
import type { Wake } from '../../src/host/types.js';
import { closeAll, createProject, denies, hook } from './project.js';

afterEach(closeAll);

test('a matcher that can take exponential time matches everything, is a problem at its place, and is logged', async () => {
  const project = createProject();
  const groups = [{ matcher: '^(\\w+_?)+$', hooks: [hook('slow', denies('no'))] }];
  project.write('project/.claude/settings.json', { hooks: { PreToolUse: groups } });
  const { problems, reports, fire } = await project.load({ trust: 'all' });
  expect(reports).toEqual([
    expect.stringMatching(/settings\.json:\d+:\d+: hooks\.PreToolUse\[0\]\.matcher: .* can take exponential time/),
  ]);
  expect(problems).toEqual([
    expect.objectContaining({
      where: 'hooks.PreToolUse[0].matcher',
      message: expect.stringContaining('can take exponential time'),
    }),
  ]);
  for (const tool_name of ['Bash', `${'a'.repeat(60)}!`]) {
    expect((await fire('PreToolUse', { tool_name })).decision.verdict).toBe('deny');
  }
});

test('plain settings load without a warning', async () => {
  const project = createProject();
  const matchers = ['Bash', 'Edit|Write', 'Edit, Write', 'mcp__.*', '^(Read|Write)$', 'mcp__(a|b)__get.*', '*', ''];
  const groups = matchers.map((matcher, i) => ({ matcher, hooks: [hook(`h${i}`)] }));
  project.write('project/.claude/settings.json', { hooks: { PreToolUse: groups, Stop: [{ hooks: [hook('stop')] }] } });
  const { problems, reports } = await project.load({ trust: 'all' });
  expect([problems, reports]).toEqual([[], []]);
});

test('what a background hook says of its wake comes before what it prints', async () => {
  const project = createProject();
  const wakes: Wake[] = [];
  const words = { rewakeSummary: 'Review found issues', rewakeMessage: 'Address the findings below:' };
  const hooks = [
    { type: 'command', command: 'echo finding >&2; exit 2', asyncRewake: true, ...words },
    { type: 'command', command: 'echo bare >&2; exit 2', asyncRewake: true },
  ];
  project.write('project/.claude/settings.json', { hooks: { PostToolUse: [{ hooks }] } });
  const { problems, fire } = await project.load({ trust: 'all' }, { onWake: (wake) => void wakes.push(wake) });
  await fire('PostToolUse', { tool_name: 'Bash', tool_input: {}, tool_response: {}, tool_use_id: 'u' });
  await expect.poll(() => wakes.length).toBe(2);
  expect(problems).toEqual([]);
  expect(wakes.map(({ text }) => text).sort()).toEqual([
    'Review found issues\nAddress the findings below:\nfinding',
    'bare',
  ]);
});
