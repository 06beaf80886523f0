import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createHost } from '../../src/create-host.js';
import type { FireRecord } from '../../src/emit/record.js';
import { ndjsonSink } from '../../src/emit/sinks/ndjson.js';
import { deny } from '../../src/events/output/helpers.js';
import { REASONS } from '../../src/server/agent-protocol.js';
import { readStdin } from '../../src/server/client/stdin.js';
import { bash, createUser, hooksFile, type User } from './kit.js';

// What is lost on the way to an agent is said, to the agent where it can be, on standard error and in the record.

/** Says of each call what the call wishes. */
const PLUGIN = `
const say = (input) => input.wish === undefined ? undefined : JSON.parse(input.wish);
const events = ['PreToolUse', 'PermissionRequest', 'PostToolUse', 'Notification'];
export default {
  name: 'wishes',
  apply: (scope) => void scope.register(Object.fromEntries(events.map((event) => [event, [{ hooks: [say] }]]))),
};`;

let user: User;
let plugin: string[];
beforeAll(async () => {
  user = createUser();
  plugin = ['--plugin', user.write('wishes.mjs', PLUGIN)];
});
afterAll(() => user.remove());

const fires = (session: string): FireRecord[] =>
  user.records().filter((one): one is FireRecord => one.type === 'hook_fire' && one.session_id === session);
/** The half is written here, since JSON has an escape for it. */
const wish = (specific: object): { wish: string } => ({ wish: JSON.stringify({ hookSpecificOutput: specific }) });
const HALF = 'touch x # \ud83d';

describe.each([
  ['by itself', ['--no-server']],
  ['with a server', []],
] as const)('half a surrogate pair, %s', (how, flags) => {
  beforeAll(async () => {
    if (how === 'with a server') await user.serve(plugin);
  });
  const ask = (event: string, session: string, specific: object) =>
    user.hook([event, ...plugin, ...flags], {
      ...bash('ls', { session_id: session, hook_event_name: event }),
      ...wish({ hookEventName: event, ...specific }),
    });

  test('in a reason is a character for Claude Code', async () => {
    const said = await ask('PreToolUse', `deny ${how}`, { permissionDecision: 'deny', permissionDecisionReason: HALF });
    expect(said.stdout).not.toMatch(/\\ud83d/i);
    expect(JSON.parse(said.stdout).hookSpecificOutput.permissionDecisionReason).toBe('touch x # \ufffd');
  });

  test.each([
    ['PostToolUse', bash('ls', { tool_response: { stdout: 'x' } }), "the tool's output", 'updatedToolOutput'],
    ['Notification', { message: 'm', notification_type: 't' }, 'the notification', ''],
  ])(
    'what a hook would hide on %s is shown: that is a loss, in the record and on standard error',
    async (event, input, what, instead) => {
      const session_id = `${event} hidden ${how}`;
      const wish = JSON.stringify({ suppressOutput: true });
      const told = await user.hook([event, ...plugin, ...flags], {
        ...input,
        session_id,
        hook_event_name: event,
        wish,
      });
      expect(told).toMatchObject({ code: 0, stdout: '{"suppressOutput":true}\n' });
      expect(told.stderr).toContain(`hookscope: Claude Code shows ${what} all the same`);
      expect(told.stderr).toContain(instead);
      const loss = { what: 'suppress', why: expect.stringContaining(`Claude Code shows ${what}`) };
      await expect.poll(() => fires(session_id)[0]?.losses).toEqual([loss]);
      const quiet = await user.hook([event, ...plugin, ...flags], {
        ...input,
        session_id: `${session_id} not`,
        hook_event_name: event,
      });
      expect(quiet).toMatchObject({ code: 0, stdout: '', stderr: '' });
    },
  );

  test.each([
    ['PreToolUse', { permissionDecision: 'allow', updatedInput: { command: HALF } }, 'permissionDecision":"deny"'],
    ['PermissionRequest', { decision: { behavior: 'allow', updatedInput: { [HALF]: 1 } } }, 'behavior":"deny"'],
    [
      'PreToolUse',
      { permissionDecision: 'ask', permissionDecisionReason: 'It deploys.', updatedInput: { command: HALF } },
      '"It deploys. A hook would have run this with another input',
    ],
  ])('in another input denies the call on %s', async (event, specific, denied) => {
    const session = `${event} ${how}`;
    const { stdout, code } = await ask(event, session, specific);
    expect(code).toBe(0);
    expect(stdout).toContain(denied);
    expect(stdout).toContain('Claude Code cannot be told of here: a text in it has half a surrogate pair');
    expect(stdout).not.toContain('updatedInput');
    await expect
      .poll(() => fires(session)[0]?.losses)
      .toEqual([{ what: 'rewrite', why: expect.stringContaining('half a surrogate pair') }]);
  });
});

test('half a surrogate pair in a call reaches hooks and files as a character', async () => {
  const got = join(user.path, 'project/got.json');
  const hooks = user.write('keep.json', hooksFile(`cat > '${got}'`));
  const out = join(user.path, 'project/out.ndjson');
  const config = ['--hooks', hooks, '--no-server'];
  const { code } = await user.hook(['PreToolUse', ...config], bash(HALF, { session_id: 'kept' }));
  expect(code).toBe(0);
  const host = createHost({ logger: () => undefined });
  const sink = ndjsonSink(out);
  sink.attach(host.events$);
  host.register({ PreToolUse: [{ hooks: [() => deny(HALF)] }] });
  await host.fireAny('PreToolUse', bash(HALF));
  await host.close();
  await sink.close();
  const kept = JSON.stringify(fires('kept')[0]);
  for (const text of [readFileSync(got, 'utf8'), readFileSync(out, 'utf8'), kept]) {
    expect(text).not.toMatch(/\\ud83d/i);
    expect(text).toContain('touch x # \ufffd');
  }
});

test('what a rewrite leaves out and Gemini keeps is a loss, in the record and on standard error', async () => {
  const call = { command: 'rm -rf ./*', dir_path: '/etc', is_background: true };
  const ask = (session_id: string, updatedInput: object) =>
    user.hook(['--as', 'gemini', 'BeforeTool', ...plugin, '--no-server'], {
      session_id,
      hook_event_name: 'BeforeTool',
      tool_name: 'run_shell_command',
      tool_input: call,
      ...wish({ hookEventName: 'PreToolUse', updatedInput }),
    });
  const { stderr } = await ask('dropped', { command: 'rm -rf ./*' });
  const why = 'Gemini CLI puts it over the old input: dir_path, is_background stay';
  expect(stderr).toContain(why);
  expect(fires('dropped')[0]?.losses).toEqual([{ what: 'rewrite', why }]);
  const whole = await ask('whole', { ...call, dir_path: '/tmp' });
  expect(whole.stderr).toBe('');
  expect(fires('whole')[0]?.losses).toBeUndefined();
});

test('a key that a later hook sets again is no loss, nor one of a rewrite that is not told', async () => {
  const said = (updatedInput: string, more = '') =>
    `({ hookSpecificOutput: { hookEventName: 'PreToolUse', ${more} updatedInput: ${updatedInput} } })`;
  const hooks = (list: string) => `
export default {
  name: 'two',
  apply: (scope) => void scope.register({ PreToolUse: [{ hooks: [${list}] }] }),
};`;
  const drops = `(i) => (i.tool_input.dir_path === '/etc' ? ${said("{ command: 'ls' }")} : undefined)`;
  const sets = `(i) => (i.tool_input.dir_path === '/tmp' ? undefined : ${said("{ ...i.tool_input, dir_path: '/tmp' }")})`;
  const asks = `() => ${said("{ command: 'ls' }", "permissionDecision: 'ask',")}`;
  const call = { command: 'rm -rf ./*', dir_path: '/etc' };
  const ask = async (name: string, list: string) => {
    const files = ['--plugin', user.write(`${name}.mjs`, hooks(list)), '--no-server'];
    const payload = {
      session_id: name,
      hook_event_name: 'BeforeTool',
      tool_name: 'run_shell_command',
      tool_input: call,
    };
    const { stdout, stderr } = await user.hook(['--as', 'gemini', 'BeforeTool', ...files], payload);
    return [stdout, stderr, JSON.stringify(fires(name)[0]?.losses ?? [])];
  };
  const [again = '', ...nothing] = await ask('set-again', `${drops}, ${sets}`);
  expect(JSON.parse(again).hookSpecificOutput.tool_input.dir_path).toBe('/tmp');
  expect(nothing.join()).not.toContain('stay');
  const [denied = '', ...others] = await ask('asks', asks);
  expect(JSON.parse(denied).decision).toBe('deny');
  expect(others.join()).not.toContain('stay');
  expect((await ask('drops', drops)).join()).toContain('dir_path stays');
});

describe('an event that only one agent has, and that can be stopped,', () => {
  const cases = [
    ['gemini', 'BeforeModel', { llm_request: {} }, { decision: 'deny' }, '', {}],
    ['cursor', 'beforeTabFileRead', { file_path: '/a', content: 'x' }, { permission: 'deny' }, '{}', { file_path: 1 }],
  ] as const;

  test.each(cases)('is stopped by a hook that fails and has to block: %s %s', async (as, event, input, no, quiet) => {
    const ours = `${event[0]?.toUpperCase()}${event.slice(1)}`;
    const ask = async (onFailure: string) => {
      const hooks = user.write(`${as}-${onFailure}.json`, hooksFile('exit 1', ours, {}));
      const file = JSON.parse(readFileSync(hooks, 'utf8'));
      file[ours][0].onFailure = onFailure;
      user.write(`${as}-${onFailure}.json`, file);
      const given = { session_id: 's', conversation_id: 's', hook_event_name: event, ...input };
      return user.hook(['--as', as, event, '--hooks', hooks, '--no-server'], given);
    };
    for (const onFailure of ['block', 'ask']) expect(JSON.parse((await ask(onFailure)).stdout)).toMatchObject(no);
    expect((await ask('continue')).stdout.trim()).toBe(quiet);
  });

  test.each(cases)('is stopped where it does not say what it is about: %s %s', async (as, event, _, no, __, broken) => {
    const hooks = user.write('none.json', {});
    const given = { session_id: 's', hook_event_name: event, ...broken };
    const { stdout, stderr } = await user.hook(['--as', as, event, '--hooks', hooks, '--no-server'], given);
    expect(JSON.parse(stdout)).toMatchObject(no);
    expect(stderr).toMatch(/llm_request|file_path/);
  });
});

describe('on a gate, a payload of another event is denied', () => {
  const codex = (hook_event_name: string) => ({ ...bash('ls'), hook_event_name });
  test.each([
    ['codex', 'PermissionRequest', codex('PreToolUse'), '"behavior":"deny"'],
    ['codex', 'PreToolUse', codex('PermissionRequest'), '"permissionDecision":"deny"'],
    ['codex', 'PreToolUse', codex('PostToolUse'), '"permissionDecision":"deny"'],
    ['copilot', 'preToolUse', { hookName: 'permissionRequest', toolName: 'bash', toolInput: {} }, '"deny"'],
    ['gemini', 'BeforeModel', { hook_event_name: 'AfterModel', llm_request: {}, llm_response: {} }, '"deny"'],
    ['cursor', 'beforeTabFileRead', { hook_event_name: 'afterTabFileEdit', file_path: '/a' }, '"deny"'],
  ])('%s %s', async (as, event, payload, denied) => {
    const { stdout, stderr } = await user.hook(['--as', as, event, ...plugin, '--no-server'], payload);
    expect(stdout).toContain(denied);
    expect(stdout + stderr).toContain('which this command was started for');
  });

  test('but one of the same event, under another name, is not', async () => {
    const call = { ...bash('ls'), hook_event_name: 'BeforeTool', tool_name: 'run_shell_command' };
    const { stdout } = await user.hook(['--as', 'gemini', 'PreToolUse', ...plugin, '--no-server'], call);
    expect(stdout).toBe('');
  });
});

test('too little time is not blamed on who was to close standard input', async () => {
  const soon = (ms: number): number => performance.now() + ms;
  expect(await readStdin(new PassThrough(), soon(-5))).toEqual({ problem: 'short' });
  // Also where the input is there at once.
  expect(await readStdin(new PassThrough().end('{}'), soon(-5))).toEqual({ problem: 'short' });
  expect(await readStdin(new PassThrough(), soon(200))).toEqual({ problem: 'open' });
  const { stdout } = await user.spawnHook(['--as', 'codex', 'PreToolUse', ...plugin, '--timeout', '0.01'], bash('ls'));
  expect(JSON.parse(stdout).hookSpecificOutput.permissionDecisionReason).toContain(REASONS.short);
});
