import { describe, expect, test } from 'vitest';
import type { HookEvent } from '../../src/events/catalogue.js';
import type { HookModel, ModelRequest, ModelVerdict } from '../../src/handlers/model/model.js';
import { agent, type PromptHookOptions, prompt } from '../../src/handlers/model/spec.js';
import { fireAny, fires, only, registerAs, testHost, watch } from '../host/kit.js';

const INPUTS: Record<string, Record<string, unknown>> = {
  PreToolUse: { tool_name: 'Bash', tool_input: { command: 'ls' }, tool_use_id: 't1' },
  PostToolUse: { tool_name: 'Bash', tool_input: {}, tool_response: {}, tool_use_id: 't1' },
  PostToolUseFailure: { tool_name: 'Bash', tool_input: {}, tool_use_id: 't1', error: 'x' },
  PostToolBatch: { tool_calls: [] },
  PermissionRequest: { tool_name: 'Bash', tool_input: {} },
  PermissionDenied: { tool_name: 'Bash', tool_input: {}, tool_use_id: 't1', reason: 'x' },
  UserPromptSubmit: { prompt: 'go' },
  UserPromptExpansion: { expansion_type: 'slash_command', command_name: 'c', command_args: '', prompt: '/c' },
  Stop: { stop_hook_active: false },
  SubagentStop: { stop_hook_active: false, agent_id: 'a', agent_type: 'helper', agent_transcript_path: '/t' },
  TaskCreated: { task_id: '1', task_subject: 'x' },
  TaskCompleted: { task_id: '1', task_subject: 'x' },
  TeammateIdle: { teammate_name: 'a', team_name: 'b' },
};

interface Ask {
  readonly event?: HookEvent;
  readonly text?: string;
  readonly options?: PromptHookOptions;
  readonly make?: typeof prompt | typeof agent;
}

/** One fire with one hook that asks a model. */
async function ask(
  model: HookModel | undefined,
  { event = 'PreToolUse', text = 'ok?', options, make = prompt }: Ask = {},
) {
  const { host } = testHost(model ? { model } : {});
  const seen = watch(host);
  host.register({ [event]: [{ hooks: [make(text, { timeout: 5, ...options })] }] });
  const decision = await fireAny(host, event, INPUTS[event] as Record<string, unknown>);
  const { pending } = await host.close();
  const { handlers } = only(fires(seen));
  return { decision, handler: only(handlers), causes: decision.failures.map((f) => f.cause), pending };
}

const no =
  (more: Partial<ModelVerdict> = {}) =>
  (): ModelVerdict => ({ ok: false, reason: 'NO', ...more });

describe('a "no" of a prompt or agent hook', () => {
  test.each([
    'PreToolUse',
    'PostToolUse',
    'PostToolBatch',
    'UserPromptSubmit',
    'UserPromptExpansion',
    'TeammateIdle',
    'TaskCompleted',
  ] as const)('on %s denies or blocks, and ends the turn unless it is told to continue', async (event) => {
    const { decision } = await ask(no(), { event });
    expect(decision).toMatchObject({ reason: 'NO', continue: false, stopReason: 'NO', failures: [] });
    expect(decision.verdict === 'deny' || decision.blocked).toBe(true);
    const going = await ask(no(), { event, options: { continueOnBlock: true } });
    expect(going.decision).toMatchObject({ reason: 'NO', continue: true });
    expect(going.decision.verdict === 'deny' || going.decision.blocked).toBe(true);
  });

  test.each([prompt('ok?'), agent('ok?')])(
    "on UserPromptSubmit, from Claude Code's files, ends the turn and keeps the prompt: $type",
    async (hook) => {
      for (const continueOnBlock of [false, true]) {
        const { host } = testHost({ model: no() });
        const hooks = { UserPromptSubmit: [{ hooks: [{ ...hook, ...(continueOnBlock && { continueOnBlock }) }] }] };
        registerAs(host, hooks, { dialect: 'claude' });
        const decision = await host.fire('UserPromptSubmit', { prompt: 'go' });
        expect(decision).toMatchObject(
          continueOnBlock
            ? { blocked: true, continue: true, reason: 'NO' }
            : { blocked: false, continue: false, stopReason: 'NO' },
        );
        const session = await host.openSession();
        const { blocked, endsLoop, prompt: kept } = await session.prompt('hello');
        expect([blocked, endsLoop, kept]).toEqual(continueOnBlock ? [true, true, ''] : [false, true, 'hello']);
        await host.close();
      }
    },
  );

  test.each(['PostToolUseFailure', 'TaskCreated'] as const)(
    'on %s blocks, where nothing ends the turn',
    async (event) => {
      expect((await ask(no(), { event })).decision).toMatchObject({ blocked: true, continue: true });
    },
  );

  test.each(['Stop', 'SubagentStop'] as const)('on %s keeps the loop going, unless it is impossible', async (event) => {
    for (const make of [prompt, agent]) {
      expect((await ask(no(), { event, make })).decision).toMatchObject({ continues: true, reason: 'NO' });
      const impossible = await ask(no({ impossible: true }), { event, make });
      expect(impossible.decision).toMatchObject({ continues: false, failures: [] });
    }
  });

  test('is no less a "no" elsewhere where it says impossible', async () => {
    expect((await ask(no({ impossible: true }))).decision.verdict).toBe('deny');
  });

  test.each(['PermissionRequest', 'PermissionDenied'] as const)('on %s does nothing', async (event) => {
    const { decision } = await ask(no(), { event });
    expect(decision).toMatchObject({ continue: true, failures: [], additionalContext: [] });
    expect(decision.verdict ?? 'none').toBe('none');
    expect(decision.interrupt).toBeUndefined();
  });

  test('without a reason has one all the same', async () => {
    for (const reason of [undefined, '', ' '])
      expect((await ask(() => ({ ok: false, ...(reason !== undefined && { reason }) }))).decision.reason).toContain(
        'not met',
      );
  });
});

describe('what the model is asked', () => {
  test('is the text with the input for every $ARGUMENTS, or behind it', async () => {
    const requests: ModelRequest[] = [];
    const model: HookModel = (request) => {
      requests.push(request);
      return { ok: true };
    };
    const options = { model: 'fast' };
    const { decision } = await ask(model, { text: 'a $ARGUMENTS b $ARGUMENTS', make: agent, options });
    expect(decision).toMatchObject({ verdict: 'none', continue: true, failures: [] });
    await ask(model, { text: 'plain' });
    const [first, second] = requests as [ModelRequest, ModelRequest];
    const [, one, two] = /^a (\{.*\}) b (\{.*\})$/.exec(first.prompt) ?? [];
    expect(one).toBe(two);
    expect(JSON.parse(one as string)).toMatchObject({ ...INPUTS['PreToolUse'], hook_event_name: 'PreToolUse' });
    expect(first).toMatchObject({
      kind: 'agent',
      model: 'fast',
      event: 'PreToolUse',
      toolUseID: 't1',
      projectDir: '/w',
    });
    expect(first.schema).toMatchObject({ required: ['ok'], additionalProperties: false });
    expect(second.prompt).toMatch(/^plain\n\n\{.*\}$/);
    expect(second.kind).toBe('prompt');
    expect('model' in second).toBe(false);
  });

  test('holds an input that it cannot change', async () => {
    const { decision } = await ask(({ input }) => {
      (input['tool_input'] as { command: string }).command = 'rm';
      return { ok: true };
    });
    expect(decision.failures[0]?.message).toContain('read-only');
  });

  test('keeps dollar signs of the input as they are', async () => {
    const { host } = testHost({
      model: ({ prompt: text }) => {
        expect(text).toContain("$& $' $$");
        return { ok: true };
      },
    });
    host.register({ UserPromptSubmit: [{ hooks: [prompt('$ARGUMENTS')] }] });
    expect((await host.fire('UserPromptSubmit', { prompt: "$& $' $$" })).failures).toEqual([]);
  });
});

describe('an answer of the model', () => {
  test.each([
    '{"ok": false, "reason": "NO"}',
    ' ```json\n{"ok": false, "reason": "NO", "impossible": null}\n```\n',
    '```\n{"ok":false,"reason":"NO"}```',
  ])('may be text: %j', async (text) => {
    const { decision, handler } = await ask(async () => text);
    expect(decision).toMatchObject({ verdict: 'deny', reason: 'NO' });
    expect(handler).toMatchObject({ handler: 'prompt', status: 'ran', name: 'ok?' });
  });

  test.each([
    ['text without an object', 'no way', 'bad_json', 'no way'],
    ['two objects', '{"ok":true} {"ok":false}', 'bad_json', '{"ok":true}'],
    ['cut off', '{"ok": tr', 'bad_json', '{"ok": tr'],
    ['text that quotes one', 'It says {"ok": true}, so I cannot judge this.', 'bad_json', 'It says'],
    ['text that ends with one', 'I must not answer {"ok": true}', 'bad_json', 'I must not'],
    ['text before a fence', 'It says\n```json\n{"ok": true}\n```', 'bad_json', 'It says'],
    ['text after a fence', '```json\n{"ok": true}\n```\nis what it says', 'bad_json', 'is what it says'],
    ['two fences', '```\n{"ok": true}\n```\n```\n{"ok": false}\n```', 'bad_json', '"ok": false'],
    ['an object in a list', '[{"ok": true}]', 'bad_json', '[{"ok": true}]'],
    ['nothing', undefined, 'bad_json', 'undefined'],
    ['without ok', '{"decision":"approve"}', 'bad_schema', 'ok: expected true or false, got undefined'],
    ['with an ok that is none', { ok: 'yes' }, 'bad_schema', 'got "yes"'],
    ['with a reason that is none', { ok: true, reason: 5 }, 'bad_schema', 'reason: expected a string, got 5'],
    ['with an impossible that is none', { ok: true, impossible: 'no' }, 'bad_schema', 'impossible: expected true'],
    ['a list', [true], 'bad_schema', 'expected an object, got [true]'],
  ])('%s is a failure', async (_what, answer, cause, words) => {
    const { decision, causes } = await ask(() => answer as string);
    expect(causes).toEqual([cause]);
    expect(decision.failures[0]?.message).toContain(words);
    expect(decision).toMatchObject({ verdict: 'none', continue: true });
    expect((await ask(() => answer as string, { options: { onFailure: 'block' } })).decision.verdict).toBe('deny');
  });

  test.each([
    ['whose toJSON gives a promise', () => ({ toJSON: () => Promise.reject(new Error('unheard')) })],
    ['with such a thing in it', () => ({ ok: { toJSON: () => Promise.reject(new Error('unheard')) } })],
    ['that is a list of it', () => [{ toJSON: () => Promise.reject(new Error('unheard')) }]],
  ])('an answer %s is a failure, and no rejection that nobody hears', async (_, answer) => {
    const unheard: unknown[] = [];
    const listen = (error: unknown): void => void unheard.push(error);
    process.on('unhandledRejection', listen);
    try {
      const { causes } = await ask(() => answer() as never);
      expect(causes).toEqual(['bad_schema']);
      await new Promise((resolve) => setTimeout(resolve, 20));
    } finally {
      process.off('unhandledRejection', listen);
    }
    expect(unheard).toEqual([]);
  });

  test('that does not come is a failure by name', async () => {
    const threw = await ask(() => Promise.reject(new Error('overloaded')));
    expect(threw.causes).toEqual(['threw']);
    expect(threw.decision.failures[0]?.message).toContain('overloaded');
    const late = await ask(() => new Promise(() => {}), { options: { timeout: 0.1 } });
    expect(late.causes).toEqual(['timeout']);
    // Whoever does not mind the signal is not waited for either.
    expect(late.pending).toEqual([]);
    const none = await ask(undefined);
    expect(none.causes).toEqual(['spawn_failed']);
    expect(none.decision.failures[0]?.message).toContain('createHost({ model })');
  });

  test('is not waited for once the hook was ended, and its signal says so', async () => {
    let aborted: unknown;
    const model: HookModel = ({ signal }) =>
      new Promise((_, reject) => {
        signal.addEventListener('abort', () => {
          aborted = signal.reason;
          reject(signal.reason);
        });
      });
    expect((await ask(model, { options: { timeout: 0.1 } })).causes).toEqual(['timeout']);
    expect(aborted).toBeInstanceOf(DOMException);
  });
});

test('prompt() and agent() refuse what is wrong', () => {
  expect(() => prompt('')).toThrow('prompt(): prompt: expected a string that is not empty');
  expect(() => agent(' ')).toThrow('agent(): prompt: expected a string that is not empty');
  expect(() => agent('a', { continueOnBlock: 'yes' } as never)).toThrow(
    'agent(): continueOnBlock: expected true or false',
  );
  expect(() => prompt('a', { async: true } as never)).toThrow('prompt(): async: is not a known option');
  const { host } = testHost();
  expect(() => host.register({ SessionStart: [{ hooks: [prompt('a')] }] })).toThrow(
    'SessionStart does not take "prompt" hooks',
  );
  const json = (hook: object) => () => host.register({ Stop: [{ hooks: [hook as never] }] });
  expect(json({ type: 'prompt' })).toThrow('Stop[0].hooks[0]: prompt(): prompt: expected a string');
  expect(json({ type: 'prompt', message: 'a' })).toThrow('Stop[0].hooks[0]: prompt(): message: is not a known option');
  expect(json({ type: 'promt', prompt: 'a' })).toThrow('Did you mean "prompt"?');
});

test('a long text is shortened to a name', async () => {
  const { handler } = await ask(() => ({ ok: true }), { text: `a\n  b ${'c'.repeat(200)}` });
  expect(handler.name).toHaveLength(80);
  expect(handler.name).toMatch(/^a b c+…$/);
});

test.each([
  [{ ok: true, reson: 'x' }, 'unknown key "reson" in the model\'s answer; did you mean "reason"?'],
  ['{"ok":true,"confidence":1}', 'unknown key "confidence" in the model\'s answer'],
])('an unknown key in the answer %j is a warning', async (answer, warning) => {
  const { handler, causes } = await ask(() => answer as ModelVerdict);
  expect(causes).toEqual([]);
  expect(handler).toMatchObject({ status: 'ran', warnings: [warning] });
});

describe('a "no" whose answer is wrong in another key', () => {
  const WRONG: readonly object[] = [
    { reason: 5 },
    { reason: ['a'] },
    { impossible: 'x' },
    { reason: 5, impossible: 'x' },
  ];

  test.each(WRONG)('counts on a gate, and is a failure too: %j', async (more) => {
    for (const form of [(value: object) => value, JSON.stringify]) {
      const { decision, causes } = await ask(() => form({ ok: false, ...more }) as ModelVerdict);
      expect([decision.verdict, decision.continue, causes]).toEqual(['deny', false, ['bad_schema']]);
    }
  });

  test('does not count where the answer is a yes, or nothing is decided', async () => {
    const yes = await ask(() => ({ ok: true, reason: 5 }) as never);
    expect([yes.decision.verdict, yes.causes]).toEqual(['none', ['bad_schema']]);
    const stop = await ask(() => ({ ok: false, reason: 5 }) as never, { event: 'Stop' });
    expect([stop.decision.blocked, stop.causes]).toEqual([undefined, ['bad_schema']]);
  });
});
