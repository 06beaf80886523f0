import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { createHost } from '../../src/create-host.js';
import { HookscopeError } from '../../src/errors.js';
import { EXTERNAL_KINDS, keysOfKind } from '../../src/events/handler-kinds.js';
import { defineEvent } from '../../src/events/own-event.js';
import { command } from '../../src/handlers/command/spec.js';
import { rule } from '../../src/handlers/rule/spec.js';
import type { HostOptions } from '../../src/host/options.js';
import { validateHooks } from '../../src/plugins/validate.js';
import { INPUTS } from './inputs.js';
import { anyHooks, testHost } from './kit.js';

const fn = (): undefined => undefined;
const pre = (group: unknown) => ({ PreToolUse: [group] });
const handler = (hook: unknown) => pre({ hooks: [hook] });
const named = (name: string, more = {}) => ({ name, hooks: [fn], ...more });

interface Wrong {
  readonly hooks: unknown;
  /** The place that is named. */
  readonly where: RegExp;
  readonly expected?: RegExp;
  readonly nearest?: string;
}

const WRONG: Readonly<Record<string, Wrong>> = {
  ...Object.fromEntries(
    [null, undefined, [], 'PreToolUse', 7].map((hooks) => [
      `hooks that are ${String(hooks) || 'an array'}`,
      { hooks, where: /^hooks$/, expected: /an object of events/ },
    ]),
  ),
  ...Object.fromEntries(
    [Number.NaN, Number.POSITIVE_INFINITY, -1].flatMap((n) =>
      ['timeout', 'enforce', 'stage'].flatMap((key) =>
        key === 'stage' && n === -1
          ? []
          : [
              [
                `${key}: ${n}`,
                {
                  hooks: pre({ [key]: n, hooks: [] }),
                  where: new RegExp(`${key}$`),
                  expected: new RegExp(`got ${n}$`),
                },
              ],
            ],
      ),
    ),
  ),
  'an event misspelt': {
    hooks: { PreToolUs: [] },
    where: /^PreToolUs$/,
    expected: /not a known event/,
    nearest: 'PreToolUse',
  },
  'an event in another spelling': { hooks: { pre_tool_use: [] }, where: /^pre_tool_use$/, nearest: 'PreToolUse' },
  'an event that is a key of every object': { hooks: JSON.parse('{"__proto__":[]}'), where: /^__proto__$/ },
  'an event that is a method of every object': { hooks: { constructor: [] }, where: /^constructor$/ },
  'a group in place of groups': {
    hooks: { PreToolUse: { hooks: [fn] } },
    where: /^PreToolUse$/,
    expected: /an array of groups/,
  },
  'a function in place of groups': { hooks: { PreToolUse: fn }, where: /^PreToolUse$/, expected: /an array of groups/ },
  'null in place of groups': { hooks: { PreToolUse: null }, where: /^PreToolUse$/ },
  ...Object.fromEntries(
    [null, undefined, fn, 'Bash', [fn]].map((group) => [
      `a group that is ${group === undefined ? 'undefined' : JSON.stringify(group)} (${typeof group})`,
      { hooks: pre(group), where: /^PreToolUse\[0\]$/, expected: /a group/ },
    ]),
  ),
  'the second group': { hooks: { PreToolUse: [named('a'), 7] }, where: /^PreToolUse\[1\]$/ },
  'a group without hooks': { hooks: pre({ matcher: 'Bash' }), where: /^PreToolUse\[0\]\.hooks$/, expected: /missing/ },
  'hooks that are one function': { hooks: pre({ hooks: fn }), where: /^PreToolUse\[0\]\.hooks$/, expected: /an array/ },
  'a key misspelt': {
    hooks: pre({ matchers: 'Bash', hooks: [] }),
    where: /^PreToolUse\[0\]\.matchers$/,
    nearest: 'matcher',
  },
  'a key of handlers at the group': {
    hooks: pre({ async: true, hooks: [] }),
    where: /^PreToolUse\[0\]\.async$/,
    expected: /not a known key/,
  },
  'a stage that is text': { hooks: pre({ stage: '1', hooks: [] }), where: /\.stage$/, expected: /a number, got "1"/ },
  'a stage that is no number': { hooks: pre({ stage: Number.NaN, hooks: [] }), where: /\.stage$/ },
  'a stage without end': { hooks: pre({ stage: Number.POSITIVE_INFINITY, hooks: [] }), where: /\.stage$/ },
  'a before that is a number': {
    hooks: pre({ before: 7, hooks: [] }),
    where: /\.before$/,
    expected: /a name or an array of names/,
  },
  'a before of numbers': { hooks: pre({ before: ['a', 7], hooks: [] }), where: /\.before$/ },
  'a before of itself': {
    hooks: pre(named('a', { before: 'a' })),
    where: /before: "a" → "a"/,
    expected: /cyclic/,
  },
  'an after of itself': { hooks: pre(named('a', { after: ['a'] })), where: /after: "a" → "a"/, expected: /cyclic/ },
  'an after that is a number': {
    hooks: pre({ after: 7, hooks: [] }),
    where: /\.after$/,
    expected: /a name or an array/,
  },
  'a circle of before': {
    hooks: { PreToolUse: [named('a', { before: 'b' }), named('b', { before: 'a' })] },
    where: /before/,
    expected: /cyclic/,
  },
  'a mode nobody knows': {
    hooks: pre({ mode: 'serial', hooks: [] }),
    where: /\.mode$/,
    expected: /"series" or "parallel", got "serial"/,
  },
  ...Object.fromEntries(
    [-1, '5', Number.NaN, Number.POSITIVE_INFINITY, null, true].map((timeout) => [
      `a timeout of ${String(timeout)} (${typeof timeout})`,
      { hooks: pre({ timeout, hooks: [] }), where: /\.timeout$/, expected: /seconds/ },
    ]),
  ),
  'a timeoutFor nobody knows': {
    hooks: pre({ timeoutFor: 'all', hooks: [] }),
    where: /\.timeoutFor$/,
    expected: /"handler" or "group"/,
  },
  'a policy nobody knows': {
    hooks: pre({ onFailure: 'deny', hooks: [] }),
    where: /\.onFailure$/,
    expected: /"continue" or "block" or "ask"/,
  },
  'a phase nobody knows': { hooks: pre({ phase: 'observer', hooks: [] }), where: /\.phase$/, expected: /"observe"/ },
  'a once that is text': { hooks: pre({ once: 'yes', hooks: [] }), where: /\.once$/, expected: /true or false/ },
  'a name that is a number': { hooks: pre({ name: 7, hooks: [] }), where: /\.name$/, expected: /a string/ },
  'a rule that is a number': { hooks: pre({ if: 7, hooks: [fn] }), where: /\.if$/ },
  'a rule that is none': { hooks: pre({ if: 'Bash(git', hooks: [fn] }), where: /\.if$/, expected: /permission rule/ },
  ...Object.fromEntries(
    [7, true, {}, [], null].map((matcher) => [
      `a matcher that is ${JSON.stringify(matcher)}`,
      {
        hooks: pre({ matcher, hooks: [fn] }),
        where: /PreToolUse\[0\]\.matcher$/,
        expected: /must be a string .*, a RegExp or a function/,
      },
    ]),
  ),
  'a matcher in the syntax of regular expressions': {
    hooks: pre({ matcher: 'mcp__.*', hooks: [fn] }),
    where: /\.matcher$/,
    expected: /pass a RegExp/,
  },
  'a matcher that is a rule': {
    hooks: pre({ matcher: 'Bash(git *)', hooks: [fn] }),
    where: /\.matcher$/,
    expected: /write "matcher": "Bash", "if": "Bash\(git \*\)"/,
  },
  'a matcher that names nothing': {
    hooks: pre({ matcher: '|', hooks: [fn] }),
    where: /\.matcher$/,
    expected: /names nothing/,
  },
  ...Object.fromEntries(
    [null, undefined, 'echo', 7, [fn]].map((hook) => [
      `a handler that is ${hook === undefined ? 'undefined' : JSON.stringify(hook)}`,
      { hooks: handler(hook), where: /^PreToolUse\[0\]\.hooks\[0\]$/, expected: /a function/ },
    ]),
  ),
  'the second handler': { hooks: pre({ hooks: [fn, 7] }), where: /^PreToolUse\[0\]\.hooks\[1\]$/ },
  ...Object.fromEntries(
    ([...EXTERNAL_KINDS, 'rule'] as const).map((kind) => {
      const keys = keysOfKind(kind);
      const has = keys.map((key) => `"${key}"`).join(' and ');
      // An agent hook has the keys of a prompt.
      const type = kind === 'agent' ? 'prompt' : kind;
      const expected = new RegExp(`has ${has} and no "type"; add "type": "${type}"`);
      const hook = Object.fromEntries(keys.map((key) => [key, 'x']));
      return [`${kind} without its type`, { hooks: handler(hook), where: /hooks\[0\]$/, expected }];
    }),
  ),
  'a tool without its type and its server': {
    hooks: handler({ tool: 'x' }),
    where: /hooks\[0\]$/,
    expected: /has "tool" and no "type"; add "type": "mcp_tool"/,
  },
  'a handler that is empty': { hooks: handler({}), where: /hooks\[0\]$/, expected: /neither "handler" nor "type"/ },
  'a handler that is no function': {
    hooks: handler({ handler: 'x' }),
    where: /hooks\[0\]\.handler$/,
    expected: /a function/,
  },
  'a handler’s key misspelt': {
    hooks: handler({ handler: fn, timout: 5 }),
    where: /hooks\[0\]\.timout$/,
    nearest: 'timeout',
  },
  'a handler’s timeout': {
    hooks: handler({ handler: fn, timeout: -1 }),
    where: /hooks\[0\]\.timeout$/,
    expected: /seconds/,
  },
  'a handler’s async': {
    hooks: handler({ handler: fn, async: 'yes' }),
    where: /hooks\[0\]\.async$/,
    expected: /two-phase/,
  },
  'a type misspelt': {
    hooks: handler({ type: 'comand', command: 'x' }),
    where: /hooks\[0\]\.type$/,
    nearest: 'command',
  },
  'a type the event does not take': {
    hooks: { SessionStart: [{ hooks: [{ type: 'prompt', prompt: 'x' }] }] },
    where: /^SessionStart\[0\]\.hooks\[0\]\.type$/,
    expected: /command/,
  },
  'a command without its line': { hooks: handler({ type: 'command' }), where: /hooks\[0\].*command/ },
  'a command whose line is empty': { hooks: handler({ type: 'command', command: '' }), where: /hooks\[0\].*command/ },
  'a command’s option misspelt': {
    hooks: handler({ type: 'command', command: 'x', tiemout: 5 }),
    where: /hooks\[0\].*tiemout/,
    nearest: 'timeout',
  },
  'a command’s timeout': {
    hooks: handler({ type: 'command', command: 'x', timeout: '5' }),
    where: /hooks\[0\].*timeout/,
    expected: /seconds/,
  },
};

/** Every door that hooks come in by. */
const DOORS: Readonly<Record<string, (host: ReturnType<typeof testHost>['host'], hooks: never) => unknown>> = {
  'host.register': (host, hooks) => host.register(hooks),
  'host.registerScoped, a new scope': (host, hooks) => host.registerScoped('new', hooks),
  'host.registerScoped, an open scope': (host, hooks) => host.registerScoped('open', hooks),
  'scope.register': (host, hooks) => host.scope({ session: 't' }).register(hooks),
  'host.spawnHooks': (host, hooks) => host.spawnHooks('worker', hooks),
};

function thrownBy(step: () => unknown): unknown {
  try {
    step();
  } catch (error) {
    return error;
  }
  return undefined;
}

describe.each(Object.keys(DOORS))('%s', (door) => {
  test.each(Object.entries(WRONG))(
    'refuses %s, names it, and keeps nothing',
    async (_, { hooks, where, expected, nearest }) => {
      const { host } = testHost();
      let ran = 0;
      host.registerScoped('open', {});
      host.register({ PreToolUse: [{ hooks: [() => void ran++] }] });
      const before = JSON.stringify(host.describe());
      const attempt = DOORS[door] as (host: unknown, hooks: unknown) => unknown;
      const error = thrownBy(() => attempt(host, hooks));
      expect(error).toBeInstanceOf(HookscopeError);
      const { code, details, message } = error as HookscopeError<'INVALID_HOOKS'>;
      expect(code).toBe('INVALID_HOOKS');
      expect(details.where).toMatch(where);
      expect(message).toContain('Nothing was registered');
      if (expected) expect(details.expected).toMatch(expected);
      if (nearest !== undefined) {
        expect(details.nearest).toBe(nearest);
        expect(message).toContain(`Did you mean "${nearest}"?`);
      }
      expect(JSON.stringify(host.describe())).toBe(before);
      await host.fire('PreToolUse', { ...INPUTS.PreToolUse, agent_id: 'new', agent_type: 'worker' });
      await host.fire('PreToolUse', { ...INPUTS.PreToolUse, session_id: 't' });
      expect(ran).toBe(2);
    },
  );

  test('registers all of what is right, or nothing where one thing is wrong', () => {
    const { host } = testHost();
    host.registerScoped('open', {});
    const before = JSON.stringify(host.describe());
    const hooks = {
      Stop: [{ hooks: [fn] }],
      PreToolUse: [{ hooks: [fn, fn] }, { hooks: [fn] }, { hooks: [fn], tiemout: 1 }],
    };
    const attempt = DOORS[door] as (host: unknown, hooks: unknown) => unknown;
    expect(() => attempt(host, hooks)).toThrow(/PreToolUse\[2\]\.tiemout/);
    expect(JSON.stringify(host.describe())).toBe(before);
  });
});

describe('createHost', () => {
  const deploy = defineEvent({ input: z.object({}), fold: 'gate' });
  test.each<[string, unknown, RegExp, string?]>([
    ['an option misspelt', { timout: 5 }, /timout/, 'timeout'],
    ['a negative time', { timeout: -1 }, /timeout.*seconds.*-1/],
    ['a time that is text', { closeTimeout: '5' }, /closeTimeout.*seconds.*"5"/],
    ['a time that is a function', { slowAfter: () => 1 }, /slowAfter.*seconds/],
    ['a time that is a bigint', { slowAfter: 1n }, /slowAfter.*seconds/],
    ['a policy', { onFailure: 'deny' }, /onFailure.*"continue" or "block" or "ask"/],
    ['a merge', { merge: 'every' }, /merge.*"lineage" or "all"/],
    ['how to decide', { decisions: 'any' }, /decisions.*"strictest" or "first" or "last"/],
    ['a number of continuations', { maxStopContinuations: 1.5 }, /maxStopContinuations.*whole number/],
    ['a logger', { logger: console }, /logger.*a function/],
    ['a session', { session: 's' }, /session.*an object/],
    ['a field of the session', { session: { id: 's' } }, /session\.id/],
    ['a field of the session of the wrong type', { session: { session_id: 7 } }, /session\.session_id.*a string/],
    ['events', { events: [deploy] }, /events.*an object/],
    ['a built-in event', { events: { PreToolUse: deploy } }, /events\.PreToolUse.*built-in/],
    ['an event that is none', { events: { Deploy: {} } }, /events\.Deploy.*defineEvent/],
    ['an event that is null', { events: { Deploy: null } }, /events\.Deploy.*defineEvent/],
    ['no object', null, /an object/],
  ])('refuses %s', (_, options, message, nearest) => {
    const error = thrownBy(() => createHost(options as HostOptions)) as HookscopeError<'INVALID_OPTIONS'>;
    expect(error).toBeInstanceOf(HookscopeError);
    expect(error.code).toBe('INVALID_OPTIONS');
    expect(error.message).toMatch(message);
    if (nearest !== undefined) expect(error.details.nearest).toBe(nearest);
  });

  test('takes undefined for what is not given', () => {
    expect(() => createHost({ timeout: undefined, session: undefined, events: undefined } as never)).not.toThrow();
  });
});

describe('fire', () => {
  test.each<[string, unknown, string]>([
    ['a missing field', { tool_input: {} }, 'tool_name'],
    ['a field of the wrong type', { tool_name: 7, tool_input: {} }, 'tool_name'],
    ['another event’s name', { ...INPUTS.PreToolUse, hook_event_name: 'Stop' }, 'hook_event_name'],
    ['no object', 'ls', '(the input)'],
    ['an array', [], '(the input)'],
    ['null', null, '(the input)'],
  ])('rejects %s and names the field', async (_, input, field) => {
    const { host } = testHost();
    let ran = 0;
    host.register({ PreToolUse: [{ hooks: [() => void ran++] }] });
    const error: unknown = await host.fire('PreToolUse', input as never).catch((e: unknown) => e);
    expect(error).toMatchObject({ code: 'INVALID_INPUT', details: { event: 'PreToolUse', field } });
    if (field === '(the input)') expect((error as Error).message).toContain('must be an object');
    expect(ran).toBe(0);
  });

  test('rejects an unknown event and names the nearest', async () => {
    const { host } = testHost();
    for (const [event, nearest] of [
      ['PreToolUs', 'PreToolUse'],
      ['constructor', undefined],
      ['__proto__', undefined],
    ]) {
      await expect(host.fire(event as never, {} as never)).rejects.toMatchObject({
        code: 'UNKNOWN_EVENT',
        details: { event, nearest },
      });
    }
  });

  test('an input that cannot be read is invalid, and rejects', async () => {
    const { host } = testHost();
    host.register(anyHooks({ PreToolUse: [{ hooks: [fn] }] }));
    const input = Object.defineProperty({ ...INPUTS.PreToolUse }, 'tool_name', {
      enumerable: true,
      get: () => {
        throw new Error('trap');
      },
    });
    await expect(host.fire('PreToolUse', input)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  });

  test('a field called __proto__ is a field like any, and nothing else', async () => {
    const { host } = testHost();
    const seen: unknown[] = [];
    host.register({
      PreToolUse: [
        { hooks: [(input) => void seen.push(Object.keys(input).includes('__proto__'), JSON.stringify(input))] },
      ],
    });
    const input = JSON.parse(
      '{"tool_input":{},"tool_use_id":"t","tool_name":"Bash","__proto__":{"tool_name":"Other","evil":true}}',
    ) as Record<string, unknown>;
    await host.fire('PreToolUse', input as never);
    expect(seen[0]).toBe(true);
    expect(seen[1]).toContain('"evil"');
    await expect(
      host.fire('PreToolUse', JSON.parse('{"tool_input":{},"__proto__":{"tool_name":"Bash"}}') as never),
    ).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  });
});

describe('a misspelt key of a handler is told before the key that is missing for it', () => {
  test.each([
    [{ type: 'command', comand: 'x' }, 'comand', 'command'],
    [{ type: 'command', command: 'x', tiemout: 5 }, 'tiemout', 'timeout'],
    [{ type: 'http', ulr: 'http://localhost/' }, 'ulr', 'url'],
    [{ type: 'mcp_tool', sever: 's', tool: 't' }, 'sever', 'server'],
    [{ type: 'mcp_tool', server: 's', tol: 't' }, 'tol', 'tool'],
    [{ type: 'mcp_tool', server: 's', tool: 't', inptu: {} }, 'inptu', 'input'],
    [{ type: 'prompt', promt: 'x' }, 'promt', 'prompt'],
    [{ type: 'agent', promtp: 'x' }, 'promtp', 'prompt'],
    [{ type: 'rule', decison: 'deny', reason: 'no' }, 'decison', 'decision'],
    [{ type: 'rule', decision: 'deny', raeson: 'no' }, 'raeson', 'reason'],
    [{ handlr: fn }, 'handlr', 'handler'],
  ])('%j', (hook, key, near) => {
    const { host } = testHost();
    const error = refusal(() => host.register(anyHooks(handler(hook))));
    expect(error).toMatchObject({ code: 'INVALID_HOOKS', details: { nearest: near } });
    expect(error.message).toContain(`${key}: is not a known`);
    expect(error.message).toContain(`Did you mean "${near}"?`);
    expect(host.describe().children.flatMap(({ hooks }) => hooks)).toEqual([]);
  });
});

function refusal(act: () => unknown): HookscopeError {
  try {
    act();
  } catch (error) {
    return error as HookscopeError;
  }
  throw new Error('it was not refused');
}

test('a subject that is no string is matched by its text', async () => {
  const Count = defineEvent({ input: z.object({ n: z.number().optional() }), subject: 'n', fold: 'gate' });
  const { host } = testHost({ events: { Count } });
  const ran: string[] = [];
  host.register({
    Count: [
      { matcher: '7', hooks: [() => void ran.push('7')] },
      { matcher: '*7', hooks: [() => void ran.push('glob')] },
      { matcher: /^\d+$/, hooks: [() => ({ systemMessage: 'digits' })] },
    ],
  });
  expect((await host.fire('Count', { n: 7 })).systemMessages).toEqual(['digits']);
  await host.fire('Count', { n: 17 });
  await host.fire('Count', {});
  expect(ran).toEqual(['7', 'glob', 'glob']);
});

describe('holes and symbols', () => {
  const holes = Object.assign(new Array(3), { 0: fn, 2: fn });
  const groups = Object.assign(new Array(3), { 0: { hooks: [] }, 2: { hooks: [] } });
  const key = Symbol('key');
  test.each<[string, unknown, RegExp]>([
    ['a hole in a list of hooks', pre({ hooks: holes }), /PreToolUse\[0\]\.hooks\[1\]/],
    ['a hole in a list of groups', { PreToolUse: groups }, /PreToolUse\[1\]/],
    ['a symbol as an event', { [key]: [] }, /Symbol\(key\)/],
    ['a symbol as a key of a group', pre({ [key]: 1, hooks: [fn] }), /PreToolUse\[0\]\.Symbol\(key\)/],
  ])('%s is refused, and nothing is registered', async (_, hooks, where) => {
    const { host } = testHost();
    expect(() => host.register(anyHooks(hooks as never))).toThrow(where);
    expect((await host.fire('PreToolUse', INPUTS.PreToolUse)).outcomes).toEqual([]);
    expect(validateHooks(hooks).map((problem) => problem.where)).toEqual([expect.stringMatching(where)]);
  });
});

test('`if` on an event about no tool is a warning, for a group once', () => {
  const { host, reports } = testHost();
  const text = 'Bash(rm *)';
  host.register({ Stop: [{ if: text, hooks: [fn, fn] }, { hooks: [{ handler: fn, if: text }] }] });
  const never = 'Stop is about no tool, so the hook never runs';
  expect(reports).toEqual([
    expect.stringContaining(`Stop[0].if: ${never}`),
    expect.stringContaining(`Stop[1].hooks[0].if: ${never}`),
  ]);
  host.register({ PreToolUse: [{ if: text, hooks: [fn] }] });
  expect(reports).toHaveLength(2);
  const own = (other: string) => ({ handler: fn, if: other });
  for (const first of ['Bash(x)', ''])
    host.register({ Stop: [{ if: text, hooks: [own(first), fn, own('Bash(y)'), fn] }] });
  expect(reports.slice(2).map((report) => /Stop\[0\]\S*/.exec(report)?.[0])).toEqual([
    ...['Stop[0].hooks[0].if:', 'Stop[0].if:', 'Stop[0].hooks[2].if:'],
    ...['Stop[0].if:', 'Stop[0].hooks[2].if:'],
  ]);
});

describe('a rule about a tool that the matcher leaves out', () => {
  const never = (where: string, matcher: string, text: string) =>
    expect.stringContaining(
      `${where}.if: the matcher "${matcher}" leaves out what "${text}" is about, so the hook never runs`,
    );

  test('is a warning, for a group once', () => {
    const { host, reports } = testHost();
    host.register({
      PreToolUse: [
        { matcher: 'Write', if: 'Bash(rm *)', hooks: [fn, fn] },
        { matcher: 'Write|Edit', hooks: [fn, { handler: fn, if: 'Read(*.env)' }, { handler: fn, if: 'Edit(*.ts)' }] },
      ],
    });
    expect(reports).toEqual([
      never('PreToolUse[0]', 'Write', 'Bash(rm *)'),
      never('PreToolUse[1].hooks[1]', 'Write|Edit', 'Read(*.env)'),
    ]);
    host.on('PreToolUse', fn, { matcher: /^mcp__/, if: 'Bash' });
    host.on('PreToolUse', rule('allow'), { matcher: 'Read', if: 'Bash(ls *)' });
    expect(reports).toHaveLength(4);
  });

  test.each<[matcher: unknown, text: string]>([
    [undefined, 'Bash(rm *)'],
    ['*', 'Bash(rm *)'],
    ['Bash|Write', 'Bash(rm *)'],
    ['Write', 'Edit(src/**)'],
    ['Delete', 'Edit(src/**)'],
    [/^Delete$/, 'Edit(src/**)'],
    ['{Grep,Glob}', 'Read(*.env)'],
    ['Agent', 'Task(reader)'],
    ['deploy*', 'deploy(target:prod)'],
    [/^mcp__a/, 'mcp__a__*'],
    [/^mcp__(a|b)__drop$/, 'mcp__a'],
    [(name: string) => name === 'Write', 'Bash(rm *)'],
  ])('%s and %s can meet, which is no warning', (matcher, text) => {
    const { host, reports } = testHost();
    host.register(anyHooks({ PreToolUse: [{ matcher, if: text, hooks: [fn] }] }));
    expect(reports).toEqual([]);
  });

  test('an expression that may never end is not tried out', () => {
    const { host, reports } = testHost();
    host.on('PreToolUse', fn, { matcher: /^(\w+)+!$/, if: 'Bash(rm *)' });
    expect(reports).toEqual([expect.stringContaining('can take exponential time')]);
  });
});

describe('`onFailure` of a hook that nothing waits for', () => {
  const idle = (where: string) =>
    expect.stringContaining(
      `${where}.onFailure: nothing waits for an async hook, so neither its answer nor its failure stops anything`,
    );
  const late = { handler: fn, async: true } as const;

  test('is a warning, wherever a failure would have an effect', () => {
    const { host, reports } = testHost();
    host.register({
      PreToolUse: [{ onFailure: 'block', hooks: [late, late] }, { hooks: [fn, { ...late, onFailure: 'ask' }] }],
      UserPromptSubmit: [{ onFailure: 'block', hooks: [late] }],
    });
    host.on('PreToolUse', command('true', { async: true, onFailure: 'block' }));
    host.on('PreToolUse', command('true', { asyncRewake: true, onFailure: 'block' }));
    expect(reports).toEqual([
      idle('PreToolUse[0]'),
      idle('PreToolUse[1].hooks[1]'),
      idle('UserPromptSubmit[0]'),
      idle('PreToolUse[0].hooks[0]'),
      idle('PreToolUse[0].hooks[0]'),
    ]);
  });

  test("is none for other hooks of the group, a hook that is asked first, an event that nothing stops, or the host's policy", () => {
    const { host, reports } = testHost({ onFailure: 'block' });
    host.register({
      PreToolUse: [
        { onFailure: 'block', hooks: [fn, late] },
        { onFailure: 'block', hooks: [] },
        { hooks: [late, { ...late, onFailure: 'continue' }, { ...late, async: 'two-phase', onFailure: 'block' }] },
      ],
      Notification: [{ onFailure: 'block', hooks: [late] }],
    });
    expect(reports).toEqual([]);
  });
});
