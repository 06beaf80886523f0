import { chmodSync, cpSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { listHeld } from '../../src/claude-code/trust/held.js';
import type { FireRecord } from '../../src/emit/record.js';
import { acceptTrust } from '../../src/trust/accept.js';
import type { TrustRequest } from '../../src/trust/consent.js';
import { trustDiff } from '../../src/trust/diff.js';
import { createTrustStore, type TrustStore } from '../../src/trust/store.js';
import { connect } from './control/kit.js';
import { closeAll, createProject, type Loaded, memoryStore, nameOf, type Project } from './project.js';

let project: Project;
let store: TrustStore;
beforeEach(() => {
  project = createProject();
  store = memoryStore();
});
afterEach(closeAll);

const files = () => project.files;
const load = (options = {}, hostOptions = {}): Promise<Loaded> =>
  project.load({ trust: store, ...options }, hostOptions);
const acceptAll = (options = {}) => project.acceptAll(store, options);

/** A guard that denies, by a name. */
const guard = (name: string, more: object = {}): { type: string; command: string } => ({
  type: 'command',
  command: `: ${name}; cat >/dev/null; echo ${name} >&2; exit 2`,
  ...more,
});
const on = (event: string, ...groups: object[]) => ({ hooks: { [event]: groups } });
const bash = (...hooks: object[]) => on('PreToolUse', { matcher: 'Bash', hooks });
const settings = (content: unknown): string => project.write('project/.claude/settings.json', content);
const markdown = (path: string, front: object): string => project.write(path, `---\n${JSON.stringify(front)}\n---\n`);

/** By the name of each guard: how it came out. */
const outcomes = ({ handlers }: FireRecord): string[] =>
  handlers.map((h) => `${nameOf(h)} ${h.failure?.cause ?? h.reason ?? h.status}`);
const call = async (input = {}, options = {}): Promise<FireRecord> => (await load(options)).fire('PreToolUse', input);

describe('state is kept for each hook', () => {
  test('one that is edited fails in its place, its siblings run, and what is new is skipped', async () => {
    settings(bash(guard('a'), guard('b'), guard('c')));
    await acceptAll();
    settings(bash(guard('new'), guard('c'), guard('b', { if: 'Bash(never *)' }), guard('a')));
    const record = await call();
    expect(outcomes(record)).toEqual(['a ran', 'b untrusted', 'c ran', 'new trust', 'b trust']);
    expect(record.decision).toMatchObject({ verdict: 'deny', reason: 'a' });
    expect(record.handlers[1]?.failure?.message).toMatch(/settings\.json has changed .*hookscope trust/);
  });

  test.each<[string, object]>([
    ['a narrower matcher', on('PreToolUse', { matcher: 'Never', hooks: [guard('a')] })],
    ['another event', on('PostToolUse', { matcher: 'Bash', hooks: [guard('a')] })],
    ['a timeout', bash(guard('a', { timeout: 0.001 }))],
    ['async', bash(guard('a', { async: true }))],
    ['nothing left', {}],
  ])('with %s it fails where it was accepted', async (_, content) => {
    settings(bash(guard('a')));
    await acceptAll();
    settings(content);
    const record = await call();
    expect(outcomes(record)).toContain('a untrusted');
    expect(record.decision.verdict).toBe('ask');
    expect(outcomes(await call({ tool_name: 'Read' }))).not.toContain('a untrusted');
  });

  test('keys in another order are no change, nor is a key that is not ours', async () => {
    const { type, command } = guard('a');
    settings(bash({ type, command, timeout: 5 }));
    await acceptAll();
    settings({ permissions: {}, ...on('PreToolUse', { hooks: [{ timeout: 5, command, type }], matcher: 'Bash' }) });
    const loaded = await load();
    expect([loaded.held, outcomes(await loaded.fire())]).toEqual([[], ['a ran']]);
  });

  test('once is not used up by a run that was none', async () => {
    const path = 'project/.claude/skills/s/SKILL.md';
    markdown(path, bash(guard('a', { once: true })));
    await acceptAll();
    markdown(path, bash());
    const { fire } = await load();
    await fire('UserPromptExpansion', {
      command_name: 's',
      expansion_type: 'slash_command',
      command_args: '',
      prompt: '',
    });
    for (let i = 0; i < 2; i++) expect((await fire()).decision.verdict).toBe('ask');
  });

  test('a stricter verdict stands, a weaker one does not', async () => {
    const allows = `cat >/dev/null; echo '${JSON.stringify({ hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'allow' } })}'`;
    settings(bash(guard('a')));
    await acceptAll();
    settings({});
    project.write('home/.claude/settings.json', bash({ type: 'command', command: allows }));
    expect((await call()).decision.verdict).toBe('ask');
    const last = await load({}, { decisions: 'last' });
    last.host.register({
      PreToolUse: [{ stage: 9, hooks: [() => ({ hookSpecificOutput: { permissionDecision: 'allow' } })] }],
    });
    expect((await last.fire()).decision.verdict).toBe('ask');
    project.write('home/.claude/settings.json', bash(guard('user')));
    expect((await call()).decision).toMatchObject({ verdict: 'deny', reason: 'user' });
  });
});

describe('what is gone', () => {
  test.each<[string, () => void]>([
    ['the file', () => rmSync(join(project.dir, '.claude/settings.json'))],
    ['the folder', () => rmSync(join(project.dir, '.claude'), { recursive: true })],
    ['its name', () => renameSync(join(project.dir, '.claude/settings.json'), join(project.dir, '.claude/s.json'))],
    ['its JSON', () => void settings('{ "hooks": {')],
  ])('%s: its guards stay, listed, explained, and asked about', async (_, edit) => {
    settings(bash(guard('a')));
    await acceptAll();
    edit();
    const { fire, host, held, sources } = await load();
    expect((await fire()).decision).toMatchObject({ verdict: 'ask', failures: [{ cause: 'untrusted' }] });
    const explained = host.explain('PreToolUse', project.call).hooks;
    expect(explained).toMatchObject(
      [{ runs: false, wave: 0, reason: 'untrusted', why: /hookscope trust/ }].map((row) => ({
        ...row,
        why: expect.stringMatching(row.why),
      })),
    );
    expect(String(host.describe())).toMatch(/untrusted: .*settings\.json/);
    expect([held.map(({ state }) => state === 'never'), sources.map(({ status }) => status)]).toEqual([
      [false],
      ['untrusted'],
    ]);
    await acceptAll();
    expect(outcomes(await call())).toEqual([]);
  });

  test('a script that is nowhere any more', async () => {
    settings(bash({ type: 'command', command: ': a; sh "$CLAUDE_PROJECT_DIR"/guard.sh', onFailure: 'continue' }));
    const script = project.write('project/guard.sh', 'exit 2');
    await acceptAll();
    expect((await call()).decision.verdict).toBe('deny');
    rmSync(script);
    const record = await call();
    expect([outcomes(record), record.decision.verdict]).toEqual([['a untrusted'], 'ask']);
    expect(record.decision.reason).toMatch(/guard\.sh, which .*settings\.json names, is missing; see hookscope trust/);
  });

  test.each(['guard.sh', 'guard.txt'])(
    '%s that nobody may start any more; accepted anew as it is, it asks no longer',
    async (name) => {
      const script = project.write(`project/${name}`, '#!/bin/sh\necho no >&2\nexit 2\n', 0o755);
      settings(bash({ type: 'command', command: `./${name}` }));
      await acceptAll();
      const running = await load();
      chmodSync(script, 0o644);
      for (const record of [await running.fire('PreToolUse'), await call()]) {
        expect(record.decision.verdict).toBe('ask');
        expect(record.handlers[0]?.failure).toMatchObject({
          cause: 'untrusted',
          message: expect.stringMatching(
            /guard\..* could be executed when it was accepted, and cannot now: chmod \+x mends it/,
          ),
        });
      }
      const [held] = await listHeld({ ...files(), trust: store });
      expect(await trustDiff(held?.previous, held?.request as TrustRequest)).toContain(
        'executable -> not executable: chmod +x mends it',
      );
      chmodSync(script, 0o755);
      expect((await call()).decision.verdict).toBe('deny');
      chmodSync(script, 0o644);
      await acceptAll();
      expect((await call()).handlers[0]?.failure?.cause).toBe('spawn_failed');
    },
  );

  test.each([false, true])(
    'but not one that sh reads, nor data; an earlier version kept their bit: %j',
    async (kept) => {
      const guard = project.write('project/guard.sh', 'echo no >&2\nexit 2\n', 0o755);
      const words = project.write('project/words.json', '[]', 0o755);
      settings(bash({ type: 'command', command: 'sh ./guard.sh words.json' }));
      await acceptAll();
      const [consent] = store.list();
      for (const file of kept ? Object.values(consent?.files ?? {}) : []) Object.assign(file, { executable: true });
      expect((await call()).decision.reason).toBe('no');
      const running = await load();
      for (const file of [guard, words]) chmodSync(file, 0o644);
      expect((await running.fire('PreToolUse')).decision.reason).toBe('no');
      if (!kept) expect((await call()).decision.reason).toBe('no');
    },
  );

  test.each(['hooks: {}', 'hooks: { }', '"hooks": {}'])(
    'an agent’s, by a file of its name that says `%s`',
    async (hooks) => {
      markdown('project/.claude/agents/reviewer.md', { name: 'reviewer', ...bash(guard('a')) });
      await acceptAll();
      project.write('project/.claude/agents/a.md', `---\nname: reviewer\n${hooks}\n---\n`);
      const { host, fire } = await load();
      const agent = { agent_id: 'a1', agent_type: 'reviewer' };
      await host.fire('SubagentStart', { session_id: 's', transcript_path: '', cwd: project.dir, ...agent });
      expect(outcomes(await fire('PreToolUse', agent))).toEqual(['a ran']);
    },
  );

  test('a plugin: its folder, its manifest’s word for the file, and that nobody names it any more', async () => {
    project.write('plug/hooks/hooks.json', bash(guard('a')));
    const plugins = [join(project.path, 'plug')];
    await acceptAll({ plugins });
    expect(outcomes(await call({}, { plugins }))).toEqual(['a ran']);
    project.write('plug/.claude-plugin/plugin.json', { name: 'other' });
    expect(outcomes(await call({}, { plugins }))).toEqual(['a untrusted']);
    expect(outcomes(await call())).toEqual(['a untrusted']);
    expect(outcomes(await call({}, { plugins: [{ dir: plugins[0] as string, trusted: true }] }))).toEqual(['a ran']);
    rmSync(plugins[0] as string, { recursive: true });
    expect(outcomes(await call({}, { plugins }))).toEqual(['a untrusted']);
    expect(outcomes(await call({}, { places: ['user'] }))).toEqual([]);
  });
});

describe('whom hooks are for is bound', () => {
  const agent = (name: string | undefined): string =>
    markdown('project/.claude/agents/a.md', { ...(name === undefined ? {} : { name }), ...bash(guard('a')) });
  const as = (agent_type: string) => call({ agent_id: `x-${agent_type}`, agent_type });

  test('an agent of another name: both are asked about', async () => {
    agent('reviewer');
    await acceptAll();
    agent('writer');
    for (const name of ['reviewer', 'writer']) expect(outcomes(await as(name))).toEqual(['a untrusted']);
    agent('reviewer');
    expect([outcomes(await as('reviewer')), outcomes(await as('writer'))]).toEqual([['a ran'], []]);
  });

  test('a file of another name, which its agent is called by', async () => {
    agent(undefined);
    await acceptAll();
    renameSync(join(project.dir, '.claude/agents/a.md'), join(project.dir, '.claude/agents/b.md'));
    expect(outcomes(await as('a'))).toEqual(['a untrusted']);
    expect(outcomes(await as('b'))).toEqual(['a untrusted', 'a trust']);
  });

  test('an agent that is found and named too is one file: one consent is for both', async () => {
    agent('reviewer');
    const agents = [join(project.dir, '.claude/agents/a.md')];
    await acceptAll({ agents });
    expect((await load({ agents })).held).toEqual([]);
    agent('writer');
    const { fire } = await load({ agents });
    for (const agent_type of ['reviewer', 'writer', 'a'])
      expect(outcomes(await fire('PreToolUse', { agent_id: agent_type, agent_type }))).toContain('a untrusted');
  });

  test('a skill’s', async () => {
    const path = 'project/.claude/skills/s/SKILL.md';
    markdown(path, { name: 'deploy', ...bash(guard('a')) });
    await acceptAll();
    markdown(path, { name: 'ship', ...bash(guard('a')) });
    for (const command_name of ['deploy', 'ship', 's']) {
      const { fire } = await load();
      await fire('UserPromptExpansion', {
        command_name,
        expansion_type: 'slash_command',
        command_args: '',
        prompt: '',
      });
      expect(outcomes(await fire())).toEqual(['a untrusted']);
    }
  });

  test('consent for one file is none for another with the same bytes', async () => {
    agent('reviewer');
    await acceptAll();
    cpSync(join(project.dir, '.claude/agents/a.md'), join(project.dir, '.claude/agents/b.md'));
    expect(outcomes(await as('reviewer'))).toEqual(['a ran', 'a trust']);
    const skills = join(project.dir, '.claude/skills/reviewer');
    mkdirSync(skills, { recursive: true });
    cpSync(join(project.dir, '.claude/agents/a.md'), join(skills, 'SKILL.md'));
    expect((await load()).held.map(({ kind, state }) => [kind, state])).toContainEqual(['skill', 'never']);
  });

  test('a project at another place is new, and loading says what was accepted elsewhere', async () => {
    agent('reviewer');
    settings(bash(guard('b')));
    await acceptAll();
    renameSync(project.dir, join(project.path, 'moved'));
    const { held, acceptedElsewhere, reports, fire } = await load({ projectDir: join(project.path, 'moved') });
    expect([held.map(({ state }) => state), acceptedElsewhere]).toEqual([['never', 'never'], 2]);
    expect(reports).toContainEqual(expect.stringMatching(/^acceptances for projects at other places: 2;/));
    expect(outcomes(await fire())).toEqual(['b trust']);
  });
});

describe('settings of a file that has changed', () => {
  test('that are new do not count', async () => {
    settings(bash(guard('a'), guard('b')));
    await acceptAll();
    settings({ disableAllHooks: true, allowedHttpHookUrls: [], enabledPlugins: { plug: false }, ...bash(guard('a')) });
    project.write('home/.claude/settings.json', bash(guard('user')));
    expect(outcomes(await call())).toEqual(['user ran', 'a ran', 'b untrusted']);
  });

  test('that were accepted still do, but for those that turn hooks off', async () => {
    const allowedHttpHookUrls = ['https://hooks.example.com/*'];
    settings({ allowedHttpHookUrls, disableAllHooks: true, ...bash(guard('a')) });
    await acceptAll();
    settings({});
    const leaks = { type: 'http', url: 'https://elsewhere.example.com/' };
    project.write('home/.claude/settings.json', bash(leaks, guard('user')));
    const record = await call();
    expect(outcomes(record).slice(1)).toEqual(['user ran', 'a untrusted']);
    expect(JSON.stringify(record.handlers[0])).toContain('allowedHttpHookUrls');
  });
});

describe('what the failure does', () => {
  const all = ['PreToolUse', 'PermissionRequest', 'UserPromptSubmit', 'SessionStart', 'Stop'] as const;
  const inputs: Record<string, Record<string, unknown>> = {
    PermissionRequest: { tool_name: 'Bash', tool_input: {} },
    UserPromptSubmit: { prompt: 'go' },
    SessionStart: { source: 'startup' },
    Stop: { stop_hook_active: false },
  };

  test('asks, denies, blocks, or follows the policy, by what the event is', async () => {
    settings({ hooks: Object.fromEntries(all.map((event) => [event, [{ hooks: [guard(event)] }]])) });
    await acceptAll();
    settings({});
    const { fire } = await load();
    const said: unknown[] = [];
    for (const event of all) {
      const { decision } = await fire(event, inputs[event]);
      expect(decision.failures).toMatchObject([{ cause: 'untrusted' }]);
      said.push(decision.verdict ?? decision.blocked ?? decision.continues ?? 'goes on');
    }
    expect(said).toEqual(['ask', 'deny', true, 'goes on', false]);
  });

  test('denies under onFailure: block, and where nobody can be asked', async () => {
    settings(
      on(
        'PreToolUse',
        { matcher: 'Bash', hooks: [guard('a', { onFailure: 'block' })] },
        { matcher: 'Read', hooks: [guard('b')] },
      ),
    );
    await acceptAll();
    settings({});
    const { host, fire } = await load();
    expect((await fire()).decision.verdict).toBe('deny');
    const read = { ...project.call, tool_name: 'Read' } as never;
    expect((await host.fire('PreToolUse', read)).verdict).toBe('ask');
    expect((await host.fire('PreToolUse', read, { canAsk: true })).verdict).toBe('ask');
    expect((await host.fire('PreToolUse', read, { canAsk: false })).verdict).toBe('deny');
    await expect(host.fire('PreToolUse', read, { canask: false } as never)).rejects.toThrow(/canAsk/);
  });

  test('the notice is given once a session and file, whether or not somebody watches', async () => {
    settings(bash(guard('a'), guard('b')));
    project.write('project/.claude/settings.local.json', bash(guard('c')));
    await acceptAll();
    settings({});
    project.write('project/.claude/settings.local.json', {});
    const { fire, reports } = await load();
    for (const session_id of ['s1', 's1', 's2']) await fire('PreToolUse', { session_id });
    const notices = reports.filter((line) => line.startsWith('untrusted: '));
    expect(notices).toHaveLength(4);
    for (const notice of notices) expect(notice).toMatch(/settings(\.local)?\.json.*hookscope trust/);
  });

  test('in a session an approval counts for its call, and without an approver the call is denied', async () => {
    settings(bash(guard('a')));
    await acceptAll();
    settings({});
    const { host } = await load();
    const run = { name: 'Bash', input: { command: 'ls' }, execute: () => 'done' };
    let asked = 0;
    const approve = () => {
      asked++;
      return { behavior: 'allow' } as const;
    };
    for (const permission_mode of ['default', 'bypassPermissions', 'auto'] as const) {
      asked = 0;
      const session = await host.openSession({
        ask: approve,
        classify: () => ({ behavior: 'allow' }),
        permission_mode,
      });
      const first = await session.tool(run);
      expect([first.status, asked, permission_mode]).toEqual(['ran', 1, permission_mode]);
      expect([(await session.tool(run)).status, asked]).toEqual(['ran', 2]);
      await session.close();
      const alone = await host.openSession({ permission: () => ({ behavior: 'allow' }), permission_mode });
      expect(await alone.tool(run)).toMatchObject({
        status: 'denied',
        deniedBy: 'hook',
        reason: expect.stringContaining('hookscope trust'),
      });
      await alone.close();
    }
    expect((await load()).held.map(({ state }) => state)).toEqual(['changed']);
  });

  test('a connected program is told ask where somebody can be asked, deny where nobody can', async () => {
    settings(bash(guard('a')));
    await acceptAll();
    settings({});
    const { host } = await load();
    const said = async (options: object): Promise<unknown> => {
      const { fire, client } = await connect(host, options);
      const { response } = (await fire('PreToolUse', { ...project.call })) as {
        response?: { hookSpecificOutput?: object };
      };
      await client.close();
      return response?.hookSpecificOutput;
    };
    const reason = expect.stringContaining('hookscope trust');
    expect(await said({ canUseTool: () => ({ behavior: 'allow' }) })).toMatchObject({
      permissionDecision: 'ask',
      permissionDecisionReason: reason,
    });
    expect(await said({})).toMatchObject({ permissionDecision: 'deny', permissionDecisionReason: reason });
  });
});

describe('files that change by themselves', () => {
  test('are bound by name alone, also when the rest is accepted anew', async () => {
    settings(bash({ type: 'command', command: ': a; sh ./guard.sh ./count.json; exit 2' }));
    project.write('project/guard.sh', 'exit 2');
    const count = project.write('project/count.json', '1');
    for (const { request } of await listHeld({ ...files(), trust: store })) {
      const data = Object.keys(request.files).filter((name) => name.endsWith('count.json'));
      acceptTrust(request, store, { data });
    }
    writeFileSync(count, '2');
    expect(outcomes(await call())).toEqual(['a ran']);
    writeFileSync(join(project.dir, 'guard.sh'), 'exit 0');
    expect(outcomes(await call())).toEqual(['a untrusted']);
    await acceptAll();
    rmSync(count);
    const loaded = await load();
    expect([loaded.held, outcomes(await loaded.fire())]).toEqual([[], ['a ran']]);
  });
});

describe('the store', () => {
  test('of an older version still counts, and tells of what kind a file in .claude was', async () => {
    const path = join(project.path, 'trust.json');
    store = createTrustStore(path);
    settings(bash(guard('a')));
    markdown('project/.claude/agents/rev.md', bash(guard('b')));
    await acceptAll();
    const kept = JSON.parse(readFileSync(path, 'utf8')) as { version: number; accepted: { source?: object }[] };
    expect(kept).toMatchObject({
      version: 2,
      accepted: [{ source: { kind: 'project' } }, { source: { kind: 'agent' } }],
    });
    for (const consent of kept.accepted) delete consent.source;
    writeFileSync(path, JSON.stringify({ ...kept, version: 1 }));
    const rev = { agent_id: 'x', agent_type: 'rev' };
    expect(outcomes(await call(rev))).toEqual(['a ran', 'b ran']);
    rmSync(join(project.dir, '.claude'), { recursive: true });
    expect(outcomes(await call(rev))).toEqual(['a untrusted', 'b untrusted']);
    await acceptAll();
    expect(outcomes(await call(rev))).toEqual([]);
  });

  test('is refused in the project that it would speak of, to read and to write', async () => {
    settings(bash(guard('a')));
    const [held] = await listHeld({ ...files(), trust: memoryStore() });
    store = createTrustStore(join(project.dir, 'trust.json'));
    expect(() => acceptTrust(held!.request, store)).toThrow(/lies in the project/);
    await expect(load()).rejects.toThrow(/lies in the project/);
  });
});
