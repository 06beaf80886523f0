import { describe, expect, it } from 'vitest';
import type { Host } from '../../../src/create-host.js';
import { servicesOf } from '../../../src/host/internals.js';
import { anyHooks, deferred, testHost, until } from '../../host/kit.js';
import { all, bash, connect, connectPuppet, type Options, tapped } from './kit.js';
import { cancel, isType, type Json, request } from './puppet.js';

const init = (session_id = 'S1', more: Json = {}): Json => ({ type: 'system', subtype: 'init', session_id, ...more });
const result = { type: 'result', subtype: 'success' };

/** Every session event that hooks are told of, and the agents' own. */
const LIFE = ['SessionStart', 'SessionEnd', 'SubagentStart', 'SubagentStop'];

function lives(answer: (input: Json) => unknown = () => undefined) {
  const { host, reports } = testHost();
  const told: Json[] = [];
  const hook = (input: Json): unknown => {
    told.push(JSON.parse(JSON.stringify(input)) as Json);
    return answer(input);
  };
  host.register(anyHooks(Object.fromEntries(LIFE.map((event) => [event, [{ hooks: [hook] }]]))));
  return {
    host,
    told,
    reports,
    names: () => told.map((one) => [one['hook_event_name'], one['source'] ?? one['reason']]),
  };
}

const prompt = (text = 'go'): Json => ({ prompt: text });

describe('SessionStart and SessionEnd, which the program does not send', () => {
  it('are fired once: before the first event is answered, and when the program has ended', async () => {
    const { host, told, names } = lives();
    const { client, fire, claude } = await connect(host);
    expect(told).toEqual([]);
    await fire('UserPromptSubmit', prompt());
    expect(names()).toEqual([['SessionStart', 'startup']]);
    expect(told[0]).toEqual({
      session_id: 'S1',
      transcript_path: '/t/S1.jsonl',
      cwd: '/w',
      permission_mode: 'default',
      hook_event_name: 'SessionStart',
      source: 'startup',
    });
    await claude.say(init('S1', { cwd: '/w', model: 'opus' }), result);
    await fire('PreToolUse', bash('ls'));
    await client.close();
    expect(names()).toEqual([
      ['SessionStart', 'startup'],
      ['SessionEnd', 'other'],
    ]);
    expect(told[1]).toMatchObject({ session_id: 'S1', transcript_path: '/t/S1.jsonl', cwd: '/w' });
  });

  it('are fired from init where no event came before it, with the model', async () => {
    const { host, told, names } = lives();
    const { claude, client } = await connect(host);
    await claude.say(init('S7', { cwd: '/there', model: 'opus' }));
    await until(() => told.length === 1);
    expect(told[0]).toMatchObject({ session_id: 'S7', cwd: '/there', model: 'opus', source: 'startup' });
    await client.close();
    expect(names()[1]).toEqual(['SessionEnd', 'other']);
  });

  it('are not fired where the program never came to have a session', async () => {
    const { host, told } = lives();
    const { client } = await connect(host);
    await client.close();
    expect(told).toEqual([]);
  });

  const SOURCES: [args: string[], source: string][] = [
    [[], 'startup'],
    [['--resume', 'S1'], 'resume'],
    [['--resume=S1'], 'resume'],
    [['-r', 'S1'], 'resume'],
    [['--continue'], 'resume'],
    [['-c'], 'resume'],
    [['--resume', 'S1', '--fork-session'], 'fork'],
    [['--session-id', 'S1'], 'startup'],
  ];
  it.each(SOURCES)('the arguments %j say that it starts by %s', async (args, source) => {
    const { host, told } = lives();
    const { fire } = await connect(host, { args });
    await fire('UserPromptSubmit', prompt());
    expect(told).toMatchObject([{ source }]);
  });

  it('what the program tells of itself is not told again: clear and compact', async () => {
    const { host, names } = lives();
    const { client, fire } = await connect(host);
    await fire('UserPromptSubmit', prompt());
    await fire('SessionEnd', { reason: 'clear' });
    await fire('SessionStart', { session_id: 'S2', source: 'clear' });
    await fire('UserPromptSubmit', { ...prompt(), session_id: 'S2' });
    await fire('SessionStart', { session_id: 'S2', source: 'compact' });
    await client.close();
    expect(names()).toEqual([
      ['SessionStart', 'startup'],
      ['SessionEnd', 'clear'],
      ['SessionStart', 'clear'],
      ['SessionStart', 'compact'],
      ['SessionEnd', 'other'],
    ]);
  });

  it('the end that the program announces itself, when it is told to end, is the only one', async () => {
    const { host, names } = lives();
    const { client, fire, claude } = await connectPuppet(host);
    await fire('UserPromptSubmit', prompt());
    await fire('SessionEnd', { reason: 'other' });
    await claude.order({ exit: 143 });
    expect(await client.ended).toEqual({ exitCode: 143 });
    expect(names()).toEqual([
      ['SessionStart', 'startup'],
      ['SessionEnd', 'other'],
    ]);
  });

  it('a crash is an end, too', async () => {
    const { host, names } = lives();
    const { client, fire, claude } = await connectPuppet(host);
    await fire('UserPromptSubmit', prompt());
    await claude.order({ kill: 'SIGKILL' });
    expect(await client.ended).toEqual({ signal: 'SIGKILL' });
    expect(names()[1]).toEqual(['SessionEnd', 'other']);
  });

  it('a crash while hooks still say how it starts: they are cancelled, and hold nothing up', async () => {
    const { host, told, reports } = lives((input) =>
      input['hook_event_name'] === 'SessionStart' ? new Promise(() => undefined) : undefined,
    );
    const seen = tapped(host);
    const { client, claude, asking } = await connectPuppet(host);
    await claude.say(request('q', asking('UserPromptSubmit', prompt())));
    await until(() => told.length === 1);
    await claude.order({ kill: 'SIGKILL' });
    expect(await client.ended).toEqual({ signal: 'SIGKILL' });
    expect(told.map((one) => one['hook_event_name'])).toEqual(['SessionStart', 'SessionEnd']);
    const cut = seen.filter((record) => 'outcome' in record && record.outcome === 'cancelled');
    expect(cut).toMatchObject([{ hook_event: 'SessionStart' }]);
    expect(reports).toEqual([]);
  });

  it('context of SessionStart goes out with the first prompt’s answer, before what that said itself; once', async () => {
    const { host } = lives((input) =>
      input['hook_event_name'] === 'SessionStart'
        ? {
            systemMessage: 'hello user',
            hookSpecificOutput: { hookEventName: 'SessionStart', additionalContext: 'from the start' },
          }
        : undefined,
    );
    host.register({
      UserPromptSubmit: [
        {
          hooks: [
            () => ({ hookSpecificOutput: { hookEventName: 'UserPromptSubmit', additionalContext: 'from the prompt' } }),
          ],
        },
      ],
    });
    const { fire } = await connect(host);
    expect((await fire('UserPromptSubmit', prompt()))['response']).toEqual({
      systemMessage: 'hello user',
      hookSpecificOutput: { hookEventName: 'UserPromptSubmit', additionalContext: 'from the start\nfrom the prompt' },
    });
    expect((await fire('UserPromptSubmit', prompt()))['response']).toEqual({
      hookSpecificOutput: { hookEventName: 'UserPromptSubmit', additionalContext: 'from the prompt' },
    });
  });

  it('context that waits for a prompt which is withdrawn goes out with the next', async () => {
    const { host } = lives((input) =>
      input['hook_event_name'] === 'SessionStart'
        ? { hookSpecificOutput: { hookEventName: 'SessionStart', additionalContext: 'from the start' } }
        : undefined,
    );
    const prompts: AbortSignal[] = [];
    const slow = (_: unknown, __: unknown, { signal }: { signal: AbortSignal }) =>
      prompts.push(signal) === 1 ? new Promise(() => undefined) : undefined;
    host.register(anyHooks({ UserPromptSubmit: [{ timeout: 0, hooks: [slow] }] }));
    const { claude, asking, fire } = await connect(host);
    await claude.say(request('q', asking('UserPromptSubmit', prompt())));
    await until(() => prompts.length === 1);
    await claude.say(cancel('q'));
    await until(() => prompts[0]?.aborted === true);
    expect((await fire('UserPromptSubmit', prompt()))['response']).toMatchObject({
      hookSpecificOutput: { additionalContext: 'from the start' },
    });
    expect(claude.answersTo('q')).toEqual([]);
  });

  it('the first answer waits for a slow SessionStart hook', async () => {
    const gate = deferred<unknown>();
    const { host, told } = lives((input) => (input['hook_event_name'] === 'SessionStart' ? gate.promise : undefined));
    const { claude, asking } = await connect(host);
    await claude.say(request('q', asking('UserPromptSubmit', prompt())));
    await until(() => told.length === 1);
    expect(claude.answersTo('q')).toEqual([]);
    gate.resolve({ hookSpecificOutput: { hookEventName: 'SessionStart', additionalContext: 'slow' } });
    await until(() => claude.answersTo('q').length === 1);
    expect(claude.answersTo('q')).toMatchObject([
      { response: { response: { hookSpecificOutput: { additionalContext: 'slow' } } } },
    ]);
  });
});

describe('subagents', () => {
  const AGENT = { agent_id: 'a1', agent_type: 'code-reviewer' };
  const start = { ...AGENT };
  const stop = { ...AGENT, stop_hook_active: false, agent_transcript_path: '/t/a1.jsonl' };
  const deny = (reason: string) => ({
    hookSpecificOutput: {
      hookEventName: 'PreToolUse' as const,
      permissionDecision: 'deny' as const,
      permissionDecisionReason: reason,
    },
  });
  /** All its scopes, in words. */
  const scopes = (host: Host): string => JSON.stringify(host.describe());
  const reviewed = (more: Options = {}): Options => ({
    spawnHooks: { 'code-reviewer': { PreToolUse: [{ hooks: [() => deny('reviewers only look')] }] } },
    ...more,
  });

  it('have a scope of their own from SubagentStart to SubagentStop', async () => {
    const { host } = testHost();
    const { fire } = await connect(host, reviewed());
    await fire('UserPromptSubmit', prompt());
    await fire('SubagentStart', start);
    expect(scopes(host)).toContain('"a1"');
    expect(await fire('PreToolUse', { ...bash('ls'), ...AGENT })).toMatchObject({
      response: deny('reviewers only look'),
    });
    expect(await fire('PreToolUse', bash('ls'))).toMatchObject({ response: {} });
    await fire('SubagentStop', stop);
    expect(scopes(host)).not.toContain('"a1"');
    expect(await fire('PreToolUse', { ...bash('ls'), ...AGENT })).toMatchObject({ response: {} });
  });

  it('one whose start is refused, since its input makes no sense, does not begin', async () => {
    const { host } = testHost();
    const { fire } = await connect(host, reviewed());
    await fire('UserPromptSubmit', prompt());
    await fire('SubagentStart', { ...start, cwd: 5 } as never);
    expect(servicesOf(host).registrar.scope({ session: 'S1', agent: 'a1' }).begun).toBe(false);
  });

  it('hooks that were registered for one while it ran go with it', async () => {
    const { host } = testHost();
    const { fire } = await connect(host);
    await fire('UserPromptSubmit', prompt());
    await fire('SubagentStart', start);
    expect(scopes(host)).toContain('"agentType":"code-reviewer"');
    host.registerScoped({ session: 'S1', agent: 'a1' }, { PreToolUse: [{ hooks: [() => deny('for a1')] }] });
    expect(await fire('PreToolUse', { ...bash('ls'), ...AGENT })).toMatchObject({ response: deny('for a1') });
    await fire('SubagentStop', stop);
    expect(await fire('PreToolUse', { ...bash('ls'), ...AGENT })).toMatchObject({ response: {} });
  });

  it('a SubagentStop that a hook blocks does not end it', async () => {
    const { host } = testHost();
    let blocks = true;
    const { fire } = await connect(host, {
      spawnHooks: {
        'code-reviewer': {
          Stop: [{ hooks: [() => (blocks ? { decision: 'block', reason: 'go on' } : undefined)] }],
          PreToolUse: [{ hooks: [() => deny('still here')] }],
        },
      },
    });
    await fire('SubagentStart', start);
    expect((await fire('SubagentStop', stop))['response']).toEqual({ decision: 'block', reason: 'go on' });
    expect(await fire('PreToolUse', { ...bash('ls'), ...AGENT })).toMatchObject({ response: deny('still here') });
    blocks = false;
    expect((await fire('SubagentStop', stop))['response']).toEqual({});
    expect(await fire('PreToolUse', { ...bash('ls'), ...AGENT })).toMatchObject({ response: {} });
  });

  it('of other types, and of other programs on the same host, get none of the hooks', async () => {
    const { host } = testHost();
    const one = await connect(host, reviewed());
    const two = await connect(host);
    await one.fire('UserPromptSubmit', prompt());
    await two.fire('UserPromptSubmit', { ...prompt(), session_id: 'S2' });
    await one.fire('SubagentStart', { agent_id: 'b1', agent_type: 'helper' });
    await two.fire('SubagentStart', { ...start, session_id: 'S2' });
    await one.fire('SubagentStart', start);
    const call = { ...bash('ls'), ...AGENT };
    expect(await one.fire('PreToolUse', { ...bash('ls'), agent_id: 'b1', agent_type: 'helper' })).toMatchObject({
      response: {},
    });
    expect(await two.fire('PreToolUse', { ...call, session_id: 'S2' })).toMatchObject({ response: {} });
    expect(await one.fire('PreToolUse', call)).toMatchObject({ response: deny('reviewers only look') });
  });

  it('of another program that is in the same session keep theirs when this one ends', async () => {
    const { host } = testHost();
    const one = await connect(host);
    const two = await connect(host, reviewed());
    await one.fire('SubagentStart', start);
    await two.fire('SubagentStart', { ...start, agent_id: 'b1' });
    await one.client.close();
    expect(scopes(host)).not.toContain('"a1"');
    const call = { ...bash('ls'), ...AGENT, agent_id: 'b1' };
    expect(await two.fire('PreToolUse', call)).toMatchObject({ response: deny('reviewers only look') });
  });

  it('of one type each have their own', async () => {
    const { host } = testHost();
    const calls: unknown[] = [];
    const hook = (input: Json) => void calls.push(input['agent_id']);
    const { fire } = await connect(host, {
      spawnHooks: { helper: anyHooks({ PreToolUse: [{ once: true, hooks: [hook] }] }) },
    });
    for (const agent_id of ['h1', 'h2']) await fire('SubagentStart', { agent_id, agent_type: 'helper' });
    for (const agent_id of ['h1', 'h2', 'h1', 'h2'])
      await fire('PreToolUse', { ...bash('ls'), agent_id, agent_type: 'helper' });
    expect(calls).toEqual(['h1', 'h2']);
  });

  it('end with the program, as do the hooks for those to come', async () => {
    const { host } = testHost();
    const before = host.describe();
    const { client, fire, claude } = await connectPuppet(host, reviewed());
    await fire('SubagentStart', start);
    expect(scopes(host)).toContain('"a1"');
    await claude.order({ kill: 'SIGKILL' });
    await client.ended;
    expect(scopes(host)).not.toContain('"a1"');
    // The next program’s agents of that type are not this one’s.
    const next = await connectPuppet(host);
    await next.fire('SubagentStart', { ...start, agent_id: 'a2' });
    expect(await next.fire('PreToolUse', { ...bash('ls'), ...AGENT, agent_id: 'a2' })).toMatchObject({ response: {} });
    await next.client.close();
    expect(host.describe()).toEqual(before);
  });
});

describe('the first session and queries', () => {
  it('a program that prints init only after its first prompt was answered is not waited for', async () => {
    const { host, names } = lives();
    const { client, claude, fire } = await connect(host);
    const asked = all(client.query('go'));
    await claude.hear(isType('user'));
    await fire('UserPromptSubmit', prompt());
    await claude.say(init(), result);
    expect(await asked).toEqual([init(), result]);
    expect(names()).toEqual([['SessionStart', 'startup']]);
  });
});
