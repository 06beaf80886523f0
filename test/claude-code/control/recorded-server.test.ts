import { describe, expect, it } from 'vitest';
import type { AnyDecision } from '../../../src/host/decide/decision.js';
import { fireAny, testHost } from '../../host/kit.js';
import { problems, serve, tapped } from './kit.js';
import { isType, type Json, type Puppet } from './puppet.js';
import { RECORDINGS, type Recording, recording } from './recordings.js';

type Asked = Recording['asked'][number];

/** What the recorded program then did, in terms of a decision: by recording and event, in order. */
const DECISIONS: Readonly<Record<string, Record<string, Partial<AnyDecision>[]>>> = {
  async: { PreToolUse: [{ verdict: 'none' }] },
  badoutput: { PreToolUse: [{ verdict: 'none' }] },
  'can-use-tool': {
    PreToolUse: [{ verdict: 'ask', reason: 'PLEASE' }],
    PermissionRequest: [{ verdict: 'none' }],
  },
  deny: { PreToolUse: [{ verdict: 'deny', reason: 'SDK-DENY' }] },
  'disable-all-hooks': { PreToolUse: [{ verdict: 'none' }] },
  'permreq-allow': { PermissionRequest: [{ verdict: 'allow', updatedInput: { command: 'echo PR-CHANGED' } }] },
  'plain-host-no-reply-post-tool-use': { PostToolUse: [{ blocked: false }] },
  'plain-host-session-start-on-clear': {
    SessionStart: [{ additionalContext: ['CB-SS'] }, { additionalContext: ['CB-SS'] }],
    PreCompact: [{ blocked: false }],
  },
  'plain-host-wrong-event-name': { PreToolUse: [{ verdict: 'deny' }] },
  'plain-host': {
    UserPromptSubmit: [{ blocked: false, additionalContext: ['UPS-CB'] }],
    PreToolUse: [{ verdict: 'none', systemMessages: ['CB-SM'], additionalContext: ['CB-CTX'] }],
    Stop: [{ continues: false }],
  },
  'plus-settings': { PreToolUse: [{ verdict: 'allow' }] },
  'stop-block': { Stop: [{ continues: true, reason: 'SDK-STOP' }, { continues: false }] },
  'throw-block': { PreToolUse: [{ verdict: 'deny' }] },
  throw: { PreToolUse: [{ verdict: 'none' }] },
  timeout: { PreToolUse: [{ verdict: 'deny' }] },
  // Of two rewrites the later in plan order stands; there, the last to finish (docs/compatibility.md).
  two: { PreToolUse: [{ verdict: 'allow', updatedInput: { command: 'echo B' } }] },
  'ups-block': { UserPromptSubmit: [{ blocked: true, reason: 'SDK-B' }] },
};

/** Causes of failure, by recording: whatever is not here has none. */
const FAILURES: Readonly<Record<string, string>> = {
  badoutput: 'bad_schema',
  'plain-host-wrong-event-name': 'bad_schema',
  'plain-host-no-reply-post-tool-use': 'timeout',
  throw: 'threw',
  'throw-block': 'threw',
  timeout: 'timeout',
};

/** Fires of one event: the same input asked of several callbacks is one. */
function fired({ asked }: Recording): { event: string; input: Json; asked: Asked[] }[] {
  const found = new Map<string, { event: string; input: Json; asked: Asked[] }>();
  for (const one of asked) {
    if (one.request['subtype'] !== 'hook_callback') continue;
    const input = one.request['input'] as Json;
    const event = input['hook_event_name'] as string;
    const key = JSON.stringify(input);
    const known = found.get(key) ?? { event, input, asked: [] };
    found.set(key, { ...known, asked: [...known.asked, one] });
  }
  return [...found.values()];
}

/** Requests that an earlier client has left open: a field of the program's own. */
const withoutQueues = (response: Json): Json =>
  Object.fromEntries(Object.entries(response).filter(([key]) => !key.startsWith('pending_')));

const idOf = (message: Json): string => message['request_id'] as string;
const askOf = (message: Json): Json => message['request'] as Json;
const isAsk = isType('control_request');

/** The recorded line, under what is random in ours. */
function recordedLine({ request }: Asked, ours: Json): string {
  const named = (request['input'] as Json | undefined)?.['tool_use_id'] ?? request['subtype'] === 'can_use_tool';
  const id = named ? {} : { tool_use_id: askOf(ours)['tool_use_id'] };
  return JSON.stringify({ type: 'control_request', request_id: idOf(ours), request: { ...request, ...id } });
}

const reply = (to: Json, { reply: recorded }: Asked): Json => ({
  ...recorded,
  response: { ...(recorded?.['response'] as Json), request_id: idOf(to) },
});

/** Plays the recorded host's part of one fire: each request of ours is the recorded one, byte for byte, and gets the recorded answer. */
async function answer(sdk: Puppet, asked: readonly Asked[]): Promise<void> {
  const left = [...asked];
  while (left.length > 0) {
    const ask = await sdk.hear(isAsk);
    const at = left.findIndex(({ request }) => request['callback_id'] === askOf(ask)['callback_id']);
    const [one] = left.splice(at, 1) as [Asked];
    expect(sdk.heard).toContain(recordedLine(one, ask));
    expect(idOf(ask)).toMatch(/^req_\d+_[0-9a-f]{6}$/);
    if (one.reply) await sdk.say(reply(ask, one));
    // Its timeout is the recorded one; what is withdrawn is withdrawn in the recorded words.
    else {
      expect(await sdk.hear(isType('control_cancel_request'))).toEqual({
        type: 'control_cancel_request',
        request_id: idOf(ask),
      });
      expect(sdk.heard.at(-1)).toBe(JSON.stringify({ type: 'control_cancel_request', request_id: idOf(ask) }));
    }
  }
}

async function begin(played: Recording) {
  const { host, reports } = testHost();
  const seen = tapped(host);
  const answers = (subtype: string) => () => {
    const asked = played.entries.find(({ msg }) => (msg['request'] as Json | undefined)?.['subtype'] === subtype);
    const answered = played.entries.find(
      ({ msg: { response } }) => response && idOf(response as Json) === idOf(asked?.msg ?? {}),
    );
    if (!answered) throw new Error(`nobody has answered ${subtype}`);
    return (answered.msg['response'] as Json)['response'] as Json;
  };
  const { server, sdk } = await serve(host, {
    info: { claude_code_version: '2.1.330' },
    requests: Object.fromEntries(
      ['interrupt', 'set_model', 'set_permission_mode'].map((subtype) => [subtype, answers(subtype)]),
    ),
  });
  return { host, reports, seen, server, sdk };
}

describe('the recorded SDK, with our server', () => {
  it.each(RECORDINGS)(
    '$name: what it is asked is the recorded line, and its answer counts as it did',
    async (played) => {
      const { host, reports, seen, server, sdk } = await begin(played);
      const sent = played.entries.filter(({ dir }) => dir === 'host>cli').map(({ msg }) => msg);
      const own = played.entries.filter(({ dir }) => dir === 'cli>host').map(({ msg }) => msg);

      // The lines as they are, all at once: initialize, prompts, and requests of its own.
      await sdk.say(...sent.filter(({ type }) => type !== 'control_response'));
      for (const request of sent.filter(({ type }) => type === 'control_request')) {
        const recorded = own.find(({ response }) => response && idOf(response as Json) === idOf(request));
        const response = withoutQueues((recorded as Json)['response'] as Json);
        expect(await sdk.hear(isType('control_response'))).toEqual({ type: 'control_response', response });
      }
      expect(await server.initialized).toEqual(played.setUp);
      const messages = server.messages[Symbol.asyncIterator]();
      for (const prompt of sent.filter(({ type }) => type === 'user')) {
        expect((await messages.next()).value).toEqual(prompt);
      }

      // Every recorded event.
      const count: Record<string, number> = {};
      const causes: string[] = [];
      for (const { event, input, asked } of fired(played)) {
        const firing = fireAny(host, event, input);
        await answer(sdk, asked);
        // Whoever rewrote is asked again about the other's rewrite, and says the same again.
        if (played.name === 'two') await again(sdk, asked);
        const decision = await firing;
        const at = count[event] ?? 0;
        count[event] = at + 1;
        expect(decision, event).toMatchObject(DECISIONS[played.name]?.[event]?.[at] ?? {});
        expect(decision.continue).toBe(true);
        causes.push(...decision.failures.map(({ cause }) => cause));
      }
      expect(causes).toEqual(FAILURES[played.name] === undefined ? [] : [FAILURES[played.name]]);
      for (const [event, decisions] of Object.entries(DECISIONS[played.name] ?? {}))
        expect(count[event]).toBe(decisions.length);

      // What the agent says goes out as it is.
      const said = own.filter(({ type }) => !type.startsWith('control_'));
      for (const message of said) await server.send(message);
      for (const message of said) {
        await sdk.hear(isType(message.type));
        expect(sdk.heard).toContain(JSON.stringify(message));
      }
      const unknown = played.name === 'plain-host-wrong-event-name' ? ['unknown_event'] : [];
      expect(problems(seen).map(({ problem }) => problem)).toEqual(unknown);
      expect(reports).toEqual([...unknown, ...causes].map((word) => expect.stringContaining(`(${word})`)));
      await host.close();
    },
  );

  it('the table of decisions says what became of the recorded tool call', () => {
    for (const played of RECORDINGS) {
      const verdict = DECISIONS[played.name]?.['PreToolUse']?.[0]?.verdict;
      // A hook of a settings file denied that one, and one was asked about.
      if (verdict === undefined || ['plus-settings', 'can-use-tool'].includes(played.name)) continue;
      const results = played.entries.flatMap(({ msg }) => {
        const { content } = (msg['message'] ?? {}) as { content?: unknown };
        return Array.isArray(content) ? (content as Json[]).filter(({ type }) => type === 'tool_result') : [];
      });
      expect([played.name, results.map(({ is_error }) => is_error)]).toEqual([played.name, [verdict === 'deny']]);
    }
  });

  it('can_use_tool is asked in the recorded words, and the answer is the person’s', async () => {
    const played = recording('can-use-tool');
    const { server, sdk, host } = await begin(played);
    const asked = played.asked.find(({ request }) => request['subtype'] === 'can_use_tool') as Asked;
    const { subtype, ...call } = asked.request as { subtype: string } & Parameters<typeof server.canUseTool>[0];
    const answered = server.canUseTool(call);
    const ask = await sdk.hear(isAsk);
    expect(sdk.heard).toEqual([recordedLine(asked, ask)]);
    await sdk.say(reply(ask, asked));
    expect(await answered).toEqual({ behavior: 'allow', updatedInput: { command: 'echo x > y' } });
    await host.close();
  });

  it('can_use_tool is withdrawn in the recorded words when a hook has decided', async () => {
    const played = recording('permreq-allow');
    const { server, sdk, host } = await begin(played);
    const asked = played.asked.find(({ request }) => request['subtype'] === 'can_use_tool') as Asked;
    const { subtype, ...call } = asked.request as { subtype: string } & Parameters<typeof server.canUseTool>[0];
    const decided = new AbortController();
    const answered = server.canUseTool(call, { signal: decided.signal });
    const ask = await sdk.hear(isAsk);
    decided.abort(new Error('a hook has decided'));
    await expect(answered).rejects.toThrow('a hook has decided');
    await sdk.hear(isType('control_cancel_request'));
    expect(sdk.heard).toEqual([
      recordedLine(asked, ask),
      JSON.stringify({ type: 'control_cancel_request', request_id: idOf(ask) }),
    ]);
    await host.close();
  });

  it('the tool call’s own id goes with a PermissionRequest that has one', async () => {
    const played = recording('permreq-allow');
    const { sdk, host } = await begin(played);
    await sdk.say(played.entries[0]?.msg);
    await sdk.hear(isType('control_response'));
    const { input, tool_use_id } = (played.asked[1] as Asked).request as { input: Json; tool_use_id: string };
    const firing = fireAny(host, 'PermissionRequest', { ...input, tool_use_id });
    const ask = await sdk.hear(isAsk);
    expect(askOf(ask)['tool_use_id']).toBe(tool_use_id);
    await sdk.say(reply(ask, played.asked[1] as Asked));
    expect(await firing).toMatchObject({ verdict: 'allow' });
    await host.close();
  });
});

async function again(sdk: Puppet, asked: readonly Asked[]): Promise<void> {
  const ask = await sdk.hear(isAsk);
  const { callback_id, input } = askOf(ask) as { callback_id: string; input: Json };
  expect([callback_id, input['tool_input']]).toEqual(['hook_0', { command: 'echo B' }]);
  await sdk.say(reply(ask, asked.find(({ request }) => request['callback_id'] === callback_id) as Asked));
}
