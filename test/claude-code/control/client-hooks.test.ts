import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { anyHooks, deferred, fires, testHost, until } from '../../host/kit.js';
import { quiet } from './ends.js';
import { bash, connect, connectPuppet, problems, READY, tapped } from './kit.js';
import { cancel, type Json, request } from './puppet.js';

type Context = { signal: AbortSignal };

const deny = (reason: string): Json => ({
  hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'deny', permissionDecisionReason: reason },
});

describe('a hook_callback', () => {
  it('is one fire of the whole host, and its fold is the answer', async () => {
    const { host } = testHost();
    const ran: string[] = [];
    host.register(
      anyHooks({
        PreToolUse: [
          { matcher: 'Bash', hooks: [() => void ran.push('a'), () => ({ systemMessage: 'b says' })] },
          { matcher: 'B*', hooks: [() => void ran.push('c')] },
          { matcher: 'Edit', hooks: [() => void ran.push('never')] },
          { hooks: [() => ({ ...deny('no'), systemMessage: 'd says' })] },
        ],
      }),
    );
    const seen = tapped(host);
    const { fire } = await connect(host);
    expect(await fire('PreToolUse', bash('ls'))).toMatchObject({
      response: { systemMessage: 'b says\nd says', ...deny('no') },
    });
    expect(ran).toEqual(['a', 'c']);
    expect(fires(seen).filter(({ event }) => event === 'PreToolUse')).toHaveLength(1);
  });

  it('counts hooks and scopes that came after the program was started', async () => {
    const { host } = testHost();
    const { fire } = await connect(host);
    expect(await fire('PreToolUse', bash('ls'))).toMatchObject({ response: {} });
    const undo = host.register(anyHooks({ PreToolUse: [{ hooks: [() => deny('late')] }] }));
    expect(await fire('PreToolUse', bash('ls'))).toMatchObject({ response: deny('late') });
    undo();
    host.registerScoped(
      { session: 'S1', agent: 'agent-9' },
      anyHooks({ PreToolUse: [{ hooks: [() => deny('scoped')] }] }),
    );
    expect(await fire('PreToolUse', bash('ls'))).toMatchObject({ response: {} });
    expect(await fire('PreToolUse', { ...bash('ls'), agent_id: 'agent-9', agent_type: 'x' })).toMatchObject({
      response: deny('scoped'),
    });
  });

  it('gives the hook the request’s own tool_use_id; one in the input stands', async () => {
    const { host } = testHost();
    const ids: unknown[] = [];
    host.register(
      anyHooks({
        Stop: [{ hooks: [(input: Json, id: unknown) => void ids.push([input['tool_use_id'], id])] }],
        PreToolUse: [{ hooks: [(input: Json, id: unknown) => void ids.push([input['tool_use_id'], id])] }],
      }),
    );
    const { fire } = await connect(host);
    await fire('Stop', { stop_hook_active: false }, { tool_use_id: 'a-uuid' });
    await fire('PreToolUse', bash('ls', 'toolu_inner'), { tool_use_id: 'toolu_outer' });
    expect(ids).toEqual([
      ['a-uuid', 'a-uuid'],
      ['toolu_inner', 'toolu_inner'],
    ]);
  });

  it('many are under way at once; each is answered when its own hooks are done', async () => {
    const { host } = testHost();
    const gates = new Map<string, ReturnType<typeof deferred<void>>>();
    const slow = async (input: Json) => {
      const { command } = input['tool_input'] as { command: string };
      const gate = deferred<void>();
      gates.set(command, gate);
      await gate.promise;
      return deny(command);
    };
    host.register(anyHooks({ PreToolUse: [{ hooks: [slow] }] }));
    const { claude, asking } = await connect(host);
    const ids = Array.from({ length: 20 }, (_, at) => `q${at}`);
    await claude.say(...ids.map((id) => request(id, asking('PreToolUse', bash(id)))));
    await until(() => gates.size === ids.length);
    for (const id of ids.toReversed()) {
      gates.get(id)?.resolve();
      await until(() => claude.answersTo(id).length === 1);
      expect(claude.answersTo(id)).toMatchObject([{ response: { subtype: 'success', response: deny(id) } }]);
    }
  });

  it('a cancel aborts the signal of the hook; the answer it gives all the same goes nowhere', async () => {
    const { host, reports } = testHost();
    const signals: AbortSignal[] = [];
    const gate = deferred<Json>();
    const held = (_: unknown, __: unknown, { signal }: Context) => {
      signals.push(signal);
      return gate.promise;
    };
    host.register(anyHooks({ PreToolUse: [{ matcher: 'Bash', hooks: [held] }] }));
    const { claude, asking, fire } = await connect(host);
    await claude.say(request('q', asking('PreToolUse', bash('ls'))));
    await until(() => signals.length === 1);
    expect(signals[0]?.aborted).toBe(false);
    await claude.say(cancel('q'));
    await until(() => signals[0]?.aborted === true);
    gate.resolve(deny('too late'));
    await fire('PostToolUse', { ...bash('ls'), tool_response: {} });
    await quiet();
    expect(claude.answersTo('q')).toEqual([]);
    expect(reports).toEqual([]);
  });

  it('every recorded input of every event is taken', async () => {
    const { host, reports } = testHost();
    const seen = tapped(host);
    host.register(anyHooks({ WorktreeCreate: [{ hooks: [() => undefined] }] }));
    const { claude, callback } = await connectPuppet(host);
    const folder = new URL('../../fixtures/wire/', import.meta.url);
    const asked: string[] = [];
    const all: Json[] = [];
    for (const file of readdirSync(folder)) {
      const event = file.replace('.json', '');
      for (const input of JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as Json[]) {
        const id = `${event} ${asked.length}`;
        asked.push(id);
        all.push(request(id, { subtype: 'hook_callback', callback_id: callback(event), input, tool_use_id: id }));
      }
    }
    await claude.say(...all);
    await until(() => asked.every((id) => claude.answersTo(id).length === 1));
    const refused = asked
      .flatMap((id) => claude.answersTo(id))
      .filter((m) => (m['response'] as Json)['subtype'] !== 'success');
    expect(refused).toEqual([]);
    expect(asked.length).toBeGreaterThan(30);
    expect(problems(seen)).toEqual([]);
    expect(reports).toEqual([]);
  });
});

/** What a hook may do instead of an answer; the failure's cause. */
const FAILING: readonly (readonly [cause: string, hook: () => unknown])[] = [
  [
    'threw',
    () => {
      throw new Error('BOOM');
    },
  ],
  ['timeout', () => new Promise(() => undefined)],
  ['bad_schema', () => ({ continue: 'no' })],
  ['bad_schema', () => ({ hookSpecificOutput: { hookEventName: 'PostToolUse' } })],
];

describe('a host that cannot answer', () => {
  const guard = (hook: () => unknown, onFailure: string) => {
    const { host } = testHost();
    const named = { guard: (): unknown => hook() }.guard;
    host.register(anyHooks({ PreToolUse: [{ timeout: 0.1, onFailure, hooks: [named] }] }));
    return host;
  };

  it.each(FAILING)('%s under onFailure block: an error reply that names the hook', async (cause, hook) => {
    const host = guard(hook, 'block');
    const seen = tapped(host);
    const { fire } = await connect(host);
    const answer = await fire('PreToolUse', bash('ls'));
    expect(answer).toEqual({ subtype: 'error', request_id: 'q1', error: expect.stringMatching(/^guard: /) });
    expect(fires(seen)[1]?.decision.failures).toMatchObject([{ cause, blocked: true }]);
  });

  it.each(FAILING)('%s under onFailure continue: an empty answer', async (cause, hook) => {
    const host = guard(hook, 'continue');
    const seen = tapped(host);
    const { fire } = await connect(host);
    expect(await fire('PreToolUse', bash('ls'))).toEqual({ subtype: 'success', request_id: 'q1', response: {} });
    expect(fires(seen)[1]?.decision.failures).toMatchObject([{ cause, blocked: false }]);
  });

  it.each(FAILING)(
    '%s under onFailure block, and a program that goes on after errors: it is told to deny',
    async (_, hook) => {
      const { fire } = await connect(guard(hook, 'block'), {}, { ...READY, hook_on_failure_supported: false });
      expect(await fire('PreToolUse', bash('ls'))).toMatchObject({
        subtype: 'success',
        response: { hookSpecificOutput: { permissionDecision: 'deny' } },
      });
    },
  );

  it('a deny of another hook is an answer, whatever failed beside it', async () => {
    const host = guard(FAILING[0]?.[1] as () => unknown, 'block');
    host.register(anyHooks({ PreToolUse: [{ hooks: [() => deny('because')] }] }));
    const { fire } = await connect(host);
    expect(await fire('PreToolUse', bash('ls'))).toMatchObject({
      subtype: 'success',
      response: { hookSpecificOutput: { permissionDecision: 'deny' } },
    });
  });

  it('onFailure ask is an answer', async () => {
    const { fire } = await connect(guard(FAILING[0]?.[1] as () => unknown, 'ask'));
    expect(await fire('PreToolUse', bash('ls'))).toMatchObject({
      subtype: 'success',
      response: { hookSpecificOutput: { permissionDecision: 'ask' } },
    });
  });

  it('on an event that can be blocked otherwise: an error, or a block', async () => {
    const { host } = testHost();
    const boom = () => {
      throw new Error('BOOM');
    };
    host.register(anyHooks({ UserPromptSubmit: [{ onFailure: 'block', hooks: [boom] }] }));
    const prompt = { prompt: 'go' };
    expect(await (await connect(host)).fire('UserPromptSubmit', prompt)).toMatchObject({ subtype: 'error' });
    const old = await connect(host, {}, { ...READY, hook_on_failure_supported: undefined as never });
    expect(await old.fire('UserPromptSubmit', prompt)).toMatchObject({ response: { decision: 'block' } });
  });

  it('on an event with nothing to block: an empty answer, whatever onFailure says', async () => {
    const { host } = testHost();
    const boom = () => {
      throw new Error('BOOM');
    };
    host.register(anyHooks({ Stop: [{ onFailure: 'block', hooks: [boom] }] }));
    const { fire } = await connect(host);
    expect(await fire('Stop', { stop_hook_active: false })).toMatchObject({ subtype: 'success', response: {} });
  });

  it('an input that makes no sense is an error reply, or a deny where that would not block', async () => {
    const { host } = testHost();
    host.register(anyHooks({ PreToolUse: [{ hooks: [() => ({})] }] }));
    const wrong = { tool_name: 3, tool_input: {}, tool_use_id: 't' };
    expect(await (await connect(host)).fire('PreToolUse', wrong)).toMatchObject({
      subtype: 'error',
      error: expect.stringMatching(/Invalid input for PreToolUse: "tool_name"/),
    });
    const old = await connect(host, {}, { ...READY, hook_on_failure_supported: false });
    expect(await old.fire('PreToolUse', wrong)).toMatchObject({
      response: { hookSpecificOutput: { permissionDecision: 'deny' } },
    });
  });

  it('what cannot be done over the protocol is told, since nothing else would show it', async () => {
    const { host } = testHost();
    host.register(anyHooks({ PostToolUse: [{ hooks: [() => ({ suppressOutput: true })] }] }));
    const seen = tapped(host);
    const { fire } = await connect(host);
    await fire('PostToolUse', { ...bash('cat key.pem'), tool_response: { stdout: 'secret' } });
    expect(problems(seen)).toEqual([
      expect.objectContaining({ problem: 'no_effect', message: expect.stringMatching(/PostToolUse .*suppressOutput/) }),
    ]);
  });

  it('a callback without an input is an error reply', async () => {
    const { claude, callback } = await connect(testHost().host);
    const ask = { subtype: 'hook_callback', callback_id: callback('Stop') };
    for (const input of [undefined, null, [], 'x']) {
      expect(await claude.ask('q', { ...ask, input })).toMatchObject({
        subtype: 'error',
        error: expect.stringMatching(/needs an "input" object/),
      });
    }
  });
});

describe('the program’s own hooks', () => {
  const hook = {
    type: 'system',
    hook_id: 'h1',
    hook_name: 'PreToolUse:Bash',
    hook_event: 'PreToolUse',
    session_id: 'S1',
  };

  it('join events$, marked by their origin; progress is the new piece alone', async () => {
    const { host } = testHost();
    const seen = tapped(host);
    const { claude, client } = await connect(host);
    await claude.say(
      { ...hook, subtype: 'hook_started', uuid: 'u1' },
      { ...hook, subtype: 'hook_progress', uuid: 'u2', stdout: 'one\n', stderr: '', output: 'one\n' },
      { ...hook, subtype: 'hook_progress', uuid: 'u3', stdout: 'one\ntwo\n', stderr: '', output: 'one\ntwo\n' },
      {
        ...hook,
        subtype: 'hook_response',
        uuid: 'u4',
        stdout: 'all',
        stderr: 'err',
        output: 'errall',
        exit_code: 2,
        outcome: 'error',
      },
    );
    await until(() => seen.length === 4);
    expect(seen).toMatchObject([
      { subtype: 'hook_started' },
      { subtype: 'hook_progress', stdout: 'one\n', output: 'one\n' },
      { subtype: 'hook_progress', stdout: 'two\n', output: 'two\n' },
      { subtype: 'hook_response', stdout: 'all', stderr: 'err', output: 'errall', exit_code: 2, outcome: 'error' },
    ]);
    for (const record of seen) {
      expect(record).toMatchObject({
        origin: 'claude',
        hook_id: 'h1',
        hook_name: 'PreToolUse:Bash',
        hook_event: 'PreToolUse',
        session_id: 'S1',
        handler: 'unknown',
      });
    }
    // They are messages as well.
    const messages: unknown[] = [];
    client.messages$.subscribe((message) => messages.push(message));
    expect(messages).toHaveLength(4);
  });

  it('ours carry no origin', async () => {
    const { host } = testHost();
    host.register(anyHooks({ PreToolUse: [{ hooks: [() => ({})] }] }));
    const seen = tapped(host);
    const { fire } = await connect(host);
    await fire('PreToolUse', bash('ls'));
    const started = seen.filter((record) => 'subtype' in record && record.subtype === 'hook_started');
    expect(started).toHaveLength(1);
    expect(started[0]).not.toHaveProperty('origin');
  });

  it('nonsense in their place is a message like any other', async () => {
    const { host, reports } = testHost();
    const seen = tapped(host);
    const { claude, fire } = await connect(host);
    await claude.say(
      { type: 'system', subtype: 'hook_started' },
      { type: 'system', subtype: 'hook_response', hook_id: '' },
      { type: 'system', subtype: 'hook_response', hook_id: 7 },
      { ...hook, subtype: 'hook_response', hook_id: 'unseen', exit_code: 'x', outcome: 'odd', stdout: 4 },
    );
    await fire('Notification', { message: 'm', notification_type: 'n' });
    const told = seen.filter((record) => 'origin' in record);
    expect(told).toMatchObject([{ subtype: 'hook_response', hook_id: 'unseen', outcome: 'success', stdout: '' }]);
    expect(reports).toEqual([]);
  });
});
