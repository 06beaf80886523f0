import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { hookRecord } from '../../src/emit/fire-schema.js';
import type { FireRecord } from '../../src/emit/record.js';
import { bash, createUser, hooksFile, type User, until } from './kit.js';

let user: User;
beforeEach(() => {
  user = createUser();
});
afterEach(() => user.remove());

const TOKEN = 'ghp_0123456789abcdefghijABCDEFGHIJ012345';
const fires = (): FireRecord[] => user.records().filter((record) => record.type === 'hook_fire');
const own = (): FireRecord[] => fires().filter(({ unanswered }) => unanswered !== undefined);
const denied = (reason: RegExp) => ({
  decision: { fold: 'gate', verdict: 'deny', decidedBy: 'hookscope', reason: expect.stringMatching(reason) },
  unanswered: expect.stringMatching(reason),
  handlers: [],
});
const GONE = ['PreToolUse', '--hooks', 'gone.json'];

describe('what hookscope hook answers by itself is kept', () => {
  test('with the call, masked, and history, why, stats and doctor tell it', async () => {
    user.write('hooks.json', { PreToolUse: [{ hooks: [{ type: 'rule', decision: 'deny', reason: 'ruled' }] }] });
    await user.hook(['PreToolUse', '--hooks', 'hooks.json'], bash('ls'));
    const { code, stderr } = await user.hook(GONE, bash(`echo ${TOKEN}`, { tool_use_id: 'call-2' }));
    const reason = `${join(user.path, 'project/gone.json')}: there is no such file.`;
    expect([code, stderr]).toEqual([2, `hookscope: ${reason}\n`]);
    const [record, ...more] = own();
    expect(more).toEqual([]);
    expect(record).toMatchObject({
      ...denied(/gone\.json: there is no such file/),
      event: 'PreToolUse',
      session_id: 's1',
      tool_use_id: 'call-2',
      fired: { done_by: 'client' },
    });
    expect(hookRecord.parse(record)).toEqual(record);
    expect(JSON.stringify(record)).not.toContain(TOKEN);
    const said = async (...args: string[]): Promise<string> => {
      const { stdout, stderr } = await user.run(args);
      return stdout + stderr;
    };
    for (const id of [['call-2'], ['last', '--blocked']])
      expect(await said('why', ...id)).toMatch(
        /call call-2\.[\s\S]*Hookscope itself decided: deny, since the hooks could not be asked, or had not all answered: ".*there is no such file\."/,
      );
    expect(await said('why', 'call-2')).not.toContain('No hook was asked');
    expect(await said('history', '--blocked')).toMatch(/deny by hookscope: ".*gone\.json: there is no such file\."/);
    expect(await said('stats')).toContain('1 of the 2 fires was answered by hookscope itself');
    expect(await said('doctor')).toMatch(/remark {2}Hookscope itself answered an event, at .*gone\.json: there is no/);
  });

  test.each([
    [['PreTolUse', '--hooks', 'gone.json'], 'PreTolUse', /Unknown event/],
    [[], 'PreToolUse', /missing required argument/],
    [['PreToolUse', '--timeot', '5'], 'PreToolUse', /--timeot/],
    [['PreToolUse', '--timeout', 'x'], 'PreToolUse', /--timeout/],
    [['PreToolUse', '--as', 'moon'], 'PreToolUse', /--as/],
  ])('arguments that are wrong, %j, with the call that was on standard input', async (args, event, reason) => {
    const call = bash('ls', { tool_use_id: 'call-3', hook_event_name: 'PreToolUse', agent_id: 'a1' });
    expect((await user.hook(args, call)).code).toBe(2);
    expect(own()).toMatchObject([
      {
        ...{ event, tool_use_id: 'call-3', session_id: 's1', agent_id: 'a1', input: { tool_name: 'Bash' } },
        ...{ unanswered: expect.stringMatching(reason), decision: { decidedBy: 'hookscope' } },
      },
    ]);
    expect(own()[0]?.decision).toMatchObject(
      event === 'PreTolUse' || args.length === 0 ? { blocked: true } : { verdict: 'deny' },
    );
    expect((await user.run(['why', 'call-3'])).stdout).toMatch(/Hookscope itself (decided: deny|blocked it)/);
  });

  test('an event that nobody named, and what the command lacks', async () => {
    const { hook_event_name: _, ...call } = bash('ls');
    expect((await user.hook([], call)).code).toBe(2);
    const { stdout } = await user.run(['why', 'last']);
    expect(stdout).toContain('an event that was not named about Bash, for main of session s1');
    expect(stdout).toContain('the command names no event, as hookscope hook PreToolUse does');
  });

  test.each([
    ['an input that is no JSON', 'not json'],
    ['an input that is no object', '[1]'],
  ])('%s, as far as it can be read', async (_, body) => {
    const reason = /the input of the event is not a JSON object|must be an object/;
    user.write('hooks.json', hooksFile('/bin/true'));
    expect(await user.hook(['PreToolUse', '--hooks', 'hooks.json'], body)).toMatchObject({ code: 2 });
    expect(own()).toMatchObject([{ ...denied(reason), input: {}, session_id: '' }]);
    await user.serve(['--hooks', 'hooks.json']);
    expect(await user.hook(['PreToolUse', '--hooks', 'hooks.json'], body)).toMatchObject({ code: 2 });
    await until(() => own().length === 2);
    expect(own()[1]).toMatchObject({ ...denied(reason), input: {} });
    await user.hook(['PreToolUse', '--hooks', 'hooks.json'], bash('ls'));
    // The commands that fire recorded events again have nothing to fire.
    const { stdout } = await user.run(['history', '--json']);
    const recording = user.write('recording.ndjson', stdout);
    expect((await user.run(['run', recording, '--no-config'])).stderr).toMatch(/itself answered.*is left out/);
  });

  test('a call that was refused for its input, and run fires neither it nor the answer again', async () => {
    user.write('hooks.json', hooksFile('/bin/true'));
    const alone = ['PreToolUse', '--hooks', 'hooks.json', '--no-server'];
    await user.hook(alone, bash('good'));
    expect(await user.hook(alone, { ...bash('bad'), tool_name: 5 })).toMatchObject({ code: 2 });
    const recorded = (await user.run(['history', '--json'])).stdout;
    const recording = user.write('recording.ndjson', recorded);
    const { code, stdout, stderr } = await user.run(['run', recording, '--hooks', 'hooks.json', '--json']);
    expect([code, stdout.match(/"type":"hook_fire"/g)?.length]).toEqual([0, 1]);
    expect(stderr).toMatch(/:2: PreToolUse was refused for its input[\s\S]*:3: hookscope itself answered/);
    const own = user.write('own.ndjson', recorded.trim().split('\n').at(-1));
    expect((await user.run(['run', own, '--no-config'])).stderr).toMatch(
      /holds no events that can be fired \(.*hookscope itself answered this PreToolUse/,
    );
  });

  test('and why tells of a call what came to other hosts', async () => {
    user.write('post.json', { PostToolUse: [{ hooks: [{ type: 'command', name: 'log', command: '/bin/true' }] }] });
    await user.hook(GONE, bash('rm', { tool_use_id: 'p-1' }));
    await user.hook(['PostToolUse', '--hooks', 'post.json'], bash('rm', { tool_use_id: 'p-1', tool_response: {} }));
    for (const about of [['p-1'], ['last', '--event', 'PreToolUse']])
      expect((await user.run(['why', ...about])).stdout).toMatch(
        /Hookscope itself decided: deny[\s\S]*It ran, although it was denied/,
      );
  });

  test('and why tells of a named hook that it is not known whether it was registered', async () => {
    user.write('guard.json', { PreToolUse: [{ hooks: [{ type: 'command', name: 'guard', command: '/bin/true' }] }] });
    await user.hook(['PreToolUse', '--hooks', 'guard.json'], bash('ls', { tool_use_id: 'c-1' }));
    user.write('guard.json', '{');
    await user.hook(['PreToolUse', '--hooks', 'guard.json'], bash('ls', { tool_use_id: 'c-2' }));
    for (const hook of ['guard', 'another']) {
      const { stdout } = await user.run(['why', 'c-2', '--hook', hook]);
      expect(stdout).toMatch(/Whether \S+ was registered is not known: hookscope itself answered/);
      expect(stdout).toContain('For hooks to decide it, what the reason names must be mended');
      expect(stdout).not.toMatch(/was not registered|[Rr]egister /);
    }
  });

  test('a folder that is not used, arguments that are not understood, and a file that was changed without a server', async () => {
    const hooks = user.write('hooks.json', hooksFile('/bin/true'));
    mkdirSync(user.places.run);
    chmodSync(user.places.run, 0o755);
    expect(await user.hook(['PreToolUse', '--hooks', hooks], bash('ls'))).toMatchObject({ code: 2 });
    chmodSync(user.places.run, 0o700);
    expect(await user.hook(['PreToolUse', '--bogus'], bash('ls'))).toMatchObject({ code: 2 });
    const server = await user.serve(['--hooks', hooks]);
    await server.stop();
    user.write('hooks.json', {});
    expect(await user.hook(['PreToolUse', '--hooks', hooks], bash('ls'))).toMatchObject({ code: 2 });
    expect(own()).toMatchObject([
      { ...denied(/it is open to other users/), tool_use_id: 't-ls' },
      denied(/unknown option/),
      { ...denied(/has changed since the server was started/), tool_use_id: 't-ls' },
    ]);
  });

  test.runIf(process.platform === 'linux')('a server that dies while it is asked', async () => {
    const begun = join(user.path, 'project/begun');
    user.write('slow.json', hooksFile(`echo > '${begun}'; sleep 3`));
    const server = await user.serve(['--hooks', 'slow.json']);
    const answer = user.hook(['PreToolUse', '--hooks', 'slow.json'], bash('a'));
    await until(() => existsSync(begun));
    const { pid } = server.child;
    const [serving] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ');
    const ended = server.stop('SIGKILL');
    process.kill(Number(serving), 'SIGKILL');
    await ended;
    expect(await answer).toMatchObject({ code: 2, stdout: expect.stringMatching(/it has died, or hangs/) });
    expect(own()).toMatchObject([{ ...denied(/it has died, or hangs/), tool_use_id: 't-a' }]);
  });

  test('hooks that have not answered in time, beside the fire that was rejected for that', async () => {
    user.write('slow.json', hooksFile('exec sleep 600'));
    const late = ['PreToolUse', '--hooks', 'slow.json', '--no-server', '--timeout', '2'];
    expect(await user.hook(late, bash('b'))).toMatchObject({ code: 2 });
    expect(fires()).toMatchObject([{ error: 'ABORTED' }, denied(/have not answered in time/)]);
    const { stdout } = await user.run(['why', 't-b']);
    expect(stdout).toMatch(/rejected \(ABORTED\)[\s\S]*Hookscope itself decided: deny/);
    // Run again, the call is fired once.
    user.write('hooks.json', hooksFile('/bin/true'));
    const recording = user.write('recording.ndjson', (await user.run(['history', '--json'])).stdout);
    const run = await user.run(['run', recording, '--hooks', 'hooks.json', '--json']);
    expect(run.stderr).toMatch(/recording\.ndjson:2: hookscope itself answered this PreToolUse.*is left out/);
    expect(run.stdout.match(/"type":"hook_fire"/g)).toHaveLength(1);
  });

  test('what stops nothing is no block, and other agents have their own words', async () => {
    expect(await user.hook([...GONE, '--on-failure', 'allow'], bash('ls'))).toMatchObject({ code: 1 });
    expect(await user.hook(['SessionEnd', '--hooks', 'gone.json'], { reason: 'exit' })).toMatchObject({ code: 1 });
    const call = { hook_event_name: 'BeforeTool', session_id: 's', tool_name: 'run_shell_command', tool_input: {} };
    await user.hook(['BeforeTool', '--as', 'gemini', '--hooks', 'gone.json'], call);
    await user.hook(['BeforeModel', '--as', 'gemini', '--hooks', 'gone.json'], '');
    expect(
      own().map(({ event, decision: { verdict, blocked, decidedBy } }) => [event, verdict, blocked, decidedBy]),
    ).toEqual([
      ['PreToolUse', 'none', undefined, undefined],
      ['SessionEnd', undefined, undefined, undefined],
      ['PreToolUse', 'deny', undefined, 'hookscope'],
      ['BeforeModel', undefined, true, 'hookscope'],
    ]);
    expect((await user.run(['why', 'last', '--event', 'SessionEnd'])).stdout).toContain('answered and stopped nothing');
    const history = async (...args: string[]) => (await user.run(['history', ...args])).stdout.trim().split('\n');
    expect(await history('--blocked')).toHaveLength(2);
    await user.hook(['Stop', '--hooks', 'gone.json', '--on-failure', 'allow'], { stop_hook_active: false });
    user.write('hooks.json', hooksFile('/bin/true'));
    await user.hook(['PreToolUse', '--hooks', 'hooks.json'], bash('ls'));
    const kept = await history('--unanswered');
    expect(kept).toHaveLength(5);
    expect(await history('--event', 'PreToolUse')).toHaveLength(3);
    for (const at of [0, 1, 4]) expect(kept[at]).toMatch(/no hook answered: ".*gone\.json: there is no such file\."/);
    expect((await user.run(['stats'])).stderr).toContain(
      '5 of the 6 fires were answered by hookscope itself, since the hooks could not be asked, or had not all answered (hookscope history --unanswered)',
    );
    expect((await user.run(['why', 'last', '--unanswered'])).stdout).toMatch(
      /^Stop[\s\S]*answered and stopped nothing/,
    );
  });

  test('a record that cannot be kept changes no answer, and a line after the reason says why', async () => {
    mkdirSync(user.places.state, { recursive: true, mode: 0o700 });
    writeFileSync(join(user.places.state, 'records.db'), 'something else');
    const { code, stdout, stderr } = await user.hook(GONE, bash('ls'));
    expect([code, JSON.parse(stdout)]).toMatchObject([2, { hookSpecificOutput: { permissionDecision: 'deny' } }]);
    expect(stderr).toMatch(
      /^hookscope: [^\n]*there is no such file\.\nhookscope: [^\n]*records\.db[^\n]*holds something else than records[^\n]*\n$/,
    );
    chmodSync(user.places.state, 0o777);
    const refused = await user.hook(['PreToolUse', '--hooks', user.write('hooks.json', {})], bash('ls'));
    expect(refused.stderr).toMatch(/^hookscope: [^\n]*it is open to other users[^\n]*\n$/);
  });
});
