import { describe, expect, it } from 'vitest';
import type { CanUseTool, PermissionAsk } from '../../../src/claude-code/control/client/permission.js';
import { anyHooks, deferred, fires, testHost, until } from '../../host/kit.js';
import { quiet } from './ends.js';
import { bash, connect, tapped } from './kit.js';
import { cancel, type Json, request } from './puppet.js';

const can = (command: string, id = 'toolu_1', more: Json = {}): Json => ({
  subtype: 'can_use_tool',
  tool_name: 'Bash',
  input: { command },
  tool_use_id: id,
  ...more,
});

const decides = (decision: Json): Json => ({ hookSpecificOutput: { hookEventName: 'PermissionRequest', decision } });

/** The tool's id stands in the envelope only, as the program sends it. */
const asks = (command: string) => ({ tool_name: 'Bash', tool_input: { command } });

async function asking(hooks: unknown[], canUseTool?: CanUseTool) {
  const { host, reports } = testHost();
  if (hooks.length > 0) host.register(anyHooks({ PermissionRequest: [{ timeout: 0, hooks }] }));
  const seen = tapped(host);
  const connected = await connect(host, canUseTool ? { canUseTool } : {});
  const both = (command: string) =>
    connected.claude.say(
      request('can', can(command)),
      request('hook', connected.asking('PermissionRequest', asks(command), { tool_use_id: 'toolu_1' })),
    );
  const answers = async (id: string) => {
    await until(() => connected.claude.answersTo(id).length > 0);
    return connected.claude.answersTo(id)[0]?.['response'] as Json;
  };
  const fired = () => fires(seen).filter(({ event }) => event === 'PermissionRequest');
  return { ...connected, host, both, answers, fired, reports };
}

/** A hook that waits until it is let go, or its signal fires. */
function waiting(answer: unknown) {
  const gate = deferred<unknown>();
  const state = { ran: 0, aborted: 0 };
  const hook = async (_: unknown, __: unknown, { signal }: { signal: AbortSignal }) => {
    state.ran++;
    signal.addEventListener('abort', () => state.aborted++);
    await gate.promise;
    return answer;
  };
  return { hook, state, release: () => gate.resolve(undefined) };
}

describe('a call that is asked about in two ways at once', () => {
  it('can_use_tool, which does not say where it is, is in the session the program is in, where the main thread is', async () => {
    const { claude, fire, fired } = await asking([() => undefined]);
    await fire('PreToolUse', bash('ls'));
    await fire('PreToolUse', { ...bash('ls'), session_id: 'S2', cwd: '/elsewhere' });
    await fire('PreToolUse', { ...bash('ls'), cwd: '/back' });
    await fire('PreToolUse', { ...bash('ls'), cwd: '/of/the/agent', agent_id: 'a1', agent_type: 'x' });
    await claude.ask('can', can('ls'));
    expect(fired()[0]?.input).toMatchObject({ session_id: 'S1', cwd: '/back' });
  });

  it('is one fire; both get its decision', async () => {
    let asked = 0;
    const hook = () => {
      asked++;
      return decides({ behavior: 'allow', updatedInput: { command: 'echo safe' } });
    };
    const { both, answers, fired } = await asking([hook], () => ({ behavior: 'deny', message: 'not asked' }));
    await both('rm x');
    expect(await answers('can')).toEqual({
      subtype: 'success',
      request_id: 'can',
      response: { behavior: 'allow', updatedInput: { command: 'echo safe' }, toolUseID: 'toolu_1' },
    });
    expect((await answers('hook'))['response']).toEqual(
      decides({ behavior: 'allow', updatedInput: { command: 'echo safe' } }),
    );
    expect(fired()).toHaveLength(1);
    expect(asked).toBe(1);
  });

  it.each(['can', 'hook'])('either may be withdrawn (%s) and the other is answered', async (gone) => {
    const { hook, state, release } = waiting(decides({ behavior: 'deny', message: 'never' }));
    const { both, answers, claude, fired } = await asking([hook]);
    await both('rm x');
    await until(() => state.ran === 1);
    await claude.say(cancel(gone));
    await quiet();
    expect(state.aborted).toBe(0);
    release();
    const left = gone === 'can' ? 'hook' : 'can';
    const said = {
      hook: decides({ behavior: 'deny', message: 'never' }),
      can: { behavior: 'deny', message: 'never', toolUseID: 'toolu_1' },
    };
    expect((await answers(left))['response']).toEqual(said[left]);
    await quiet();
    expect(claude.answersTo(gone)).toEqual([]);
    expect(fired()).toHaveLength(1);
  });

  it('the hooks are told when both were withdrawn', async () => {
    const { hook, state } = waiting({});
    const { both, claude } = await asking([hook]);
    await both('rm x');
    await until(() => state.ran === 1);
    await claude.say(cancel('can'));
    await claude.say(cancel('hook'));
    await until(() => state.aborted === 1);
    await quiet();
    expect([...claude.answersTo('can'), ...claude.answersTo('hook')]).toEqual([]);
  });

  it('another tool or input, or the same way to ask again, is a question of its own', async () => {
    const { claude, asking: ask, answers, fired } = await asking([() => ({})]);
    await claude.say(
      request('1', ask('PermissionRequest', asks('a'), { tool_use_id: 'toolu_1' })),
      request('2', can('b')),
      request('3', can('b')),
      request('4', can('b', 'toolu_2')),
      request('5', ask('PermissionRequest', { ...asks('b'), tool_name: 'PowerShell' }, { tool_use_id: 'toolu_2' })),
    );
    for (const id of ['1', '2', '3', '4', '5']) await answers(id);
    expect(fired()).toHaveLength(5);
  });
});

describe('a call of a subagent', () => {
  it('is judged with the type of that agent, though can_use_tool comes first and does not name it', async () => {
    const hook = ({ agent_type }: { agent_type?: string }) =>
      agent_type === 'reviewer' ? decides({ behavior: 'deny', message: 'it only reads' }) : {};
    const { both, fire, claude, answers } = await asking([hook], () => ({ behavior: 'allow' }));
    await fire('SubagentStart', { agent_id: 'a1', agent_type: 'reviewer' });
    await claude.say(request('of', { ...can('rm x', 'toolu_2'), agent_id: 'a1' }));
    expect((await answers('of'))['response']).toMatchObject({ behavior: 'deny', message: 'it only reads' });
    await both('rm x');
    expect((await answers('can'))['response']).toMatchObject({ behavior: 'allow' });
  });
});

describe('canUseTool', () => {
  it('is not asked where a hook has decided, nor for the callback alone', async () => {
    const people: unknown[] = [];
    const person: CanUseTool = (...args) => {
      people.push(args);
      return { behavior: 'allow' };
    };
    const deny = decides({ behavior: 'deny', message: 'policy', interrupt: true });
    const { claude, asking: ask } = await asking(
      [(input: Json) => ((input['tool_input'] as Json)['command'] === 'rm' ? deny : {})],
      person,
    );
    expect(await claude.ask('q1', can('rm'))).toMatchObject({
      response: { behavior: 'deny', message: 'policy', interrupt: true, toolUseID: 'toolu_1' },
    });
    expect(await claude.ask('q2', ask('PermissionRequest', asks('ls'), { tool_use_id: 't2' }))).toMatchObject({
      response: {},
    });
    expect(people).toEqual([]);
  });

  it('is told all that is known of the call, and its allow runs the input it was shown', async () => {
    const asked: [string, unknown, PermissionAsk][] = [];
    const { claude } = await asking([], (tool, input, ask) => {
      asked.push([tool, input, ask]);
      return { behavior: 'allow' };
    });
    const more = {
      agent_id: 'agent-1',
      permission_suggestions: [{ type: 'addRules' }],
      blocked_path: '/etc',
      decision_reason: 'outside',
      title: 'Run it?',
      display_name: 'Shell',
      description: 'lists',
    };
    expect(await claude.ask('q', can('ls', 'toolu_7', more))).toMatchObject({
      subtype: 'success',
      response: { behavior: 'allow', updatedInput: { command: 'ls' }, toolUseID: 'toolu_7' },
    });
    const [tool, input, { signal, request: whole, ...ask }] = asked[0] as (typeof asked)[number];
    expect([tool, input, ask]).toEqual([
      'Bash',
      { command: 'ls' },
      {
        toolUseID: 'toolu_7',
        agentID: 'agent-1',
        suggestions: [{ type: 'addRules' }],
        blockedPath: '/etc',
        decisionReason: 'outside',
        title: 'Run it?',
        displayName: 'Shell',
        description: 'lists',
      },
    ]);
    expect(signal.aborted).toBe(false);
    expect(whole).toEqual(can('ls', 'toolu_7', more));
  });

  const ANSWERS: [what: string, person: CanUseTool, response: Json][] = [
    [
      'allows another input',
      () => ({ behavior: 'allow', updatedInput: { command: 'b' } }),
      { behavior: 'allow', updatedInput: { command: 'b' } },
    ],
    [
      'allows for good',
      () => ({ behavior: 'allow', updatedPermissions: [{ type: 'addRules' }] }),
      { behavior: 'allow', updatedPermissions: [{ type: 'addRules' }], updatedInput: { command: 'a' } },
    ],
    ['denies', async () => ({ behavior: 'deny', message: 'no' }), { behavior: 'deny', message: 'no' }],
    [
      'denies and interrupts',
      () => ({ behavior: 'deny', message: 'no', interrupt: true }),
      { behavior: 'deny', message: 'no', interrupt: true },
    ],
    [
      'denies without a word',
      () => ({ behavior: 'deny' }) as never,
      { behavior: 'deny', message: 'The user denied Bash.' },
    ],
    [
      'throws',
      () => {
        throw new Error('BOOM');
      },
      { behavior: 'deny', message: 'canUseTool failed, so Bash is denied: BOOM' },
    ],
    [
      'rejects',
      () => Promise.reject(new Error('BOOM')),
      { behavior: 'deny', message: 'canUseTool failed, so Bash is denied: BOOM' },
    ],
    ...(
      [undefined, null, true, 'allow', {}, { behavior: 'maybe' }, { behavior: 'allow', updatedInput: 3 }] as never[]
    ).map((nonsense): [string, CanUseTool, Json] => [
      `answers ${JSON.stringify(nonsense)}`,
      () => nonsense,
      {
        behavior: 'deny',
        message: expect.stringMatching(/^canUseTool failed, so Bash is denied: its answer is not { behavior: 'allow'/),
      },
    ]),
  ];

  it.each(ANSWERS)('%s', async (_, person, response) => {
    const { claude } = await asking([], person);
    expect(await claude.ask('q', can('a'))).toEqual({
      subtype: 'success',
      request_id: 'q',
      response: { ...response, toolUseID: 'toolu_1' },
    });
  });

  it('without it, what no hook has decided is denied', async () => {
    const { claude } = await asking([]);
    expect(await claude.ask('q', can('a'))).toMatchObject({
      response: { behavior: 'deny', message: 'Nobody is there to be asked about Bash.', toolUseID: 'toolu_1' },
    });
  });

  it('is told when the question is withdrawn, and its answer goes nowhere', async () => {
    const gate = deferred<Json>();
    const signals: AbortSignal[] = [];
    const { claude } = await asking([], (_tool, _input, { signal }) => {
      signals.push(signal);
      return gate.promise as never;
    });
    await claude.say(request('q', can('a')));
    await until(() => signals.length === 1);
    await claude.say(cancel('q'));
    await until(() => signals[0]?.aborted === true);
    gate.resolve({ behavior: 'allow' });
    await quiet();
    expect(claude.answersTo('q')).toEqual([]);
  });

  it('a question that makes no sense is refused, never allowed', async () => {
    const { claude } = await asking([], () => ({ behavior: 'allow' }));
    for (const wrong of [{ tool_name: 3 }, { input: 'ls' }, { input: undefined }]) {
      expect(await claude.ask('q', can('a', 'toolu_1', wrong))).toMatchObject({ subtype: 'error' });
    }
  });

  it('a hook that fails under onFailure block denies', async () => {
    const { host } = testHost();
    const boom = () => {
      throw new Error('BOOM');
    };
    host.register(anyHooks({ PermissionRequest: [{ onFailure: 'block', hooks: [boom] }] }));
    const { claude, fire } = await connect(host, { canUseTool: () => ({ behavior: 'allow' }) });
    expect(await claude.ask('can', can('a'))).toMatchObject({ response: { behavior: 'deny' } });
    expect(await fire('PermissionRequest', bash('b', 'toolu_2'))).toMatchObject({ subtype: 'error' });
  });
});

describe('an input that is changed in the answer', () => {
  it.each<[who: string, hooks: unknown[], canUseTool: CanUseTool | undefined]>([
    ['canUseTool', [], () => ({ behavior: 'allow', updatedInput: { command: 'rm x' } })],
    ['a PermissionRequest hook', [() => decides({ behavior: 'allow', updatedInput: { command: 'rm x' } })], undefined],
  ])('by %s is not judged again by PreToolUse hooks', async (_, hooks, canUseTool) => {
    const { claude, host, fire } = await asking(hooks, canUseTool);
    const judged: unknown[] = [];
    const guard = ({ tool_input: input }: { tool_input: unknown }) => {
      judged.push(input);
      return JSON.stringify(input).includes('rm') ? { decision: 'block', reason: 'never' } : undefined;
    };
    host.register(anyHooks({ PreToolUse: [{ hooks: [guard] }] }));
    await fire('PreToolUse', bash('ls'));
    expect(await claude.ask('can', can('ls'))).toMatchObject({
      response: { behavior: 'allow', updatedInput: { command: 'rm x' } },
    });
    expect(judged).toEqual([{ command: 'ls' }]);
  });
});

describe('half a surrogate pair', () => {
  const HALF = 'echo \ud83d';
  const TOLD = 'Claude Code cannot be told of here';

  it('in a rewrite denies the call', async () => {
    const { claude, host, fire } = await asking([
      () => decides({ behavior: 'allow', updatedInput: { command: HALF } }),
    ]);
    const tap = tapped(host);
    const say = { permissionDecision: 'allow', updatedInput: { command: HALF } };
    host.register(
      anyHooks({ PreToolUse: [{ hooks: [() => ({ hookSpecificOutput: { hookEventName: 'PreToolUse', ...say } })] }] }),
    );
    const { response } = await fire('PreToolUse', bash('ls'));
    expect(response).toEqual({
      hookSpecificOutput: {
        hookEventName: 'PreToolUse',
        permissionDecision: 'deny',
        permissionDecisionReason: expect.stringContaining(TOLD),
      },
    });
    const asked = await fire('PermissionRequest', bash('ls', 'toolu_2'));
    expect(asked['response']).toMatchObject(decides({ behavior: 'deny', message: expect.stringContaining(TOLD) }));
    expect(await claude.ask('can', can('ls'))).toMatchObject({
      response: { behavior: 'deny', message: expect.stringContaining(TOLD) },
    });
    const lost = [{ what: 'rewrite', why: expect.stringContaining('half a surrogate pair') }];
    expect(fires(tap).flatMap(({ event, losses }) => (event === 'SessionStart' ? [] : [losses]))).toEqual([
      lost,
      lost,
      lost,
    ]);
  });

  it('in a rewrite beside an ask denies the call with the reason of the ask', async () => {
    const { claude, host, fire } = await asking([]);
    const say = { permissionDecision: 'ask', permissionDecisionReason: 'It deploys', updatedInput: { command: HALF } };
    host.register(
      anyHooks({ PreToolUse: [{ hooks: [() => ({ hookSpecificOutput: { hookEventName: 'PreToolUse', ...say } })] }] }),
    );
    const reason = expect.stringMatching(/^It deploys\. A hook would have run this .* cannot be told of here/);
    const { response } = await fire('PreToolUse', bash('ls'));
    expect(response).toMatchObject({
      hookSpecificOutput: { permissionDecision: 'deny', permissionDecisionReason: reason },
    });
    expect(claude).toBeDefined();
  });

  it('in a reason is a character', async () => {
    const { claude, fire } = await asking([() => decides({ behavior: 'deny', message: HALF })]);
    const { response } = await fire('PermissionRequest', bash('ls'));
    expect(response).toEqual(decides({ behavior: 'deny', message: 'echo \ufffd' }));
    expect(await claude.ask('can', can('ls'))).toMatchObject({ response: { message: 'echo \ufffd' } });
  });

  it('in the input that there was is no rewrite, and in that of a person a denial', async () => {
    let rewrite: Json | undefined;
    const { claude } = await asking([], (_, input) => ({ behavior: 'allow', updatedInput: rewrite ?? input }));
    expect(await claude.ask('same', can(HALF))).toMatchObject({ response: { behavior: 'allow' } });
    rewrite = { command: `${HALF} x` };
    expect(await claude.ask('other', can(HALF, 'toolu_2'))).toMatchObject({
      response: { behavior: 'deny', message: expect.stringContaining('half a surrogate pair') },
    });
  });
});
