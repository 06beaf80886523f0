import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { addContext, allow, ask, defer, deny, HOOK_EVENTS, type HookEvent, rewrite } from '../../src/index.js';
import { SAMPLES } from '../../src/testing/samples.js';
import { expectFired, fakeClock, fireHook, matchers, payload, testSession } from '../../src/testing.js';

const WIRE = fileURLToPath(new URL('../fixtures/wire', import.meta.url));
const BASE = [
  'session_id',
  'transcript_path',
  'cwd',
  'prompt_id',
  'permission_mode',
  'agent_id',
  'agent_type',
  'effort',
  'hook_event_name',
];
const keys = (value: object): string[] =>
  Object.keys(value)
    .filter((key) => !BASE.includes(key))
    .sort();

describe('payload', () => {
  test('has a builder for every event, whose input the host takes', async () => {
    for (const event of HOOK_EVENTS) {
      const name = `${event.charAt(0).toLowerCase()}${event.slice(1)}` as Uncapitalize<HookEvent>;
      const build = payload[name] as () => Record<string, unknown>;
      expect(build()).toEqual(SAMPLES[event]);
      const fired = await fireHook(() => undefined, event, build());
      expect(fired.record.handlers).toHaveLength(1);
    }
  });

  test.each(readdirSync(WIRE))('%s: what a sample has is among what the real client sent', (file) => {
    const event = file.replace('.json', '') as HookEvent;
    const recorded = (JSON.parse(readFileSync(`${WIRE}/${file}`, 'utf8')) as object[]).flatMap(keys);
    // Of a subagent's events its id and type are base fields of all others.
    expect(keys(SAMPLES[event]).filter((key) => !recorded.includes(key))).toEqual([]);
  });

  test('calls of tools hold what was asked for, and what is given in place of the sample', () => {
    expect(payload.preToolUse.bash('rm -rf /')).toMatchObject({
      tool_name: 'Bash',
      tool_input: { command: 'rm -rf /' },
    });
    expect(payload.preToolUse.bash()).not.toHaveProperty('tool_response');
    expect(payload.postToolUse.read('.env', { tool_response: 'KEY=1' })).toMatchObject({
      tool_name: 'Read',
      tool_input: { file_path: '.env' },
      tool_response: 'KEY=1',
    });
    expect(payload.postToolUse.edit('a.ts', 'x', 'y')).toHaveProperty('tool_response.oldString', 'x');
    expect(payload.permissionRequest.mcp('db', 'query', { sql: 'drop' })).toMatchObject({
      tool_name: 'mcp__db__query',
    });
    expect(payload.preToolUse.tool('Deploy', { to: 'prod' }, { agent_id: 'a' })).toMatchObject({ agent_id: 'a' });
  });

  test('each call makes a new one', () => {
    const first = payload.preToolUse.bash() as { tool_input: Record<string, unknown> };
    first.tool_input['command'] = 'changed';
    expect(payload.preToolUse.bash()).toHaveProperty('tool_input.command', 'ls');
    expect(payload.preToolUse()).toHaveProperty('tool_input.command', 'ls');
  });
});

const BASH = payload.preToolUse.bash('git push --force');
const fails = (): never => {
  throw new Error('boom');
};

describe('expectations', () => {
  const outcomes = {
    toDeny: () => deny('Push by hand.'),
    toAllow: () => allow(),
    toAsk: () => ask('Sure?'),
    toDefer: () => defer('Later.'),
    toStaySilent: () => undefined,
    toRewrite: () => rewrite({ command: 'git push' }),
    toAddContext: () => addContext('The branch is protected.'),
    toFail: fails,
  } as const;
  type Name = keyof typeof outcomes;
  const names = Object.keys(outcomes) as Name[];

  test.each(names)('%s is true of its own outcome, and of no other', async (name) => {
    const fired = await fireHook(outcomes[name], 'PreToolUse', BASH);
    for (const other of names) {
      const check = expectFired(fired);
      if (other === name) {
        check[other]();
        expect(() => check.not[other]()).toThrow(/^did not expect .*what happened:/s);
      } else {
        check.not[other]();
        expect(() => check[other]()).toThrow(/^expected .*what happened:\n\nPreToolUse:Bash/s);
      }
    }
  });

  test('{} is silence', async () => {
    expectFired(await fireHook(() => ({}), 'PreToolUse', BASH)).toStaySilent();
  });

  test('of a rewrite only the fields that are named are compared, at every depth', async () => {
    const value = { a: 1, b: { c: 2, d: [{ e: 3, f: 4 }] }, none: null };
    const rewritten = expectFired(await fireHook(() => rewrite(value), 'PreToolUse', BASH));
    for (const part of [{ b: { c: 2 } }, { b: { d: [{ f: 4 }] } }, { b: {} }, { a: 1, none: null }, value])
      rewritten.toRewrite(part);
    const others = [
      { b: { c: 3 } },
      { b: { c: 2, x: 1 } },
      { b: { d: [] } },
      { b: { d: [{ f: 4 }, { f: 4 }] } },
      { b: [] },
      { b: new Map() },
      { none: {} },
      { a: { toFixed: 1 } },
    ];
    for (const other of others) expect(() => rewritten.toRewrite(other), JSON.stringify(other)).toThrow('rewritten');
  });

  test('reasons, contexts and values are looked at', async () => {
    const denied = expectFired(await fireHook(outcomes.toDeny, 'PreToolUse', BASH));
    denied.toDeny(/by hand/);
    denied.toDeny('Push');
    expect(() => denied.toDeny('Pull')).toThrow('a denial, with "Pull"');
    const rewritten = expectFired(await fireHook(outcomes.toRewrite, 'PreToolUse', BASH));
    rewritten.toRewrite({ command: 'git push' });
    expect(() => rewritten.toRewrite({ command: 'git pull' })).toThrow('It was rewritten to');
    const told = expectFired(await fireHook(outcomes.toAddContext, 'PreToolUse', BASH));
    told.toAddContext(/protected/);
    expect(() => told.toAddContext('open')).toThrow('The context was');
    const failed = expectFired(await fireHook(fails, 'PreToolUse', BASH));
    failed.toFail('threw');
    expect(() => failed.toFail('timeout')).toThrow('a hook to fail, with "timeout"');
  });

  test('block, stop and output events', async () => {
    expectFired(await fireHook(() => deny('no'), 'UserPromptSubmit')).toDeny('no');
    expectFired(await fireHook(() => ({ decision: 'block', reason: 'Run the tests.' }), 'Stop')).toContinue(/tests/);
    expectFired(await fireHook(() => undefined, 'Stop')).not.toContinue();
    const output = await fireHook(() => rewrite('[masked]'), 'PostToolUse', payload.postToolUse.mcp('db', 'read'));
    expectFired(output).toRewrite('[masked]');
  });

  test('why a hook did not run', async () => {
    const hooks = { PreToolUse: [{ matcher: 'Edit', name: 'formatter', hooks: [() => deny('x')] }] };
    const fired = await fireHook(hooks, 'PreToolUse', BASH);
    const check = expectFired(fired);
    check.toBeSkipped('matcher');
    check.toBeSkipped('matcher', 'formatter');
    check.toBeSkipped();
    expect(() => check.toBeSkipped('once')).toThrow('a hook to be skipped, with "once"');
    expect(() => check.toBeSkipped('if', 'formatter')).toThrow('formatter to be skipped');
    expect(fired.explanation.hooks[0]).toMatchObject({ runs: false, reason: 'matcher' });
  });

  test.each([
    [
      'toBeSkipped',
      ['macher'],
      'toBeSkipped: "macher" is not known; there are matcher, if,',
      'Did you mean "matcher"?',
    ],
    ['toBeSkipped', ['matcher', 'no-force'], '"no-force" is not known; there are no-force-push', '"no-force-push"?'],
    ['toBeSkipped', [undefined, 'guard'], 'toBeSkipped: "guard" is not known; there are no-force-push'],
    ['toBeSkipped', [5], 'expected a string that is not empty, got 5'],
    ['toBeSkipped', ['matcher', /no-force/], 'expected a string that is not empty'],
    ['toFail', ['thrown'], 'toFail: "thrown" is not known; there are threw, timeout,', 'Did you mean "threw"?'],
    ['toFail', ['threw', 'no-force-push'], 'toFail: takes no more than 1, got "no-force-push" too'],
    ['toFail', [{}], 'expected a string that is not empty, got {}'],
    ['toDeny', [5], 'toDeny: expected a string or a RegExp, got 5'],
    ['toDeny', [null], 'toDeny: expected a string or a RegExp, got null'],
    ['toDefer', [{}], 'toDefer: expected a string or a RegExp, got {}'],
    ['toAsk', [{}], 'toAsk: expected a string or a RegExp, got {}'],
    ['toContinue', [['tests']], 'toContinue: expected a string or a RegExp, got ["tests"]'],
    ['toAddContext', [() => 'x'], 'toAddContext: expected a string or a RegExp, got a function'],
    ['toAllow', ['because'], 'toAllow: takes no argument, got "because" too'],
    ['toStaySilent', [true], 'toStaySilent: takes no argument, got true too'],
  ] as const)(
    'a wrong argument of %s is refused, also where the opposite is expected: %j',
    async (name, given, ...texts) => {
      const hooks = { PreToolUse: [{ matcher: 'Bsh', name: 'no-force-push', hooks: [() => deny('By hand.')] }] };
      const fired = await fireHook(hooks, 'PreToolUse', BASH);
      for (const check of [expectFired(fired), expectFired(fired).not]) {
        const run = (): void => (check[name] as (...args: readonly unknown[]) => void)(...given);
        for (const text of texts) expect(run).toThrow(text);
        expect(run).toThrow(expect.objectContaining({ code: 'INVALID_OPTIONS' }));
      }
    },
  );

  test('a right argument is one whatever realm it is of, and undefined is none', async () => {
    const denied = expectFired(await fireHook(outcomes.toDeny, 'PreToolUse', BASH));
    denied.toDeny(runInNewContext('/by hand/') as RegExp);
    denied.toDeny(undefined);
    denied.not.toBeSkipped(undefined, undefined);
    const output = await fireHook(() => rewrite('[masked]'), 'PostToolUse', payload.postToolUse.mcp('db', 'read'));
    expectFired(output).toRewrite(runInNewContext('/mask/'));
    expect(() => expectFired(output).toRewrite(runInNewContext('/open/'))).toThrow('a rewrite to /open/');
  });

  test('"allow" for a hook that is silent is told apart', async () => {
    expect(() => expectFired({} as never).toAllow()).toThrow('is an await missing?');
    const fired = await fireHook(() => undefined, 'PreToolUse', BASH);
    expect(() => expectFired(fired).toAllow()).toThrow('toStaySilent()');
  });

  test('what vitest is given passes and fails alike', async () => {
    const fired = await fireHook(outcomes.toDeny, 'PreToolUse', BASH);
    expect(matchers.toDeny(fired, /hand/).pass).toBe(true);
    const { pass, message } = matchers.toAllow(fired);
    expect([pass, message()]).toEqual([false, expect.stringContaining('expected it to be allowed')]);
  });
});

describe('fireHook', () => {
  test('its text is the same for the same outcome, whenever it is fired', async () => {
    const hooks = {
      PreToolUse: [
        { name: 'no-force', hooks: [() => deny('Push by hand.')] },
        { matcher: 'Edit', name: 'other', hooks: [fails] },
      ],
    };
    const [first, second] = [await fireHook(hooks, 'PreToolUse', BASH), await fireHook(hooks, 'PreToolUse', BASH)];
    expect(String(first)).toBe(String(second));
    expect(String(first)).toMatchInlineSnapshot(`
      "PreToolUse:Bash  deny by no-force: "Push by hand."  in session
        no-force  callback code       deny
        other     callback code       did not run: its matcher did not match (Edit)"
    `);
  });

  test('wrong things to test, events and options are errors', async () => {
    await expect(fireHook(7 as never, 'PreToolUse')).rejects.toThrow('expected a plugin');
    await expect(fireHook(fails, 'PreToolUs' as never)).rejects.toThrow('PreToolUse');
    await expect(fireHook(fails, 'PreToolUse', {}, { scoped: 1 } as never)).rejects.toThrow('scoped');
    await expect(fireHook(fails, 'PreToolUse', { tool_name: 7 } as never)).rejects.toThrow('tool_name');
  });

  test('hooks beside it, an agent, and hooks in the background are in the result', async () => {
    const late = async () => ({ async: true as const });
    const fired = await fireHook(late, 'PreToolUse', { ...BASH, agent_id: 'agent-7' }, { beside: [() => deny('no')] });
    expectFired(fired).toDeny('no');
    expect(fired.record.agent_id).toBe('agent-7');
  });
});

test('a fake clock moves timeouts, and gives the time back', async () => {
  const real = setTimeout;
  const clock = fakeClock();
  const firing = fireHook(() => new Promise(() => {}), 'PreToolUse', BASH, { host: { timeout: 30 } });
  await clock.advance(29);
  const early = await Promise.race([firing, Promise.resolve('waiting')]);
  await clock.advance(2);
  const fired = await firing;
  clock.restore();
  clock.restore();
  expect(early).toBe('waiting');
  expectFired(fired).toFail('timeout');
  expect(setTimeout).toBe(real);
});

test('a session is driven, told in order, and closed', async () => {
  const seen: unknown[] = [];
  const test = await testSession({
    tools: { Bash: ({ command }: { command: string }) => `ran ${command}` },
    hooks: { PostToolUse: [{ hooks: [({ tool_response }) => void seen.push(tool_response)] }] },
  });
  const agent = await test.session.spawn({ agent_type: 'worker', id: 'agent-1' });
  agent.register({ PreToolUse: [{ hooks: [() => deny('not here')] }] });
  expect(await test.call('Bash', { command: 'ls' }, agent)).toMatchObject({ status: 'denied' });
  expect(await test.call('Bash', { command: 'ls' })).toMatchObject({ status: 'ran' });
  expect(seen).toEqual(['ran ls']);
  await test.close();
  expect(test.events()).toEqual([
    'SessionStart',
    'agent-1 SubagentStart',
    'agent-1 PreToolUse',
    'PreToolUse',
    'PostToolUse',
    'agent-1 SubagentStop',
    'SessionEnd',
  ]);
  expect(test.story()).toContain('deny');
  await expect(test.host.fire('Stop', { stop_hook_active: false })).rejects.toThrow();
});
