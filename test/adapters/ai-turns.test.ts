import {
  generateText,
  jsonSchema,
  type ModelMessage,
  stepCountIs,
  streamText,
  ToolLoopAgent,
  type ToolSet,
  tool,
} from 'ai';
import type { MockLanguageModelV3 } from 'ai/test';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { type DriveOptions, drive } from '../../src/adapters/ai.js';
import { createHost, type Host } from '../../src/create-host.js';
import { command } from '../../src/index.js';
import { testHost } from '../host/kit.js';
import { names, on, opened } from '../session/kit.js';
import { prompt, scripted } from './ai-kit.js';

type Session = Parameters<typeof drive>[0];

const HOW = ['generateText', 'streamText'] as const;
const turnOf =
  (how: (typeof HOW)[number]) =>
  <T extends ToolSet>(session: Session, model: MockLanguageModelV3, options: DriveOptions<T>) =>
    how === 'generateText'
      ? drive(session, options, (round) => generateText({ model, ...round }))
      : drive(session, options, (round) => streamText({ model, ...round }));

const calls = (model: MockLanguageModelV3): number => model.doGenerateCalls.length + model.doStreamCalls.length;

describe.each(HOW)('a call that waits for approval, with %s', (how) => {
  const turn = turnOf(how);
  const setup = async () => {
    const ran: unknown[] = [];
    const inputSchema = z.object({ path: z.string() });
    const tools = {
      remove: tool({ inputSchema, needsApproval: true, execute: ({ path }) => void ran.push(`remove ${path}`) }),
      list: tool({ inputSchema, execute: ({ path }) => void ran.push(`list ${path}`) }),
    };
    return { ran, tools, ...(await opened()) };
  };
  /** The answers to all that was asked, in the order of the requests. */
  const answers = (messages: readonly ModelMessage[], ...approved: boolean[]): ModelMessage => ({
    role: 'tool',
    content: messages
      .flatMap((m) => (m.role === 'assistant' && typeof m.content !== 'string' ? m.content : []))
      .flatMap((part) => (part.type === 'tool-approval-request' ? [part.approvalId] : []))
      .map((approvalId, i) => ({ type: 'tool-approval-response', approvalId, approved: approved[i] ?? true })),
  });

  test('runs when the turn goes on, judged by hooks, without another prompt', async () => {
    const { session, seen, ran, tools } = await setup();
    const model = scripted({ remove: { path: 'a' }, 'remove#2': { path: 'b' } }, 'Done.');
    const first = await turn(session, model, { prompt: 'Clean up', tools });
    expect(first.status).toBe('unfinished');
    expect(ran).toEqual([]);
    expect(names(seen)).toEqual(['SessionStart', 'UserPromptSubmit']);
    const messages = [...first.messages, answers(first.messages, true, false)];
    const second = await turn(session, model, { messages, tools });
    expect(second).toMatchObject({ status: 'done', text: 'Done.' });
    expect(ran).toEqual(['remove a']);
    const refused = ['PreToolUse', 'PermissionRequest'];
    expect(names(seen).slice(2)).toEqual([...refused, 'PreToolUse', 'PostToolUse', 'PostToolBatch', 'Stop']);
    expect(prompt(model, 1).users).toEqual(['Clean up']);
    expect(second.messages.map((m) => m.role)).toEqual(['user', 'assistant', 'tool', 'tool', 'assistant']);
  });

  test('is denied by a hook although the user has let it run', async () => {
    const { host, session, ran, tools } = await setup();
    on(host, 'PreToolUse', () => ({ decision: 'block', reason: 'never' }));
    const model = scripted({ remove: { path: 'a' } }, 'Then not.');
    const first = await turn(session, model, { prompt: 'Clean up', tools });
    await turn(session, model, { messages: [...first.messages, answers(first.messages)], tools });
    expect(ran).toEqual([]);
    expect(prompt(model, 1).outputs).toEqual([{ type: 'error-text', value: 'PreToolUse:remove hook error: never' }]);
  });

  test('ends the loop before any model call, where a hook does', async () => {
    const { host, session, seen, tools } = await setup();
    on(host, 'PostToolBatch', () => ({ continue: false, stopReason: 'enough' }));
    const model = scripted({ remove: { path: 'a' } }, 'never said');
    const first = await turn(session, model, { prompt: 'Clean up', tools });
    const messages = [...first.messages, answers(first.messages)];
    const second = await turn(session, model, { messages, tools });
    expect(second).toMatchObject({ status: 'ended', reason: 'enough' });
    expect(calls(model)).toBe(1);
    expect(names(seen)).not.toContain('Stop');
    expect(second.messages.at(-1)).toMatchObject({ role: 'tool', content: [{ type: 'tool-result' }] });
  });

  test('leaves a call beside it that needs none to its own batch', async () => {
    const { session, seen, ran, tools } = await setup();
    const model = scripted({ remove: { path: 'a' }, list: { path: 'b' } }, 'Done.');
    const first = await turn(session, model, { prompt: 'Clean up', tools });
    expect(ran).toEqual(['list b']);
    expect(names(seen).slice(2)).toEqual(['PreToolUse', 'PostToolUse', 'PostToolBatch']);
    await turn(session, model, { messages: [...first.messages, answers(first.messages)], tools });
    const batches = seen.filter((s) => s.event === 'PostToolBatch').map((s) => s.input['tool_calls'] as unknown[]);
    expect(batches).toMatchObject([[{ tool_name: 'list' }], [{ tool_name: 'remove' }]]);
  });
});

describe('a loop without an end', () => {
  const endless = () => scripted(...Array.from({ length: 100 }, () => ({ t: {} })));
  const tools = { t: tool({ inputSchema: z.object({}), execute: () => 'more' }) };

  test.each(HOW)('has the limit of steps that the SDK gives its own agents, with %s', async (how) => {
    const theirs = endless();
    await new ToolLoopAgent({ model: theirs, tools }).generate({ prompt: 'Go' });
    const ours = endless();
    const { session, seen } = await opened();
    const { status } = await turnOf(how)(session, ours, { prompt: 'Go', tools });
    expect({ status, calls: calls(ours) }).toEqual({ status: 'unfinished', calls: calls(theirs) });
    expect(names(seen).at(-1)).toBe('PostToolBatch');
  });

  test.each([1, 3, 25])('ends after %i steps where the user says so', async (most) => {
    const model = endless();
    const { session } = await opened();
    await turnOf('generateText')(session, model, { prompt: 'Go', tools, stopWhen: stepCountIs(most) });
    expect(calls(model)).toBe(most);
  });
});

describe('an input that somebody rewrote', () => {
  const ran: unknown[] = [];
  const execute = (input: unknown) => void ran.push(input);
  const schemas = {
    zod: tool({ inputSchema: z.object({ city: z.string().min(2), days: z.number().default(3) }), execute }),
    json: tool({
      inputSchema: jsonSchema<{ city: string }>(
        { type: 'object' },
        {
          validate: (value) =>
            typeof (value as { city?: unknown }).city === 'string'
              ? { success: true, value: value as { city: string } }
              : { success: false, error: new Error('city: no string') },
        },
      ),
      execute,
    }),
  };
  const run = async (
    t: ToolSet[string],
    prepare: (host: Awaited<ReturnType<typeof opened>>['host']) => void,
    options: Parameters<typeof opened>[0] = {},
  ) => {
    ran.length = 0;
    const { host, session, seen } = await opened(options);
    prepare(host);
    const model = scripted({ t: { city: 'Rome' } }, 'Done.');
    await turnOf('generateText')(session, model, { prompt: 'Go', tools: { t } });
    return { output: prompt(model, 1).outputs[0], seen };
  };
  const said = (output: Awaited<ReturnType<typeof run>>['output']) =>
    output?.type === 'error-text' ? output.value : '';
  const WRONG = [{ city: 5 }, {}, { town: 'Rome' }, { city: null, days: 1 }];
  const cases = Object.entries(schemas).flatMap(([kind, t]) => WRONG.map((input) => ({ kind, t, input })));

  test.each(cases)('and the tool does not take does not run: $kind, $input', async ({ t, input }) => {
    const { output, seen } = await run(t, (host) => {
      host.register({
        PreToolUse: [{ name: 'tidy', hooks: [() => ({ hookSpecificOutput: { updatedInput: input } })] }],
      });
    });
    expect(ran).toEqual([]);
    expect(output).toMatchObject({
      type: 'error-text',
      value: expect.stringContaining('was rewritten by the hook "tidy", and t does not take it: ') as string,
    });
    expect(seen.find((s) => s.event === 'PostToolUseFailure')).toMatchObject({
      input: { tool_input: input, error: expect.stringContaining('the hook "tidy"') as string },
    });
  });

  test('names all that did, a PermissionRequest hook, the rules and the user too', async () => {
    const permission = () => ({ behavior: 'ask' as const });
    const rewriting = { decision: { behavior: 'allow' as const, updatedInput: { city: 1 } } };
    const hook = await run(
      schemas.zod,
      (host) => {
        host.register({ PermissionRequest: [{ name: 'asker', hooks: [() => ({ hookSpecificOutput: rewriting })] }] });
      },
      { permission },
    );
    expect(said(hook.output)).toContain('by the hook "asker", and');
    const user = await run(schemas.zod, () => undefined, {
      permission,
      ask: () => ({ behavior: 'allow', updatedInput: { city: 2 } }),
    });
    expect(said(user.output)).toContain('by ask(), and');
    const rules = await run(schemas.zod, () => undefined, {
      permission: (input) =>
        (input as { city: unknown }).city === 3
          ? { behavior: 'allow' }
          : { behavior: 'allow', updatedInput: { city: 3 } },
    });
    expect(said(rules.output)).toContain('by permission(), and');
    expect(ran).toEqual([]);
  });

  test('runs as the schema reads it', async () => {
    await run(schemas.zod, (host) =>
      on(host, 'PreToolUse', () => ({ hookSpecificOutput: { updatedInput: { city: 'Bari' } } })),
    );
    expect(ran).toEqual([{ city: 'Bari', days: 3 }]);
  });

  test('is not asked about where nobody rewrote it', async () => {
    await run(schemas.zod, () => undefined);
    expect(ran).toEqual([{ city: 'Rome', days: 3 }]);
  });
});

describe('what a tool yields', () => {
  const inputSchema = z.object({});
  const three = async function* () {
    yield 'one';
    await new Promise((resolve) => setImmediate(resolve));
    yield 'two';
    yield 'three';
  };
  const parts = async (
    tools: ToolSet,
    prepare: (host: Host) => void = () => undefined,
    host: Host = testHost().host,
    hear: (output: unknown) => void = () => undefined,
  ) => {
    prepare(host);
    const session = await host.openSession({ permission: () => ({ behavior: 'allow' }) });
    const model = scripted({ t: {} }, 'Done.');
    const shown: unknown[] = [];
    await drive(session, { prompt: 'Go', tools }, async (round) => {
      const result = streamText({ model, ...round });
      for await (const part of result.fullStream) {
        if (part.type === 'tool-result') shown.push([part.output, part.preliminary === true]);
        if (part.type === 'tool-result') hear(part.output);
        if (part.type === 'tool-error') shown.push('error');
      }
      return result;
    });
    return { shown, output: prompt(model, 1).outputs[0] };
  };
  /** What the SDK shows of it without us. */
  const theirs = async (tools: ToolSet) => {
    const result = streamText({ model: scripted({ t: {} }, 'Done.'), tools, stopWhen: stepCountIs(2), prompt: 'Go' });
    const shown: unknown[] = [];
    for await (const part of result.fullStream)
      if (part.type === 'tool-result') shown.push([part.output, part.preliminary === true]);
    return shown;
  };

  test.each([
    ['three values', three],
    ['a bound generator', three.bind(null)],
    [
      'objects',
      async function* () {
        yield { n: 1 };
        yield { n: 2 };
      },
    ],
    ['no generator', async () => 'whole'],
  ])('is shown as the SDK shows it: %s', async (_, execute) => {
    const tools = { t: tool({ inputSchema, execute: execute as () => AsyncIterable<string> }) };
    expect((await parts(tools)).shown).toEqual(await theirs(tools));
    expect((await parts(tools, (host) => on(host, 'PostToolUse', () => undefined))).shown).toEqual(await theirs(tools));
  });

  /** Runs a tool that yields `half`, and `whole` once somebody has seen `half`, or after a while. Answers whether it was seen in time. */
  const seesHalf = async (prepare: (host: Host) => void, more: readonly string[] = []) => {
    let seen = (): void => undefined;
    const shown = new Promise<boolean>((resolve) => {
      seen = () => resolve(true);
    });
    let inTime = false;
    const t = tool({
      inputSchema,
      async *execute() {
        yield 'half';
        yield* more;
        inTime = await Promise.race([shown, new Promise<boolean>((resolve) => setTimeout(resolve, 100, false))]);
        yield 'whole';
      },
    });
    await parts({ t }, prepare, testHost().host, (output) => output === 'half' && seen());
    return inTime;
  };

  test.each<[string, (host: Host) => void]>([
    ['without hooks', () => undefined],
    ['with a hook that observes', (host) => host.on('PostToolUse', () => undefined, { phase: 'observe' })],
    ['with a hook in the background', (host) => on(host, 'PostToolUse', { handler: () => undefined, async: true })],
    ['with a hook that is not enforced', (host) => host.on('PostToolUse', () => undefined, { enforce: false })],
    ['with a hook of another tool', (host) => host.on('PostToolUse', () => undefined, { matcher: 'other' })],
  ])('is shown before the tool is done, %s', async (_, prepare) => {
    expect(await seesHalf(prepare)).toBe(true);
  });

  test('is shown when the next value has come, where a hook may change the output', async () => {
    const judge = (host: Host): void => void host.on('PostToolUse', () => undefined, { matcher: 't' });
    expect(await seesHalf(judge)).toBe(false);
    expect(await seesHalf(judge, ['three quarters'])).toBe(true);
    expect(await seesHalf((host) => host.on('PostToolUse', () => undefined, { matcher: () => false }))).toBe(false);
  });

  test('last is not shown before hooks have changed it', async () => {
    const t = tool({ inputSchema, execute: three });
    const four = () => ({ hookSpecificOutput: { updatedToolOutput: 'four' } });
    const { shown } = await parts({ t }, (host) => on(host, 'PostToolUse', four));
    expect(shown).toEqual([
      ['one', true],
      ['two', true],
      ['four', true],
      ['four', false],
    ]);
    const hidden = await parts({ t }, (host) => on(host, 'PostToolUse', () => ({ suppressOutput: true })));
    expect(JSON.stringify(hidden.shown)).not.toContain('three');
    const failing = tool({
      inputSchema,
      async *execute() {
        yield 'one';
        yield 'two';
        throw new Error('broken');
      },
    });
    expect((await parts({ t: failing }, (host) => on(host, 'PostToolUse', four))).shown).toEqual([
      ['one', true],
      'error',
    ]);
  });

  const accumulator = async function* () {
    const all: unknown[] = [];
    for (const part of ['one', 'SECRET']) {
      all.push(part);
      yield all;
    }
    yield all;
  };
  test.each<[string, () => AsyncGenerator<unknown>, unknown[]]>([
    ['one object that grows', accumulator, [['one']]],
    [
      'the same text twice',
      async function* () {
        yield 'one';
        yield 'SECRET';
        yield 'SECRET';
      },
      ['one'],
    ],
    [
      'equal objects, and keys that JSON leaves out',
      async function* () {
        yield { at: new Date(0) };
        yield { a: 'SECRET', b: 1 };
        yield { b: 1, c: undefined, a: 'SECRET' };
      },
      [{ at: new Date(0) }],
    ],
    [
      'values that JSON cannot carry',
      async function* () {
        const circle: Record<string, unknown> = { text: 'SECRET' };
        circle['self'] = circle;
        yield circle;
        yield { ...circle };
        yield { text: 'SECRET', size: 1n };
      },
      [],
    ],
    [
      'an object with a function',
      async function* () {
        yield { part: 'one', again: () => undefined };
        yield { part: 'SECRET', again: () => undefined };
        yield { part: 'SECRET', again: () => undefined };
      },
      [{ part: 'one' }],
    ],
  ])('of a last value nothing is shown before hooks have changed it: %s', async (_, execute, before) => {
    const mask = () => ({ hookSpecificOutput: { updatedToolOutput: 'MASKED' } });
    const { shown } = await parts(
      { t: tool({ inputSchema, execute: execute as () => AsyncIterable<string> }) },
      (host) => on(host, 'PostToolUse', mask),
    );
    const last = [
      ['MASKED', true],
      ['MASKED', false],
    ];
    expect(shown).toEqual([...before.map((value) => [value, true]), ...last]);
  });

  test('is held for hooks that are registered for the agent in all sessions', async () => {
    const host = createHost({ logger: () => undefined });
    host.registerScoped('a1', {
      PostToolUse: [{ hooks: [() => ({ hookSpecificOutput: { updatedToolOutput: 'four' } })] }],
    });
    const session = await host.openSession({
      session_id: 's9',
      watch: false,
      permission: () => ({ behavior: 'allow' }),
    });
    const agent = await session.spawn({ id: 'a1', agent_type: 'w' });
    const shown: unknown[] = [];
    await drive(agent, { prompt: 'Go', tools: { t: tool({ inputSchema, execute: three }) } }, async (round) => {
      const result = streamText({ model: scripted({ t: {} }, 'Done.'), ...round });
      for await (const part of result.fullStream) if (part.type === 'tool-result') shown.push(part.output);
      return result;
    });
    expect(shown).toEqual(['one', 'two', 'four', 'four']);
    await host.close();
  });

  test('ends with what hooks made of it, and a tool that was denied yields nothing', async () => {
    const t = tool({ inputSchema, execute: three });
    const rewritten = await parts({ t }, (host) =>
      on(host, 'PostToolUse', () => ({ hookSpecificOutput: { updatedToolOutput: 'four' } })),
    );
    expect(rewritten.shown.at(-1)).toEqual(['four', false]);
    expect(rewritten.output).toEqual({ type: 'text', value: 'four' });
    const denied = await parts({ t }, (host) => on(host, 'PreToolUse', () => ({ decision: 'block', reason: 'no' })));
    expect(denied.shown).toEqual(['error']);
  });

  test('is none if its execute answers a thenable whose then rejects: the call fails with that', async () => {
    const then = (): Promise<never> => Promise.reject(new Error('broken'));
    const execute = () => Object.defineProperty({}, 'then', { value: then }) as Promise<never>;
    const t = tool({ inputSchema, execute: (): Promise<string> => execute() });
    expect((await parts({ t })).output).toEqual({ type: 'error-text', value: 'broken' });
    const unsayable = { ...tool({ inputSchema, execute: () => 'done' }), toModelOutput: execute };
    const { output } = await parts({ t: unsayable });
    expect(output).toEqual({ type: 'error-text', value: 't ran, and could not say its output: Error: broken' });
  });

  test('before it fails is shown, and then the error', async () => {
    const t = tool({
      inputSchema,
      async *execute() {
        yield 'half';
        throw new Error('broken');
      },
    });
    const { shown, output } = await parts({ t });
    expect(shown).toEqual([['half', true], 'error']);
    expect(output).toEqual({ type: 'error-text', value: 'broken' });
  });
});

describe('a prompt', () => {
  const image = { type: 'image' as const, image: new Uint8Array([137, 80, 78, 71]), mediaType: 'image/png' };
  const content = [{ type: 'text' as const, text: 'What is' }, image, { type: 'text' as const, text: 'this?' }];
  const earlier: ModelMessage[] = [
    { role: 'user', content: 'Hi' },
    { role: 'assistant', content: 'Hello.' },
  ];
  const go = async (options: DriveOptions<ToolSet>, context?: string) => {
    const { host, session, seen } = await opened();
    if (context) on(host, 'UserPromptSubmit', () => ({ hookSpecificOutput: { additionalContext: context } }));
    const model = scripted('A cat.');
    const turn = await turnOf('generateText')(session, model, options);
    const users = model.doGenerateCalls[0]?.prompt.filter((m) => m.role === 'user').map((m) => m.content) ?? [];
    const asked = seen.filter((s) => s.event === 'UserPromptSubmit').map((s) => s.input['prompt']);
    return { asked, users, turn };
  };

  test.each([
    ['a message', { prompt: { role: 'user' as const, content } }],
    ['messages', { prompt: [{ role: 'user' as const, content }] }],
    ['the last of the messages', { messages: [{ role: 'user' as const, content }] }],
    ['the last of the messages, after others', { messages: [...earlier, { role: 'user' as const, content }] }],
    ['a message after others', { messages: earlier, prompt: [{ role: 'user' as const, content }] }],
  ])('may be %s with an image: hooks read its words, the model gets all of it', async (_, options) => {
    const { asked, users } = await go(options, 'facts');
    expect(asked).toEqual(['What is\nthis?']);
    expect(users.at(-1)).toMatchObject([
      { text: 'facts' },
      { text: 'What is' },
      { type: 'file', mediaType: 'image/png' },
      { text: 'this?' },
    ]);
  });

  test('is asked about behind which a message of the system stands', async () => {
    const { session, seen } = await opened();
    const model = scripted('Hello.');
    const messages: ModelMessage[] = [
      { role: 'user', content: 'hello' },
      { role: 'system', content: 'Be kind.' },
    ];
    await drive(session, { messages }, (round) => generateText({ model, allowSystemInMessages: true, ...round }));
    expect(seen.filter((s) => s.event === 'UserPromptSubmit').map((s) => s.input['prompt'])).toEqual(['hello']);
    expect(model.doGenerateCalls[0]?.prompt.map((m) => m.role)).toEqual(['system', 'user']);
  });

  test('of several messages is one prompt', async () => {
    const { asked, users } = await go({
      messages: [...earlier, { role: 'user', content: 'A' }, { role: 'user', content: 'B' }],
    });
    expect(asked).toEqual(['A\nB']);
    expect(users.flat().map((part) => part.type === 'text' && part.text)).toEqual(['Hi', 'A', 'B']);
  });

  test('that a hook blocks is erased, and what was before it stays', async () => {
    const { host, session } = await opened();
    on(host, 'UserPromptSubmit', () => ({ decision: 'block', reason: 'no' }));
    const model = scripted('never');
    const turn = await turnOf('generateText')(session, model, { messages: [...earlier, { role: 'user', content }] });
    expect(turn).toMatchObject({ status: 'blocked', reason: 'no', messages: earlier });
    expect(calls(model)).toBe(0);
  });

  test.each([5, null, [1], { content: 'x' }, [{ role: 5 }]])('that is none is refused: %j', async (wrong) => {
    const { session } = await opened();
    await expect(go({ prompt: wrong as never })).rejects.toMatchObject({ code: 'INVALID_OPTIONS' });
    await session.close();
  });
});

describe('a tool that answers with bytes', () => {
  const bytes = Uint8Array.from([137, 80, 78, 71]);
  const inputSchema = z.object({});

  test('hands them to the program, and to the model in its own way', async () => {
    const t = tool({
      inputSchema,
      execute: () => bytes,
      toModelOutput: ({ output }) => ({
        type: 'content',
        value: [{ type: 'image-data', data: Buffer.from(output).toString('base64'), mediaType: 'image/png' }],
      }),
    });
    const { host, session, seen } = await opened();
    host.register({ PostToolUse: [{ hooks: [command('cat > /dev/null')] }] });
    const model = scripted({ t: {} }, 'Done.');
    const { rounds } = await drive(session, { prompt: 'Go', tools: { t } }, (round) =>
      generateText({ model, ...round }),
    );
    expect(rounds[0]?.steps[0]?.toolResults[0]?.output).toBe(bytes);
    expect(JSON.stringify(prompt(model, 1).outputs)).toContain(Buffer.from(bytes).toString('base64'));
    expect(names(seen)).toContain('PostToolBatch');
  });

  test('hands them to the model as the SDK does, where it says nothing of it', async () => {
    const { session } = await opened();
    const model = scripted({ t: {} }, 'Done.');
    const t = tool({ inputSchema, execute: () => bytes });
    await drive(session, { prompt: 'Go', tools: { t } }, (round) => generateText({ model, ...round }));
    const theirs = scripted({ t: {} }, 'Done.');
    await generateText({ model: theirs, tools: { t }, stopWhen: stepCountIs(2), prompt: 'Go' });
    // As it is sent.
    expect(JSON.stringify(prompt(model, 1).outputs)).toBe(JSON.stringify(prompt(theirs, 1).outputs));
  });
});

test.each(HOW)('the caller aborts while a hook judges: with %s the turn ends', async (how) => {
  const { host, session } = await opened();
  const caller = new AbortController();
  on(host, 'PreToolUse', () => {
    // Once nothing but this hook is under way: what is left of the stream could end the turn, too.
    setTimeout(() => caller.abort(), 50);
    return new Promise(() => undefined);
  });
  const ran: unknown[] = [];
  const read = tool({ inputSchema: z.object({}), execute: () => void ran.push('read') });
  const settings = { model: scripted({ read: {} }, 'never said'), abortSignal: caller.signal };
  const turn = drive(session, { prompt: 'Go', tools: { read } }, (round) =>
    how === 'generateText' ? generateText({ ...settings, ...round }) : (streamText({ ...settings, ...round }) as never),
  );
  await expect(turn).rejects.toThrow('aborted');
  expect(ran).toEqual([]);
});

test('two calls of one step with the same id are two calls: each runs its own input, or does not', async () => {
  const { host, session } = await opened();
  on(host, 'PreToolUse', (input: { tool_input: { path: string } }) =>
    input.tool_input.path === 'a' ? { decision: 'block', reason: 'not that' } : undefined,
  );
  const ran: string[] = [];
  const read = tool({ inputSchema: z.object({ path: z.string() }), execute: ({ path }) => void ran.push(path) });
  const model = scripted({ read: { path: 'a' }, 'read#2': { path: 'b' } }, 'Done.');
  const { doGenerate } = model;
  model.doGenerate = async (given) => {
    const reply = await doGenerate(given);
    return {
      ...reply,
      content: reply.content.map((part) => (part.type === 'tool-call' ? { ...part, toolCallId: 'call_0' } : part)),
    };
  };
  await drive(session, { prompt: 'Go', tools: { read } }, (round) => generateText({ model, ...round }));
  expect(ran).toEqual(['b']);
});
