import { describe, expect, test } from 'vitest';
import type { SessionOptions } from '../../src/session/options.js';
import type { ToolCall } from '../../src/session/tool/call.js';
import type { Session } from '../../src/session/types.js';
import { names, type Opened, on, opened } from './kit.js';

/** As LangGraph's `interrupt()` throws. */
class Pause {
  readonly question = 'Which one?';
}

const passThrough = (error: unknown): boolean => error instanceof Pause;

/** A tool that pauses as often as it is told to, and then answers. */
function pausing(times: number, more: Partial<ToolCall> = {}): { call: ToolCall; runs: unknown[] } {
  const runs: unknown[] = [];
  const execute = (input: unknown): string => {
    runs.push(input);
    if (runs.length <= times) throw new Pause();
    return 'done';
  };
  return { call: { id: 'toolu_1', name: 'Ask', input: { a: 1, b: 2 }, execute, ...more }, runs };
}

const start = (options: SessionOptions = {}): Promise<Opened> => opened({ passThrough, ...options });
const caught = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );

describe('a paused call', () => {
  const OTHER = { id: 'toolu_1', name: 'Other', input: {}, execute: () => 'x' };
  /** How often hooks judge a call of an agent that pauses once, with other calls meanwhile. */
  async function judged(meanwhile: (agent: Session, all: Opened) => Promise<unknown>): Promise<number> {
    const all = await opened();
    const agent = await all.session.spawn({ agent_type: 'worker' });
    const { call } = pausing(1, { passThrough });
    let asked = 0;
    on(all.host, 'PreToolUse', (input: { tool_name: string }) => void (input.tool_name === 'Ask' && asked++));
    expect(await caught(agent.tool(call))).toBeInstanceOf(Pause);
    await meanwhile(agent, all);
    expect(await agent.tool(call)).toMatchObject({ status: 'ran' });
    await all.host.close();
    return asked;
  }

  test.each<[string, Partial<ToolCall>]>([
    ['that control flow may leave', { passThrough }],
    ['that it cannot leave', {}],
    ['that is invalid', { invalid: 'no JSON' }],
    ['that is invalid, and that it may leave', { invalid: 'no JSON', passThrough }],
  ])('is judged again where another call of its agent has used its id, one %s', async (_, more) => {
    expect(await judged((agent) => agent.tool({ ...OTHER, ...more }))).toBe(2);
  });

  const cyclic: Record<string, unknown> = {};
  cyclic['a'] = cyclic;
  test.each<[string, (agent: Session) => Promise<unknown>]>([
    ['whose input cannot be carried', (agent) => agent.tool({ ...OTHER, input: cyclic, passThrough })],
    ['with an unknown option', (agent) => agent.tool({ ...OTHER, colour: 1 } as ToolCall)],
    [
      'beside one whose input cannot be carried',
      (agent) => agent.toolBatch([OTHER, { ...OTHER, id: 'toolu_9', input: cyclic }]),
    ],
  ])('is judged again where a call %s has used its id, and was refused', async (_, refused) => {
    expect(await judged((agent) => caught(refused(agent)))).toBe(2);
  });

  test('is not judged again because of other ids, or of that id in another agent or session', async () => {
    const meanwhile = async (agent: Session, { host, session }: Opened): Promise<void> => {
      await agent.tool({ ...OTHER, id: 'toolu_2' });
      for (const other of [session, await session.spawn({ agent_type: 'worker' }), await host.openSession()])
        await other.tool({ ...OTHER, passThrough });
    };
    expect(await judged(meanwhile)).toBe(1);
  });
});

describe("a framework's control flow", () => {
  test.each<[string, SessionOptions, Partial<ToolCall>]>([
    ['a tool', {}, { execute: () => Promise.reject(new Pause()) }],
    ['ask()', { permission: undefined, permission_mode: 'default', ask: () => Promise.reject(new Pause()) }, {}],
    [
      'permission()',
      {
        permission: () => {
          throw new Pause();
        },
      },
      {},
    ],
    ['classify()', { permission: undefined, permission_mode: 'auto', classify: () => Promise.reject(new Pause()) }, {}],
  ])('that %s throws is thrown on as it is, after the hooks were told', async (_, options, more) => {
    const { host, session, seen, reports } = await start(options);
    const error = await caught(session.tool(pausing(0, more).call));
    expect(error).toBeInstanceOf(Pause);
    expect(error).toHaveProperty('question', 'Which one?');
    expect(seen.at(-1)).toMatchObject({
      event: 'PostToolUseFailure',
      input: { is_interrupt: true, tool_use_id: 'toolu_1' },
    });
    expect(names(seen)).not.toContain('PostToolUse');
    expect(reports).toEqual([]);
    await host.close();
  });

  test('also in a batch, when the other calls are over', async () => {
    const { host, session } = await start();
    let ran = 0;
    const other: ToolCall = { id: 'toolu_2', name: 'Read', input: {}, effect: 'read', execute: () => ++ran };
    const batch = session.toolBatch([pausing(1, { concurrent: true }).call, other]);
    expect(await caught(batch)).toBeInstanceOf(Pause);
    expect(ran).toBe(1);
    await host.close();
  });

  test('what is no control flow fails as ever, and a passThrough that throws says no', async () => {
    const { host, session } = await start();
    const failed = await session.tool(pausing(0, { execute: () => Promise.reject(new Error('no disk')) }).call);
    expect(failed).toMatchObject({ status: 'failed', reason: 'no disk' });
    const broken = await opened({
      passThrough: () => {
        throw new Error('bad test');
      },
    });
    expect(await broken.session.tool(pausing(1).call)).toMatchObject({ status: 'failed' });
    expect(broken.reports.join()).toMatch(/passThrough\(\) failed for Ask: bad test/);
    await Promise.all([host.close(), broken.host.close()]);
  });
});

test.each([
  ['a promise', async () => true, /expected true or false at once, got (a )?Promise|got object/i],
  ['a text', () => 'yes', /expected true or false at once, got/],
])('a passThrough that answers %s says no, and is told of', async (_, passThrough, why) => {
  const { host, session, reports } = await opened({ passThrough: passThrough as never });
  expect(await session.tool(pausing(1).call)).toMatchObject({ status: 'failed' });
  expect(reports.join()).toMatch(/passThrough\(\) failed for Ask/);
  expect(reports.join()).toMatch(why);
  await host.close();
});

describe('made again, the call goes on', () => {
  const judgements = (seen: Opened['seen']): number => names(seen).filter((name) => name === 'PreToolUse').length;

  test('once, without being judged again, on the input that was judged', async () => {
    const { host, session, seen } = await start();
    on(host, 'PreToolUse', () => ({ hookSpecificOutput: { updatedInput: { a: 'rewritten' } } }));
    const { call, runs } = pausing(2);
    expect(await caught(session.tool(call))).toBeInstanceOf(Pause);
    const before = judgements(seen);
    expect(await caught(session.tool(call))).toBeInstanceOf(Pause);
    expect(judgements(seen)).toBe(before);
    // It paused again, so it may go on again.
    expect(await session.tool(call)).toMatchObject({ status: 'ran', response: 'done' });
    expect(judgements(seen)).toBe(before);
    expect(await session.tool(call)).toMatchObject({ status: 'ran' });
    expect(judgements(seen)).toBe(before + 1);
    expect(runs).toEqual(Array(4).fill({ a: 'rewritten' }));
    await host.close();
  });

  const allow = { permission: undefined, permission_mode: 'default' } as const;
  test.each<[string, SessionOptions, (o: Opened) => unknown, Partial<ToolCall>, boolean]>([
    ['the very same call', {}, () => undefined, {}, false],
    ['another id', {}, () => undefined, { id: 'toolu_2' }, true],
    ['another tool', {}, () => undefined, { name: 'Other' }, true],
    ['another input', {}, () => undefined, { input: { a: 1, b: 3 } }, true],
    ['the same input in another order', {}, () => undefined, { input: { b: 2, a: 1 } }, true],
    ['a hook that came', {}, ({ host }) => on(host, 'PreToolUse', () => undefined), {}, true],
    ['a raw tap that came', {}, ({ host }) => host.hooks.PreToolUse.tap('late', () => undefined), {}, true],
    ['a PermissionRequest hook that came', {}, ({ host }) => on(host, 'PermissionRequest', () => undefined), {}, true],
    ['a hook of another event', {}, ({ host }) => on(host, 'Notification', () => undefined), {}, false],
    [
      'another mode',
      {},
      ({ session }) => {
        session.permission_mode = 'plan';
      },
      {},
      true,
    ],
    ['another working directory', {}, ({ session }) => session.changeCwd('/elsewhere'), {}, true],
    ['a directory that was added', {}, ({ session }) => session.addDirectory('/elsewhere'), {}, true],
    [
      'an interruption',
      {},
      async ({ session }) => {
        await session.interrupt();
        await session.prompt('go on');
      },
      {},
      true,
    ],
    ['a new prompt', {}, ({ session }) => session.prompt('go on'), {}, false],
    ['a user who was asked', { ...allow, ask: () => ({ behavior: 'allow' }) }, () => undefined, {}, true],
    ['another server', {}, () => undefined, { mcp: { name: 'other', type: 'stdio' } } as Partial<ToolCall>, true],
    ['another effect', {}, () => undefined, { effect: 'read' }, true],
    ['a call that now needs approval', {}, () => undefined, { needsApproval: true }, true],
    ['rules of its own', {}, () => undefined, { permission: () => ({ behavior: 'allow' }) }, true],
  ])('%s', async (_, options, change, more, judged) => {
    const all = await start(options);
    const { call } = pausing(1);
    expect(await caught(all.session.tool(call))).toBeInstanceOf(Pause);
    await change(all);
    const before = judgements(all.seen);
    await all.session.tool({ ...call, ...more });
    expect(judgements(all.seen) > before).toBe(judged);
    await all.host.close();
  });

  const deny = (): unknown => ({ hookSpecificOutput: { permissionDecision: 'deny' } });
  test.each<[string, (o: Opened) => unknown]>([
    ['a hook that came while it ran', ({ host }) => on(host, 'PreToolUse', deny)],
    [
      'a mode that changed while it ran',
      ({ session }) => {
        session.permission_mode = 'plan';
      },
    ],
    [
      'a rule about files below the directory that the session went to while it ran',
      ({ host, session }) => {
        on(host, 'PreToolUse', (input: { cwd: string }) => (input.cwd === '/secret' ? deny() : undefined));
        void session.changeCwd('/secret');
      },
    ],
  ])('%s has had no say before, and is asked', async (_, change) => {
    const all = await start({ permission: undefined, permission_mode: 'bypassPermissions' });
    let runs = 0;
    const execute = (): never => {
      runs++;
      change(all);
      throw new Pause();
    };
    const call: ToolCall = { id: 'toolu_1', name: 'Ask', input: {}, effect: 'edit', execute };
    expect(await caught(all.session.tool(call))).toBeInstanceOf(Pause);
    expect(await all.session.tool(call)).toMatchObject({ status: 'denied' });
    expect(runs).toBe(1);
    await all.host.close();
  });

  test('one whose id was denied while it ran has nothing to go on with', async () => {
    const { host, session } = await start();
    let denies = false;
    on(host, 'PreToolUse', () => (denies ? deny() : undefined));
    let runs = 0;
    const call: ToolCall = {
      ...{ id: 'toolu_1', name: 'Ask', input: {} },
      execute: async () => {
        runs++;
        denies = true;
        expect(await session.tool(call)).toMatchObject({ status: 'denied' });
        throw new Pause();
      },
    };
    expect(await caught(session.tool(call))).toBeInstanceOf(Pause);
    expect(await session.tool(call)).toMatchObject({ status: 'denied' });
    expect(runs).toBe(1);
    await host.close();
  });

  test('a hook that asked about it before the input was rewritten asks again', async () => {
    const { host, session } = await start({ permission: undefined, permission_mode: 'default' });
    let asked = 0;
    on(host, 'PreToolUse', ({ tool_input }: { tool_input: { safe?: boolean } }) => {
      if (tool_input.safe) return undefined;
      asked++;
      return { hookSpecificOutput: { permissionDecision: 'ask' } };
    });
    const allowed = { behavior: 'allow', updatedInput: { safe: true } };
    on(host, 'PermissionRequest', () => ({ hookSpecificOutput: { decision: allowed } }));
    const { call } = pausing(1);
    expect(await caught(session.tool(call))).toBeInstanceOf(Pause);
    expect(await session.tool(call)).toMatchObject({ status: 'ran' });
    expect(asked).toBe(2);
    await host.close();
  });

  test('no other agent and no other session goes on with it', async () => {
    const { host, session, seen } = await start();
    const { call } = pausing(1);
    expect(await caught(session.tool(call))).toBeInstanceOf(Pause);
    const agent = await session.spawn({ agent_type: 'other' });
    const second = await host.openSession({ permission: () => ({ behavior: 'allow' }), passThrough });
    const before = judgements(seen);
    await agent.tool(call);
    await second.tool(call);
    expect(judgements(seen)).toBe(before + 2);
    await host.close();
  });

  test('one that was denied has nothing to go on with', async () => {
    const { host, session } = await start();
    let denies = false;
    on(host, 'PreToolUse', () => (denies ? { hookSpecificOutput: { permissionDecision: 'deny' } } : undefined));
    const { call, runs } = pausing(1);
    expect(await caught(session.tool(call))).toBeInstanceOf(Pause);
    await session.tool(call);
    denies = true;
    expect(await session.tool(call)).toMatchObject({ status: 'denied', deniedBy: 'hook' });
    expect(runs.length).toBe(2);
    await host.close();
  });
});
