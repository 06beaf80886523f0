import { execFileSync, spawn } from 'node:child_process';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { loadClaudeCode } from '../../src/claude-code/load.js';
import { deny } from '../../src/events/output/helpers.js';
import { testHost } from '../host/kit.js';
import { closeAll, createProject, denies, hook, hooksOn, memoryStore, type Project, ran, skipped } from './project.js';

let project: Project;
beforeEach(() => {
  project = createProject();
});
afterEach(closeAll);

/** One settings file in every place. */
function everywhere(): void {
  project.write('managed/managed-settings.json', hooksOn('PreToolUse', hook('managed')));
  project.write('managed/managed-settings.d/20-b.json', hooksOn('PreToolUse', hook('drop-b')));
  project.write('managed/managed-settings.d/10-a.json', hooksOn('PreToolUse', hook('drop-a')));
  project.write('home/.claude/settings.json', hooksOn('PreToolUse', hook('user')));
  project.write('project/.claude/settings.json', hooksOn('PreToolUse', hook('project')));
  project.write('project/.claude/settings.local.json', hooksOn('PreToolUse', hook('local')));
  project.write('flag.json', hooksOn('PreToolUse', hook('flag')));
  project.write('plug/.claude-plugin/plugin.json', {
    name: 'plug',
    hooks: hooksOn('PreToolUse', hook('inline')).hooks,
  });
  project.write('plug/hooks/hooks.json', hooksOn('PreToolUse', hook('plugin')));
}

describe('where hooks come from', () => {
  test('every place is read, in order: managed, user, project, local, named files, plugins; managed ones run first', async () => {
    everywhere();
    const loaded = await project.load({
      settings: [join(project.path, 'flag.json')],
      plugins: [join(project.path, 'plug')],
    });
    const record = await loaded.fire();
    const names = ['managed', 'drop-a', 'drop-b', 'user', 'project', 'local', 'flag', 'plugin', 'inline'];
    expect(ran(record)).toEqual(names);
    expect(record.handlers.map(({ wave }) => wave)).toEqual([0, 0, 0, 1, 1, 1, 1, 1, 1]);
    expect(record.handlers.map(({ source, scope }) => `${scope} ${source.kind}`)).toEqual([
      ...Array(3).fill('managed managed'),
      ...['user', 'project', 'local', 'flag', 'plugin', 'plugin'].map((kind) => `host ${kind}`),
    ]);
    expect(record.handlers[7]).toMatchObject({
      plugin: 'plug',
      source: { name: 'plug', file: join(project.path, 'plug/hooks/hooks.json') },
    });
    expect(loaded.problems).toEqual([]);
    expect(loaded.sources.map(({ status, hooks }) => `${status} ${hooks}`)).toEqual(Array(9).fill('loaded 1'));
  });

  test('only the places that are asked for are read', async () => {
    everywhere();
    expect(ran(await (await project.load({ places: ['user', 'local'] })).fire())).toEqual(['user', 'local']);
  });

  test('without a project it is the current folder', async () => {
    everywhere();
    const before = process.cwd();
    process.chdir(project.dir);
    try {
      const { host } = testHost();
      const { home, managedDir } = project.files;
      const { sources } = await loadClaudeCode({ host, home, managedDir, trust: 'all', places: ['project', 'local'] });
      expect(sources.map(({ kind, status }) => `${kind} ${status}`)).toEqual(['project loaded', 'local loaded']);
      await host.close();
    } finally {
      process.chdir(before);
    }
  });

  test('a plugin may name more files, which stay inside it, and the default one is read once', async () => {
    project.write('plug/.claude-plugin/plugin.json', {
      name: 'plug',
      hooks: [
        './hooks/hooks.json',
        './more.json',
        '../out.json',
        { hooks: hooksOn('PreToolUse', hook('inner')).hooks },
      ],
    });
    project.write('plug/hooks/hooks.json', hooksOn('PreToolUse', hook('default')));
    project.write('plug/more.json', hooksOn('PreToolUse', hook('more')));
    project.write('out.json', hooksOn('PreToolUse', hook('out')));
    const { fire, problems } = await project.load({ plugins: [join(project.path, 'plug')] });
    expect(ran(await fire())).toEqual(['default', 'more', 'inner']);
    expect(problems).toMatchObject([
      { level: 'error', line: 1, message: 'hooks: ../out.json lies outside the plugin' },
    ]);
  });

  test('a plugin that is not there, and one without a manifest', async () => {
    project.write('bare/hooks/hooks.json', hooksOn('PreToolUse', hook('bare')));
    const { fire, problems } = await project.load({
      plugins: [join(project.path, 'bare'), join(project.path, 'none')],
    });
    expect(ran(await fire())).toEqual(['bare']);
    expect(problems).toMatchObject([{ file: join(project.path, 'none'), message: 'there is no such folder' }]);
  });

  test('where the home is the project, its settings are the user’s', async () => {
    project.write('home/.claude/settings.json', hooksOn('PreToolUse', hook('mine')));
    project.write('home/.claude/agents/own.md', `---\n${JSON.stringify(hooksOn('PreToolUse', hook('agent')))}\n---\n`);
    const { sources } = await project.load({ projectDir: project.home, trust: 'stored' });
    expect(sources.map(({ kind, status }) => `${kind} ${status}`)).toEqual(['user loaded', 'agent loaded']);
  });

  test('CLAUDE_CONFIG_DIR is not looked at: the home is, and what is named', async () => {
    everywhere();
    const path = project.write('elsewhere/settings.json', hooksOn('PreToolUse', hook('elsewhere')));
    vi.stubEnv('CLAUDE_CONFIG_DIR', join(path, '..'));
    try {
      expect(ran(await (await project.load({ places: ['user'] })).fire())).toEqual(['user']);
      expect(ran(await (await project.load({ places: [], settings: [path] })).fire())).toEqual(['elsewhere']);
    } finally {
      vi.unstubAllEnvs();
    }
  });

  test('what was loaded is taken back, twice if one likes', async () => {
    everywhere();
    const { fire, undo } = await project.load();
    undo();
    undo();
    expect((await fire()).handlers).toEqual([]);
  });
});

describe('copies of one hook', () => {
  test('run once across files, the first one, as strictly as the strictest; each plugin has its own', async () => {
    const same = hook('same', 'exit 1');
    project.write('home/.claude/settings.json', hooksOn('PreToolUse', { ...same, timeout: 3 }));
    project.write('project/.claude/settings.json', hooksOn('PreToolUse', { ...same, onFailure: 'block' }));
    for (const name of ['a', 'b']) project.write(`${name}/hooks/hooks.json`, hooksOn('PreToolUse', same));
    const record = await (await project.load({ plugins: [join(project.path, 'a'), join(project.path, 'b')] })).fire();
    expect(record.handlers.map(({ source, status, reason }) => [source.name ?? source.kind, reason ?? status])).toEqual(
      [
        ['user', 'failed'],
        ['project', 'duplicate'],
        ['a', 'failed'],
        ['b', 'failed'],
      ],
    );
    expect(record.decision.verdict).toBe('deny');
  });

  test('in the background only if every copy is', async () => {
    const same = hook('same', denies('seen'));
    project.write('home/.claude/settings.json', hooksOn('PreToolUse', { ...same, async: true }));
    project.write('project/.claude/settings.json', hooksOn('PreToolUse', same));
    expect((await (await project.load()).fire()).decision.verdict).toBe('deny');
  });

  test.each([
    ['another argument', { args: ['a'] }, { args: ['b'] }],
    ['another rule', { if: 'Bash(ls)' }, { if: 'Bash(ls *)' }],
    ['another shell', {}, { shell: 'bash' }],
  ])('%s makes another hook', async (_, one, other) => {
    const same = { type: 'command', command: 'true' };
    project.write('home/.claude/settings.json', hooksOn('PreToolUse', { ...same, ...one }, { ...same, ...other }));
    const { handlers } = await (await project.load()).fire();
    expect(handlers.map(({ status }) => status)).toEqual(['ran', expect.stringMatching(/ran|skipped/)]);
    expect(handlers[1]?.reason).not.toBe('duplicate');
  });
});

test.each(['Bash', 'Edit|Write', 'Edit, Write', 'mcp__.*', '*', '', undefined, 'Notebook(Edit|Read)'])(
  'a plain settings file with the matcher %j has nothing to complain of',
  async (matcher) => {
    const group = { ...(matcher === undefined ? {} : { matcher }), hooks: [hook('a')] };
    project.write('home/.claude/settings.json', { hooks: { PreToolUse: [group], PostToolUse: [group] } });
    const { problems, reports, sources } = await project.load();
    expect([problems, reports, sources.map(({ status }) => status)]).toEqual([[], [], ['loaded']]);
  },
);

describe('what a wrong file costs', () => {
  const bad = { hooks: { PreToolUse: [{ hooks: [hook('good')] }], Stop: 'nonsense' } };

  test('a wrong entry drops its file, loudly, and no other; its hooks are listed', async () => {
    project.write('home/.claude/settings.json', bad);
    project.write('project/.claude/settings.json', hooksOn('PreToolUse', hook('other')));
    const { fire, problems, sources } = await project.load();
    const record = await fire();
    expect(ran(record)).toEqual(['other']);
    expect(skipped(record)['good']).toMatch(/^invalid: .*settings\.json has an error: hooks\.Stop: expected an array/);
    expect(problems).toMatchObject([{ level: 'error', where: 'hooks.Stop', line: 1 }]);
    expect(sources.map(({ status }) => status)).toEqual(['dropped', 'loaded']);
  });

  test('with onInvalid: skip it costs the entry alone', async () => {
    project.write('home/.claude/settings.json', bad);
    const { fire, problems } = await project.load({ onInvalid: 'skip' });
    expect(ran(await fire())).toEqual(['good']);
    expect(problems).toHaveLength(1);
  });

  test('an unknown handler type costs that handler alone', async () => {
    project.write('home/.claude/settings.json', hooksOn('PreToolUse', { type: 'weird', command: 'x' }, hook('good')));
    const { fire, problems } = await project.load();
    const record = await fire();
    expect(ran(record)).toEqual(['good']);
    expect(record.handlers[0]).toMatchObject({ handler: 'unknown', name: 'x', reason: 'invalid' });
    expect(problems).toMatchObject([{ level: 'warning', where: 'hooks.PreToolUse[0].hooks[0].type', line: 1 }]);
  });

  test.each([
    ['managed-settings.json', '{ "hooks": }', /line 1, column 12/],
    ['managed-settings.json', { hooks: { Stop: [{}] } }, /hooks\.Stop\[0\]: "hooks" is missing/],
    ['managed-settings.d/x.json', { disableAllHooks: 'yes' }, /disableAllHooks: expected true or false/],
  ])('a managed file that is wrong throws, and nothing is loaded: %s %j', async (file, content, message) => {
    project.write(`managed/${file}`, content);
    project.write('home/.claude/settings.json', hooksOn('PreToolUse', hook('user')));
    await expect(project.load({ onInvalid: 'skip' })).rejects.toThrow(message);
  });

  test('a settings file that was named and is not there is a problem, not silence', async () => {
    const { problems } = await project.load({ settings: [join(project.path, 'none.json')] });
    expect(problems).toMatchObject([{ level: 'error', message: 'there is no such file' }]);
  });
});

describe('what is no file', () => {
  test('a pipe where a file is looked for is a problem; one that was named is read', { timeout: 20_000 }, async () => {
    for (const name of ['project/.claude/settings.json', 'plug/hooks/hooks.json', 'project/.claude/agents/a.md']) {
      project.write(`${name}.keep`, '');
      execFileSync('mkfifo', [join(project.path, name)]);
    }
    const named = join(project.path, 'named');
    execFileSync('mkfifo', [named]);
    const text = JSON.stringify(hooksOn('PreToolUse', hook('named')));
    const writer = spawn('sh', ['-c', 'printf %s "$1" > "$2"', 'sh', text, named]);
    const { fire, problems } = await project.load({ settings: [named], plugins: [join(project.path, 'plug')] });
    expect(problems.map(({ level, message }) => `${level} ${message}`)).toEqual(
      Array(3).fill('error is no regular file'),
    );
    expect(ran(await fire())).toEqual(['named']);
    writer.kill();
  });

  test('settings that are a link to nowhere are a problem, and managed ones throw', async () => {
    project.write('project/.claude/.keep', '');
    symlinkSync('/nowhere/settings.json', join(project.dir, '.claude/settings.json'));
    const { problems } = await project.load();
    expect(problems).toMatchObject([{ level: 'error', message: 'there is no such file' }]);
    project.write('managed/.keep', '');
    symlinkSync('/nowhere/settings.json', join(project.managedDir, 'managed-settings.json'));
    await expect(project.load()).rejects.toThrow(/managed-settings\.json.*there is no such file/);
  });

  test.each(['project', 'home'])('a file where a folder is looked for in the %s is a problem', async (place) => {
    for (const name of ['agents', 'skills', 'commands']) project.write(`${place}/.claude/${name}`, '');
    const { problems } = await project.load();
    expect(problems).toMatchObject(Array(3).fill({ level: 'error', message: 'is a file, not a folder' }));
  });
});

describe('agents', () => {
  const own = (...events: string[]) => ({
    name: 'helper',
    hooks: Object.fromEntries(events.map((event) => [event, [{ hooks: [hook(`own-${event}`)] }]])),
  });
  const file = (frontmatter: object): string => `---\n${JSON.stringify(frontmatter)}\n---\nHelps.\n`;
  const agent = { agent_id: 'a1', agent_type: 'helper' };
  const stop = { ...agent, stop_hook_active: false, agent_transcript_path: '' };

  test('hooks of an agent file are for each agent of its type, from its start to its stop; Stop is SubagentStop', async () => {
    project.write('project/.claude/agents/team/helper.md', file(own('PreToolUse', 'SubagentStart', 'Stop')));
    const { fire, host } = await project.load();
    expect(ran(await fire())).toEqual([]);
    expect(ran(await fire('SubagentStart', agent))).toEqual(['own-SubagentStart']);
    expect(ran(await fire('PreToolUse', agent))).toEqual(['own-PreToolUse']);
    expect(ran(await fire('PreToolUse', { ...agent, agent_id: 'a2', agent_type: 'other' }))).toEqual([]);
    expect(ran(await fire('Stop', { stop_hook_active: false }))).toEqual([]);
    expect(ran(await fire('SubagentStop', stop))).toEqual(['own-Stop']);
    expect(String(host.describe())).not.toContain('agent a1');
  });

  test('a matcher on an agent’s Stop is ignored, as on any Stop', async () => {
    const hooks = {
      Stop: [{ matcher: 'nothing', hooks: [hook('own')] }],
      SubagentStop: [{ matcher: 'nothing', hooks: [hook('no')] }],
    };
    project.write('home/.claude/agents/helper.md', file({ name: 'helper', hooks }));
    const { fire } = await project.load();
    expect(ran(await fire('SubagentStop', stop))).toEqual(['own']);
  });

  test('with an id they are for that agent alone', async () => {
    const path = project.write('x.md', file(own('PreToolUse')));
    const { fire } = await project.load({ agents: [{ file: path, id: 'a1' }] });
    expect(ran(await fire('PreToolUse', agent))).toEqual(['own-PreToolUse']);
    expect(ran(await fire('PreToolUse', { ...agent, agent_id: 'a2' }))).toEqual([]);
  });

  test('the agent that is the main thread has its hooks in the session, and its Stop stays Stop', async () => {
    project.write('home/.claude/agents/helper.md', file(own('Stop', 'SessionStart')));
    const { fire } = await project.load({ mainAgent: 'helper' });
    expect(ran(await fire('Stop', { stop_hook_active: false }))).toEqual(['own-Stop']);
    expect(ran(await fire('SessionStart', { source: 'startup' }))).toEqual(['own-SessionStart']);
  });

  test('an agent of the project goes before the user’s of the same name; one named on purpose before both', async () => {
    project.write('home/.claude/agents/helper.md', file({ name: 'helper', ...hooksOn('PreToolUse', hook('of-user')) }));
    project.write(
      'project/.claude/agents/helper.md',
      file({ name: 'helper', ...hooksOn('PreToolUse', hook('of-project')) }),
    );
    const record = await (await project.load()).fire('PreToolUse', agent);
    expect(ran(record)).toEqual(['of-project']);
    const before = join(project.dir, '.claude/agents/helper.md');
    expect(skipped(record)).toEqual({ 'of-user': `disabled: ${before} is the agent of that name` });
    const named = project.write('named/helper.md', file(hooksOn('PreToolUse', hook('named'))));
    expect(ran(await (await project.load({ agents: [named] })).fire('PreToolUse', agent))).toEqual(['named']);
  });

  test.each([
    ['held', 'stored', file({ name: 'helper', ...hooksOn('Stop', hook('of-project')) })],
    ['wrong', 'all', '---\nname: helper\nhooks: [\n---\n'],
    ['accepted and without a hook', 'all', file({ name: 'helper', hooks: { PreToolUse: [], Stop: [{ hooks: [] }] } })],
  ] as const)(
    'an agent of the project that is %s takes nothing from the user’s of the same name',
    async (_, trust, text) => {
      project.write(
        'home/.claude/agents/helper.md',
        file({ name: 'helper', ...hooksOn('PreToolUse', hook('of-user')) }),
      );
      project.write('project/.claude/agents/helper.md', text);
      const store = trust === 'stored' ? memoryStore() : trust;
      expect(ran(await (await project.load({ trust: store })).fire('PreToolUse', agent))).toEqual(['of-user']);
    },
  );

  test('an agent of the project that would take hooks from the user’s of the same name says so before it is accepted', async () => {
    const path = project.write(
      'home/.claude/agents/helper.md',
      file({ name: 'helper', ...hooksOn('PreToolUse', hook('of-user')) }),
    );
    project.write('project/.claude/agents/helper.md', file({ name: 'helper', ...hooksOn('Stop', hook('of-project')) }));
    project.write('project/.claude/agents/other.md', file({ name: 'other', ...hooksOn('Stop', hook('of-project')) }));
    const { held } = await project.load({ trust: memoryStore() });
    expect(
      held.map(({ name, why }) => [name, why.includes(`switches off the hooks of the agent of that name in ${path}`)]),
    ).toEqual([
      ['helper', true],
      ['other', false],
    ]);
  });

  test('once is for skills: an agent’s hook runs every time', async () => {
    project.write(
      'home/.claude/agents/helper.md',
      file({ name: 'helper', ...hooksOn('PreToolUse', { ...hook('again'), once: true }) }),
    );
    project.write('home/.claude/settings.json', hooksOn('PreToolUse', { ...hook('user'), once: true }));
    const { fire } = await project.load();
    await fire('PreToolUse', agent);
    expect(ran(await fire('PreToolUse', agent))).toEqual(['user', 'again']);
  });

  test('frontmatter that is not YAML is a warning at its line, and a file without hooks is not even parsed', async () => {
    project.write('home/.claude/agents/a.md', '---\nname: a\nargs: [x] [y]\nhooks:\n  Stop: []\n---\n');
    project.write('home/.claude/agents/b.md', '---\nname: b\ndescription: one: two [x] [y]\n---\nhooks: none\n');
    const { problems } = await project.load();
    expect(problems).toMatchObject([{ level: 'warning', line: 3, file: expect.stringMatching(/a\.md$/) }]);
  });
});

describe('skills', () => {
  const skill = (name: string): string =>
    `---\nname: ${name}\n${JSON.stringify({ ...hooksOn('PreToolUse', { ...hook(name), once: true }) }).slice(1, -1)}\n---\n`;
  const yaml = (name: string): string => skill(name).replace(/^"hooks":/m, 'hooks: ');
  const invoked = { tool_name: 'Skill', tool_input: { skill: 'tidy' }, tool_response: 'ok', tool_use_id: 't' };
  const expanded = { expansion_type: 'slash_command', command_name: 'tidy', command_args: '', prompt: '/tidy' };

  test.each([
    ['by the Skill tool', 'PostToolUse', invoked],
    ['by a slash command', 'UserPromptExpansion', expanded],
  ])(
    'hooks count from when the skill is invoked %s to the end of that session, once if they say so',
    async (_, event, input) => {
      project.write('project/.claude/skills/tidy/SKILL.md', yaml('tidy'));
      const { fire } = await project.load();
      expect(ran(await fire())).toEqual([]);
      await fire(event, input);
      expect(ran(await fire('PreToolUse', { session_id: 'other' }))).toEqual([]);
      expect(ran(await fire())).toEqual(['tidy']);
      expect(skipped(await fire())).toEqual({ tidy: 'once: ' });
      await fire('SessionEnd', { reason: 'clear' });
      expect((await fire()).handlers).toEqual([]);
    },
  );

  test('copies that run once run one after the other, each as strictly as the strictest of those that are left', async () => {
    const copy = (matcher: string, onFailure: string) => ({
      matcher,
      hooks: [{ ...hook('copied', 'exit 1'), once: true, onFailure }],
    });
    const hooks = { PreToolUse: [copy('Bash', 'block'), copy('*', 'continue')] };
    project.write('project/.claude/skills/tidy/SKILL.md', `---\nname: tidy\nhooks: ${JSON.stringify(hooks)}\n---\n`);
    const { fire } = await project.load();
    await fire('PostToolUse', invoked);
    const rows = async (): Promise<unknown> => {
      const { handlers, decision } = await fire();
      const [first, second] = handlers.map(({ status, reason }) => reason ?? status);
      return {
        first,
        second,
        verdict: decision.verdict,
        mine: handlers.some(({ id }) => id === decision.failures[0]?.id),
      };
    };
    expect(await rows()).toEqual({ first: 'failed', second: 'duplicate', verdict: 'deny', mine: true });
    expect(await rows()).toEqual({ first: 'once', second: 'failed', verdict: 'none', mine: true });
    expect(await rows()).toEqual({ first: 'once', second: 'once', verdict: 'none', mine: false });
  });

  test('a skill that a subagent invokes brings none', async () => {
    project.write('project/.claude/skills/tidy/SKILL.md', yaml('tidy'));
    const { fire } = await project.load();
    await fire('PostToolUse', { ...invoked, agent_id: 'a1', agent_type: 'helper' });
    expect((await fire()).handlers).toEqual([]);
  });

  test('of a plugin they answer to the plugin’s name too, and know where they lie', async () => {
    project.write(
      'plug/skills/tidy/SKILL.md',
      yaml('tidy').replace('echo ran tidy >&2', 'echo $CLAUDE_SKILL_DIR $CLAUDE_PLUGIN_ROOT >&2; exit 2'),
    );
    const { fire } = await project.load({ plugins: [join(project.path, 'plug')] });
    await fire('PostToolUse', { ...invoked, tool_input: { skill: 'plug:tidy' } });
    const { decision } = await fire();
    expect(decision.reason).toBe(`${join(project.path, 'plug/skills/tidy')} ${join(project.path, 'plug')}`);
  });
});

describe('policy', () => {
  const user = () => project.write('home/.claude/settings.json', { ...hooksOn('PreToolUse', hook('user')) });

  test('disableAllHooks in any file turns off all hooks of files but the managed; hooks in code go on', async () => {
    user();
    const file = project.write('project/.claude/settings.json', { disableAllHooks: true });
    project.write('managed/managed-settings.json', hooksOn('PreToolUse', hook('managed')));
    const { fire, host } = await project.load();
    host.register({ PreToolUse: [{ name: 'code', hooks: [() => deny('code')] }] });
    const record = await fire();
    expect(ran(record)).toEqual(['managed', 'code']);
    expect(skipped(record)).toEqual({ user: `disabled: disableAllHooks in ${file}` });
  });

  test('in managed settings it turns off theirs too', async () => {
    const file = project.write('managed/managed-settings.json', {
      disableAllHooks: true,
      ...hooksOn('PreToolUse', hook('managed')),
    });
    expect(skipped(await (await project.load()).fire())).toEqual({ managed: `disabled: disableAllHooks in ${file}` });
  });

  test('a file that is dropped disables nothing', async () => {
    user();
    project.write('project/.claude/settings.json', { disableAllHooks: true, hooks: [] });
    expect(ran(await (await project.load()).fire())).toEqual(['user']);
  });

  test('allowManagedHooksOnly counts in managed settings and in the policy option, and nowhere else', async () => {
    user();
    project.write('project/.claude/settings.json', { allowManagedHooksOnly: true });
    expect(ran(await (await project.load()).fire())).toEqual(['user']);
    const policy = { allowManagedHooksOnly: true };
    expect(skipped(await (await project.load({ policy })).fire())).toEqual({
      user: 'policy: allowManagedHooksOnly in the policy option',
    });
    const file = project.write('managed/managed-settings.json', policy);
    expect(skipped(await (await project.load()).fire())).toEqual({ user: `policy: allowManagedHooksOnly in ${file}` });
  });

  test('a plugin that managed settings enable is theirs; one that any file turns off is off', async () => {
    project.write('on/hooks/hooks.json', hooksOn('PreToolUse', hook('on')));
    project.write('off/hooks/hooks.json', hooksOn('PreToolUse', hook('off')));
    project.write('managed/managed-settings.json', {
      allowManagedHooksOnly: true,
      enabledPlugins: { 'on@corp': true },
    });
    const file = project.write('home/.claude/settings.json', { enabledPlugins: { 'off@market': false } });
    const record = await (
      await project.load({ plugins: ['on', 'off'].map((name) => join(project.path, name)) })
    ).fire();
    expect(ran(record)).toEqual(['on']);
    expect(skipped(record)).toEqual({ off: `disabled: enabledPlugins in ${file} turns the plugin off` });
  });

  test('http hooks go only where a list says so; lists of all files count together', async () => {
    const http = (url: string) => ({ type: 'http', url });
    const one = project.write('home/.claude/settings.json', { allowedHttpHookUrls: ['https://a.example/*'] });
    const two = project.write('project/.claude/settings.json', {
      allowedHttpHookUrls: ['http://127.0.0.1:*'],
      ...hooksOn(
        'PreToolUse',
        http('https://evil.example/a.example/'),
        http('https://a.example/x'),
        http('http://127.0.0.1:9/y'),
      ),
    });
    const { host } = await project.load();
    const decision = await host.fireAny('PreToolUse', project.call);
    const refused = decision.failures.filter(({ message }) => message.includes('does not list'));
    expect(refused).toEqual([
      expect.objectContaining({
        cause: 'connection',
        message: expect.stringContaining(
          `allowedHttpHookUrls in ${one}, ${two} does not list https://evil.example/a.example/`,
        ),
      }),
    ]);
    // The others were asked, and nobody is there.
    expect(decision.failures.map(({ name }) => name)).toContain('http://127.0.0.1:9/y');
  });

  test('an http guard that a list excludes fails under its policy, in a project, a plugin or managed settings', async () => {
    const excluded = { type: 'http', url: 'https://evil.example/', onFailure: 'block' };
    const written = hooksOn('PreToolUse', excluded);
    for (const file of [
      'home/.claude/settings.json',
      'project/.claude/settings.json',
      'managed/managed-settings.json',
    ]) {
      project.write('managed/managed-settings.json', { allowedHttpHookUrls: ['https://a.example/*'] });
      project.write(file, { allowedHttpHookUrls: [], ...written });
      const { host } = await project.load();
      expect(await host.fireAny('PreToolUse', project.call), file).toMatchObject({
        verdict: 'deny',
        failures: [{ cause: 'connection', blocked: true }],
      });
      project.write(file, {});
    }
  });

  test('a list of users and projects does not bind managed hooks, an empty managed list binds all', async () => {
    const http = { type: 'http', url: 'https://corp.example/' };
    project.write('home/.claude/settings.json', { allowedHttpHookUrls: [] });
    project.write('managed/managed-settings.json', hooksOn('PreToolUse', http));
    const refuses = async () => {
      const { failures } = await (await project.load()).host.fireAny('PreToolUse', project.call);
      return failures.some(({ message }) => message.includes('does not list'));
    };
    expect(await refuses()).toBe(false);
    project.write('managed/managed-settings.json', { allowedHttpHookUrls: [], ...hooksOn('PreToolUse', http) });
    expect(await refuses()).toBe(true);
  });
});

test('a wrong word of a helper in an answer takes nothing away from Claude Code’s words', async () => {
  const prints = (name: string, answer: object): object => hook(name, `printf %s '${JSON.stringify(answer)}'`);
  const block = { decision: 'block', reason: 'no', 'hookscope:verdict': { verdict: 'Deny' } };
  const stop = { continue: false, 'hookscope:context': 5 };
  project.write('home/.claude/settings.json', {
    hooks: {
      ...hooksOn('PreToolUse', prints('gate', block)).hooks,
      ...hooksOn('UserPromptSubmit', prints('prompt', block), prints('stop', stop)).hooks,
    },
  });
  const loaded = await project.load();
  const gate = await loaded.fire();
  expect(gate).toMatchObject({ decision: { verdict: 'deny', reason: 'no' } });
  const failure = { cause: 'bad_schema', message: expect.stringContaining('got "Deny"') as unknown };
  expect(gate.handlers).toMatchObject([{ failure }]);
  const prompt = await loaded.fire('UserPromptSubmit', { session_id: 's', cwd: project.dir, prompt: 'x' });
  expect(prompt).toMatchObject({ decision: { blocked: true, continue: false } });
  expect(prompt.handlers).toMatchObject([{ failure }, { failure: { cause: 'bad_schema' } }]);
});
