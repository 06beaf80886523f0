import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { serveControl } from '../../../src/claude-code/control/server/server.js';
import type { Host } from '../../../src/create-host.js';
import { fireAny, testHost, until } from '../../host/kit.js';
import { bash, problems, serve, tapped } from './kit.js';
import { isReply, isType, type Json, type Puppet, puppet, refusal, relay, request, success } from './puppet.js';

const isAsk = isType('control_request');
const idOf = (message: Json): string => message['request_id'] as string;
const setUp = (hooks: unknown, id = 'init'): Json => request(id, { subtype: 'initialize', hooks });
const pre = (...ids: string[]): Json => ({ PreToolUse: [{ matcher: 'Bash', hookCallbackIds: ids }] });
const denial = (reason: string): Json => ({
  hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'deny', permissionDecisionReason: reason },
});
const call = (host: Host, event = 'PreToolUse', more: Json = {}) =>
  fireAny(host, event, { session_id: 'S', transcript_path: '/t', cwd: '/w', ...bash('ls'), ...more });

async function ready(hooks: unknown, options = {}, other = relay) {
  const { host, reports } = testHost({ closeTimeout: 1 });
  const seen = tapped(host);
  const served = await serve(host, options, other);
  await served.sdk.say(setUp(hooks));
  const { response } = (await served.sdk.hear(isReply('init'))) as { response: Json };
  return { ...served, host, seen, reports, response };
}

async function answerNext(sdk: Puppet, response: Json): Promise<Json> {
  const ask = await sdk.hear(isAsk);
  await sdk.say(success(idOf(ask), response));
  return ask['request'] as Json;
}

describe('serveControl', () => {
  it('registers the other side’s callbacks with their matchers; they run like any handler', async () => {
    const { host, sdk, server } = await ready({
      PreToolUse: [
        { matcher: 'Edit', hookCallbackIds: ['no'] },
        { matcher: 'Ba.h', hookCallbackIds: ['yes'] },
      ],
    });
    const firing = call(host);
    expect(await answerNext(sdk, denial('remote'))).toMatchObject({ callback_id: 'yes', tool_use_id: 'toolu_1' });
    expect(await firing).toMatchObject({ verdict: 'deny', reason: 'remote' });
    expect(await server.initialized).toEqual({
      subtype: 'initialize',
      hooks: { PreToolUse: expect.any(Array) },
    });
  });

  it('says hooks_applied only of hooks', async () => {
    expect((await ready(undefined)).response['response']).not.toHaveProperty('hooks_applied');
    expect((await ready({})).response['response']).toMatchObject({ hooks_applied: true });
  });

  it('what it says of itself may depend on what it was asked', async () => {
    const { response } = await ready({}, { info: (ask: Json) => ({ agents: Object.keys(ask) }) });
    expect(response['response']).toMatchObject({ commands: [], agents: ['subtype', 'hooks'] });
  });

  it('a second initialize takes the place of the first', async () => {
    const { host, sdk } = await ready(pre('old'));
    await sdk.say(setUp(pre('new'), 'again'));
    await sdk.hear(isReply('again'));
    const firing = call(host);
    expect(await answerNext(sdk, denial('x'))).toMatchObject({ callback_id: 'new' });
    await firing;
    expect(sdk.heard.filter((line) => line.includes('"old"'))).toEqual([]);
  });

  it('one that makes no sense is refused with the place, and what was there stays', async () => {
    const { host, sdk } = await ready(pre('kept'));
    const wrong: [hooks: unknown, error: RegExp][] = [
      [{ PreToolUse: {} }, /initialize: hooks\.PreToolUse must be/],
      [{ PreToolUse: [{ matcher: 'Bash' }] }, /hookCallbackIds/],
      [{ PreToolUse: [{ hookCallbackIds: [''] }] }, /hookCallbackIds/],
      [{ PreToolUse: [{ hookCallbackIds: ['a'], timeout: -1 }] }, /timeout/],
      [{ PreToolUse: [{ hookCallbackIds: ['a'], onFailure: 'ask' }] }, /onFailure/],
      ['hooks', /hooks/],
    ];
    for (const [hooks, error] of wrong) {
      const answer = await sdk.ask('q', { subtype: 'initialize', hooks });
      expect(answer).toMatchObject({ subtype: 'error', error: expect.stringMatching(error) });
    }
    const firing = call(host);
    expect(await answerNext(sdk, {})).toMatchObject({ callback_id: 'kept' });
    await firing;
  });

  it('an unknown event is left out and told, with the nearest known one', async () => {
    const { seen, host, sdk } = await ready({ ...pre('a'), PreTolUse: [{ hookCallbackIds: ['b'] }] });
    expect(problems(seen)).toMatchObject([
      { problem: 'unknown_event', message: expect.stringMatching(/"PreTolUse".*did it mean "PreToolUse"/) },
    ]);
    const firing = call(host);
    await answerNext(sdk, {});
    expect(await firing).toMatchObject({ verdict: 'none' });
  });

  it('when the other side goes away, everything pending fails at once: a tool call closed, the rest open', async () => {
    const hooks = { ...pre('a'), PostToolUse: [{ hookCallbackIds: ['b'], timeout: 600 }] };
    const { host, sdk, server, child } = await ready(hooks, {}, puppet);
    const firing = [call(host), call(host, 'PostToolUse', { tool_response: 'x' })];
    const asked = expect(server.request({ subtype: 'x' })).rejects.toMatchObject({ code: 'CONTROL_FAILED' });
    for (const _ of [1, 2, 3]) await sdk.hear(isAsk);
    child.kill('SIGKILL');
    const [gate, after] = await Promise.all(firing);
    expect(gate).toMatchObject({ verdict: 'deny', failures: [{ cause: 'connection', blocked: true }] });
    expect(after).toMatchObject({ blocked: false, failures: [{ cause: 'connection', blocked: false }] });
    await asked;
    await server.ended;
    // And whatever is fired later, until the server is closed.
    expect(await call(host)).toMatchObject({ verdict: 'deny' });
    server.close();
    expect(await call(host)).toMatchObject({ verdict: 'none' });
  });

  it('close takes its hooks back, sends no more, and leaves other hooks alone', async () => {
    const { host, sdk, server } = await ready(pre('a'), {}, puppet);
    host.register({ PreToolUse: [{ hooks: [() => ({ decision: 'block', reason: 'local' })] }] });
    server.close();
    server.close();
    expect(await call(host)).toMatchObject({ verdict: 'deny', reason: 'local' });
    await until(() => sdk.told.some(({ ended }) => ended === ''));
    expect(sdk.heard).toHaveLength(1);
  });

  it('after close, an initialize registers nothing', async () => {
    const { host, sdk, server } = await ready(pre('a'), {}, puppet);
    server.close();
    await sdk.order({ stay: true });
    await sdk.say(setUp(pre('late'), 'late'), { type: 'user', last: true });
    for await (const message of server.messages) {
      if (message['last']) break;
    }
    expect(await call(host)).toMatchObject({ verdict: 'none', failures: [] });
  });

  it('its timeout is the matcher’s, in seconds, and a late answer is nothing', async () => {
    const { host, sdk, seen } = await ready({ PreToolUse: [{ hookCallbackIds: ['slow'], timeout: 0.2 }] });
    const firing = call(host);
    const ask = await sdk.hear(isAsk);
    expect(await firing).toMatchObject({ verdict: 'deny', failures: [{ cause: 'timeout' }] });
    expect(await sdk.hear(isType('control_cancel_request'))).toMatchObject({ request_id: idOf(ask) });
    await sdk.say(success(idOf(ask), {}), request('q', { subtype: 'none' }));
    await sdk.hear(isReply('q'));
    expect(problems(seen)).toEqual([]);
  });

  it.each(['deny', ['deny'], false, 0])(
    'an answer that is no object (%j) is a failure, not silence',
    async (answer) => {
      const { host, sdk } = await ready({ PreToolUse: [{ hookCallbackIds: ['hook_0'], onFailure: 'block' }] });
      const decided = call(host);
      await answerNext(sdk, answer as never);
      expect(await decided).toMatchObject({ verdict: 'deny', failures: [{ cause: 'bad_schema', blocked: true }] });
    },
  );

  it('an empty answer is no opinion, also under onFailure block', async () => {
    const { host, sdk } = await ready({ PreToolUse: [{ hookCallbackIds: ['hook_0'], onFailure: 'block' }] });
    const decided = call(host);
    await answerNext(sdk, undefined as never);
    expect(await decided).toMatchObject({ verdict: 'none', failures: [] });
  });

  it('the caller’s abort withdraws the question', async () => {
    const { host, sdk } = await ready(pre('a'));
    const controller = new AbortController();
    const firing = expect(
      host.fire('PreToolUse', bash('ls') as never, { signal: controller.signal }),
    ).rejects.toMatchObject({ code: 'ABORTED' });
    const ask = await sdk.hear(isAsk);
    controller.abort();
    await firing;
    expect(await sdk.hear(isType('control_cancel_request'))).toMatchObject({ request_id: idOf(ask) });
  });

  it('initialized fails when the other side ends before; messages end with it', async () => {
    const { host } = testHost();
    const { server, sdk } = await serve(host, {}, puppet);
    await sdk.say({ type: 'user', n: 1 });
    await sdk.order({ exit: 0 });
    await expect(server.initialized).rejects.toMatchObject({ code: 'CONTROL_FAILED' });
    const messages: Json[] = [];
    for await (const message of server.messages) messages.push(message);
    expect(messages).toEqual([{ type: 'user', n: 1 }]);
    await server.ended;
  });

  it('requests of its own are answered by subtype; what is thrown is the error', async () => {
    const { sdk } = await ready(undefined, {
      requests: {
        set_model: (asked: Json) => ({ model: asked['model'] }),
        interrupt: () => undefined,
        fails: () => {
          throw new Error('sync');
        },
        rejects: () => Promise.reject(new Error('async')),
      },
    });
    expect(await sdk.ask('1', { subtype: 'set_model', model: 'm' })).toMatchObject({ response: { model: 'm' } });
    expect(await sdk.ask('2', { subtype: 'interrupt' })).toMatchObject({ subtype: 'success', response: {} });
    expect(await sdk.ask('3', { subtype: 'fails' })).toMatchObject({ subtype: 'error', error: 'sync' });
    expect(await sdk.ask('4', { subtype: 'rejects' })).toMatchObject({ subtype: 'error', error: 'async' });
  });
});

describe('canUseTool of the server', () => {
  const CALL = { tool_name: 'Bash', input: { command: 'ls' }, tool_use_id: 't' };
  const answers: [what: string, answer: (id: string) => Json, result: Json][] = [
    [
      'an allow runs the input asked about',
      (id) => success(id, { behavior: 'allow' }),
      { behavior: 'allow', updatedInput: { command: 'ls' } },
    ],
    [
      'or the one it gives',
      (id) => success(id, { behavior: 'allow', updatedInput: { command: 'x' }, updatedPermissions: [1] }),
      { behavior: 'allow', updatedInput: { command: 'x' }, updatedPermissions: [1] },
    ],
    [
      'a deny is one',
      (id) => success(id, { behavior: 'deny', message: 'no', interrupt: true }),
      { behavior: 'deny', message: 'no', interrupt: true },
    ],
    [
      'nonsense is one',
      (id) => success(id, { behavior: 'maybe' }),
      { behavior: 'deny', message: expect.stringMatching(/makes no sense/) },
    ],
    [
      'an empty answer is one',
      (id) => success(id, {}),
      { behavior: 'deny', message: expect.stringMatching(/makes no sense/) },
    ],
    ['an error is one', (id) => refusal(id, 'BOOM'), { behavior: 'deny', message: expect.stringMatching(/BOOM/) }],
  ];
  it.each(answers)('%s', async (_, answer, result) => {
    const { server, sdk } = await ready(undefined);
    const asked = server.canUseTool(CALL);
    const ask = await sdk.hear(isAsk);
    expect(ask['request']).toEqual({ subtype: 'can_use_tool', ...CALL });
    await sdk.say(answer(idOf(ask)));
    expect(await asked).toEqual(result);
  });

  it('nobody there is a deny', async () => {
    const { server, sdk } = await ready(undefined, {}, puppet);
    await sdk.order({ exit: 0 });
    await server.ended;
    expect(await server.canUseTool(CALL)).toMatchObject({ behavior: 'deny' });
  });
});

describe('a peer that is slow to read', () => {
  it('is listened to once, however many messages wait for it', async () => {
    const output = new PassThrough({ highWaterMark: 1 });
    const server = serveControl({ input: new PassThrough(), output, host: testHost().host });
    const sent = Array.from({ length: 50 }, (_, i) => server.send({ type: 'x', i }));
    expect(['drain', 'close', 'error'].map((event) => output.listenerCount(event))).toEqual([1, 1, 2]);
    output.resume();
    await Promise.all(sent);
    expect(['drain', 'close', 'error'].map((event) => output.listenerCount(event))).toEqual([0, 0, 1]);
  });
});

describe('serveControl refuses', () => {
  const streams = { input: process.stdin, output: process.stdout };
  const WRONG: [options: unknown, words: RegExp][] = [
    [undefined, /serveControl\(options\): expected an object/],
    [{ output: process.stdout }, /serveControl: input: is missing/],
    [{ input: process.stdin }, /serveControl: output: is missing/],
    [{ ...streams, input: 3 }, /input: .*readable stream/],
    [{ ...streams, output: {} }, /output: .*writable stream/],
    [{ ...streams, requets: {} }, /requets.*Did you mean "requests"/],
    [{ ...streams, requests: { interrupt: true } }, /requests: .*functions by subtype/],
    [{ ...streams, name: 3 }, /name/],
    [{ ...streams, maxLine: 1.5 }, /maxLine/],
  ];
  it.each(WRONG)('wrong options %#', (options, words) => {
    const { host } = testHost();
    const given = options === undefined ? options : { host, ...(options as Json) };
    expect(() => serveControl(given as never)).toThrow(words);
    expect(() => serveControl(given as never)).toThrow(expect.objectContaining({ code: 'INVALID_OPTIONS' }));
  });
});

describe('a result after continue: false', () => {
  const sent = async (sdk: Puppet) => sdk.hear(isType('result'));
  it.each([
    ['PreToolUse', 'hook_stopped'],
    ['PostToolUse', 'hook_stopped'],
    ['Stop', 'stop_hook_prevented'],
    ['UserPromptSubmit', undefined],
    ['PostToolUseFailure', undefined],
  ])('says what the client says: %s, %s; once', async (event, reason) => {
    const { host, sdk, server } = await ready({ [event]: [{ hookCallbackIds: ['one'] }] });
    const more = { tool_response: {}, error: 'E', prompt: 'P', stop_hook_active: false };
    const firing = call(host, event, more);
    await answerNext(sdk, { continue: false, stopReason: 'R' });
    await firing;
    await server.send({ type: 'result', subtype: 'success', result: '' });
    const plain = { type: 'result', subtype: 'success', result: '' };
    expect(await sent(sdk)).toEqual(reason === undefined ? plain : { ...plain, terminal_reason: reason });
    await server.send(plain);
    expect(await sent(sdk)).toEqual(plain);
  });

  it('keeps the agent’s own word, and a subagent’s end is its own', async () => {
    const { host, sdk, server } = await ready({ PreToolUse: [{ hookCallbackIds: ['one'] }] });
    for (const [input, told, terminal_reason] of [
      [{}, { terminal_reason: 'aborted_tools' }, 'aborted_tools'],
      [{ agent_id: 'a1', agent_type: 'helper' }, {}, undefined],
    ] as const) {
      const firing = call(host, 'PreToolUse', input);
      await answerNext(sdk, { continue: false });
      await firing;
      await server.send({ type: 'result', ...told });
      expect((await sent(sdk))['terminal_reason']).toBe(terminal_reason);
    }
  });
});
