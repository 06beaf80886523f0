import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { allow } from '../../src/events/output/helpers.js';
import { cli } from '../cli/cli.js';
import { closeAll, createProject, hook, hooksOn, nameOf, type Project, ran } from './project.js';

let project: Project;
beforeEach(() => {
  project = createProject();
});
afterEach(closeAll);

test('a hook whose if or matcher cannot be read is listed as one that never runs, and why', async () => {
  project.write('home/.claude/settings.json', {
    hooks: {
      PreToolUse: [
        { matcher: 'Bash', hooks: [{ ...hook('rule', 'exit 2'), if: 'Bash(git' }, hook('good', 'true')] },
        { matcher: '(?i)bash', hooks: [hook('regex', 'exit 2')] },
        { matcher: ' | ', hooks: [hook('nobody', 'exit 2')] },
      ],
      Stop: [{ matcher: '(', hooks: [hook('ignored', 'true')] }],
    },
  });
  const { host, fire } = await project.load();
  const listed = String(host.describe());
  expect(listed).toContain('never runs: invalid, PreToolUse[0].hooks[0].if: "Bash(git": expected one permission rule');
  expect(listed).toMatch(/never runs: invalid, PreToolUse\[1\]\.matcher: "\(\?i\)bash" does not compile \(/);
  expect(listed).toContain('never runs: invalid, PreToolUse[2].matcher: " | " names nothing;');
  expect(listed.match(/never runs/g)).toHaveLength(3);
  const call = { tool_name: 'Bash', tool_input: { command: 'git push' } };
  const { hooks } = host.explain('PreToolUse', call);
  expect(told(hooks)).toEqual([
    ['good', 0],
    ['rule', 'invalid'],
    ['regex', 'invalid'],
    ['nobody', 'invalid'],
  ]);
  expect((await fire('PreToolUse', call)).decision).toMatchObject({ verdict: 'none' });
});

const told = (hooks: readonly { name: string; wave: number | null; reason?: string }[]) =>
  hooks.map((h) => [nameOf(h), h.wave ?? h.reason]);

test('says what would run, in which wave, and of the others why and by which file; nothing runs', async () => {
  const mark = join(project.path, 'ran');
  const does = (name: string) => hook(name, `touch ${mark}`);
  const file = project.write('home/.claude/settings.json', {
    hooks: {
      PreToolUse: [
        { matcher: 'Bash', hooks: [does('one'), { ...does('rule'), if: 'Bash(git *)' }] },
        { matcher: 'Edit', hooks: [does('matcher')] },
        { hooks: [does('two'), does('one')] },
      ],
    },
  });
  project.write('managed/managed-settings.json', hooksOn('PreToolUse', does('managed')));
  project.write('project/.claude/settings.json', hooksOn('PreToolUse', does('held')));
  project.write(
    'home/.claude/agents/helper.md',
    `---\n${JSON.stringify({ name: 'helper', ...hooksOn('PreToolUse', does('agents')) })}\n---\n`,
  );
  const { host, fire } = await project.load({ trust: 'stored' });
  host.registerScoped('a1', { PreToolUse: [{ name: 'scoped', hooks: [() => allow()] }] });
  host.register({ PreToolUse: [{ name: 'watcher', phase: 'observe', hooks: [() => undefined] }] });
  const { hooks, subject } = host.explain('PreToolUse', project.call);
  expect(subject).toBe('Bash');
  expect(told(hooks)).toEqual([
    ['managed', 0],
    ['one', 1],
    ['two', 1],
    ['watcher', 2],
    ['rule', 'if'],
    ['matcher', 'matcher'],
    ['one', 'duplicate'],
    ['held', 'trust'],
    ['scoped', 'scope'],
    ['agents', 'scope'],
  ]);
  const why = Object.fromEntries(hooks.map((h) => [nameOf(h), h.why]));
  expect(why).toMatchObject({
    rule: 'its rule Bash(git *) does not match',
    matcher: 'its matcher Edit does not match Bash',
    one: `a copy of user#2 of ${file}`,
    held: expect.stringMatching(/project.*settings\.json is not accepted/),
    scoped: 'only for agent a1',
    agents: 'only for agent helper',
  });
  expect(existsSync(mark)).toBe(false);
  expect(ran(await fire())).toEqual(hooks.filter((h) => h.runs).map(nameOf));
});

test('opens no scope: an agent that would get its hooks is told of, and is not there afterwards', async () => {
  project.write(
    'home/.claude/agents/helper.md',
    `---\n${JSON.stringify({ name: 'helper', ...hooksOn('PreToolUse', hook('own')) })}\n---\n`,
  );
  const { host } = await project.load();
  const before = String(host.describe());
  const explained = host.explain('PreToolUse', { ...project.call, agent_id: 'a1', agent_type: 'helper' });
  expect([explained.scope, explained.scope_known, told(explained.hooks)]).toEqual(['a1', true, [['own', 0]]]);
  expect(String(host.describe())).toBe(before);
});

test('takes an input that is not whole, and refuses an event nobody knows', async () => {
  project.write('home/.claude/settings.json', hooksOn('FileChanged', hook('any')));
  const { host } = await project.load();
  expect(told(host.explain('FileChanged', {}).hooks)).toEqual([['any', 0]]);
  expect(() => host.explain('FileChangd' as never, {})).toThrow(/Did you mean "FileChanged"/);
});

test('hookscope explain prints it, for people and for programs', async () => {
  project.write('project/.claude/settings.json', {
    hooks: { PreToolUse: [{ matcher: 'Bash', hooks: [{ ...hook('git'), if: 'Bash(git *)' }, hook('all')] }] },
  });
  const run = (...args: string[]) =>
    cli(['explain', 'pre-tool-use', '--tool', 'Bash', '--claude-code', '--trust', 'all', ...args], {
      cwd: project.dir,
      env: { HOME: project.home },
    });
  const { stdout, code } = await run('--input', '{"command":"ls -l"}');
  const file = join(project.dir, '.claude/settings.json');
  expect([stdout.split('\n').slice(0, 2), code]).toEqual([
    [
      'PreToolUse:Bash  in session',
      `  1. command : all; cat >/dev/null; echo ran all >&2  [project ${file}; 600 s; fails open; parallel]`,
    ],
    0,
  ]);
  expect(stdout).toContain('would not run:\n  -  command : git;');
  expect(stdout).toContain('\n       if: its rule Bash(git *) does not match\n');
  const json = JSON.parse(
    (await run('--json', '--input', JSON.stringify({ tool_input: { command: 'git push' } }))).stdout,
  ) as { hooks: { runs: boolean }[] };
  expect(json.hooks.map(({ runs }) => runs)).toEqual([true, true]);
});

test('hookscope explain of a tool event asks for the tool, without which every matcher would seem not to match', async () => {
  project.write('project/hooks.json', { PreToolUse: [{ matcher: 'Bash', hooks: [hook('guard')] }] });
  const run = (event: string, ...args: string[]) =>
    cli(['explain', event, '--no-config', '--hooks', 'hooks.json', ...args], { cwd: project.dir });
  for (const given of [[], ['--input', '{"tool_input":{}}'], ['--json']]) {
    const { stdout, stderr, code } = await run('PreToolUse', ...given);
    expect([stdout, stderr, code]).toEqual([
      '',
      'hookscope: Invalid input for PreToolUse: "tool_name" is missing: add --tool with the name of the tool, for example --tool Bash.\n',
      1,
    ]);
  }
  expect((await run('PreToolUse', '--tool', 'Bash')).stdout).toMatch(
    /^PreToolUse:Bash {2}in session\n {2}1\. command /,
  );
  expect((await run('Stop')).code).toBe(0);
});
