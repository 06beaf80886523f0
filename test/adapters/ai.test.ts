import { setTimeout as sleep } from 'node:timers/promises';
import { generateText, stepCountIs, streamText, type ToolSet, tool } from 'ai';
import { MockLanguageModelV3 } from 'ai/test';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { agentTool, type DriveOptions, drive } from '../../src/adapters/ai.js';
import type { ToolResult } from '../../src/session/tool/call.js';
import { byScope, names, on, opened } from '../session/kit.js';
import { prompt, scripted } from './ai-kit.js';

const ran: unknown[] = [];
const city = z.object({ city: z.string() });
const weather = tool({
  inputSchema: city,
  execute: ({ city }) => {
    ran.push(city);
    if (city === 'nowhere') throw new Error('no such city');
    return { city, degrees: 21 };
  },
});

async function setup(options: Parameters<typeof opened>[0] = {}) {
  ran.length = 0;
  return opened(options);
}

const go = <T extends ToolSet>(
  session: Parameters<typeof drive>[0],
  model: MockLanguageModelV3,
  options: DriveOptions<T>,
) => drive(session, options, (round) => generateText({ model, ...round }));

describe.each(['generateText', 'streamText'] as const)('a turn of %s', (how) => {
  const turn = <T extends ToolSet>(
    session: Parameters<typeof drive>[0],
    model: MockLanguageModelV3,
    options: DriveOptions<T>,
  ) =>
    how === 'generateText'
      ? go(session, model, options)
      : drive(session, options, (round) => streamText({ model, ...round }));

  test('fires every event at its place', async () => {
    const { session, seen } = await setup();
    const model = scripted({ weather: { city: 'Rome' }, 'weather#2': { city: 'nowhere' } }, 'It is warm.');
    const { status, text, messages } = await turn(session, model, { prompt: 'Weather?', tools: { weather } });
    expect({ status, text }).toEqual({ status: 'done', text: 'It is warm.' });
    expect(messages.map((m) => m.role)).toEqual(['user', 'assistant', 'tool', 'assistant']);
    const [before, after] = [names(seen).slice(0, 2), names(seen).slice(-2)];
    expect(before).toEqual(['SessionStart', 'UserPromptSubmit']);
    expect(after).toEqual(['PostToolBatch', 'Stop']);
    expect(names(seen).slice(2, -2).sort()).toEqual(['PostToolUse', 'PostToolUseFailure', 'PreToolUse', 'PreToolUse']);
    const batch = seen.find((s) => s.event === 'PostToolBatch')?.input['tool_calls'] as { tool_use_id: string }[];
    expect(batch.map((c) => c.tool_use_id)).toEqual(['call-1', 'call-2']);
    expect(seen.at(-1)?.input['last_assistant_message']).toBe('It is warm.');
    expect(prompt(model, 1).outputs).toEqual([
      { type: 'json', value: { city: 'Rome', degrees: 21 } },
      { type: 'error-text', value: 'no such city' },
    ]);
  });

  test('a denied call does not run, and the model reads why', async () => {
    const { host, session } = await setup();
    on(host, 'PreToolUse', () => ({ decision: 'block', reason: 'not today' }));
    const model = scripted({ weather: { city: 'Rome' } }, 'Then not.');
    const { rounds } = await turn(session, model, { prompt: 'Weather?', tools: { weather } });
    expect(ran).toEqual([]);
    expect(prompt(model, 1).outputs).toEqual([
      { type: 'error-text', value: 'PreToolUse:weather hook error: not today' },
    ]);
    const [step] = await (rounds[0] as { steps: PromiseLike<{ content: { type: string; error?: Error }[] }[]> }).steps;
    const part = step?.content.find((p) => p.type === 'tool-error');
    expect(part?.error?.cause).toMatchObject({ status: 'denied', reason: 'not today' } satisfies Partial<ToolResult>);
  });

  test('the input a hook put in its place runs, and its words stand below the output', async () => {
    const { host, session } = await setup();
    on(host, 'PreToolUse', () => ({ hookSpecificOutput: { updatedInput: { city: 'Bari' } } }));
    on(host, 'PostToolUse', () => ({ hookSpecificOutput: { additionalContext: 'measured at noon' } }));
    const model = scripted({ weather: { city: 'Rome' } }, 'Warm.');
    await turn(session, model, { prompt: 'Weather?', tools: { weather } });
    expect(ran).toEqual(['Bari']);
    expect(prompt(model, 1).outputs).toEqual([
      {
        type: 'text',
        value: '{"city":"Bari","degrees":21}\n\nPostToolUse:weather hook additional context: measured at noon',
      },
    ]);
  });

  test('a Stop hook that goes on begins another round with its reason', async () => {
    const { host, session, seen } = await setup();
    on(host, 'Stop', (input: { stop_hook_active: boolean }) =>
      input.stop_hook_active ? undefined : { decision: 'block', reason: 'Say it in Celsius.' },
    );
    const model = scripted('70 degrees.', '21 degrees.');
    const { text, rounds } = await turn(session, model, { prompt: 'Weather?' });
    expect(text).toBe('21 degrees.');
    expect(rounds).toHaveLength(2);
    expect(prompt(model, 1).users).toEqual(['Weather?', 'Say it in Celsius.']);
    expect(names(seen).filter((n) => n === 'Stop')).toHaveLength(2);
  });

  test('a PostToolBatch hook ends the loop before the next model call', async () => {
    const { host, session, seen } = await setup();
    on(host, 'PostToolBatch', () => ({ continue: false, stopReason: 'enough' }));
    const model = scripted({ weather: { city: 'Rome' } }, 'never said');
    const { status, reason } = await turn(session, model, { prompt: 'Weather?', tools: { weather } });
    expect({ status, reason }).toEqual({ status: 'ended', reason: 'enough' });
    expect(model.doGenerateCalls.length + model.doStreamCalls.length).toBe(1);
    expect(names(seen)).not.toContain('Stop');
  });
});

describe('context', () => {
  test('goes below the system prompt of the step that comes next, once', async () => {
    const { host, session } = await setup();
    on(host, 'PostToolBatch', () => ({ hookSpecificOutput: { additionalContext: 'tests are red' } }));
    on(host, 'Notification', () => ({ hookSpecificOutput: { additionalContext: 'in src' } }));
    await session.notify({ message: 'm', notification_type: 'n' });
    const model = scripted({ weather: { city: 'Rome' } }, { weather: { city: 'Bari' } }, 'Done.');
    await go(session, model, {
      prompt: 'Weather?',
      system: 'Be brief.',
      tools: { weather },
      prepareStep: ({ stepNumber }) => (stepNumber === 2 ? { system: [{ role: 'system', content: 'Own.' }] } : {}),
    });
    const batch = 'PostToolBatch hook additional context: tests are red';
    expect(prompt(model, 0).system).toBe('Be brief.\n\nin src');
    expect(prompt(model, 1).system).toBe(`Be brief.\n\n${batch}`);
    const last = model.doGenerateCalls[2]?.prompt.filter((m) => m.role === 'system').map((m) => m.content);
    expect(last).toEqual(['Own.', batch]);
  });

  test('without a system prompt is one of the step that comes next alone', async () => {
    const { host, session } = await setup();
    let batches = 0;
    on(host, 'PostToolBatch', () =>
      batches++ === 0 ? { hookSpecificOutput: { additionalContext: 'tests are red' } } : undefined,
    );
    const model = scripted({ weather: { city: 'Rome' } }, { weather: { city: 'Bari' } }, 'Done.');
    await go(session, model, { prompt: 'Weather?', tools: { weather } });
    const systems = [0, 1, 2].map((call) => prompt(model, call).system);
    expect(systems).toEqual([undefined, 'PostToolBatch hook additional context: tests are red', undefined]);
  });

  test.each([{ system: 'Be brief.' }, {}])(
    'leaves system prompts of steps to be what the SDK makes of them: %j',
    async (given) => {
      const reply = { weather: { city: 'Rome' } };
      const prepareStep = ({ stepNumber }: { stepNumber: number }) => (stepNumber === 1 ? { system: 'Own.' } : {});
      const settings = { ...given, prompt: 'Weather?', tools: { weather }, prepareStep };
      const theirs = scripted(reply, reply, 'Done.');
      await generateText({ model: theirs, stopWhen: stepCountIs(9), ...settings });
      const { session } = await setup();
      const ours = scripted(reply, reply, 'Done.');
      await go(session, ours, settings);
      // In the place of drive's own.
      const { system, ...rest } = settings as typeof settings & { system?: string };
      const beside = scripted(reply, reply, 'Done.');
      await drive((await setup()).session, rest, (round) =>
        generateText({ model: beside, ...(system ? { system } : {}), ...round }),
      );
      const systems = (model: typeof ours) => [0, 1, 2].map((call) => prompt(model, call).system);
      expect(systems(ours)).toEqual(systems(theirs));
      expect(systems(beside)).toEqual(systems(theirs));
    },
  );

  test('of a prompt goes before it; a blocked prompt calls no model', async () => {
    const { host, session } = await setup();
    on(host, 'UserPromptSubmit', (input: { prompt: string }) =>
      input.prompt === 'bad'
        ? { decision: 'block', reason: 'no' }
        : { hookSpecificOutput: { additionalContext: 'facts' } },
    );
    const model = scripted('Hello.');
    expect(await go(session, model, { prompt: 'bad' })).toMatchObject({
      status: 'blocked',
      reason: 'no',
      messages: [],
    });
    expect(model.doGenerateCalls).toHaveLength(0);
    await go(session, model, { prompt: 'Hi' });
    expect(prompt(model, 0).users).toEqual(['facts\n\nHi']);
  });
});

describe('a tool', () => {
  const run = async (hook: object, tools: ToolSet, name = 'PostToolUse' as const) => {
    const { host, session } = await setup();
    on(host, name, () => hook);
    const model = scripted({ t: {} }, 'Done.');
    const { rounds, messages } = await go(session, model, { prompt: 'Go', tools });
    return { outputs: prompt(model, 1).outputs, steps: rounds[0]?.steps ?? [], messages };
  };
  const inputSchema = z.object({});

  test('whose output a hook hides shows it neither to the model nor to the transcript', async () => {
    const { outputs, messages, steps } = await run(
      { suppressOutput: true },
      { t: tool({ inputSchema, execute: () => 'the secret' }) },
    );
    expect(outputs[0]).toMatchObject({ type: 'text', value: expect.stringContaining('was hidden') as string });
    expect(JSON.stringify([messages, steps[0]?.toolResults])).not.toContain('the secret');
    expect(steps[0]?.toolResults[0]?.output).toContain('was hidden');
  });

  test('whose output a hook rewrites has that output, said in its own way', async () => {
    const t = tool({
      inputSchema,
      execute: () => ({ n: 1 }),
      toModelOutput: ({ output }) => ({ type: 'content', value: [{ type: 'text', text: `n is ${output.n}` }] }),
    });
    const { outputs, steps } = await run(
      { hookSpecificOutput: { updatedToolOutput: { n: 2 }, additionalContext: 'changed' } },
      { t },
    );
    expect(steps[0]?.toolResults[0]?.output).toEqual({ n: 2 });
    expect(outputs).toEqual([
      {
        type: 'content',
        value: [
          { type: 'text', text: 'n is 2' },
          { type: 'text', text: 'PostToolUse:t hook additional context: changed' },
        ],
      },
    ]);
  });

  test('that cannot say what a hook made of its output says so', async () => {
    const t = tool({
      inputSchema,
      execute: () => ({ list: [1] }),
      toModelOutput: ({ output }) => ({ type: 'text', value: output.list.join() }),
    });
    const { outputs } = await run({ hookSpecificOutput: { updatedToolOutput: { other: 1 } } }, { t });
    expect(outputs[0]).toMatchObject({
      type: 'error-text',
      value: expect.stringContaining('t ran, and could not') as string,
    });
  });

  test('that yields has its last value as its output', async () => {
    const t = tool({
      inputSchema,
      async *execute() {
        yield 'half';
        yield 'whole';
      },
    });
    expect((await run({}, { t })).outputs).toEqual([{ type: 'text', value: 'whole' }]);
  });

  test.each(['session', 'SDK'])('gets the abort of the %s', async (who) => {
    const { session, seen } = await setup();
    const caller = new AbortController();
    let aborted = false;
    const slow = tool({
      inputSchema,
      async execute(_, { abortSignal }) {
        abortSignal?.addEventListener('abort', () => {
          aborted = true;
        });
        setTimeout(() => (who === 'SDK' ? caller.abort() : session.interrupt()), 20);
        await sleep(5_000, undefined, { signal: abortSignal });
      },
    });
    const model = scripted({ slow: {} }, 'never');
    const turn = drive(session, { prompt: 'Go', tools: { slow } }, (round) =>
      generateText({ model, abortSignal: caller.signal, ...round }),
    );
    if (who === 'session') expect(await turn).toMatchObject({ status: 'ended' });
    else await expect(turn).rejects.toMatchObject({ name: 'AbortError' });
    expect(aborted).toBe(true);
    expect(names(seen)).not.toContain('Stop');
    expect(seen.find((s) => s.event === 'PostToolUseFailure')).toMatchObject({ input: { is_interrupt: true } });
  });

  test('that is done after its neighbours keeps its place in PostToolBatch', async () => {
    const { session, seen } = await setup();
    const wait = tool({ inputSchema: z.object({ ms: z.number() }), execute: ({ ms }) => sleep(ms, `${ms}`) });
    const model = scripted({ wait: { ms: 60 }, 'wait#2': { ms: 1 }, 'wait#3': { ms: 30 } }, 'Done.');
    await go(session, model, { prompt: 'Go', tools: { wait } });
    const batch = seen.find((s) => s.event === 'PostToolBatch')?.input['tool_calls'] as { tool_response: string }[];
    expect(batch.map((c) => c.tool_response)).toEqual(['60', '1', '30']);
  });

  test('without execute is left to its client: the turn is unfinished, and no Stop is fired', async () => {
    const { session, seen } = await setup();
    const model = scripted({ t: {} });
    const { status } = await go(session, model, { prompt: 'Go', tools: { t: tool({ inputSchema }) } });
    expect(status).toBe('unfinished');
    expect(names(seen)).toEqual(['SessionStart', 'UserPromptSubmit']);
  });

  test('is judged by the rules it comes with', async () => {
    const { session, seen } = await setup({ permission: () => ({ behavior: 'ask' }) });
    const how = { permission: () => ({ behavior: 'deny' as const, message: 'rules' }) };
    const model = scripted({ weather: { city: 'Rome' } }, 'ok');
    await go(session, model, { prompt: 'Go', tools: { weather }, toolHow: { weather: how } });
    expect(prompt(model, 1).outputs).toEqual([{ type: 'error-text', value: 'rules' }]);
    expect(names(seen)).toContain('PermissionDenied');
  });
});

test('a limit of steps ends the turn unfinished', async () => {
  const { session, seen } = await setup();
  const model = scripted({ weather: { city: 'Rome' } }, 'never');
  const { status } = await go(session, model, { prompt: 'Go', tools: { weather }, stopWhen: stepCountIs(1) });
  expect(status).toBe('unfinished');
  expect(names(seen).at(-1)).toBe('PostToolBatch');
});

test('an error of the model is a StopFailure, and thrown on', async () => {
  const { session, seen } = await setup();
  const model = new MockLanguageModelV3({
    doGenerate: () => Promise.reject(Object.assign(new Error('slow down'), { statusCode: 429 })),
  });
  await expect(go(session, model, { prompt: 'Go' })).rejects.toThrow('slow down');
  expect(seen.at(-1)).toMatchObject({
    event: 'StopFailure',
    input: { error: 'rate_limit', error_details: 'slow down' },
  });
});

test('an aborted model call is an interruption: neither Stop nor StopFailure', async () => {
  const { session, seen } = await setup();
  const model = new MockLanguageModelV3({
    doGenerate: () => Promise.reject(new DOMException('stop it', 'AbortError')),
  });
  await expect(go(session, model, { prompt: 'Go' })).rejects.toThrow('stop it');
  expect(names(seen)).toEqual(['SessionStart', 'UserPromptSubmit']);
  expect(await session.stop()).toMatchObject({ continues: false });
  expect(names(seen)).toHaveLength(2);
});

test('a subagent has a scope of its own: its hooks see its calls alone, and its context is its own', async () => {
  const { session, host, seen } = await setup();
  const own: unknown[] = [];
  on(host, 'SubagentStart', () => ({ hookSpecificOutput: { additionalContext: 'you are small' } }));
  on(host, 'SubagentStop', (input: { stop_hook_active: boolean }) =>
    input.stop_hook_active ? undefined : { decision: 'block', reason: 'look again' },
  );
  const inner = scripted({ weather: { city: 'Bari' } }, 'First look.', 'Second look.');
  const helper = agentTool(session, {
    agent_type: 'reader',
    description: 'Reads the sky.',
    hooks: { PreToolUse: [{ hooks: [(input) => void own.push(input.tool_input)] }] },
    run: async (child, task) => (await go(child, inner, { prompt: task, tools: { weather } })).text,
  });
  const outer = scripted({ helper: { prompt: 'Look up' }, weather: { city: 'Rome' } }, 'Done.');
  const { text } = await go(session, outer, { prompt: 'Go', tools: { helper, weather } });
  expect(text).toBe('Done.');
  expect(own).toEqual([{ city: 'Bari' }]);
  expect(prompt(inner, 0)).toMatchObject({ system: 'you are small', users: ['Look up'] });
  expect(prompt(inner, 2).users).toEqual(['Look up', 'look again']);
  expect(prompt(outer, 1).outputs[0]).toEqual({ type: 'text', value: 'Second look.' });
  const { main, ...agents } = byScope(seen);
  expect(Object.values(agents)).toEqual([
    ['SubagentStart', 'PreToolUse:weather', 'PostToolUse:weather', 'PostToolBatch', 'SubagentStop', 'SubagentStop'],
  ]);
  expect(main).not.toContain('SubagentStop');
  expect(main?.at(-1)).toBe('Stop');
});

test('a subagent whose run fails is closed all the same, and its parent reads why', async () => {
  const { session, seen } = await setup();
  const helper = agentTool(session, {
    agent_type: 'reader',
    description: 'Reads.',
    run: () => Promise.reject(new Error('it fell')),
  });
  const model = scripted({ helper: { prompt: 'Look up' } }, 'Done.');
  await go(session, model, { prompt: 'Go', tools: { helper } });
  expect(prompt(model, 1).outputs).toEqual([{ type: 'error-text', value: 'it fell' }]);
  expect(names(seen)).toEqual([
    'SessionStart',
    'UserPromptSubmit',
    'PreToolUse',
    'SubagentStart',
    'SubagentStop',
    'PostToolUseFailure',
    'PostToolBatch',
    'Stop',
  ]);
});
