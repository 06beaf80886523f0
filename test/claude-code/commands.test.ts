import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { cli, SESSIONS } from '../cli/cli.js';
import { closeAll, createProject, hook, hooksOn, type Project } from './project.js';

let project: Project;
beforeEach(() => {
  project = createProject();
});
afterEach(closeAll);

const agent = (name: string, ...hooks: object[]): string =>
  `---\n${JSON.stringify({ name, ...hooksOn('PreToolUse', ...hooks) })}\n---\n`;
const run = (...args: string[]) => cli(args, { cwd: project.dir, env: { HOME: project.home } });

test('hookscope list shows every source, agents’ hooks and what never runs', async () => {
  project.write('home/.claude/settings.json', hooksOn('PreToolUse', hook('user')));
  project.write('project/.claude/settings.json', hooksOn('PreToolUse', hook('project')));
  project.write('plug/hooks/hooks.json', hooksOn('PreToolUse', hook('plugin')));
  const flag = project.write('flag.json', { ...hooksOn('PreToolUse', hook('flag'), { type: 'weird' }) });
  const helper = project.write('helper.md', agent('helper', hook('own')));
  const { stdout, code } = await run(
    'list',
    '--claude-code',
    '--settings',
    flag,
    '--plugin-dir',
    join(project.path, 'plug'),
    '--agent',
    helper,
  );
  expect(code).toBe(0);
  const lines = stdout.split('\n').map((line) => line.trim());
  const line = (part: string): string => lines.find((l) => l.includes(part)) ?? '';
  expect(line(': user;')).toContain('[parallel; fails open; user');
  expect(line(': project;')).toContain('never runs: trust');
  expect(line(': flag;')).toContain('[parallel; fails open; flag');
  expect(line('unknown weird')).toContain('never runs: invalid');
  expect(line(': plugin;')).toContain('[parallel; fails open; plugin plug');
  expect(lines.indexOf('agents of type helper')).toBeGreaterThan(0);
  expect(line(': own;')).toContain('[parallel; fails open; agent helper');
});

test('hookscope run gives each agent of a recorded session the hooks of its file', async () => {
  const builder = project.write('builder.md', agent('builder', hook('builds')));
  const session = join(SESSIONS, 'two-parallel-subagents.jsonl');
  const { stdout, code, stderr } = await run('run', session, '--agent', builder, '--json');
  expect(code, stderr).toBe(0);
  const records = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  const ran = records.filter((r) => r['subtype'] === 'hook_response');
  const calls = records.filter((r) => r['type'] === 'hook_fire' && r['event'] === 'PreToolUse');
  const builders = new Set(
    records
      .filter((r) => r['event'] === 'SubagentStart' && (r['input'] as { agent_type: string }).agent_type === 'builder')
      .map((r) => r['agent_id']),
  );
  expect(builders.size).toBeGreaterThan(0);
  expect(ran.length).toBe(calls.filter((r) => builders.has(r['agent_id'])).length);
  expect(ran.length).toBeGreaterThan(0);
});

test('an agent’s file may have an @ in its name', async () => {
  const file = project.write('me@home.md', agent('helper', hook('own')));
  const input = project.write('call.json', { ...project.call, agent_id: 'a1', agent_type: 'helper' });
  for (const given of [file, `${file}@a1`]) {
    const { stdout } = await run('fire', 'PreToolUse', '--agent', given, '--input', input, '--json');
    expect(JSON.parse(stdout)).toMatchObject({ handlers: [{ status: 'ran', scope: 'a1' }] });
  }
});
