import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { connect } from 'node:net';
import { getPriority } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { AlarmRecord, FireRecord } from '../../src/emit/record.js';
import { thinScript } from '../../src/server/client/thin.js';
import { start } from '../cli/cli.js';
import { ROOT } from '../package/sources.js';
import { acceptAll } from './accept.js';
import { askedOf, bash, guardedUser, hooksFile, type Running, send, type User, until } from './kit.js';
import { nodeHere } from './node-here.js';

let user: User;
let isShared = false;
beforeEach(() => {
  if (!isShared) user = guardedUser();
});
afterEach(async () => {
  if (!isShared) await user.remove();
});
/** One server for all the tests beside: each asks of sessions of its own, or ends those that it began. */
function shared(prepare: () => readonly string[] | Promise<readonly string[]>): () => Running {
  let server: Running;
  beforeAll(async () => {
    isShared = true;
    user = guardedUser();
    server = await user.serve(await prepare());
  });
  afterAll(async () => {
    isShared = false;
    await user.remove();
  });
  return () => server;
}

type Right = 'fire' | 'read' | 'admin';
const token = (right: Right): string =>
  (JSON.parse(readFileSync(user.places.tokens, 'utf8')) as Record<Right, string>)[right];
const at = () => ({ socketPath: user.places.socket });
const headers = (right: Right) => ({ host: 'hookscope', authorization: `Bearer ${token(right)}` });
async function fire(event: string, input: object, more: Record<string, string> = {}): Promise<Record<string, unknown>> {
  const answer = await send(at(), {
    path: `/hooks/${event}`,
    headers: { ...headers('fire'), ...more },
    body: JSON.stringify({ session_id: 's1', ...input }),
  });
  expect(answer.status).toBe(200);
  return JSON.parse(answer.body) as Record<string, unknown>;
}
const reasonOf = (output: Record<string, unknown>): unknown =>
  (output['hookSpecificOutput'] as Record<string, unknown> | undefined)?.['permissionDecisionReason'];
const admin = async (call: string, body = '{}') => {
  const answer = await send(at(), { path: `/admin/${call}`, headers: headers('admin'), body });
  return JSON.parse(answer.body) as Record<string, unknown>;
};
const records = async (): Promise<(FireRecord | AlarmRecord)[]> => {
  const { body } = await send(at(), {
    path: '/records?types=hook_fire&types=hook_alarm',
    method: 'GET',
    headers: headers('read'),
  });
  return body
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as FireRecord);
};
const asked = (): number => askedOf(user);
const PLUGIN = (version: string, more = ''): string => `
${more}
export default { name: 'versioned', apply(scope) { scope.register({ PreToolUse: [{ hooks: [() => ({
  hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'deny', permissionDecisionReason: '${version} ' + process.pid } })] }] }); } };`;

describe('sessions and agents', () => {
  const config = {
    hooks: {},
    spawnHooks: {
      reviewer: {
        PreToolUse: [
          { matcher: 'Edit', hooks: [{ type: 'command', command: 'echo reviewers only read >&2; exit 2' }] },
        ],
      },
      guarded: { PreToolUse: [{ hooks: [{ type: 'rule', decision: 'deny', reason: 'only reads' }] }] },
    },
  };
  /** The guard, which waits where it is to. */
  const slow = `#!/bin/sh
read -r input
case "$input" in *wait*) echo asked > asked; until [ -e go ]; do sleep 0.02; done;; esac
case "$input" in *'"rm'*) echo 'nothing is removed' >&2; exit 2;; esac
`;
  const edit = (id: string, agent?: string): object => ({
    tool_name: 'Edit',
    tool_input: { file_path: 'x' },
    tool_use_id: id,
    ...(agent === undefined ? {} : { agent_id: agent, agent_type: 'reviewer' }),
  });

  shared(() => {
    user.write('guard.sh', slow, 0o755);
    const file = { PreToolUse: [{ matcher: 'Bash', hooks: [{ type: 'command', command: './guard.sh' }] }] };
    return ['--config', user.write('config.json', config), '--hooks', user.write('hooks.json', file)];
  });
  /** Those of the tests before this one. */
  let before = 0;
  beforeEach(async () => {
    before = (await records()).length;
  });
  afterEach(async () => {
    for (const session_id of SESSIONS) await fire('SessionEnd', { session_id, reason: 'other' });
  });
  const SESSIONS = ['s1', 's2', 'a1'];
  const own = async () => (await records()).slice(before);

  test('are scopes, opened and ended by what the client tells, and one that ended comes again with an alarm', async () => {
    const start = { agent_id: 'a1', agent_type: 'reviewer' };
    const stop = { ...start, stop_hook_active: false, agent_transcript_path: '', last_assistant_message: '' };
    expect(reasonOf(await fire('PreToolUse', edit('t0')))).toBeUndefined();
    await fire('SubagentStart', start);
    const scopes = async () => (await send(at(), { path: '/scopes', method: 'GET', headers: headers('read') })).body;
    expect(await scopes()).toContain('"scope":"a1"');
    expect(reasonOf(await fire('PreToolUse', edit('t1', 'a1')))).toBe('reviewers only read');
    // The other agents' calls, and the main thread's, are none of its business.
    expect(reasonOf(await fire('PreToolUse', { ...edit('t2', 'b1'), agent_type: 'other' }))).toBeUndefined();
    expect(reasonOf(await fire('PreToolUse', edit('t3')))).toBeUndefined();
    await fire('SubagentStop', stop);
    expect(await scopes()).not.toContain('"scope":"a1"');
    // It was ended, and yet it calls: it is guarded as before.
    expect(reasonOf(await fire('PreToolUse', edit('t4', 'a1')))).toBe('reviewers only read');
    expect(await scopes()).toContain('"scope":"a1"');
    // One that nobody saw start.
    expect(reasonOf(await fire('PreToolUse', edit('t5', 'a9')))).toBe('reviewers only read');
    const alarms = (await own()).filter((record): record is AlarmRecord => record.type === 'hook_alarm');
    expect(alarms.map(({ alarm, agent_id, tool_use_id }) => [alarm, agent_id, tool_use_id])).toEqual([
      ['reopened', 'b1', 't2'],
      ['reopened', 'a1', 't4'],
      ['reopened', 'a9', 't5'],
    ]);
    const fires = (await own()).filter((record): record is FireRecord => record.type === 'hook_fire');
    expect(fires.find(({ tool_use_id }) => tool_use_id === 't1')).toMatchObject({ scope: 'a1', scope_known: true });
    await fire('SessionEnd', { reason: 'other' });
    expect(await scopes()).not.toMatch(/"scope":"(?:a1|a9|b1)"/);
  });

  test('of two sessions may have the same id', async () => {
    await fire('SubagentStart', { agent_id: 'a1', agent_type: 'reviewer' });
    await fire('SubagentStart', { agent_id: 'a1', agent_type: 'other', session_id: 's2' });
    expect(reasonOf(await fire('PreToolUse', edit('t1', 'a1')))).toBe('reviewers only read');
    expect(
      reasonOf(await fire('PreToolUse', { ...edit('t2', 'a1'), agent_type: 'other', session_id: 's2' })),
    ).toBeUndefined();
  });

  test('whatever they are called, in whatever order they come and go, have their own hooks alone', async () => {
    const ids = [
      'a1',
      'A1',
      'a1 ',
      '../a1',
      'a/b',
      's1',
      's2',
      'session',
      'host',
      'managed',
      'main',
      '__proto__',
      'constructor',
      'ä',
      '0',
      '-',
    ];
    const open = new Map<string, string>();
    const begun = new Set<string>();
    let next = 7;
    const pick = <T>(list: readonly T[]): T => {
      next = (next * 16_807) % 2_147_483_647;
      return list[next % list.length] as T;
    };
    for (let i = 0; i < 160; i++) {
      const [session_id, agent_id] = [pick(SESSIONS), pick(ids)];
      const key = JSON.stringify([session_id, agent_id]);
      const type = open.get(key);
      const step = pick(['start', 'call', 'call', 'main', 'stop', 'end'] as const);
      if (step === 'start' && !begun.has(key)) {
        open.set(key, pick(['reviewer', 'other']));
        begun.add(key);
        await fire('SubagentStart', { session_id, agent_id, agent_type: open.get(key) });
      } else if (step === 'call' && type !== undefined) {
        const said = reasonOf(await fire('PreToolUse', { ...edit(`t${i}`), session_id, agent_id, agent_type: type }));
        expect([i, key, said]).toEqual([i, key, type === 'reviewer' ? 'reviewers only read' : undefined]);
      } else if (step === 'main') {
        expect([i, reasonOf(await fire('PreToolUse', { ...edit(`t${i}`), session_id }))]).toEqual([i, undefined]);
      } else if (step === 'stop' && type !== undefined) {
        const more = { stop_hook_active: false, agent_transcript_path: '', last_assistant_message: '' };
        await fire('SubagentStop', { session_id, agent_id, agent_type: type, ...more });
        open.delete(key);
      } else if (step === 'end' && i % 5 === 0) {
        await fire('SessionEnd', { session_id, reason: 'other' });
        for (const one of [...begun].filter((other) => other.startsWith(`["${session_id}"`))) {
          open.delete(one);
          begun.delete(one);
        }
      }
    }
    const fires = (await own()).filter((record): record is FireRecord => record.type === 'hook_fire');
    for (const { session_id, scope, agent_id, handlers } of fires) {
      if (agent_id !== undefined) expect(scope).toBe(agent_id);
      // Nobody else's hooks are even listed.
      expect(handlers.filter(({ status }) => status === 'ran').length, `${session_id} ${scope}`).toBeLessThan(2);
    }
    expect(fires.length).toBeGreaterThan(60);
    expect((await own()).filter(({ type }) => type === 'hook_alarm')).toEqual([]);
    for (const session_id of SESSIONS) await fire('SessionEnd', { session_id, reason: 'other' });
    const left = (await send(at(), { path: '/scopes', method: 'GET', headers: headers('read') })).body;
    expect(left).not.toContain('"kind":"agent"');
  });

  test('a reload forgets neither how calls were judged nor which agents are at work', async () => {
    const ran = (input: object, more: object = {}): object => ({ ...input, tool_response: {}, ...more });
    const alarms = async (): Promise<(readonly [string, string])[]> =>
      (await own()).flatMap((one) => (one.type === 'hook_alarm' ? [[one.alarm, one.tool_use_id] as const] : []));
    const agent = { agent_id: 'a1', agent_type: 'guarded' };
    await fire('SubagentStart', agent);
    await fire('PreToolUse', bash('rm denied'));
    await fire('PreToolUse', bash('allowed'));
    await fire('PreToolUse', bash('changed'));
    await fire('PreToolUse', bash('rm again'));
    await fire('PreToolUse', bash('rm told'));
    await fire('PostToolUse', ran(bash('rm told')));
    // While one is still asked about; what comes of it is known to nobody yet.
    const waiting = fire('PreToolUse', bash('rm wait'));
    await until(() => existsSync(join(user.path, 'project/asked')));
    expect(await admin('reload')).toMatchObject({ ok: true });
    user.write('go', '');
    expect(reasonOf(await waiting)).toBe('nothing is removed');
    // Of another id, or judged again, it is another call.
    await fire('PreToolUse', bash('fine', { tool_use_id: 't-rm again' }));
    for (const [command, did] of [
      ['rm denied', {}],
      ['rm denied', {}],
      ['allowed', {}],
      ['changed', { tool_input: { command: 'other' } }],
      ['rm wait', {}],
      ['rm told', {}],
    ] as const)
      await fire('PostToolUse', ran(bash(command), did));
    await fire('PostToolUse', ran(bash('fine', { tool_use_id: 't-rm again' })));
    expect(reasonOf(await fire('PreToolUse', bash('x', agent)))).toBe('only reads');
    expect(await alarms()).toEqual([
      ['not_honoured', 't-rm told'],
      ['not_honoured', 't-rm denied'],
      ['other_input', 't-changed'],
      ['not_honoured', 't-rm wait'],
    ]);
    // One that has ended comes with its alarm, after a reload too.
    const stop = { ...agent, stop_hook_active: false, agent_transcript_path: '', last_assistant_message: '' };
    await fire('SubagentStop', stop);
    expect(await admin('reload')).toMatchObject({ ok: true });
    await fire('PreToolUse', bash('y', agent));
    expect((await alarms()).slice(4)).toEqual([['reopened', 't-y']]);
  });

  test('a reload keeps the guards of all types that an agent has named, and of agents that go on after their end', async () => {
    const guards = async (agent_id: string) =>
      Promise.all(
        ['Edit', 'Write'].map(async (tool_name) => {
          const call = { ...edit(`t-${agent_id}`), agent_id, tool_name };
          return reasonOf(await fire('PreToolUse', call));
        }),
      );
    const of = (agent_id: string) => ({ agent_id, agent_type: 'reviewer' });
    for (const agent of ['a', 'b', 'c']) await fire('SubagentStart', of(agent));
    for (const agent of ['b', 'c']) await fire('SubagentStop', { ...of(agent), stop_hook_active: false });
    await fire('PreToolUse', { ...edit('t1'), agent_id: 'a', agent_type: 'guarded' });
    const before = [await guards('a'), await guards('b')];
    expect(before).toEqual([
      ['reviewers only read', 'only reads'],
      ['reviewers only read', undefined],
    ]);
    for (let reload = 0; reload < 2; reload++) {
      expect(await admin('reload')).toMatchObject({ ok: true });
      expect([await guards('a'), await guards('b'), await guards('c')]).toEqual([...before, before[1]]);
    }
  });
});

describe('a server with a guard', () => {
  shared(() => {
    const denies = { hooks: { PreToolUse: [{ hooks: [{ type: 'command', command: 'echo found >&2; exit 2' }] }] } };
    user.write('.claude/settings.json', denies);
    user.write('hookscope.config.json', denies);
    return ['--hooks', 'hooks.json'];
  });

  test("Claude Code's own files are not loaded unless they are named, and no configuration that merely lies there", async () => {
    const cwd = join(user.path, 'project');
    expect(reasonOf(await fire('PreToolUse', { ...bash('ls'), cwd }, { 'hookscope-cwd': cwd }))).toBeUndefined();
  });

  test('what was denied and ran all the same is an alarm, across requests', async () => {
    await fire('PreToolUse', bash('rm x'));
    await fire('PostToolUse', { ...bash('rm x'), hook_event_name: 'PostToolUse', tool_response: {} });
    expect((await records()).filter(({ type }) => type === 'hook_alarm')).toMatchObject([{ alarm: 'not_honoured' }]);
  });

  test('what ran unasked is an alarm; what was asked about before a reload, while an agent works, is none', async () => {
    const call = (tool_use_id: string, session_id = 's3'): object => bash('ls', { tool_use_id, session_id });
    const ran = (tool_use_id: string, session_id = 's3'): object => ({
      ...call(tool_use_id, session_id),
      hook_event_name: 'PostToolUse',
      tool_response: {},
    });
    const alarms = async (): Promise<(readonly [string, string, string])[]> =>
      (await records())
        .filter((record): record is AlarmRecord => record.type === 'hook_alarm' && record.session_id !== 's1')
        .map((one) => [one.alarm, one.session_id, one.tool_use_id] as const);
    await fire('SessionStart', { session_id: 's3', source: 'startup' });
    await fire('PreToolUse', call('the agent'));
    expect(await admin('reload')).toMatchObject({ ok: true });
    await fire('SessionStart', { session_id: 's3', source: 'compact' });
    await fire('PreToolUse', call('its call'));
    await fire('PostToolUse', ran('its call'));
    await fire('PostToolUse', ran('the agent'));
    expect(await alarms()).toEqual([]);
    await fire('SessionStart', { session_id: 's4', source: 'startup' });
    await fire('PreToolUse', call('asked', 's4'));
    await fire('PostToolUse', ran('asked', 's4'));
    await fire('PostToolUse', ran('unasked', 's4'));
    expect(await alarms()).toEqual([['unasked', 's4', 'unasked']]);
  });

  test('GET /events sends records as they come, and goes on behind a position', async () => {
    const open = (more: Record<string, string> = {}) => {
      let text = '';
      const asking = request({ ...at(), path: '/events', headers: { ...headers('read'), ...more } }, (response) => {
        response.on('data', (piece: Buffer) => (text += piece.toString()));
        response.on('error', () => undefined);
      });
      asking.on('error', () => undefined);
      asking.end();
      return { text: () => text, close: () => asking.destroy() };
    };
    const idsOf = (text: string): string[] => [...text.matchAll(/^id: (\S+)$/gm)].map(([, id]) => id as string);
    // Cut off before anything has happened, it goes on from there.
    const none = open();
    await until(() => idsOf(none.text()).length === 1);
    none.close();
    const [begin = ''] = idsOf(none.text());
    await fire('PreToolUse', bash('ls'));
    const one = open({ 'last-event-id': begin });
    await until(() => /"hook_fire"/.test(one.text()));
    const ids = idsOf(one.text());
    expect(ids.length).toBeGreaterThanOrEqual(4);
    one.close();
    const two = open({ 'last-event-id': ids.at(-2) as string });
    await until(() => /"hook_fire"/.test(two.text()));
    expect(idsOf(two.text())).toEqual(ids.slice(-2));
    two.close();
    expect(statSync(user.places.socket).isSocket()).toBe(true);
  });

  test('a deleted hooks file takes no guard with it', async () => {
    expect(await fire('PreToolUse', bash('ls'))).toEqual({});
    rmSync(join(user.path, 'project/hooks.json'));
    await until(async () =>
      String(reasonOf(await fire('PreToolUse', bash('ls')))).includes(
        'hooks.json, with which the server was started, is gone',
      ),
    );
    expect(await fire('PreToolUse', bash('ls'))).toMatchObject({ hookSpecificOutput: { permissionDecision: 'deny' } });
  });
});

describe('projects, beside the hooks of the user', () => {
  const folder = (name: string): string => join(user.path, 'project', name);
  const own = (reason: string) => ({
    hooks: { PreToolUse: [{ hooks: [{ type: 'rule', decision: 'deny', reason }] }] },
  });
  /** Where no server is. */
  const NOWHERE = { XDG_RUNTIME_DIR: '/nowhere' };
  const server = shared(async () => {
    user.write('own/hookscope.config.json', {
      hooks: { PreToolUse: [{ hooks: [{ type: 'command', command: 'echo own >&2; exit 2' }] }] },
    });
    user.write('own/deep/x', '');
    user.write('served.json', { hooks: {} });
    user.write('checked.json', {
      PreToolUse: [{ matcher: 'Edit', hooks: [{ type: 'command', command: 'sh "$CLAUDE_PROJECT_DIR/check.sh"' }] }],
    });
    for (const name of ['bound', 'elsewhere']) user.write(`${name}/check.sh`, 'echo first >&2; exit 2');
    user.write('one/hookscope.config.json', own('one'));
    for (const name of ['own', 'one']) await acceptAll(folder(name), user.env);
    const named = ['--hooks', 'hooks.json', '--hooks', 'checked.json', '--config', 'served.json'];
    return [...named, '--project', folder('own'), '--project', folder('bound')];
  });

  test('are known by their registered root: elsewhere the hooks of the user are all there is', async () => {
    const inner = folder('own');
    symlinkSync(inner, join(user.path, 'link'));
    expect(server().output()).not.toMatch(/no hooks are served/);
    expect(server().output()).toContain(`using hookscope.config.json of ${inner} (`);
    const from = async (cwd: string, command = 'ls') =>
      reasonOf(await fire('PreToolUse', bash(command), { 'hookscope-cwd': cwd }));
    expect(await from(inner)).toBe('own');
    expect(await from(join(inner, 'deep'))).toBe('own');
    expect(await from(join(user.path, 'link/deep'))).toBe('own');
    expect(await from(`${inner}-not`)).toBeUndefined();
    expect(await from('/')).toBeUndefined();
    expect(await from('/', 'rm x')).toBe('nothing is removed');
    expect(asked()).toBeGreaterThan(4);
    // A session of the project does not leave its hooks behind by going elsewhere, nor does a session of none by coming.
    const ofProject = async (root: string, cwd: string) =>
      reasonOf(
        await fire('PreToolUse', bash('ls'), { 'hookscope-cwd': cwd, 'hookscope-env': `CLAUDE_PROJECT_DIR=${root}` }),
      );
    expect(await ofProject(inner, '/')).toBe('own');
    expect(await ofProject(join(user.path, 'link'), user.path)).toBe('own');
    expect(await ofProject(user.path, inner)).toBe('own');
    expect(await ofProject(user.path, '/')).toBeUndefined();
    const env = { CLAUDE_PROJECT_DIR: inner, ...NOWHERE };
    expect(
      (await user.run(['hook', 'PreToolUse'], { stdin: JSON.stringify(bash('ls')), cwd: '/', env })).stdout,
    ).toMatch(/"own"/);
  });

  test('an accepted configuration counts in its own folder for what names nothing, whatever is served', async () => {
    for (const name of ['two', 'three']) user.write(`${name}/hookscope.config.json`, own(name));
    symlinkSync(folder('one'), join(user.path, 'to-one'));
    // Accepted since the server was started.
    await acceptAll(folder('two'), user.env);
    const thin = (cwd: string, node: string, env: NodeJS.ProcessEnv) =>
      start('dash', [thinScript(), '--node', node, 'PreToolUse'], {
        ...{ cwd, env: { ...user.env, ...env }, stdin: JSON.stringify(bash('ls')) },
      });
    const checkAll = async (
      reasons: Readonly<Record<string, RegExp>>,
      node: string,
      env: NodeJS.ProcessEnv = {},
    ): Promise<void> => {
      const stdin = JSON.stringify(bash('ls'));
      for (const [name, reason] of Object.entries(reasons)) {
        const cwd = name === 'to-one' ? join(user.path, name) : folder(name);
        const { stdout } = await user.run(['hook', 'PreToolUse'], { stdin, cwd, env });
        expect(stdout, name).toMatch(reason);
      }
      expect((await thin(folder('one'), node, env)).stdout).toMatch(reasons['one'] as RegExp);
      // The hooks that are served count as well.
      const before = asked();
      await user.run(['hook', 'PreToolUse'], { stdin, cwd: folder('one'), env });
      expect(asked()).toBe(before + 1);
    };
    const here = nodeHere(join(user.path, 'node-here'));
    const reasons = { one: /"one"/, 'to-one': /"one"/, two: /"two"/, three: /^$/ };
    await checkAll(reasons, process.execPath);
    user.write('one/hookscope.config.json', own('changed'));
    rmSync(join(folder('two'), 'hookscope.config.json'));
    const later = { one: /has changed/, two: /is gone/, three: /^$/ };
    await checkAll(later, here.path);
    await checkAll(later, here.path, NOWHERE);
    here.stop();
    // Whoever names something asks that alone.
    for (const named of [
      ['--hooks', '../hooks.json'],
      ['--no-config', '--hooks', '../hooks.json'],
    ])
      expect((await user.hook(['PreToolUse', ...named], bash('ls'), folder('one'))).stdout).toBe('');
  });

  test('an accepted configuration keeps its events, and blocks where it would, beside another that is served', async () => {
    const inner = folder('built');
    user.write(
      'built/hookscope.config.mjs',
      // Built from words, so that consent does not follow it, which takes its time.
      `const from = (...way) => import([...${JSON.stringify(ROOT.split('/'))}, ...way].join('/'));
       const [{ defineEvent }, { z }] = [await from('dist', 'index.js'), await from('node_modules', 'zod', 'index.js')];
       const Built = defineEvent({ input: z.object({}), fold: 'observe' });
       export default { onFailure: 'block', events: { Built }, hooks: {
         Built: [{ hooks: [() => {}] }], PreToolUse: [{ matcher: 'Bash', hooks: [() => { throw new Error('broke'); }] }] } };`,
    );
    await acceptAll(inner, user.env);
    expect((await user.spawnHook(['PreToolUse'], bash('ls'), inner)).stdout).toMatch(/"deny".*broke/);
    expect((await user.spawnHook(['PreToolUse'], { ...bash('ls'), tool_name: 'Read' }, inner)).stdout).toBe('');
  });

  test('a script of the project is bound where that is registered, and elsewhere runs as it is there', async () => {
    const ask = (cwd: string) =>
      fire('PreToolUse', bash('ls', { tool_name: 'Edit' }), {
        ...{ 'hookscope-cwd': cwd, 'hookscope-env': `CLAUDE_PROJECT_DIR=${cwd}` },
      });
    for (const name of ['elsewhere', 'bound']) expect(reasonOf(await ask(folder(name)))).toBe('first');
    for (const name of ['elsewhere', 'bound']) user.write(`${name}/check.sh`, 'echo second >&2; exit 2');
    expect(reasonOf(await ask(folder('elsewhere')))).toBe('second');
    expect(String(reasonOf(await ask(folder('bound'))))).toMatch(/check\.sh is not what was accepted/);
  });
});

describe('what is served of the folder in which the server is started', () => {
  test('a configuration that is named and is the project’s own counts once', async () => {
    user.write('hookscope.config.json', {
      hooks: { PreToolUse: [{ hooks: [{ type: 'rule', decision: 'deny', reason: 'own' }] }] },
    });
    await acceptAll(join(user.path, 'project'), user.env);
    const server = await user.serve(['--config', 'hookscope.config.json', '--project', '.']);
    for (let round = 0; round < 2; round++) {
      expect((await user.hook(['PreToolUse'], bash('ls'))).stdout).toMatch(/"own"/);
      await server.stop();
    }
    const fires = user.records().flatMap((record) => (record.type === 'hook_fire' ? [record.handlers.length] : []));
    expect(fires).toEqual([1, 1]);
  });

  test('a plugin is looked up where the server was started, also for the calls of a project', async () => {
    const plugin = `export default { name: 'named', apply(scope) { scope.register({ PreToolUse: [{ hooks: [() => ({
      hookSpecificOutput: { permissionDecision: 'deny', permissionDecisionReason: 'WHERE' } })] }] }); } };`;
    const install = (where: string): void => {
      user.write(`${where}/node_modules/guards/index.js`, plugin.replace('WHERE', where));
      const manifest = { name: 'guards', version: '1.0.0', type: 'module', exports: './index.js' };
      user.write(`${where}/node_modules/guards/package.json`, manifest);
    };
    for (const where of ['started', 'own']) install(where);
    const folder = (name: string): string => join(user.path, 'project', name);
    const server = await user.serve(['--plugin', 'guards', '--project', folder('own')], { cwd: folder('started') });
    for (let round = 0; round < 2; round++) {
      expect((await user.hook(['PreToolUse'], bash('ls'), folder('own'))).stdout).toMatch(/"started"/);
      await server.stop();
    }
  });

  test('a server without hooks says so', async () => {
    expect((await user.serve([])).output()).toMatch(/no hooks are served: name them/);
  });

  test('a project whose configuration waits for consent is no hook: nothing is let through that names none', async () => {
    const rule = { type: 'rule', decision: 'deny', reason: 'no' };
    user.write('hookscope.config.json', { hooks: { PreToolUse: [{ hooks: [rule] }] } });
    const server = await user.serve(['--project', '.']);
    expect(server.output()).not.toMatch(/no hooks are served/);
    for (let round = 0; round < 2; round++) {
      const { code, stdout } = await user.hook(['PreToolUse'], bash('ls'));
      expect([code, stdout]).toEqual([2, expect.stringMatching(/hookscope\.config\.json wait for your consent/)]);
      await server.stop();
    }
  });
});

describe('a server that ends', () => {
  test('answers on SIGHUP, which it gets when its terminal is closed, what is under way, takes nothing new, and leaves no socket', async () => {
    user.write('slow.json', hooksFile(`touch ${join(user.path, 'began')}; sleep 1; echo slow >&2; exit 2`));
    const server = await user.serve(['--hooks', 'slow.json']);
    const answer = fire('PreToolUse', bash('ls'));
    await until(() => existsSync(join(user.path, 'began')));
    const ended = server.stop('SIGHUP');
    expect(reasonOf(await answer)).toBe('slow');
    await ended;
    expect(existsSync(user.places.socket)).toBe(false);
    const fires = user.records().filter((record): record is FireRecord => record.type === 'hook_fire');
    expect(fires.map(({ decision }) => decision.reason)).toEqual(['slow']);
  });

  test('answers calls that it has not taken yet, and nobody connects to it afterwards', async () => {
    const began = join(user.path, 'began');
    const busy = `(input) => { if (input.tool_input.command === 'busy') { writeFileSync(${JSON.stringify(began)}, ''); Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1500); } return {`;
    const plugin = PLUGIN('asked').replace('() => ({', busy).replace('})]', '}; }]');
    user.write('plugin.mjs', `import { writeFileSync } from 'node:fs';${plugin}`);
    const server = await user.serve(['--plugin', './plugin.mjs']);
    const answers = [fire('PreToolUse', bash('busy'))];
    await until(() => existsSync(began));
    for (let i = 0; i < 40; i++) answers.push(fire('PreToolUse', bash(`ls ${i}`)));
    // They are connected to what does not take them.
    await new Promise((resolve) => setTimeout(resolve, 300));
    const ended = server.stop('SIGTERM');
    const results = (await Promise.allSettled(answers)).map((one) =>
      one.status === 'fulfilled' ? String(reasonOf(one.value)) : String(one.reason),
    );
    await ended;
    for (const result of results) expect(result).toMatch(/^asked \d+$/);
  });

  test('stopped by SIGTERM while a slow hook is asked, it answers, and leaves the next server its socket', async () => {
    user.write('slow.json', hooksFile('sleep 2; echo slow >&2; exit 2'));
    const first = await user.serve(['--hooks', 'slow.json']);
    const answer = fire('PreToolUse', bash('ls'));
    await until(() => user.records().length > 0);
    const ended = first.stop('SIGTERM');
    await until(() => !existsSync(user.places.socket));
    await user.serve(['--hooks', 'slow.json']);
    expect(reasonOf(await answer)).toBe('slow');
    await ended;
    const fires = user.records().filter((record): record is FireRecord => record.type === 'hook_fire');
    expect(fires.map(({ decision }) => decision.reason)).toEqual(['slow']);
    expect(statSync(user.places.socket).mode & 0o777).toBe(0o600);
    expect(reasonOf(await fire('PreToolUse', bash('ls')))).toBe('slow');
  });

  test('stopped while hooks go on in the background, it keeps what they came to, in a thread that comes after those which answer', async () => {
    const began = join(user.path, 'began');
    user.write('later.json', {
      PreToolUse: [
        {
          hooks: [
            {
              type: 'command',
              command: `touch ${began}; until [ -e ${began}.go ]; do sleep 0.1; done; echo '{"systemMessage":"later"}'`,
              async: true,
            },
          ],
        },
      ],
    });
    const server = await user.serve(['--hooks', 'later.json']);
    expect(await fire('PreToolUse', bash('ls'))).toEqual({});
    await until(() => existsSync(began));
    if (existsSync('/proc/thread-self')) {
      const { pid } = server.child;
      const [serving] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ');
      const later = (): number[] =>
        readdirSync(`/proc/${serving}/task`)
          .map((thread) => getPriority(Number(thread)) - getPriority(Number(serving)))
          .filter((less) => less !== 0);
      await until(() => later().length > 0);
      // Threads that it starts itself, as libsql does, are as late.
      expect(new Set(later())).toEqual(new Set([Math.min(5, 19 - getPriority())]));
    }
    const stopped = server.stop('SIGTERM');
    await until(() => !existsSync(user.places.socket));
    writeFileSync(`${began}.go`, '');
    await stopped;
    expect(existsSync(user.places.socket)).toBe(false);
    const kinds = user.records().map((record) => (record.type === 'system' ? record.subtype : record.type));
    expect(kinds.sort()).toEqual(['hook_fire', 'hook_progress', 'hook_response', 'hook_started']);
    const seqs = user.records().map(({ seq }) => seq);
    expect(seqs).toEqual(seqs.map((_, i) => i + 1));
  });

  test.runIf(process.platform === 'linux')(
    'killed during a call: the call is not let through, and no hook is asked a second time',
    async () => {
      user.write('slow.json', hooksFile(`echo x >> ${join(user.path, 'began')}; sleep 3; exit 0`));
      const server = await user.serve(['--hooks', 'slow.json']);
      const answer = user.hook(['PreToolUse'], bash('ls'));
      await until(() => existsSync(join(user.path, 'began')));
      const { pid } = server.child;
      const [serving] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ');
      const ended = server.stop('SIGKILL');
      // Left alone, the process that serves finishes what is under way.
      process.kill(Number(serving), 'SIGKILL');
      await ended;
      expect(await answer).toMatchObject({ code: 2, stdout: expect.stringMatching(/it has died, or hangs/) });
      expect(readFileSync(join(user.path, 'began'), 'utf8')).toBe('x\n');
    },
  );

  test('one that lives keeps its socket; killed leaves it, and of two that start at once over it, one serves', async () => {
    const first = await user.serve(['--hooks', 'hooks.json']);
    expect(await user.refused(['--hooks', 'hooks.json'])).toMatch(/a server is running there already/);
    expect(reasonOf(await fire('PreToolUse', bash('rm x')))).toBe('nothing is removed');
    await first.stop('SIGKILL');
    expect(existsSync(user.places.socket)).toBe(true);
    const before = JSON.parse(readFileSync(user.places.tokens, 'utf8')) as object;
    const both = await Promise.allSettled([
      user.serve(['--hooks', 'hooks.json']),
      user.serve(['--hooks', 'hooks.json']),
    ]);
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(JSON.parse(readFileSync(user.places.tokens, 'utf8'))).toEqual(before);
    expect(reasonOf(await fire('PreToolUse', bash('rm x')))).toBe('nothing is removed');
  });

  test('does not start with a file that is missing or wrong, and says which', async () => {
    user.write('bad.json', '{');
    await expect(user.serve(['--hooks', 'gone.json'])).rejects.toThrow(/gone\.json: there is no such file/);
    await expect(user.serve(['--hooks', 'bad.json'])).rejects.toThrow(/bad\.json: is not JSON/);
    expect(existsSync(user.places.socket)).toBe(false);
    expect(existsSync(user.places.served)).toBe(false);
  });
});

describe('--dev', () => {
  const plugin = (version: string, more = ''): string =>
    PLUGIN(version, more).replace('[{ hooks', "[{ matcher: 'Read', hooks");
  const server = shared(() => {
    user.write('plugin.mjs', plugin('v1'));
    return ['--plugin', './plugin.mjs', '--hooks', 'hooks.json', '--dev'];
  });

  test('a bad version never replaces a good one', async () => {
    const versionOf = async () => String(reasonOf(await fire('PreToolUse', { ...bash('ls'), tool_name: 'Read' })));
    expect(await versionOf()).toMatch(/^v1/);
    user.write('plugin.mjs', plugin('v2', 'throw new Error("broken");'));
    await until(() => /\(--dev\) not reloaded, and what was served before stays: .*broken/s.test(server().output()));
    // Nothing says of it that it was loaded.
    expect(
      server()
        .output()
        .match(/(?<!not )reloaded/g),
    ).toBe(null);
    expect(await versionOf()).toMatch(/^v1/);
    user.write('plugin.mjs', plugin('v3'));
    await until(async () => /^v3/.test(await versionOf()));
  });

  test('reloads unasked, and says so on every line', async () => {
    expect(server().output()).toMatch(/--dev: changes are loaded without asking/);
    const denied = { ...bash('rm x'), session_id: 'alarmed', tool_use_id: 'denied' };
    await fire('PreToolUse', denied);
    await fire('PostToolUse', { ...denied, tool_response: {} });
    await until(() => /Alarm \(not_honoured\)/.test(server().output()));
    user.write('hooks.json', hooksFile('echo other >&2; exit 2'));
    await until(async () => reasonOf(await fire('PreToolUse', bash('ls'))) === 'other');
    const said = server().output().length;
    user.write('hooks.json', '{ broken');
    await until(() => /not reloaded/.test(server().output().slice(said)));
    const lines = server()
      .output()
      .split('\n')
      .filter((line) => line !== '');
    expect(lines.length).toBeGreaterThan(4);
    expect(lines.filter((line) => !line.includes('--dev'))).toEqual([]);
  });
});

describe('what changes after the start', () => {
  test('a script, a hooks file, a configuration: its hooks stay and fail as untrusted until it is accepted', async () => {
    const config = {
      hooks: {
        PreToolUse: [{ matcher: 'Read', hooks: [{ type: 'command', command: 'echo no reading >&2; exit 2' }] }],
      },
    };
    user.write('config.json', config);
    const server = await user.serve(['--hooks', 'hooks.json', '--config', 'config.json']);
    const read = { tool_name: 'Read', tool_input: { file_path: 'x' }, tool_use_id: 'r' };
    expect(reasonOf(await fire('PreToolUse', read))).toBe('no reading');
    // A guard is edited away.
    user.write('config.json', { hooks: {} });
    await until(async () => String(reasonOf(await fire('PreToolUse', read))).includes('config.json has changed'));
    expect(await fire('PreToolUse', read)).toMatchObject({ hookSpecificOutput: { permissionDecision: 'ask' } });
    // The others run as they did.
    expect(reasonOf(await fire('PreToolUse', bash('rm x')))).toBe('nothing is removed');
    await until(() => /changed, so its hooks fail as untrusted/.test(server.output()));
    expect(await admin('reload')).toMatchObject({
      ok: false,
      error: expect.stringMatching(/config\.json has changed/),
    });
    expect(String(reasonOf(await fire('PreToolUse', read)))).toMatch(/config\.json has changed/);
    // Only a person at a terminal accepts.
    expect(await user.run(['serve', '--accept'])).toMatchObject({
      code: 1,
      // What has changed is shown.
      stdout: expect.stringMatching(/^ {2}--- config\.json\n[\s\S]*\n {2}-.*no reading[\s\S]*\n {2}\+.*"hooks":\{\}/),
      stderr: expect.stringMatching(/changed: .*config\.json\n.*only a person at a terminal/),
    });
    expect(await admin('accept', '{}')).toMatchObject({ ok: false });
    const { body } = await send(at(), { path: '/admin/changes', method: 'GET', headers: headers('admin') });
    const { changes, state } = JSON.parse(body) as { changes: string[]; state: string };
    expect(changes).toEqual([join(user.path, 'project/config.json')]);
    // It changes again after somebody looked.
    user.write('config.json', { hooks: {}, timeout: 5 });
    expect(await admin('accept', JSON.stringify({ state }))).toMatchObject({ ok: false });
    user.write('config.json', { hooks: {} });
    expect(await admin('accept', JSON.stringify({ state }))).toEqual({ ok: true });
    expect(await fire('PreToolUse', read)).toEqual({});
    user.write('guard.sh', '#!/bin/sh\nexit 0\n', 0o755);
    expect(String(reasonOf(await fire('PreToolUse', bash('rm x'))))).toMatch(
      /guard\.sh is not what was accepted.*serve --accept/,
    );
  });

  test('a server whose process is killed is started again; where something changed meanwhile, every gate denies until it is as it was', async () => {
    user.write('pid.json', hooksFile('echo "pid $PPID" >&2; exit 2'));
    const bytes = readFileSync(join(user.path, 'project/pid.json'), 'utf8');
    const server = await user.serve(['--hooks', 'pid.json']);
    const died = (): number => server.output().split('the process that serves has died').length - 1;
    const reason = async () => String(reasonOf(await fire('PreToolUse', bash('ls'))));
    const first = await reason();
    expect(first).toMatch(/^pid \d+$/);
    process.kill(Number(first.slice(4)), 'SIGKILL');
    await until(() => died() === 1);
    const answers: string[] = [];
    const again = async () => {
      const answer = await reason().catch(() => '');
      if (answer !== '') answers.push(answer);
      return answer;
    };
    await until(async () => /^pid/.test(await again()));
    const second = await reason();
    expect(second).not.toBe(first);
    user.write('pid.json', '{}');
    process.kill(Number(second.slice(4)), 'SIGKILL');
    await until(async () => /pid\.json has changed/.test(await again()));
    expect(await fire('PreToolUse', bash('ls'))).toMatchObject({ hookSpecificOutput: { permissionDecision: 'deny' } });
    user.write('pid.json', bytes);
    await until(async () => /^pid/.test(await again()));
    expect(answers.filter((one) => !/pid\.json has changed|pid\.json had changed|^pid/.test(one))).toEqual([]);
    // Each time it is told once, and served as before.
    expect(died()).toBe(2);
    expect(await fire('PreToolUse', bash('ls'))).toMatchObject({ hookSpecificOutput: { permissionDecision: 'deny' } });
  });
});

describe('the process that serves gives way to the next', () => {
  const only = (tool: string, text: string): string => text.replace('[{ hooks', `[{ matcher: '${tool}', hooks`);
  const plugin = (version: string): string => only('Bash', PLUGIN(version));
  shared(() => {
    const wait = 'await new Promise((resolve) => setTimeout(resolve, 1500));';
    const slow = PLUGIN('slow').replace('() => ({', `async () => { ${wait} return ({`).replace('})]', '}); }]');
    user.write('plugin.mjs', plugin('v1'));
    user.write('slow.mjs', only('Read', slow).replace("'versioned'", "'slow'"));
    return ['--plugin', './plugin.mjs', '--plugin', './slow.mjs', '--port', '0'];
  });

  test('code is loaded in a fresh process, and no call finds the server closed meanwhile', async () => {
    const versionOf = async () => String(reasonOf(await fire('PreToolUse', bash('ls'))));
    const first = await versionOf();
    expect(first).toMatch(/^v1 \d+$/);
    user.write('plugin.mjs', plugin('v2'));
    await until(async () => /has changed/.test(await versionOf()));
    const { state } = JSON.parse(
      (await send(at(), { path: '/admin/changes', method: 'GET', headers: headers('admin') })).body,
    ) as { state: string };
    let over = false;
    const answers: string[] = [];
    const calls = (async () => {
      while (!over) answers.push(await versionOf());
    })();
    expect(await admin('accept', JSON.stringify({ state }))).toEqual({ ok: true });
    const second = await versionOf();
    over = true;
    await calls;
    expect(second).toMatch(/^v2 \d+$/);
    expect(second.slice(3)).not.toBe(first.slice(3));
    expect(answers.every((answer) => /^v2|has changed/.test(answer))).toBe(true);
  });

  test('a call on a connection that the process before holds has the time that its hooks take', async () => {
    const socket = connect(user.places.socket);
    let text = '';
    const closed = new Promise((resolve) => socket.on('close', resolve));
    socket.on('data', (piece) => (text += piece.toString())).on('error', () => undefined);
    await once(socket, 'connect');
    // It is answered behind that connection, which has been taken by then.
    await fire('Notification', { message: 'x', notification_type: 'idle_prompt' });
    expect(await admin('reload')).toEqual({ ok: true });
    await new Promise((resolve) => setTimeout(resolve, 300));
    const body = JSON.stringify(bash('ls', { tool_name: 'Read' }));
    const { host, authorization } = headers('fire');
    const head = `host: ${host}\r\nauthorization: ${authorization}\r\ncontent-length: ${body.length}`;
    socket.write(`POST /hooks/PreToolUse HTTP/1.1\r\n${head}\r\n\r\n${body}`);
    await closed;
    expect(text).toMatch(/^HTTP\/1\.1 200 .*"deny".*"slow /s);
  });
});
