import { describe, expect, it } from 'vitest';
import { CallbackRegistry, matcherConfig } from '../../../src/claude-code/control/client/registry.js';
import { controlError, controlRequest, controlSuccess } from '../../../src/claude-code/control/peer/wire.js';
import { anyHooks, fireAny, testHost, until } from '../../host/kit.js';
import { connect, problems, serve, tapped } from './kit.js';
import { isReply, isType, type Json } from './puppet.js';
import { recording } from './recordings.js';

/** Appendix A of design 001, each message on one line; where it has `…` in a list or object, that is empty. */
const INITIALIZE =
  '{"type":"control_request","request_id":"req_1_a3f2c9","request":{"subtype":"initialize","hooks":{"PreToolUse":[{"matcher":"Bash","hookCallbackIds":["hook_0","hook_1"]}],"PostToolUse":[{"matcher":"*","hookCallbackIds":["hook_2"]}]}}}';
const INITIALIZED =
  '{"type":"control_response","response":{"subtype":"success","request_id":"req_1_a3f2c9","response":{"commands":[],"capabilities":{}}}}';
const CALLBACK =
  '{"type":"control_request","request_id":"req_2_b7e4d1","request":{"subtype":"hook_callback","callback_id":"hook_0","tool_use_id":"toolu_01ABC123","input":{"hook_event_name":"PreToolUse","session_id":"550e8400-e29b-41d4-a716-446655440000","transcript_path":"/path/to/transcript.jsonl","cwd":"/project/dir","tool_name":"Bash","tool_input":{"command":"rm -rf /tmp/data"}}}}';
const ANSWERED =
  '{"type":"control_response","response":{"subtype":"success","request_id":"req_2_b7e4d1","response":{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"Dangerous rm -rf command blocked"},"systemMessage":"Security policy blocked this command","reason":"rm -rf is not allowed"}}}';

const parsed = (line: string): Json => JSON.parse(line) as Json;
const inside = (line: string): Json => (parsed(line)['response'] as Json)['response'] as Json;
const asked = (line: string): Json => parsed(line)['request'] as Json;

const recorded = (): Json => recording('deny').asked[0]?.request as Json;
const keys = (value: unknown): string[] => Object.keys(value as Json);

/** Where what we write is not the appendix's, and why: the recorded client has it so. */
const DIFFERENCES: readonly (readonly [message: string, what: string, why: string, shown: () => void])[] = [
  [
    'initialize response',
    'what is in it',
    'agents and models too, hooks_applied; capabilities are a list of names',
    () => {
      const ready = recording('deny').entries.find(({ msg }) => msg.type === 'control_response')?.msg;
      expect(keys(inside(JSON.stringify(ready)))).toEqual(
        expect.arrayContaining(['commands', 'agents', 'models', 'hooks_applied', 'hook_on_failure_supported']),
      );
    },
  ],
  [
    'hook_callback request',
    'order of keys',
    'tool_use_id comes last',
    () => {
      expect(keys(recorded())).toEqual(['subtype', 'callback_id', 'input', 'tool_use_id']);
      expect(keys(asked(CALLBACK))).toEqual(['subtype', 'callback_id', 'tool_use_id', 'input']);
    },
  ],
  [
    'hook_callback request',
    'order of the input',
    'the fields that every event has come first, its name last of them',
    () => {
      expect(keys(recorded()['input']).slice(0, 3)).toEqual(['session_id', 'transcript_path', 'cwd']);
      expect(keys(asked(CALLBACK)['input'])[0]).toBe('hook_event_name');
    },
  ],
  [
    'hook_callback request',
    'the call’s id',
    'it is in the input as well',
    () => {
      expect((recorded()['input'] as Json)['tool_use_id']).toBe(recorded()['tool_use_id']);
      expect(asked(CALLBACK)['input']).not.toHaveProperty('tool_use_id');
    },
  ],
  [
    'hook_callback response',
    'order and reason',
    'one answer stands for all hooks: of a deny the permissionDecisionReason is the reason, as the program reads it',
    () => {
      expect(keys(inside(JSON.stringify(recording('deny').asked[0]?.reply)))).toEqual(['hookSpecificOutput']);
      expect(keys(inside(ANSWERED))).toEqual(['hookSpecificOutput', 'systemMessage', 'reason']);
    },
  ],
];

describe('appendix A of design 001', () => {
  it('the initialize request is ours byte for byte', () => {
    const registry = new CallbackRegistry<() => void>();
    const hooks = matcherConfig(
      {
        PreToolUse: [{ matcher: 'Bash', hooks: [() => undefined, () => undefined] }],
        PostToolUse: [{ matcher: '*', hooks: [() => undefined] }],
      },
      registry,
    );
    expect(JSON.stringify(controlRequest('req_1_a3f2c9', { subtype: 'initialize', hooks }))).toBe(INITIALIZE);
  });

  it('the envelopes of all four are ours byte for byte', () => {
    expect(JSON.stringify(controlRequest('req_2_b7e4d1', asked(CALLBACK) as never))).toBe(CALLBACK);
    expect(JSON.stringify(controlSuccess('req_1_a3f2c9', inside(INITIALIZED)))).toBe(INITIALIZED);
    expect(JSON.stringify(controlSuccess('req_2_b7e4d1', inside(ANSWERED)))).toBe(ANSWERED);
    // The appendix has no error; the recorded client’s has the same envelope.
    const error = recording('throw').asked[0];
    expect(JSON.stringify(controlError(error?.id as string, 'BOOM'))).toBe(JSON.stringify(error?.reply));
  });

  it('our client begins with such a request, takes such a reply, and answers such a callback', async () => {
    const { host, reports } = testHost();
    const seen = tapped(host);
    host.register(anyHooks({ PreToolUse: [{ matcher: 'Bash', hooks: [() => inside(ANSWERED)] }] }));
    const { setUp, claude, client } = await connect(host, {}, inside(INITIALIZED));
    expect(Object.keys(setUp)).toEqual(Object.keys(parsed(INITIALIZE)));
    expect(Object.keys(asked(JSON.stringify(setUp)))).toEqual(Object.keys(asked(INITIALIZE)));
    expect(client.info).toMatchObject({ commands: [], capabilities: [] });

    await claude.order({ write: [`${CALLBACK}\n`] });
    await claude.hear(isReply('req_2_b7e4d1'));
    const [, line] = claude.heard;
    expect(line).toBe(
      '{"type":"control_response","response":{"subtype":"success","request_id":"req_2_b7e4d1","response":{"systemMessage":"Security policy blocked this command","hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"Dangerous rm -rf command blocked"}}}}',
    );
    expect(problems(seen)).toEqual([]);
    expect(reports).toEqual([]);
  });

  it('our server takes such a request and such an answer, and asks as the recorded client does', async () => {
    const { host } = testHost();
    const { sdk } = await serve(host, { info: { capabilities: ['ui_surface_v1'] } });
    await sdk.order({ write: [`${INITIALIZE}\n`] });
    const reply = await sdk.hear(isReply('req_1_a3f2c9'));
    expect(sdk.heard[0]?.startsWith(INITIALIZED.slice(0, INITIALIZED.indexOf('"commands"')))).toBe(true);
    expect(inside(JSON.stringify(reply))).toEqual({
      commands: [],
      agents: [],
      models: [],
      capabilities: ['ui_surface_v1'],
      hooks_applied: true,
      hook_on_failure_supported: true,
    });

    const input = { ...(asked(CALLBACK)['input'] as Json), tool_use_id: 'toolu_01ABC123' };
    const firing = fireAny(host, 'PreToolUse', input);
    // Both callbacks of the matcher are asked; one has no opinion.
    for (const _ of [0, 1]) {
      const ask = await sdk.hear(isType('control_request'));
      const { callback_id } = ask['request'] as Json;
      expect(sdk.heard).toContain(
        JSON.stringify({
          type: 'control_request',
          request_id: ask['request_id'],
          request: { subtype: 'hook_callback', callback_id, input, tool_use_id: 'toolu_01ABC123' },
        }),
      );
      const answer = callback_id === 'hook_0' ? inside(ANSWERED) : {};
      await sdk.say(controlSuccess(ask['request_id'] as string, answer));
    }
    expect(await firing).toMatchObject({
      verdict: 'deny',
      reason: 'Dangerous rm -rf command blocked',
      systemMessages: ['Security policy blocked this command'],
    });
    // The matcher of the other event, too.
    const post = fireAny(host, 'PostToolUse', { ...input, hook_event_name: 'PostToolUse', tool_response: 'gone' });
    const ask = await sdk.hear(isType('control_request'));
    expect((ask['request'] as Json)['callback_id']).toBe('hook_2');
    await sdk.say(controlSuccess(ask['request_id'] as string, {}));
    await post;
    await until(() => sdk.heard.length === 4);
  });

  it.each(DIFFERENCES)('%s, %s: %s', (_message, _what, _why, shown) => shown());
});
