import { Command, GraphInterrupt, interrupt, MemorySaver } from '@langchain/langgraph';
import { createAgent, tool } from 'langchain';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { type Deferral, Pauses, type Question } from '../../src/adapters/langchain/pause.js';
import { hooks } from '../../src/adapters/langchain.js';
import { byScope, names, on, opened } from '../session/kit.js';
import { prompt, type Reply, Scripted } from './langchain-kit.js';

const ASK = { hookSpecificOutput: { permissionDecision: 'ask', permissionDecisionReason: 'sure?' } };
const DEFER = { hookSpecificOutput: { permissionDecision: 'defer', permissionDecisionReason: 'later' } };
const rewrite = (path: string) => ({ hookSpecificOutput: { permissionDecision: 'ask', updatedInput: { path } } });

type Paused = { readonly id?: string; readonly value?: unknown };
const decide = (decision: object) => new Command({ resume: { decisions: [decision] } });
const approve = decide({ type: 'approve' });
/** Answers to more than one question, by what each is about. */
const answerAll = (paused: readonly Paused[], answer: (question: Question) => object) =>
  new Command({
    resume: Object.fromEntries(paused.map(({ id, value }) => [id, { decisions: [answer(value as Question)] }])),
  });

/** One process: a host, a session, an agent. What they share with another is the checkpointer and what the tools did. */
async function process({
  saver = new MemorySaver(),
  ran = [] as string[],
  script = [] as readonly Reply[],
  version = 'v2' as 'v1' | 'v2',
} = {}) {
  const { host, session, seen } = await opened();
  const remove = tool(
    async ({ path }) => {
      ran.push(`remove ${path}`);
      return `removed ${path}`;
    },
    { name: 'remove', description: 'Removes', schema: z.object({ path: z.string() }) },
  );
  const confirm = tool(
    async ({ path }) => {
      ran.push(`confirm ${path}`);
      return `the user says ${String(interrupt('Really?'))} to ${path}`;
    },
    { name: 'confirm', description: 'Asks', schema: z.object({ path: z.string() }) },
  );
  const model = new Scripted(...script);
  const tools = [remove, confirm];
  const agent = createAgent({ model, tools, version, checkpointer: saver, middleware: [hooks(session)] });
  const config = { configurable: { thread_id: 't' } };
  const go = async (input: Parameters<typeof agent.invoke>[0] | Command = { messages: 'Go' }) => {
    const state = await agent.invoke(input as never, config);
    const paused = ((state as { __interrupt__?: Paused[] }).__interrupt__ ?? []) as Paused[];
    return { ...state, paused };
  };
  return { host, session, seen, model, go, ran, saver };
}

describe('a call that a hook asks about', () => {
  const script = [{ remove: { path: 'a' } }, 'Done.'];

  test('pauses with the question of humanInTheLoopMiddleware, and runs once it is approved', async () => {
    const { host, seen, go, ran, model } = await process({ script });
    on(host, 'PreToolUse', () => ASK);
    const reasons: unknown[] = [];
    host.events$.subscribe((record) => record.type === 'tool_call' && void reasons.push(record.reason));
    const { paused, hooks: came } = await go();
    expect(came).toEqual({ status: 'unfinished' });
    expect(paused).toMatchObject([
      {
        value: {
          actionRequests: [{ name: 'remove', args: { path: 'a' }, description: 'sure?' }],
          reviewConfigs: [{ actionName: 'remove', allowedDecisions: ['approve', 'edit', 'reject'] }],
          call: { id: 'call-1', nth: 0 },
        },
      },
    ]);
    expect(ran).toEqual([]);
    // Of the first try, in a sentence and not as LangGraph's JSON.
    expect(reasons).toEqual(['remove waits for the user.']);
    const after = await go(approve);
    expect(ran).toEqual(['remove a']);
    expect(after.hooks).toEqual({ status: 'done' });
    expect(prompt(model, 1).outputs).toEqual([{ text: 'removed a', status: 'success' }]);
    expect(names(seen).slice(-3)).toEqual(['PostToolUse', 'PostToolBatch', 'Stop']);
  });

  test('runs what the user puts in its place, once hooks have judged that as well', async () => {
    const { host, go, ran, model } = await process({ script });
    on(host, 'PreToolUse', ({ tool_input }: { tool_input: { path: string } }) =>
      tool_input.path === 'secret' ? { decision: 'block', reason: 'not that' } : ASK,
    );
    await go();
    await go(decide({ type: 'edit', editedAction: { name: 'remove', args: { path: 'secret' } } }));
    expect(ran).toEqual([]);
    expect(prompt(model, 1).outputs).toMatchObject([{ text: 'PreToolUse:remove hook error: not that' }]);
    const other = await process({ script });
    on(other.host, 'PreToolUse', () => ASK);
    await other.go();
    await other.go(decide({ type: 'edit', editedAction: { name: 'remove', args: { path: 'b' } } }));
    expect(other.ran).toEqual(['remove b']);
  });

  test('is denied with the words of the user', async () => {
    const { host, go, ran, model } = await process({ script });
    on(host, 'PreToolUse', () => ASK);
    await go();
    await go(decide({ type: 'reject', message: 'keep it' }));
    expect(ran).toEqual([]);
    expect(prompt(model, 1).outputs).toEqual([{ text: 'keep it', status: 'error' }]);
  });

  test.each([
    true,
    'yes',
    {},
    { decisions: [] },
    { decisions: [{ type: 'sure' }] },
    { decisions: [{ type: 'approve' }, { type: 'reject' }] },
    { decisions: [{ type: 'approve' }, { type: 'approve' }] },
    { behavior: 'allow', decisions: [] },
    { decisions: [{ type: 'edit', editedAction: { name: 'confirm', args: {} } }] },
    { behavior: 'maybe' },
  ])('does not run where the answer is none: %j', async (resume) => {
    const { host, go, ran, model } = await process({ script });
    on(host, 'PreToolUse', () => ASK);
    await go();
    await go(new Command({ resume }));
    expect(ran).toEqual([]);
    expect(prompt(model, 1).outputs).toMatchObject([{ status: 'error' }]);
  });

  test.each([
    ['yes', 'got the text "yes"'],
    [true, 'got boolean'],
    [{ type: 'approve' }, 'got object'],
    [{ decisions: ['approve'] }, 'got object'],
  ])('does not run where it is resumed with %j, and the error says what to resume with', async (resume, got) => {
    const { host, go, ran, model } = await process({ script });
    on(host, 'PreToolUse', () => ASK);
    await go();
    await go(new Command({ resume }));
    expect(ran).toEqual([]);
    const [{ text = '' } = {}] = prompt(model, 1).outputs as { text?: string }[];
    expect(text).toContain('expected the decision approve, reject, or edit with the name remove');
    expect(text).toContain("new Command({ resume: { decisions: [{ type: 'approve' }] } })");
    expect(text).toContain(got);
  });

  test("is answered as the session's own ask answers, too", async () => {
    const { host, go, ran } = await process({ script });
    on(host, 'PreToolUse', () => ASK);
    await go();
    await go(new Command({ resume: { behavior: 'allow' } }));
    expect(ran).toEqual(['remove a']);
  });

  test('is denied without a checkpointer: there is nobody to ask', async () => {
    const { host, session } = await opened();
    on(host, 'PreToolUse', () => ASK);
    const model = new Scripted(...script);
    const ran: unknown[] = [];
    const remove = tool((input) => void ran.push(input), { name: 'remove', description: 'd', schema: z.any() });
    await createAgent({ model, tools: [remove], middleware: [hooks(session)] }).invoke({ messages: 'Go' });
    expect(ran).toEqual([]);
    expect(prompt(model, 1).outputs).toMatchObject([
      { text: expect.stringContaining('sure?') as string, status: 'error' },
    ]);
  });

  test("is answered by the session's own ask, where it has one", async () => {
    const { host, session } = await opened({ ask: () => ({ behavior: 'allow' }) });
    on(host, 'PreToolUse', () => ASK);
    const ran: unknown[] = [];
    const remove = tool((input) => void ran.push(input), { name: 'remove', description: 'd', schema: z.any() });
    const checkpointer = new MemorySaver();
    const agent = createAgent({
      model: new Scripted(...script),
      tools: [remove],
      checkpointer,
      middleware: [hooks(session)],
    });
    await agent.invoke({ messages: 'Go' }, { configurable: { thread_id: 't' } });
    expect(ran).toHaveLength(1);
  });
});

describe('an answer counts for its question alone', () => {
  const script = [{ remove: { path: 'a' } }, 'Done.'];

  test.each(['the same process', 'another process'])(
    'in %s: an input that is rewritten otherwise is asked about anew',
    async (where) => {
      const first = await process({ script });
      const inputs = ['b', 'c', 'c'];
      const hook = () => rewrite(inputs.shift() as string);
      on(first.host, 'PreToolUse', hook);
      await first.go();
      const { saver, ran } = first;
      const next = where === 'another process' ? await process({ saver, ran, script: ['Done.'] }) : first;
      if (next !== first) on(next.host, 'PreToolUse', hook);
      const second = await next.go(approve);
      expect(ran).toEqual([]);
      expect(second.paused).toMatchObject([{ value: { actionRequests: [{ args: { path: 'c' } }] } }]);
      await next.go(approve);
      expect(ran).toEqual(['remove c']);
    },
  );

  test.each(['the same process', 'another process'])(
    'in %s: what an input without its rewrite was not asked about does not run',
    async (where) => {
      const first = await process({ script });
      let calls = 0;
      on(first.host, 'PreToolUse', () => (++calls === 1 ? rewrite('harmless') : ASK));
      await first.go();
      const { saver, ran } = first;
      const next = where === 'another process' ? await process({ saver, ran }) : first;
      if (next !== first) on(next.host, 'PreToolUse', () => ASK);
      await next.go(approve);
      expect(ran).toEqual([]);
    },
  );

  test.each(['the same process', 'another process'])('in %s: what ends a deferral is no approval', async (where) => {
    const first = await process({ script });
    const said: object[] = [DEFER];
    const hook = () => said.shift() ?? ASK;
    on(first.host, 'PreToolUse', hook);
    const { paused } = await first.go();
    expect(paused.map(({ value }) => (value as Deferral).deferred)).toEqual([
      { name: 'remove', args: { path: 'a' }, reason: 'later' },
    ]);
    const { saver, ran } = first;
    const next = where === 'another process' ? await process({ saver, ran, script: ['Done.'] }) : first;
    if (next !== first) on(next.host, 'PreToolUse', hook);
    const second = await next.go(approve);
    expect(ran).toEqual([]);
    expect(second.paused).toHaveLength(1);
    await next.go(approve);
    expect(ran).toEqual(['remove a']);
  });

  test('of a tool of its own that pauses, after it was approved', async () => {
    const { host, go, ran, model } = await process({ script: [{ confirm: { path: 'a' } }, 'Done.'] });
    on(host, 'PreToolUse', () => ASK);
    await go();
    const { paused } = await go(approve);
    expect(paused).toMatchObject([{ value: 'Really?' }]);
    await go(new Command({ resume: 'yes' }));
    expect(ran).toEqual(['confirm a', 'confirm a']);
    expect(prompt(model, 1).outputs).toEqual([{ text: 'the user says yes to a', status: 'success' }]);
  });

  test.each(['v1', 'v2'] as const)('of two calls beside each other, with nodes of %s', async (version) => {
    const two = [{ remove: { path: 'a' }, 'remove#2': { path: 'b' } }, 'Done.'];
    const { host, go, ran, model } = await process({ script: two, version });
    // The second is asked about first.
    on(host, 'PreToolUse', async ({ tool_input }: { tool_input: { path: string } }) => {
      if (tool_input.path === 'a') await new Promise((resolve) => setTimeout(resolve, 10));
      return ASK;
    });
    let { paused } = await go();
    for (let round = 0; round < 6 && paused.length > 0; round++) {
      const answer = (question: Question) => ({
        type: (question.actionRequests[0].args as { path: string }).path === 'b' ? 'approve' : 'reject',
      });
      ({ paused } = await go(answerAll(paused, answer)));
    }
    expect(new Set(ran)).toEqual(new Set(['remove b']));
    expect(prompt(model, 1).outputs.map(({ status }) => status)).toEqual(['error', 'success']);
  });
});

describe('a call that a hook puts off', () => {
  const script = [{ remove: { path: 'a' } }, 'Done.'];

  test('is judged again each time it is resumed, until it may run', async () => {
    const { host, seen, go, ran } = await process({ script });
    const said: object[] = [DEFER, DEFER, DEFER];
    on(host, 'PreToolUse', () => said.shift());
    for (let round = 0; round < 3; round++) {
      const { paused } = await go(round === 0 ? undefined : new Command({ resume: true }));
      expect(paused).toHaveLength(1);
    }
    expect(ran).toEqual([]);
    await go(new Command({ resume: true }));
    expect(ran).toEqual(['remove a']);
    expect(names(seen).filter((name) => name === 'PreToolUse')).toHaveLength(4);
    expect(names(seen).slice(-2)).toEqual(['PostToolBatch', 'Stop']);
  });

  test('in another process is judged there, and may be denied', async () => {
    const first = await process({ script });
    on(first.host, 'PreToolUse', () => DEFER);
    await first.go();
    const next = await process({ saver: first.saver, ran: first.ran, script: ['Then not.'] });
    on(next.host, 'PreToolUse', () => ({ decision: 'block', reason: 'no' }));
    const { hooks: came } = await next.go(new Command({ resume: true }));
    expect(came).toEqual({ status: 'done' });
    expect(first.ran).toEqual([]);
    expect(prompt(next.model, 0).outputs).toMatchObject([{ text: 'PreToolUse:remove hook error: no' }]);
  });

  test('ends the loop where there is no checkpointer', async () => {
    const { host, session, seen } = await opened();
    on(host, 'PreToolUse', () => DEFER);
    const model = new Scripted(...script);
    const remove = tool(() => 'never', { name: 'remove', description: 'd', schema: z.any() });
    const { hooks: came } = await createAgent({ model, tools: [remove], middleware: [hooks(session)] }).invoke({
      messages: 'Go',
    });
    expect(came).toEqual({ status: 'ended', reason: 'later' });
    expect(model.got).toHaveLength(1);
    expect(names(seen)).not.toContain('Stop');
  });
});

describe('what runs beside a call that pauses', () => {
  const script = [{ confirm: { path: 'b' }, remove: { path: 'a' } }, 'Done.'];

  test('runs once, and hooks are not asked about it again', async () => {
    const { seen, go, ran } = await process({ script });
    await go();
    await go(new Command({ resume: 'yes' }));
    expect([...ran].sort()).toEqual(['confirm b', 'confirm b', 'remove a']);
    // The pause of the tool itself: its call is not judged a second time.
    expect(names(seen).filter((name) => name === 'PreToolUse')).toHaveLength(2);
    const batch = seen.find((one) => one.event === 'PostToolBatch')?.input['tool_calls'] as { tool_name: string }[];
    expect(batch.map((call) => call.tool_name)).toEqual(['confirm', 'remove']);
  });

  test('is judged again in another process, where nobody knows of the first time', async () => {
    const first = await process({ script });
    await first.go();
    const next = await process({ saver: first.saver, ran: first.ran, script: ['Done.'] });
    on(next.host, 'PreToolUse', () => ({ decision: 'block', reason: 'no longer' }));
    await next.go(new Command({ resume: 'yes' }));
    expect([...first.ran].sort()).toEqual(['confirm b', 'remove a']);
    expect(
      prompt(next.model, 0)
        .outputs.map(({ status }) => status)
        .sort(),
    ).toEqual(['error', 'success']);
  });
});

test('with nodes of v1, what ran beside a call that paused is judged and runs again', async () => {
  const script = [{ confirm: { path: 'b' }, remove: { path: 'a' } }, 'Done.'];
  const { seen, go, ran } = await process({ script, version: 'v1' });
  await go();
  await go(new Command({ resume: 'yes' }));
  expect(ran.filter((what) => what === 'remove a')).toHaveLength(2);
  expect(names(seen).filter((name) => name === 'PreToolUse')).toHaveLength(3);
  const batch = seen.find((one) => one.event === 'PostToolBatch')?.input['tool_calls'] as { tool_name: string }[];
  expect(batch.map((call) => call.tool_name)).toEqual(['confirm', 'remove']);
});

test.each(['the same process', 'another process'])(
  'a loop that a hook ended while a call waited, in %s',
  async (where) => {
    const script = [{ confirm: { path: 'b' }, remove: { path: 'a' } }, 'Done.'];
    const first = await process({ script });
    const end = (input: { tool_name: string }) =>
      input.tool_name === 'remove' ? { continue: false, stopReason: 'enough' } : undefined;
    on(first.host, 'PostToolUse', end);
    await first.go();
    const { saver, ran } = first;
    const next = where === 'another process' ? await process({ saver, ran, script: ['Done.'] }) : first;
    const { hooks: came } = await next.go(new Command({ resume: 'yes' }));
    expect(came).toEqual(where === 'another process' ? { status: 'done' } : { status: 'ended', reason: 'enough' });
  },
);

test('a message that is added while a run goes on is no prompt', async () => {
  const { host, seen, go } = await process({ script: [{ confirm: { path: 'b' } }, 'Done.'] });
  on(host, 'UserPromptSubmit', (input: { prompt: string }) =>
    input.prompt === 'Go' ? undefined : { decision: 'block' },
  );
  await go();
  await go(new Command({ resume: 'yes', update: { messages: [{ role: 'user', content: 'more' }] } }));
  expect(names(seen).filter((name) => name === 'UserPromptSubmit')).toHaveLength(1);
});

describe('a subagent that pauses', () => {
  const setup = async (saver: MemorySaver, ran: string[], scripts: readonly [Reply[], Reply[]]) => {
    const { host, session, seen } = await opened();
    on(host, 'PreToolUse', ({ tool_name }: { tool_name: string }) => (tool_name === 'remove' ? ASK : undefined));
    const remove = tool(({ path }) => void ran.push(path), {
      name: 'remove',
      description: 'd',
      schema: z.object({ path: z.string() }),
    });
    const cleaner = createAgent({
      model: new Scripted(...scripts[1]),
      tools: [remove],
      middleware: [hooks(session, { agent: { agent_type: 'cleaner' } })],
    });
    const clean = tool(async ({ task }) => (await cleaner.invoke({ messages: task })).messages.at(-1)?.text, {
      name: 'clean',
      description: 'd',
      schema: z.object({ task: z.string() }),
    });
    const model = new Scripted(...scripts[0]);
    const agent = createAgent({ model, tools: [clean], checkpointer: saver, middleware: [hooks(session)] });
    const config = { configurable: { thread_id: 't' } };
    return { seen, model, go: (input: unknown) => agent.invoke(input as never, config) };
  };
  const scripts: [Reply[], Reply[]] = [
    [{ clean: { task: 'Clean.' } }, 'All clean.'],
    [{ remove: { path: 'a' } }, 'Cleaned.'],
  ];

  test('goes on in its scope', async () => {
    const ran: string[] = [];
    const { seen, model, go } = await setup(new MemorySaver(), ran, scripts);
    const { __interrupt__ } = (await go({ messages: 'Go' })) as unknown as { __interrupt__: unknown[] };
    expect(__interrupt__).toHaveLength(1);
    await go(approve);
    expect(ran).toEqual(['a']);
    expect(prompt(model, 1).outputs).toEqual([{ text: 'Cleaned.', status: 'success' }]);
    const { main, ...agents } = byScope(seen);
    expect(Object.values(agents)).toEqual([
      [
        'SubagentStart',
        'PreToolUse:remove',
        'PermissionRequest:remove',
        'PostToolUseFailure:remove',
        'PreToolUse:remove',
        'PermissionRequest:remove',
        'PostToolUse:remove',
        'PostToolBatch',
        'SubagentStop',
      ],
    ]);
    expect(main?.slice(2)).toEqual([
      'PreToolUse:clean',
      'PostToolUseFailure:clean',
      'PostToolUse:clean',
      'PostToolBatch',
      'Stop',
    ]);
  });

  test('begins anew in another process, and runs what was approved', async () => {
    const [saver, ran] = [new MemorySaver(), [] as string[]];
    await (await setup(saver, ran, scripts)).go({ messages: 'Go' });
    const { seen, go } = await setup(saver, ran, [['All clean.'], ['Cleaned.']]);
    await go(approve);
    expect(ran).toEqual(['a']);
    const { main, ...agents } = byScope(seen);
    expect(Object.values(agents).map((events) => [events[0], events.at(-1)])).toEqual([
      ['SubagentStart', 'SubagentStop'],
    ]);
    expect(main?.at(-1)).toBe('Stop');
  });
});

describe("an error of LangGraph's function that", () => {
  const asked = async (error: unknown): Promise<unknown> => {
    const interrupt = () => {
      throw error;
    };
    const node = { configurable: { thread_id: 't', checkpoint_ns: 'tools:1' }, interrupt };
    return new Pauses().ask(node, { a: 1 }, { id: 'c', name: 'remove' } as never).catch((thrown: unknown) => thrown);
  };

  test('is no pause keeps its message', async () => {
    const errors = [new Error('Resume length mismatch: 2 !== 1'), Object.freeze(new TypeError('frozen'))];
    for (const error of errors) {
      const { message } = error;
      expect(await asked(error)).toBe(error);
      expect(error.message).toBe(message);
    }
    expect(await asked('a text')).toBe('a text');
  });

  test('is a pause says so, unless it is frozen', async () => {
    for (const error of [new GraphInterrupt([]), Object.freeze(new GraphInterrupt([]))]) {
      const { message } = error;
      expect(await asked(error)).toBe(error);
      expect(error.message).toBe(Object.isFrozen(error) ? message : 'remove waits for the user.');
    }
  });
});
