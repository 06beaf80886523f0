import { setTimeout as sleep } from 'node:timers/promises';
import Anthropic from '@anthropic-ai/sdk';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type AgentTool, type AnthropicModelOptions, anthropicModel } from '../../src/adapters/anthropic.js';
import { agent, prompt } from '../../src/handlers/model/spec.js';
import { type HookServer, hookServer } from '../handlers/hook-server.js';
import { testHost, until } from '../host/kit.js';

type Block = Record<string, unknown>;
interface Scripted {
  readonly status?: number;
  readonly content?: readonly Block[];
  readonly stop?: string;
  readonly hang?: true;
}
interface Sent {
  readonly model: string;
  readonly max_tokens: number;
  readonly system: string;
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
  readonly output_config?: { readonly format: { readonly type: string; readonly schema: object } };
  readonly tools?: readonly { readonly name: string; readonly input_schema: object }[];
  readonly tool_choice?: Block;
}

let script: Scripted[] = [];
let server: HookServer;

/** A Messages endpoint that gives the scripted answers in order. */
beforeEach(async () => {
  server = await hookServer({
    '/v1/messages': (_request, response) => {
      const { status = 200, content = [], stop = 'end_turn', hang } = script.shift() ?? { status: 404 };
      if (hang) return;
      const usage = { input_tokens: 1, output_tokens: 1 };
      const body = { id: 'm', type: 'message', role: 'assistant', model: 'm', content, stop_reason: stop, usage };
      const error = { type: 'error', error: { type: 'invalid_request_error', message: 'scripted' } };
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(status === 200 ? body : error));
    },
  });
  process.env['ANTHROPIC_BASE_URL'] = server.url('');
  process.env['ANTHROPIC_API_KEY'] = 'key-of-the-test';
});

afterEach(async () => {
  delete process.env['ANTHROPIC_BASE_URL'];
  delete process.env['ANTHROPIC_API_KEY'];
  await server[Symbol.asyncDispose]();
});

const text = (said: string): Scripted => ({ content: [{ type: 'text', text: said }] });
const use = (name: string, input: object, id = 'u1'): Block => ({ type: 'tool_use', id, name, input });
const uses = (...content: Block[]): Scripted => ({ content, stop: 'tool_use' });
const sent = (): Sent[] => server.asked.map((a) => JSON.parse(a.body) as Sent);

/** One Stop with one hook. */
async function stop(
  hook: ReturnType<typeof prompt | typeof agent>,
  options: AnthropicModelOptions,
  ...replies: Scripted[]
) {
  script = replies;
  const { host } = testHost({ model: anthropicModel(options) });
  host.register({ Stop: [{ hooks: [hook] }] });
  const decision = await host.fire('Stop', { stop_hook_active: false });
  await host.close();
  return decision;
}

describe('a prompt hook with one of Anthropic’s models', () => {
  test('is one request for an answer in the schema, with key and address of the environment', async () => {
    const decision = await stop(prompt('Done? $ARGUMENTS'), {}, text('{"ok":false,"reason":"KEEP GOING"}'));
    expect(decision).toMatchObject({ continues: true, reason: 'KEEP GOING', failures: [] });
    expect(server.asked[0]?.headers.authorization).toBe('Bearer key-of-the-test');
    const [request] = sent();
    expect(request).toMatchObject({ model: 'claude-haiku-4-5', max_tokens: 4096 });
    expect(request?.messages).toEqual([{ role: 'user', content: expect.stringMatching(/^Done\? \{.*"Stop".*\}$/) }]);
    expect(request?.output_config?.format).toMatchObject({ type: 'json_schema', schema: { required: ['ok'] } });
    expect(request?.tools).toBeUndefined();
  });

  test('names the model of the hook, else the one of the options', async () => {
    await stop(prompt('a', { model: 'big' }), { model: 'small', maxTokens: 7 }, text('{"ok":true}'));
    await stop(prompt('a'), { model: 'small' }, text('{"ok":true}'));
    expect(sent().map((r) => [r.model, r.max_tokens])).toEqual([
      ['big', 7],
      ['small', 4096],
    ]);
  });

  test('takes a client of your own', async () => {
    const client = new Anthropic({ apiKey: 'mine', baseURL: server.url('') });
    delete process.env['ANTHROPIC_API_KEY'];
    await stop(prompt('a'), { client }, text('{"ok":true}'));
    expect(server.asked[0]?.headers.authorization).toBe('Bearer mine');
  });

  test.each([
    ['refuses the request', { status: 400 }, 'scripted'],
    ['cuts its answer off', { ...text('{"ok":'), stop: 'max_tokens' }, 'max_tokens'],
    ['refuses to answer', { stop: 'refusal' }, 'refusal'],
    ['has no room left', { ...text('{"ok":true}'), stop: 'model_context_window_exceeded' }, 'context_window'],
    ['pauses', { ...text('{"ok":true}'), stop: 'pause_turn' }, 'pause_turn'],
    ['ends in a way of which nothing is known', { ...text('{"ok":true}'), stop: 'new_reason' }, 'new_reason'],
  ])('fails where the model %s', async (_what, reply: Scripted, words) => {
    const { failures } = await stop(prompt('a'), {}, reply);
    expect(failures).toMatchObject([{ cause: 'threw', message: expect.stringContaining(words) }]);
  });

  test('ends its request with its time', async () => {
    const { failures } = await stop(prompt('a', { timeout: 0.3 }), {}, { hang: true });
    expect(failures).toMatchObject([{ cause: 'timeout' }]);
    await until(async () => (await server.connections()) === 0);
  });
});

describe('an agent hook with one of Anthropic’s models', () => {
  const calls: unknown[] = [];
  const look: AgentTool = {
    name: 'look',
    description: 'Looks.',
    inputSchema: { type: 'object', properties: { at: { type: 'string' } } },
    run(input, { projectDir }) {
      calls.push([input, projectDir]);
      if ((input as { at: string }).at === 'nothing') throw new Error('nothing there');
      return 'seen';
    },
  };

  test('without tools is to answer at once', async () => {
    const decision = await stop(agent('verify'), {}, uses(use('answer', { ok: false, reason: 'AGENT-NO' })));
    expect(decision).toMatchObject({ continues: true, reason: 'AGENT-NO', failures: [] });
    expect(sent()[0]).toMatchObject({ tool_choice: { type: 'tool', name: 'answer' }, tools: [{ name: 'answer' }] });
  });

  test('looks into it with the tools it is given, then answers', async () => {
    const first = uses(use('look', { at: 'x' }, 'u1'), use('look', { at: 'nothing' }, 'u2'), use('fly', {}, 'u3'));
    const decision = await stop(agent('verify'), { tools: [look] }, first, uses(use('answer', { ok: true })));
    expect(decision).toMatchObject({ continues: false, failures: [] });
    expect(calls).toEqual([
      [{ at: 'x' }, '/w'],
      [{ at: 'nothing' }, '/w'],
    ]);
    const [opening, second] = sent() as [Sent, Sent];
    expect(opening.tool_choice).toEqual({ type: 'any' });
    expect(second.messages.map((m) => m.role)).toEqual(['user', 'assistant', 'user']);
    expect(second.messages[1]?.content).toEqual(first.content);
    expect(second.messages[2]?.content).toEqual([
      { type: 'tool_result', tool_use_id: 'u1', content: 'seen' },
      { type: 'tool_result', tool_use_id: 'u2', is_error: true, content: 'nothing there' },
      { type: 'tool_result', tool_use_id: 'u3', is_error: true, content: 'There is no tool "fly".' },
    ]);
  });

  test('is to answer in its last turn, and fails where it does not', async () => {
    const more = uses(use('look', { at: 'x' }));
    const { failures } = await stop(agent('verify'), { tools: [look], maxTurns: 2 }, more, more);
    expect(failures).toMatchObject([{ cause: 'threw', message: expect.stringContaining('no answer in 2 turns') }]);
    expect(sent().map((r) => r.tool_choice?.['type'])).toEqual(['any', 'tool']);
  });

  test.each([
    [
      'gives two answers',
      uses(use('answer', { ok: true }), use('answer', { ok: false }, 'u2')),
      'more than one answer',
    ],
    ['answers in text', text('{"ok":true}'), 'did not call "answer"'],
    ['is cut off in its answer', { ...uses(use('answer', { ok: true })), stop: 'max_tokens' }, 'max_tokens'],
  ])('fails where the model %s', async (_what, reply: Scripted, words) => {
    const { failures } = await stop(agent('verify'), { tools: [look] }, reply);
    expect(failures).toMatchObject([{ cause: 'threw', message: expect.stringContaining(words) }]);
  });

  test('asks no more once its time is up, though the client does not obey the signal', async () => {
    let asked = 0;
    const create = async () => {
      asked += 1;
      await sleep(50);
      return { content: [use('look', { at: 'x' })], stop_reason: 'tool_use' };
    };
    const client = { messages: { create } } as unknown as NonNullable<AnthropicModelOptions['client']>;
    const { failures } = await stop(agent('verify', { timeout: 0.12 }), { client, tools: [look] });
    expect(failures).toMatchObject([{ cause: 'timeout' }]);
    const before = asked;
    await sleep(200);
    expect(asked).toBe(before);
  });

  test('fails where the answer is not in the schema', async () => {
    const { failures } = await stop(agent('verify'), {}, uses(use('answer', { fine: true })));
    expect(failures).toMatchObject([{ cause: 'bad_schema' }]);
  });
});
