import { generateText, stepCountIs, streamText, ToolLoopAgent, type ToolSet, tool } from 'ai';
import { MockLanguageModelV3, simulateReadableStream } from 'ai/test';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { agentTool, drive, type RoundSettings } from '../../src/adapters/ai.js';
import type { Host } from '../../src/create-host.js';
import type { ToolCallRecord } from '../../src/emit/record.js';
import type { Session } from '../../src/session/types.js';
import { names, on, opened } from '../session/kit.js';
import { mistaken, prompt, scripted } from './ai-kit.js';
import { ended, UNCARRIED, WITHHELD } from './edges.js';

const HOW = ['generateText', 'streamText'] as const;
type How = (typeof HOW)[number];
const inputSchema = z.object({ path: z.string() });
const READ = { read: { path: 'a' } };
const answering = (answer: unknown) => ({ read: tool({ inputSchema, execute: () => answer }) });

type Settings = { model: MockLanguageModelV3; abortSignal?: AbortSignal };
const generating =
  <T extends ToolSet>(how: How, settings: Settings) =>
  (round: RoundSettings<T>) =>
    how === 'generateText'
      ? generateText({ ...settings, ...round })
      : (streamText({ ...settings, onError: () => undefined, ...round }) as never);
const turn = (session: Session, how: How, model: MockLanguageModelV3, tools: ToolSet) =>
  drive(session, { prompt: 'Go', tools }, generating(how, { model }));
const recordsOf = (host: Host): ToolCallRecord[] => {
  const records: ToolCallRecord[] = [];
  host.events$.subscribe((record) => {
    if (record.type === 'tool_call') records.push(record);
  });
  return records;
};

/** Its second answer never comes: the call ends as the caller wants it to. */
function waiting(begun: () => void): MockLanguageModelV3 {
  const model = scripted(READ);
  const { doGenerate, doStream } = model;
  const never = (signal: AbortSignal | undefined): Promise<never> => {
    setImmediate(begun);
    return new Promise((_, reject) => {
      signal?.addEventListener('abort', () => reject(signal.reason as Error));
    });
  };
  model.doGenerate = (given) => (model.doGenerateCalls.length > 0 ? never(given.abortSignal) : doGenerate(given));
  model.doStream = (given) => (model.doStreamCalls.length > 0 ? never(given.abortSignal) : doStream(given));
  return model;
}

describe.each(HOW)('the caller aborts, with %s', (how) => {
  const reasons = { 'a reason of its own': new Error('no more'), 'no reason': undefined };

  test.each(Object.entries(reasons))(
    'the second call of the model: with %s the turn rejects, and no Stop hook lets it go on',
    async (_, reason) => {
      const { host, session, seen } = await opened();
      on(host, 'Stop', () => ({ decision: 'block', reason: 'go on' }));
      const caller = new AbortController();
      const model = waiting(() => caller.abort(reason));
      const settings = { model, abortSignal: caller.signal };
      const came = drive(session, { prompt: 'Go', tools: answering('text') }, generating(how, settings));
      await expect(came).rejects.toThrow(reason?.message ?? 'aborted');
      expect(names(seen).slice(-3)).toEqual(['PreToolUse', 'PostToolUse', 'PostToolBatch']);
      expect(await session.stop()).not.toHaveProperty('decision');
    },
  );

  test('and the model answers all the same: the turn rejects, and no Stop is fired', async () => {
    const { session, seen } = await opened();
    const caller = new AbortController();
    const model = scripted('Done.');
    const { doGenerate, doStream } = model;
    const aborting = async <T>(answer: PromiseLike<T>): Promise<T> => {
      caller.abort();
      return await answer;
    };
    model.doGenerate = (given) => aborting(doGenerate(given));
    model.doStream = (given) => aborting(doStream(given));
    const came = drive(session, { prompt: 'Go' }, generating(how, { model, abortSignal: caller.signal }));
    await expect(came).rejects.toThrow('aborted');
    expect(names(seen).at(-1)).toBe('UserPromptSubmit');
  });

  test('between two steps: the turn rejects, and no Stop is fired', async () => {
    const { host, session, seen } = await opened();
    const caller = new AbortController();
    on(host, 'PostToolBatch', () => caller.abort());
    const settings = { model: scripted(READ, 'Done.'), abortSignal: caller.signal };
    const came = drive(session, { prompt: 'Go', tools: answering('text') }, generating(how, settings));
    await expect(came).rejects.toThrow('aborted');
    expect(names(seen).at(-1)).toBe('PostToolBatch');
  });

  test('a round that is over: what fires while Stop hooks are asked ends no later round', async () => {
    const { host, session } = await opened();
    let caller = new AbortController();
    let stops = 0;
    on(host, 'Stop', () => {
      caller.abort();
      return stops++ === 0 ? { decision: 'block', reason: 'go on' } : undefined;
    });
    const model = scripted('One.', 'Two.');
    const { status, text } = await drive(session, { prompt: 'Go' }, (round) => {
      caller = new AbortController();
      return generating(how, { model, abortSignal: caller.signal })(round);
    });
    expect({ status, text }).toEqual({ status: 'done', text: 'Two.' });
  });

  test('a subagent: it has no SubagentStop, and its scope and its hooks are gone', async () => {
    const { host, session, seen } = await opened();
    const caller = new AbortController();
    let agent: Session | undefined;
    const helper = agentTool(session, {
      agent_type: 'helper',
      description: 'Helps.',
      hooks: ended.hooks(),
      run: async (child) => {
        agent = child;
        await new Promise(() => setImmediate(() => caller.abort()));
        return '';
      },
    });
    const settings = { model: scripted({ helper: { prompt: 'Help.' } }, 'Done.'), abortSignal: caller.signal };
    await expect(drive(session, { prompt: 'Go', tools: { helper } }, generating(how, settings))).rejects.toThrow(
      'aborted',
    );
    await ended.check({ host, session, seen, agent });
  });
});

describe.each([...HOW, 'an agent'] as const)('the model says nothing after a result, with %s', (how) => {
  const driven = (session: Session, model: MockLanguageModelV3, tools: ToolSet) =>
    drive(session, { prompt: 'Go', tools }, ({ messages, ...round }) =>
      how === 'an agent'
        ? (new ToolLoopAgent({ model, ...round }).generate({ messages }) as never)
        : generating(how, { model })({ messages, ...round }),
    );

  test('the turn is done, and Stop hooks are asked, whose reason begins another round', async () => {
    const { host, session, seen } = await opened();
    let stops = 0;
    on(host, 'Stop', () => (stops++ === 0 ? { decision: 'block', reason: 'say it' } : undefined));
    const came = await driven(session, scripted(READ, {}, 'Done.'), answering('text'));
    expect(came).toMatchObject({ status: 'done', text: 'Done.' });
    expect(names(seen).slice(2)).toEqual(['PreToolUse', 'PostToolUse', 'PostToolBatch', 'Stop', 'Stop']);
  });
});

describe.each(HOW)('a tool that a round has under a second name, with %s', (how) => {
  const renamed = (session: Session, model: MockLanguageModelV3, more: (read: ToolSet[string]) => ToolSet) =>
    drive(session, { prompt: 'Go', tools: answering('text') }, (round) =>
      generating(how, { model })({ ...round, tools: more(round.tools.read) } as never),
    );

  test('is one that hooks have seen, also where both have the same id', async () => {
    const { session, seen } = await opened();
    const model = scripted({ lies: { path: 'a' } }, { 'lies@one': { path: 'a' }, 'read@one': { path: 'b' } }, 'Done.');
    const came = await renamed(session, model, (read) => ({
      read: read as ToolSet[string],
      lies: read as ToolSet[string],
    }));
    expect(came).toMatchObject({ status: 'done', text: 'Done.' });
    expect(names(seen).filter((name) => name === 'PreToolUse')).toHaveLength(3);
  });

  test('is no way for another tool, whose call has the same id as one that was seen', async () => {
    const { session } = await opened();
    const model = scripted({ 'lies@one': { path: 'a' }, 'read@one': { path: 'b' } }, 'Done.');
    const lies = tool({ inputSchema, execute: () => 'unseen' });
    const came = renamed(session, model, (read) => ({ read: read as ToolSet[string], lies }));
    await expect(came).rejects.toThrow('lies ran, and no hook has seen it');
  });
});

describe.each([...HOW, 'an agent'] as const)('a model that says of calls that it has stopped, with %s', (how) => {
  const driven = (session: Session, model: MockLanguageModelV3, tools: ToolSet, more: object = {}) =>
    drive(session, { prompt: 'Go', tools, ...more }, ({ messages, ...round }) =>
      how === 'an agent'
        ? (new ToolLoopAgent({ model, ...round }).generate({ messages }) as never)
        : generating(how, { model })({ messages, ...round }),
    );
  const execute = () => 'read';

  test.each<[string, tools: object, more: object]>([
    ['an approval', { read: tool({ inputSchema, execute, needsApproval: true }) }, {}],
    ['a tool that runs elsewhere', { read: tool({ inputSchema }) }, {}],
    ['one of them, the other has run', { read: tool({ inputSchema }), other: tool({ inputSchema, execute }) }, {}],
    ['a limit of steps', { read: tool({ inputSchema, execute }) }, { stopWhen: stepCountIs(1) }],
  ])('is not done where it waits for %s, and no Stop hook is asked', async (_, tools, more) => {
    const { host, session, seen } = await opened();
    on(host, 'Stop', () => ({ decision: 'block', reason: 'go on' }));
    const both = 'other' in tools ? { other: { path: 'b' }, ...READ } : READ;
    const { status } = await driven(session, mistaken(both, 'Done.'), tools as ToolSet, more);
    expect(status).toBe('unfinished');
    expect(names(seen)).not.toContain('Stop');
  });

  test('waits for the approval that a hook asks for, and goes on with its answer', async () => {
    const { host, session, seen } = await opened();
    on(host, 'PreToolUse', () => ({ hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'ask' } }));
    const tools = answering('read');
    const first = await driven(session, mistaken(READ), tools);
    expect(first.status).toBe('unfinished');
    const content = first.messages.flatMap((message) => (message.role === 'assistant' ? [message.content].flat() : []));
    const asked = (content as { type: string; approvalId: string }[]).find(
      ({ type }) => type === 'tool-approval-request',
    );
    const said = {
      role: 'tool',
      content: [{ type: 'tool-approval-response', approvalId: asked?.approvalId, approved: true }],
    };
    const more = { prompt: undefined, messages: [...first.messages, said] };
    const { status } = await driven(session, mistaken('Done.'), tools, more);
    expect([status, names(seen).filter((name) => name === 'Stop')]).toEqual(['done', ['Stop']]);
  });
});

test('a stream that was aborted by a signal that nobody has handed over ends the turn, without Stop', async () => {
  const { session, seen } = await opened();
  const fullStream = (async function* () {
    yield { type: 'abort', reason: 'enough' };
  })();
  const aborted = { fullStream, text: '', finishReason: 'stop', response: { messages: [] } };
  await expect(drive(session, { prompt: 'Go' }, () => aborted)).rejects.toMatchObject({ name: 'AbortError' });
  expect(names(seen).at(-1)).toBe('UserPromptSubmit');
});

describe.each(HOW)('what JSON cannot carry, with %s', (how) => {
  test.each(Object.entries(UNCARRIED))(
    'as the answer of a tool is one line, and the loop goes on: %s',
    async (_, make) => {
      const { host, session, seen } = await opened();
      const records = recordsOf(host);
      const model = scripted(READ, 'Done.');
      const came = await turn(session, how, model, { read: tool({ inputSchema, execute: () => make() }) });
      expect(came).toMatchObject({ status: 'done', text: 'Done.' });
      expect(prompt(model, 1).outputs).toEqual([{ type: 'text', value: expect.stringMatching(WITHHELD) as string }]);
      const batch = seen.find(({ event }) => event === 'PostToolBatch');
      expect(batch?.input['tool_calls']).toMatchObject([{ tool_response: expect.stringMatching(WITHHELD) as string }]);
      expect(records).toMatchObject([{ status: 'ran', ran: true }]);
    },
  );

  test('is more than the host allows, too', async () => {
    const { session } = await opened({}, { maxInputBytes: 10_000 });
    const model = scripted(READ, 'Done.');
    await turn(session, how, model, answering({ text: 'x'.repeat(20_000) }));
    expect(prompt(model, 1).outputs).toEqual([{ type: 'text', value: expect.stringMatching(WITHHELD) as string }]);
  });

  test('is no matter where the tool makes a text of it; what it makes is looked at', async () => {
    const { session } = await opened();
    const model = scripted(READ, { 'read#2': { path: 'b' } }, 'Done.');
    const read = tool({
      inputSchema,
      execute: ({ path }) => ({ path, count: 3n }),
      toModelOutput: ({ output: { path, count } }) =>
        path === 'a' ? { type: 'text', value: `${count} rows` } : { type: 'json', value: { count } as never },
    });
    expect(await turn(session, how, model, { read })).toMatchObject({ status: 'done' });
    expect(prompt(model, 2).outputs).toEqual([
      { type: 'text', value: '3 rows' },
      { type: 'text', value: expect.stringMatching(WITHHELD) as string },
    ]);
  });

  test('as the input of a call ends the loop: the turn is no turn that is done, and no Stop is fired', async () => {
    const { session, seen } = await opened({}, { maxInputBytes: 1000 });
    const model = scripted({ read: { path: 'x'.repeat(5000) } }, 'never said');
    const came = await turn(session, how, model, answering('text'));
    expect(came).toMatchObject({ status: 'ended', text: '', reason: expect.stringContaining('room') as string });
    expect(names(seen)).not.toContain('Stop');
  });
});

const CALL = { type: 'tool-call', toolCallId: 'c', toolName: 'read', input: '{"path":"a"}' } as const;
const streaming = (chunks: readonly unknown[]) =>
  new MockLanguageModelV3({
    doStream: async () => ({
      stream: simulateReadableStream({ chunks: chunks as never[], initialDelayInMs: null, chunkDelayInMs: null }),
    }),
  });

test('a model that fails after it has called a tool is a StopFailure once the call has ended, which does not run later', async () => {
  const { host, session, seen } = await opened();
  const records = recordsOf(host);
  let ran = false;
  const read = tool({ inputSchema, execute: () => (ran = true) });
  const model = streaming([CALL, { type: 'error', error: new Error('the stream broke') }]);
  await expect(turn(session, 'streamText', model, { read })).rejects.toThrow('the stream broke');
  expect(names(seen).slice(2)).toEqual(['PreToolUse', 'PostToolUseFailure', 'StopFailure']);
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect({ ran, records }).toMatchObject({ ran: false, records: [{ status: 'failed', ran: false }] });
});

test('a call whose stream breaks off before its tool is started has not run', async () => {
  const { host, session } = await opened();
  const records = recordsOf(host);
  let ran = false;
  const read = tool({ inputSchema, execute: () => (ran = true) });
  await turn(session, 'streamText', streaming([CALL]), { read });
  expect({ ran, records }).toMatchObject({ ran: false, records: [{ status: 'failed', ran: false }] });
});

test.each(HOW)("a tool's own limit of time ends the call, and not the turn: %s", async (how) => {
  const { session, seen } = await opened();
  const model = scripted(READ, 'Done.');
  const read = tool({ inputSchema, execute: () => new Promise<string>(() => undefined) });
  const settings = { model, abortSignal: new AbortController().signal };
  // As the SDK does it from version 7 on.
  const came = await drive(session, { prompt: 'Go', tools: { read } }, (round) => {
    const { execute } = round.tools.read;
    const timed = (input: { path: string }, options: Parameters<NonNullable<typeof execute>>[1]) =>
      execute?.(input, { ...options, abortSignal: AbortSignal.timeout(10) });
    const tools = { read: { ...round.tools.read, execute: timed } };
    return generating(how, settings)({ ...round, tools } as never);
  });
  expect(came).toMatchObject({ status: 'done', text: 'Done.' });
  expect(names(seen).slice(2)).toEqual(['PreToolUse', 'PostToolUseFailure', 'PostToolBatch', 'Stop']);
  expect(seen.find(({ event }) => event === 'PostToolUseFailure')?.input).toMatchObject({ is_interrupt: false });
  expect(prompt(model, 1).outputs[0]).toMatchObject({
    type: 'error-text',
    value: expect.stringContaining('timeout') as string,
  });
});

describe.each(HOW)('a step of two calls whose second one is judged longer, with %s', (how) => {
  const deny = { behavior: 'deny', interrupt: true } as const;
  const ends = {
    'session.interrupt()': ({ session }: Ends) => session.interrupt(),
    'session.close()': ({ session }: Ends) => session.close(),
    "the session's signal": ({ ofSession }: Ends) => ofSession.abort(),
    "the caller's signal": ({ ofCaller }: Ends) => ofCaller.abort(),
    'a denial with interrupt': () => undefined,
  };
  interface Ends {
    readonly session: Session;
    readonly ofSession: AbortController;
    readonly ofCaller: AbortController;
  }

  test.each(Object.entries(ends))('that %s ends: neither runs', async (name, end) => {
    const [ofSession, ofCaller] = [new AbortController(), new AbortController()];
    const { host, session } = await opened({ signal: ofSession.signal, ask: () => deny });
    const records = recordsOf(host);
    on(host, 'PreToolUse', async (input: { tool_use_id: string }) => {
      if (input.tool_use_id !== 'second') return undefined;
      await new Promise((resolve) => setTimeout(resolve, 20));
      void end({ session, ofSession, ofCaller });
      const permissionDecision = name === 'a denial with interrupt' ? 'ask' : 'allow';
      return { hookSpecificOutput: { permissionDecision } };
    });
    const ran: string[] = [];
    const read = tool({ inputSchema, execute: ({ path }) => ran.push(path) });
    const model = scripted({ 'read@first': { path: 'a' }, 'read@second': { path: 'b' } }, 'Done.');
    const settings = { model, abortSignal: ofCaller.signal };
    await drive(session, { prompt: 'Go', tools: { read } }, generating(how, settings)).catch(() => undefined);
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect(ran).toEqual([]);
    expect(records.map((record) => record.ran)).toEqual([false, false]);
    expect(records.find((record) => record.tool_use_id === 'first')?.status).toBe('interrupted');
  });
});
