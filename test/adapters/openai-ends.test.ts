import { Agent, setTracingDisabled, tool } from '@openai/agents';
import { assistantMessage, functionCall, ScriptedModel } from '@openai/agents/testing';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { agentTool, drive } from '../../src/adapters/openai-agents.js';
import type { Session } from '../../src/session/types.js';
import { names, on, opened } from '../session/kit.js';
import { ended, UNCARRIED, WITHHELD } from './edges.js';

setTracingDisabled(true);

const SAID = [assistantMessage('Done.')];
const call = (name: string, input: Record<string, unknown>) => functionCall(name, input, { callId: 'c' });
const toolOf = (execute: () => unknown, more: object = {}) =>
  tool({ name: 'read', description: 'Reads.', parameters: z.object({ path: z.string() }), execute, ...more });
const modelOf = () => new ScriptedModel([[call('read', { path: 'a' })], SAID]);
const agentOf = (model: ScriptedModel, read: ReturnType<typeof toolOf>) =>
  new Agent({ name: 'main', model, tools: [read] });
/** What the model reads of its call. */
const told = (model: ScriptedModel): unknown => {
  const input = model.calls[1]?.request.input as { type?: string; output?: { text?: string } }[];
  return input.find(({ type }) => type === 'function_call_result')?.output?.text;
};

describe("a tool's own limit of time", () => {
  const never = () => new Promise(() => undefined);
  const turn = async (
    read: ReturnType<typeof toolOf>,
    prepare: (host: Awaited<ReturnType<typeof opened>>['host']) => void = () => undefined,
  ) => {
    const all = await opened();
    prepare(all.host);
    const model = modelOf();
    const came = await drive(all.session, agentOf(model, read), 'Go').catch((error: Error) => error);
    return { ...all, came, model, events: names(all.seen).slice(2) };
  };
  const LATE = "Tool 'read' timed out after 10ms.";
  const FAILED = ['PreToolUse', 'PostToolUseFailure', 'PostToolBatch', 'Stop'];

  test('is a failure of the call, of which hooks hear what the model reads, and say what it reads', async () => {
    const { came, model, events, seen } = await turn(toolOf(never, { timeoutMs: 10 }));
    expect({ came, events }).toMatchObject({ came: { status: 'done', text: 'Done.' }, events: FAILED });
    const failure = seen.find(({ event }) => event === 'PostToolUseFailure');
    expect(failure?.input).toMatchObject({ error: LATE, is_interrupt: false });
    expect(told(model)).toBe(LATE);
    const own = await turn(toolOf(never, { timeoutMs: 10, timeoutErrorFunction: () => 'Too slow.' }), (host) =>
      on(host, 'PostToolUseFailure', ({ error }: { error: string }) => ({
        hookSpecificOutput: { updatedError: `${error} Try less.` },
      })),
    );
    expect(told(own.model)).toBe('Too slow. Try less.');
  });

  test('is that of the tool alone: hooks take their own time', async () => {
    const { came, model } = await turn(
      toolOf(() => 'text', { timeoutMs: 10 }),
      (host) => on(host, 'PostToolUse', () => new Promise((resolve) => setTimeout(resolve, 50))),
    );
    expect(came).toMatchObject({ status: 'done' });
    expect(told(model)).toBe('text');
  });

  test('ends the turn where the tool wants that, once the call has ended', async () => {
    const { came, events } = await turn(toolOf(never, { timeoutMs: 10, timeoutBehavior: 'raise_exception' }));
    expect(String(came)).toContain(LATE);
    expect(events).toEqual(['PreToolUse', 'PostToolUseFailure', 'StopFailure']);
  });
});

test.each(Object.entries(UNCARRIED))(
  'what JSON cannot carry is one line, and the loop goes on: %s',
  async (_, make) => {
    const { session, seen } = await opened();
    const model = modelOf();
    expect(await drive(session, agentOf(model, toolOf(make)), 'Go')).toMatchObject({ status: 'done', text: 'Done.' });
    expect(told(model)).toMatch(WITHHELD);
    expect(names(seen).slice(-2)).toEqual(['PostToolBatch', 'Stop']);
  },
);

test('more than the host allows is one line, with what hooks say below it', async () => {
  const { host, session } = await opened({}, { maxInputBytes: 10_000 });
  on(host, 'PostToolUse', () => ({ hookSpecificOutput: { additionalContext: 'Ask for less.' } }));
  const model = modelOf();
  await drive(
    session,
    agentOf(
      model,
      toolOf(() => 'x'.repeat(20_000)),
    ),
    'Go',
  );
  expect(told(model)).toMatch(WITHHELD);
  expect(told(model)).toContain('Ask for less.');
});

test('an input that cannot be judged ends the loop: the turn is no turn that is done, and no Stop is fired', async () => {
  const { session, seen } = await opened({}, { maxInputBytes: 1000 });
  const model = new ScriptedModel([[call('read', { path: 'x'.repeat(5000) })], SAID]);
  const came = await drive(
    session,
    agentOf(
      model,
      toolOf(() => 'text'),
    ),
    'Go',
  );
  expect(came).toMatchObject({ status: 'ended', text: '', reason: expect.stringContaining('room') as string });
  expect(names(seen)).not.toContain('Stop');
});

test.each([false, true])('the caller aborts while the model is called a second time; streams: %s', async (streams) => {
  const { host, session, seen } = await opened();
  on(host, 'Stop', () => ({ decision: 'block', reason: 'go on' }));
  const caller = new AbortController();
  on(host, 'PostToolBatch', () => void setImmediate(() => caller.abort(new Error('no more'))));
  const model = modelOf();
  const wait = () => new Promise((resolve) => setTimeout(resolve, 50));
  const { getResponse, getStreamedResponse } = model;
  model.getResponse = async (request) => {
    if (model.calls.length > 0) await wait();
    return await getResponse.call(model, request);
  };
  model.getStreamedResponse = async function* (request) {
    if (model.calls.length > 0) await wait();
    yield* getStreamedResponse.call(model, request);
  };
  const onStream = streams ? { onStream: () => undefined } : {};
  const came = drive(
    session,
    agentOf(
      model,
      toolOf(() => 'text'),
    ),
    'Go',
    { signal: caller.signal, ...onStream },
  );
  await expect(came).rejects.toThrow(/no more|aborted/);
  expect(names(seen).at(-1)).toBe('PostToolBatch');
});

test('the caller aborts a subagent: it has no SubagentStop, and its scope and its hooks are gone', async () => {
  const { host, session, seen } = await opened();
  const caller = new AbortController();
  let agent: Session | undefined;
  const read = toolOf(() => {
    setImmediate(() => caller.abort());
    return new Promise(() => undefined);
  });
  on(host, 'SubagentStart', ({ agent_id }: { agent_id: string }) => {
    agent = { id: agent_id } as Session;
  });
  const helper = new Agent({ name: 'helper', model: modelOf(), tools: [read] });
  const main = new Agent({
    name: 'main',
    model: new ScriptedModel([[call('helper', { input: 'x' })], SAID]),
    tools: [agentTool(helper, { toolDescription: 'Helps.', hooks: ended.hooks() })],
  });
  await expect(drive(session, main, 'Go', { signal: caller.signal })).rejects.toThrow('aborted');
  await ended.check({ host, session, seen, agent });
});
