import { chmodSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { connectClaude } from '../../../src/claude-code/control/client/client.js';
import { HOOK_EVENTS } from '../../../src/index.js';
import { anyHooks, testHost, until } from '../../host/kit.js';
import { isAlive } from './alive.js';
import { all, bash, connect, connectPuppet, problems, READY, tapped } from './kit.js';
import {
  isRequest,
  isType,
  type Json,
  type Order,
  PUPPET,
  type Puppet,
  puppet,
  refusal,
  scratch,
  success,
} from './puppet.js';

/** Connects while the puppet does something else than to answer `initialize`. */
async function failing(then: (claude: Puppet, setUp: Json) => Promise<void>, options: Json = {}) {
  const { host } = testHost();
  const claude = await puppet();
  const connecting = connectClaude({ host, executable: PUPPET, cwd: process.cwd(), args: [claude.socket], ...options });
  const failed = connecting.then(
    () => new Error('it was connected'),
    (error: unknown) => error as Error & { code?: string },
  );
  await then(claude, await claude.hear(isRequest('initialize')));
  const error = await failed;
  const { pid } = await claude.hello();
  await until(() => !isAlive(pid));
  return error;
}

const order = (what: Order) => (claude: Puppet) => claude.order(what);
const configOf = (setUp: Json) => (setUp['request'] as Json)['hooks'] as Record<string, Json[]>;

describe('connectClaude', () => {
  it('works with no hooks at all', async () => {
    const { host, reports } = testHost();
    const { client, fire } = await connect(host);
    expect(await fire('PreToolUse', bash('ls'))).toMatchObject({ subtype: 'success', response: {} });
    expect(await client.close()).toEqual({ exitCode: 0 });
    expect(reports).toEqual([]);
  });

  it('starts the program with what the protocol needs, then the caller’s own arguments', async () => {
    const { host } = testHost();
    const protocol = [
      '--output-format',
      'stream-json',
      '--verbose',
      '--input-format',
      'stream-json',
      '--include-hook-events',
    ];
    const plain = await connectPuppet(host, { args: ['--model', 'opus'] });
    expect((await plain.claude.hello()).argv).toEqual([...protocol, '--model', 'opus']);
    const asking = await connectPuppet(host, { canUseTool: () => ({ behavior: 'deny', message: 'no' }) });
    expect((await asking.claude.hello()).argv).toEqual([...protocol, '--permission-prompt-tool', 'stdio']);
  });

  it('registers one callback for every event, whatever hooks there are; its first line is that request', async () => {
    const { host } = testHost();
    const { setUp, claude } = await connect(host, { timeout: 7.5 });
    const config = configOf(setUp);
    // A callback for WorktreeCreate would have to make the worktree.
    expect(Object.keys(config)).toEqual(HOOK_EVENTS.filter((event) => event !== 'WorktreeCreate'));
    const ids = Object.values(config).map((matchers) => matchers.map(({ hookCallbackIds }) => hookCallbackIds));
    expect(ids).toEqual(Object.keys(config).map((_, at) => [[`hook_${at}`]]));
    for (const [matcher] of Object.values(config)) {
      expect(matcher).not.toHaveProperty('matcher');
      expect(matcher?.['timeout']).toBe(7.5);
    }
    const blocking = Object.keys(config).filter((event) => config[event]?.[0]?.['onFailure'] === 'block');
    expect(blocking).toContain('PreToolUse');
    expect(blocking).not.toContain('Stop');
    expect(JSON.parse(claude.heard[0] as string)).toEqual(setUp);
  });

  it('registers WorktreeCreate where a hook makes worktrees', async () => {
    const { host } = testHost();
    host.register(anyHooks({ WorktreeCreate: [{ hooks: [() => ({})] }] }));
    const { setUp } = await connect(host);
    expect(Object.keys(configOf(setUp))).toEqual(expect.arrayContaining([...HOOK_EVENTS]));
  });

  it('sends more fields of initialize along', async () => {
    const { setUp } = await connect(testHost().host, {
      initialize: { agents: { helper: {} }, appendSystemPrompt: 'x' },
    });
    expect(setUp['request']).toMatchObject({ agents: { helper: {} }, appendSystemPrompt: 'x' });
  });

  it('env replaces the environment; without it the program has ours', async () => {
    process.env['HOOKSCOPE_TEST_MARK'] = 'ours';
    const { host } = testHost();
    const replaced = await connectPuppet(host, { env: { ONLY: 'this' } });
    const { env } = await replaced.claude.hello();
    expect(env['ONLY']).toBe('this');
    expect(env).not.toHaveProperty('HOOKSCOPE_TEST_MARK');
    expect(env).not.toHaveProperty('PATH');
    const inherited = await connectPuppet(host);
    expect((await inherited.claude.hello()).env['HOOKSCOPE_TEST_MARK']).toBe('ours');
    delete process.env['HOOKSCOPE_TEST_MARK'];
  });

  it('runs in cwd, else in the folder of the host’s session', async () => {
    const [there, session] = [realpathSync(scratch()), realpathSync(scratch())];
    const { host } = testHost({ session: { session_id: 's', transcript_path: '/t', cwd: session } });
    expect((await (await connectPuppet(host, { cwd: there })).claude.hello()).cwd).toBe(there);
    const claude = await puppet();
    const connecting = connectClaude({ host, executable: PUPPET, args: [claude.socket] });
    await claude.say(success((await claude.hear())['request_id'], READY));
    expect((await claude.hello()).cwd).toBe(session);
    await (await connecting).close();
  });

  it('runs any executable, not JavaScript files alone', async () => {
    const file = join(scratch(), 'claude');
    writeFileSync(file, `#!/bin/sh\nexec "${process.execPath}" "${PUPPET}" "$@"\n`);
    chmodSync(file, 0o755);
    const { client, fire } = await connectPuppet(testHost().host, { executable: file });
    expect(await fire('Stop', { stop_hook_active: false })).toMatchObject({ subtype: 'success' });
    await client.close();
  });

  it('gives what the program said of itself', async () => {
    const ready = {
      ...READY,
      commands: [{ name: 'compact' }],
      agents: [{ name: 'helper' }],
      models: [{ value: 'opus' }],
      capabilities: ['ui_surface_v1'],
    };
    const { client } = await connect(testHost().host, {}, ready);
    const { version, commands, agents, models, response, neverSent, capabilities, failsClosed } = client.info;
    expect({ version, commands, agents, models }).toEqual({
      version: '2.1.330',
      commands: [{ name: 'compact' }],
      agents: [{ name: 'helper' }],
      models: [{ value: 'opus' }],
    });
    expect(response).toEqual(ready);
    expect(neverSent).toEqual(['Setup']);
    expect(capabilities).toEqual(['ui_surface_v1']);
    expect(failsClosed).toBe(true);
  });

  it('takes a reply that says next to nothing', async () => {
    const { client } = await connect(testHost().host, {}, {});
    expect(client.info).toMatchObject({ version: undefined, commands: [], agents: [], models: [] });
    expect(client.info).toMatchObject({ capabilities: [], failsClosed: false });
    const named = await connect(testHost().host, {}, { capabilities: { streaming: true, telepathy: false } });
    expect(named.client.info.capabilities).toEqual(['streaming']);
  });

  it('says which hooks the program will never ask about', async () => {
    const { host } = testHost();
    const seen = tapped(host);
    host.register(anyHooks({ Setup: [{ hooks: [() => ({})] }], PreToolUse: [{ hooks: [() => ({})] }] }));
    await connect(host);
    expect(problems(seen).map(({ problem, message }) => [problem, /for (\w+),/.exec(message)?.[1]])).toEqual([
      ['never_sent', 'Setup'],
    ]);
  });

  it('keeps messages that come before anybody asks, for the first query and the first watcher', async () => {
    const { host } = testHost();
    const claude = await puppet();
    const connecting = connectClaude({ host, executable: PUPPET, cwd: process.cwd(), args: [claude.socket] });
    const setUp = await claude.hear();
    const early = [1, 2, 3].map((n) => ({ type: 'system', subtype: 'informational', n }));
    await claude.say(...early, success(setUp['request_id'], READY));
    const client = await connecting;
    const result = { type: 'result', subtype: 'success' };
    const asked = all(client.query('go'));
    await claude.hear(isType('user'));
    await claude.say(result);
    expect(await asked).toEqual([...early, result]);
    const watched: unknown[] = [];
    client.messages$.subscribe((message) => watched.push(message));
    expect(watched).toEqual([...early, result]);
    const second: unknown[] = [];
    client.messages$.subscribe((message) => second.push(message));
    expect(second).toEqual([]);
    await client.close();
  });
});

describe('connectClaude rejects, and leaves no process, when', () => {
  const start = (options: Json) => connectClaude({ host: testHost().host, cwd: process.cwd(), ...options });

  it('the program is not there', async () => {
    const missing = start({ executable: 'no-such-claude' });
    await expect(missing).rejects.toMatchObject({ code: 'CONTROL_FAILED' });
    await expect(missing).rejects.toThrow(
      /the executable no-such-claude was not found .* give its path as "executable"/,
    );
  });

  it('the folder is not there', async () => {
    await expect(start({ executable: PUPPET, cwd: '/no/such/folder' })).rejects.toThrow(
      /the folder \/no\/such\/folder/,
    );
  });

  it('the program may not be run', async () => {
    const file = join(scratch(), 'claude');
    writeFileSync(file, '#!/bin/sh\n');
    await expect(start({ executable: file })).rejects.toThrow(/claude is not executable/);
  });

  it('it ends before it is ready: with its exit code and the end of what it wrote', async () => {
    const noise = 'x'.repeat(5_000);
    const error = await failing(order({ stderr: `${noise}\nInvalid API key\n`, exit: 3 }));
    expect(error).toMatchObject({ code: 'CONTROL_FAILED' });
    expect(error.message).toMatch(
      /it ended before it was ready \(exit code 3\); it wrote: x+… \(2000 characters\)\\n… x+\\nInvalid API key\.$/,
    );
    expect(error.message.length).toBeLessThan(2_500);
  });

  it('it ends before it is ready, also where the stderr option throws', async () => {
    const { host, reports } = testHost();
    const stderr = (): never => {
      throw new Error('no room');
    };
    const gone = connectClaude({ host, executable: process.execPath, cwd: process.cwd(), stderr });
    await expect(gone).rejects.toThrow(/it ended before it was ready \(exit code 9\)/);
    expect(reports).toContain('The stderr option of connectClaude threw: Error: no room');
  });

  it('it ends before it is ready: that is said once', async () => {
    const { host, reports } = testHost();
    // More than a pipe holds: the write is still under way when the program ends.
    const initialize = { appendSystemPrompt: 'x'.repeat(5_000_000) };
    const gone = connectClaude({ host, executable: '/bin/false', cwd: process.cwd(), initialize });
    await expect(gone).rejects.toThrow(/it ended before it was ready \(exit code 1\)/);
    expect(reports).toEqual([]);
  });

  it('it ends before it is ready: with its last words, also those that come after its output was closed', async () => {
    const file = join(scratch(), 'claude');
    const script = 'exec 1>&-; sleep 0.05; echo "Invalid API key" >&2; exit 4';
    writeFileSync(file, `#!/bin/sh\n${script}\n`);
    chmodSync(file, 0o755);
    for (const _ of [1, 2, 3, 4, 5]) {
      const words = /ended before it was ready \(exit code 4\); it wrote: Invalid API key\.$/;
      await expect(start({ executable: file })).rejects.toThrow(words);
    }
  });

  it('it is killed before it is ready', async () => {
    expect((await failing(order({ kill: 'SIGKILL' }))).message).toMatch(/ended before it was ready \(SIGKILL\)/);
  });

  it('it closes its output and stays', async () => {
    const error = await failing(order({ closeOutput: true }));
    expect(error.message).toMatch(/ended before it was ready \(its output was closed\)/);
  });

  it('it answers with an error', async () => {
    const error = await failing((claude, { request_id }) => claude.say(refusal(request_id, 'Already initialized')));
    expect(error).toMatchObject({ code: 'CONTROL_REFUSED' });
    expect(error.message).toMatch(/ refused the request: Already initialized$/);
  });

  it('it has not registered the hooks', async () => {
    const ready = { ...READY, hooks_applied: false };
    const error = await failing((claude, { request_id }) => claude.say(success(request_id, ready)));
    expect(error).toMatchObject({ code: 'CONTROL_REFUSED' });
    expect(error.message).toMatch(/did not register our hooks/);
  });

  it('it is not ready in time; then it is killed, also where it does not want to end', async () => {
    const error = await failing(order({ stay: true, stderr: 'still thinking' }), { initializeTimeout: 4 });
    expect(error).toMatchObject({ code: 'CONTROL_FAILED' });
    expect(error.message).toMatch(/was not ready within 4 s; it wrote: still thinking/);
  });

  it('the signal fires while it starts', async () => {
    const controller = new AbortController();
    const stop = async () => controller.abort(new Error('enough'));
    const error = await failing(stop, { signal: controller.signal });
    expect(error).toMatchObject({ code: 'ABORTED', cause: expect.objectContaining({ message: 'enough' }) });
  });

  it('the host is closed while it starts', async () => {
    const { host } = testHost();
    const error = await failing(async () => void (await host.close()), { host });
    expect(error).toMatchObject({ code: 'CONTROL_FAILED' });
  });

  it('the host is closed before the program has started: it is ended again', async () => {
    const { host } = testHost();
    const claude = await puppet();
    const connecting = connectClaude({ host, executable: PUPPET, cwd: process.cwd(), args: [claude.socket] });
    const closing = host.close();
    await expect(connecting).rejects.toMatchObject({ code: 'CLOSED' });
    await closing;
    if (claude.told.length > 0) await until(claude.gone);
  });

  it('the signal has fired before: nothing is started', async () => {
    const claude = await puppet();
    const aborted = start({ executable: PUPPET, args: [claude.socket], signal: AbortSignal.abort() });
    await expect(aborted).rejects.toMatchObject({ code: 'ABORTED' });
    expect(claude.told).toEqual([]);
  });

  it('the host is closed', async () => {
    const { host } = testHost();
    await host.close();
    await expect(start({ host, executable: PUPPET })).rejects.toMatchObject({ code: 'CLOSED' });
  });

  it('hooks for subagents are wrong', async () => {
    const { host } = testHost();
    const claude = await puppet();
    const wrong = start({ host, executable: PUPPET, args: [claude.socket], spawnHooks: { helper: { PreTolUse: [] } } });
    await expect(wrong).rejects.toMatchObject({ code: 'INVALID_HOOKS' });
    await expect(wrong).rejects.toThrow(/PreToolUse/);
    expect(host.describe()).toEqual(testHost().host.describe());
  });

  const NOT_OPTIONS: [options: unknown, words: RegExp][] = [
    [undefined, /connectClaude\(options\): expected an object/],
    [{}, /host/],
    [{ executible: 'claude' }, /executible.*Did you mean "executable"/],
    [{ executable: '' }, /executable: .*not empty/],
    [{ args: '--verbose' }, /args: .*an array of strings/],
    [{ args: [1] }, /args/],
    [{ env: { A: 1 } }, /env: .*object of strings/],
    [{ cwd: 3 }, /cwd/],
    [{ spawnHooks: [] }, /spawnHooks/],
    [{ canUseTool: true }, /canUseTool/],
    [{ signal: {} }, /signal: .*AbortSignal/],
    [{ initialize: 1 }, /initialize/],
    [{ initialize: { hooks: {} } }, /initialize\.hooks: .*register hooks on the host/],
    [{ initialize: { subtype: 'x' } }, /initialize\.subtype/],
    [{ timeout: 0 }, /timeout: .*over 0/],
    [{ timeout: -1 }, /timeout/],
    [{ timeout: '60' }, /timeout/],
    [{ initializeTimeout: Number.NaN }, /initializeTimeout/],
    [{ closeTimeout: -1 }, /closeTimeout/],
    [{ stderr: 'pipe' }, /stderr/],
    [{ maxLine: 0 }, /maxLine: .*whole number of bytes/],
  ];

  it.each(NOT_OPTIONS)('an option is wrong: %j', async (options, words) => {
    const { host } = testHost();
    const given =
      options === undefined || Object.keys(options as Json).length === 0 ? options : { host, ...(options as Json) };
    const wrong = connectClaude(given as never);
    await expect(wrong).rejects.toMatchObject({ code: 'INVALID_OPTIONS' });
    await expect(wrong).rejects.toThrow(words);
  });
});
