import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { addContext, allow, deny, stop } from '../../src/events/output/helpers.js';
import { command } from '../../src/handlers/command/spec.js';
import { INPUTS } from './inputs.js';
import { anyHooks, deferred, fires, only, registerAs, testHost, turn, until, watch } from './kit.js';

const PRE = INPUTS.PreToolUse;

describe('handlers from code', () => {
  test('run one after the other, in array order, each after the one before has ended', async () => {
    const { host } = testHost();
    const log: string[] = [];
    const slow = (name: string) => async () => {
      log.push(`${name} in`);
      await turn();
      log.push(`${name} out`);
    };
    host.register({ PreToolUse: [{ hooks: [slow('a'), slow('b')] }, { hooks: [slow('c')] }] });
    await host.fire('PreToolUse', PRE);
    expect(log).toEqual(['a in', 'a out', 'b in', 'b out', 'c in', 'c out']);
  });

  test('of a parallel group start together, and fold in plan order whatever the order of finishing', async () => {
    const { host } = testHost();
    const [one, two] = [deferred(), deferred()];
    let started = 0;
    const waitFor = (gate: { promise: Promise<unknown> }, text: string) => async () => {
      started++;
      await gate.promise;
      return addContext(text);
    };
    host.register({ PreToolUse: [{ mode: 'parallel', hooks: [waitFor(one, 'first'), waitFor(two, 'second')] }] });
    const decision = host.fire('PreToolUse', PRE);
    await until(() => started === 2);
    two.resolve(0);
    await turn();
    one.resolve(0);
    expect((await decision).additionalContext).toEqual(['first', 'second']);
  });

  test('a wave waits for all of the one before, also where one of it has failed', async () => {
    const { host } = testHost();
    const gate = deferred();
    let second = 0;
    host.register({
      PreToolUse: [
        { mode: 'parallel', hooks: [() => Promise.reject(new Error('no')), () => gate.promise as Promise<undefined>] },
        { stage: 1, hooks: [() => void second++] },
      ],
    });
    const decision = host.fire('PreToolUse', PRE);
    await turn();
    await turn();
    expect(second).toBe(0);
    gate.resolve(undefined);
    await decision;
    expect(second).toBe(1);
  });

  test('a deny ends nothing: later ones still see the event', async () => {
    const { host } = testHost();
    let audited = 0;
    host.register({ PreToolUse: [{ hooks: [() => deny('no'), () => void audited++, () => allow()] }] });
    expect(await host.fire('PreToolUse', PRE)).toMatchObject({ verdict: 'deny', reason: 'no' });
    expect(audited).toBe(1);
  });

  test('get the input, the tool use id and a context', async () => {
    const { host } = testHost();
    const seen: unknown[] = [];
    const hook = (...args: unknown[]): void => void seen.push(...args);
    host.register(anyHooks({ PreToolUse: [{ hooks: [hook] }], Stop: [{ hooks: [hook] }] }));
    await host.fire('PreToolUse', PRE);
    await host.fire('Stop', INPUTS.Stop);
    expect(seen).toHaveLength(6);
    expect([seen[1], seen[4]]).toEqual(['t1', undefined]);
    expect(seen[2]).toMatchObject({
      call: 'first',
      scope: 'session',
      signal: expect.any(AbortSignal),
      progress: expect.any(Function),
    });
    expect((seen[2] as { host: unknown }).host).toBe(host);
  });

  test('say nothing by undefined, null and {} alike', async () => {
    const { host, reports } = testHost();
    host.register({
      PreToolUse: [{ hooks: [() => undefined, () => null, () => ({}), async () => null, async () => ({})] }],
    });
    const decision = await host.fire('PreToolUse', PRE);
    expect(decision.verdict).toBe('none');
    expect(decision.outcomes).toHaveLength(5);
    expect(reports).toEqual([]);
  });
});

describe('files run as the client runs them', () => {
  test('in parallel, across groups', async () => {
    const { host } = testHost();
    const gate = deferred();
    let started = 0;
    const hook = async () => {
      started++;
      await gate.promise;
      return undefined;
    };
    registerAs(host, { PreToolUse: [{ hooks: [hook] }, { hooks: [hook] }] }, { dialect: 'claude' });
    const decision = host.fire('PreToolUse', PRE);
    await until(() => started === 2);
    gate.resolve(0);
    await decision;
  });

  test('unless a group asks for series', async () => {
    const { host } = testHost();
    const seen = watch(host);
    registerAs(
      host,
      { PreToolUse: [{ mode: 'series', hooks: [() => {}, () => {}] }, { hooks: [() => {}, () => {}] }] },
      { dialect: 'claude' },
    );
    await host.fire('PreToolUse', PRE);
    expect(only(fires(seen)).handlers.map((h) => h.wave)).toEqual([0, 1, 2, 2]);
  });
});

describe('continue: false', () => {
  test('from code ends the run after its wave; observers still run; on a gate it denies', async () => {
    const { host } = testHost();
    const seen = watch(host);
    const ran: string[] = [];
    const mark = (name: string) => () => void ran.push(name);
    host.register({
      PreToolUse: [
        { hooks: [mark('before')] },
        { mode: 'parallel', stage: 1, hooks: [() => stop('enough'), mark('beside')] },
        { stage: 2, hooks: [mark('after')] },
        { phase: 'observe', hooks: [mark('observer')] },
      ],
    });
    const decision = await host.fire('PreToolUse', PRE);
    expect(ran).toEqual(['before', 'beside', 'observer']);
    expect(decision).toMatchObject({ verdict: 'deny', continue: false, stopReason: 'enough', reason: 'enough' });
    expect(only(fires(seen)).handlers.map((h) => h.reason)).toEqual([
      undefined,
      undefined,
      undefined,
      'bailed',
      undefined,
    ]);
  });

  test('ends the run too where nobody watches', async () => {
    const { host } = testHost();
    let after = 0;
    host.register({ PostToolUse: [{ hooks: [() => {}, async () => ({ continue: false }), () => void after++] }] });
    expect((await host.fire('PostToolUse', INPUTS.PostToolUse)).continue).toBe(false);
    expect(after).toBe(0);
  });

  test('from a file skips nobody and does not deny', async () => {
    const { host } = testHost();
    let after = 0;
    registerAs(host, { PreToolUse: [{ hooks: [() => ({ continue: false })] }] }, { dialect: 'claude' });
    host.register({ PreToolUse: [{ hooks: [() => void after++] }] });
    expect(await host.fire('PreToolUse', PRE)).toMatchObject({ verdict: 'none', continue: false });
    expect(after).toBe(1);
  });

  test('preventContinuation: true is the older spelling', async () => {
    const { host } = testHost();
    let after = 0;
    host.register({ PreToolUse: [{ hooks: [() => ({ preventContinuation: true }), () => void after++] }] });
    expect(await host.fire('PreToolUse', PRE)).toMatchObject({ verdict: 'deny', continue: false });
    expect(after).toBe(0);
  });
});

describe('phases', () => {
  test('a rewriter only rewrites: its verdict is ignored', async () => {
    const { host } = testHost();
    const output = { hookSpecificOutput: { permissionDecision: 'deny', updatedInput: { command: 'pwd' } } } as const;
    host.register({ PreToolUse: [{ phase: 'rewrite', hooks: [() => output] }] });
    expect(await host.fire('PreToolUse', PRE)).toMatchObject({ verdict: 'none', updatedInput: { command: 'pwd' } });
  });

  test('an observer runs last, once, on the final input; what it says decides nothing and is recorded', async () => {
    const { host } = testHost();
    const seen = watch(host);
    const inputs: unknown[] = [];
    const observer = (input: { tool_input: unknown }) => {
      inputs.push(input.tool_input);
      return {
        continue: false,
        systemMessage: 'saw',
        hookSpecificOutput: { permissionDecision: 'deny' as const, updatedInput: { command: 'rm' } },
      };
    };
    host.register({
      PreToolUse: [
        { phase: 'observe', stage: -100, hooks: [observer] },
        { hooks: [() => ({ hookSpecificOutput: { permissionDecision: 'allow', updatedInput: { command: 'pwd' } } })] },
      ],
    });
    const decision = await host.fire('PreToolUse', PRE);
    expect(inputs).toEqual([{ command: 'pwd' }]);
    expect(decision).toMatchObject({
      verdict: 'allow',
      continue: true,
      systemMessages: [],
      updatedInput: { command: 'pwd' },
    });
    expect(decision.outcomes).toHaveLength(1);
    expect(only(fires(seen)).handlers.map((h) => h.output !== undefined)).toEqual([true, true]);
  });

  test('an observer whose matcher does not fit the final input does not run', async () => {
    const { host } = testHost();
    const seen = watch(host);
    host.register({ PreToolUse: [{ phase: 'observe', matcher: 'Read', hooks: [() => {}] }] });
    await host.fire('PreToolUse', PRE);
    expect(only(fires(seen)).handlers[0]).toMatchObject({ status: 'skipped', reason: 'matcher' });
  });

  test('an observer that fails does not decide, whatever its policy, and it is said', async () => {
    const { host, reports } = testHost({ onFailure: 'block' });
    host.register({ PreToolUse: [{ phase: 'observe', hooks: [() => Promise.reject(new Error('lens cap'))] }] });
    expect((await host.fire('PreToolUse', PRE)).verdict).toBe('none');
    expect(only(reports)).toContain('lens cap');
  });
});

describe('once', () => {
  test('one that is taken out when it has run does not run again in a fire that was under way', async () => {
    const { host } = testHost();
    let runs = 0;
    const answer = deferred<undefined>();
    host.register({ PreToolUse: [{ matcher: 'Slow', hooks: [() => answer.promise] }] });
    const first = (): undefined => {
      runs++;
      off();
    };
    const off = host.on('PreToolUse', first, { once: true });
    const slow = host.fire('PreToolUse', { tool_name: 'Slow', tool_input: {} });
    await turn();
    await host.fire('PreToolUse', { tool_name: 'Bash', tool_input: {} });
    answer.resolve(undefined);
    await slow;
    expect(runs).toBe(1);
  });

  test('runs once a registration', async () => {
    const { host } = testHost();
    const seen = watch(host);
    let [a, b] = [0, 0];
    const undo = host.register({
      PreToolUse: [{ once: true, hooks: [() => void a++, { handler: () => void b++, once: false }] }],
    });
    await host.fire('PreToolUse', PRE);
    await host.fire('PreToolUse', PRE);
    expect([a, b]).toEqual([1, 2]);
    expect(fires(seen)[1]?.handlers[0]).toMatchObject({ status: 'skipped', reason: 'once' });
    undo();
    host.register({ PreToolUse: [{ once: true, hooks: [() => void a++] }] });
    await host.fire('PreToolUse', PRE);
    expect(a).toBe(2);
  });

  test('is taken when it starts: fires at the same time do not share it', async () => {
    const { host } = testHost();
    let ran = 0;
    const hook = async () => {
      ran++;
      await turn();
      return undefined;
    };
    host.register({ PreToolUse: [{ once: true, mode: 'parallel', hooks: [hook] }] });
    await Promise.all(Array.from({ length: 5 }, () => host.fire('PreToolUse', PRE)));
    expect(ran).toBe(1);
  });

  test('is not taken by a fire it does not match', async () => {
    const { host } = testHost();
    let ran = 0;
    host.register({ PreToolUse: [{ once: true, matcher: 'Bash', if: 'Bash(git *)', hooks: [() => void ran++] }] });
    await host.fire('PreToolUse', { ...PRE, tool_name: 'Read' });
    await host.fire('PreToolUse', PRE);
    await host.fire('PreToolUse', { ...PRE, tool_input: { command: 'git log' } });
    await host.fire('PreToolUse', { ...PRE, tool_input: { command: 'git log' } });
    expect(ran).toBe(1);
  });

  test('is taken by a failure too', async () => {
    const { host } = testHost();
    let ran = 0;
    host.register({
      PreToolUse: [
        {
          once: true,
          hooks: [
            () => {
              ran++;
              throw new Error('no');
            },
          ],
        },
      ],
    });
    await host.fire('PreToolUse', PRE);
    await host.fire('PreToolUse', PRE);
    expect(ran).toBe(1);
  });

  test('does not keep it from being asked again in the same fire', async () => {
    const { host } = testHost();
    const seen: unknown[] = [];
    host.register({
      PreToolUse: [
        { once: true, hooks: [(input) => void seen.push(input.tool_input)] },
        { hooks: [() => ({ hookSpecificOutput: { updatedInput: { command: 'pwd' } } })] },
      ],
    });
    await host.fire('PreToolUse', PRE);
    expect(seen).toEqual([{ command: 'ls' }, { command: 'pwd' }]);
    await host.fire('PreToolUse', PRE);
    expect(seen).toHaveLength(2);
  });

  test('counts for each agent that has its own', async () => {
    const { host } = testHost();
    let ran = 0;
    for (const id of ['a', 'b']) host.registerScoped(id, { PreToolUse: [{ once: true, hooks: [() => void ran++] }] });
    for (const scope of ['a', 'a', 'b', 'b']) await host.fire('PreToolUse', PRE, { scope });
    expect(ran).toBe(2);
    host.unregisterScoped('a');
    host.registerScoped('a', { PreToolUse: [{ once: true, hooks: [() => void ran++] }] });
    await host.fire('PreToolUse', PRE, { scope: 'a' });
    expect(ran).toBe(3);
  });

  test.each([
    ['project', 2],
    ['skill', 1],
  ])('from a %s file it runs %i times of two', async (kind, times) => {
    const { host } = testHost();
    let ran = 0;
    registerAs(
      host,
      { PreToolUse: [{ once: true, hooks: [() => void ran++] }] },
      { dialect: 'claude', source: { kind } },
    );
    await host.fire('PreToolUse', PRE);
    await host.fire('PreToolUse', PRE);
    expect(ran).toBe(times);
  });
});

describe('matchers and rules decide who runs', () => {
  test('a predicate gets the subject and the input, which it cannot change', async () => {
    const { host, reports } = testHost();
    const seen: unknown[] = [];
    const input = { ...PRE, tool_input: { command: 'ls' } };
    host.register(
      anyHooks({
        PreToolUse: [
          {
            matcher(subject: string, given: { tool_input: { command: string } }) {
              seen.push(subject, given.tool_input.command);
              given.tool_input.command = 'rm';
              return false;
            },
            hooks: [() => void seen.push('ran')],
          },
        ],
      }),
    );
    await host.fire('PreToolUse', input);
    // It threw where it tried to write, and a predicate that throws runs the hook.
    expect(seen).toEqual(['Bash', 'ls', 'ran']);
    expect(input.tool_input).toEqual({ command: 'ls' });
    expect(only(reports)).toContain('read-only');
  });

  test('an event without a subject ignores matchers, and it is said', async () => {
    const { host, reports } = testHost();
    let ran = 0;
    host.register(anyHooks({ UserPromptSubmit: [{ matcher: 'nothing', hooks: [() => void ran++] }] }));
    await host.fire('UserPromptSubmit', INPUTS.UserPromptSubmit);
    expect(ran).toBe(1);
    expect(only(reports)).toContain('ignored');
  });

  test('an empty subject is matched by match-all alone', async () => {
    const { host } = testHost();
    const ran: string[] = [];
    host.register({
      Notification: [
        { matcher: '*', hooks: [() => void ran.push('*')] },
        { matcher: /^/, hooks: [() => void ran.push('regexp')] },
        { matcher: '**', hooks: [() => void ran.push('glob')] },
      ],
    });
    await host.fire('Notification', { message: 'm' });
    await host.fire('Notification', { message: 'm', notification_type: '' });
    expect(ran).toEqual(['*', '*']);
  });

  test('a hook with a rule on an event without a tool never runs', async () => {
    const { host } = testHost();
    const seen = watch(host);
    host.register(anyHooks({ Stop: [{ if: 'Bash(git *)', hooks: [() => ({})] }] }));
    await host.fire('Stop', INPUTS.Stop);
    expect(only(fires(seen)).handlers[0]).toMatchObject({ status: 'skipped', reason: 'if' });
  });

  test('a handler’s own rule goes before its group’s', async () => {
    const { host } = testHost();
    const ran: string[] = [];
    host.register({
      PreToolUse: [
        {
          if: 'Bash(git *)',
          hooks: [() => void ran.push('group'), { if: 'Bash(ls *)', handler: () => void ran.push('own') }],
        },
      ],
    });
    await host.fire('PreToolUse', { ...PRE, tool_input: { command: 'ls -l' } });
    await host.fire('PreToolUse', { ...PRE, tool_input: { command: 'git log' } });
    expect(ran).toEqual(['own', 'group']);
  });
});

describe('the same hook in several files', () => {
  const folders: string[] = [];
  afterEach(() => {
    for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
  });
  function counter(): { line: string; count: () => number } {
    const folder = mkdtempSync(join(tmpdir(), 'hookscope-test-'));
    folders.push(folder);
    const file = join(folder, 'runs');
    return { line: `echo x >> '${file}'`, count: () => readFileSync(file, 'utf8').length / 2 };
  }
  const CLAUDE = { dialect: 'claude', source: { kind: 'project' } } as const;
  const hook = (line: string, more = {}) => ({ type: 'command', command: line, ...more });
  const group = (...hooks: unknown[]) => ({ PreToolUse: [{ hooks }] });

  test.each<[string, (line: string) => Record<string, unknown>[], number]>([
    ['twice in one group', (l) => [group(hook(l), hook(l))], 1],
    [
      'under two matchers',
      (l) => [
        {
          PreToolUse: [
            { matcher: 'Bash', hooks: [hook(l)] },
            { matcher: 'B.*', hooks: [hook(l)] },
          ],
        },
      ],
      1,
    ],
    ['in two files', (l) => [group(hook(l)), group(hook(l))], 1],
    ['with other timeouts', (l) => [group(hook(l, { timeout: 5 }), hook(l, { timeout: 6 }))], 1],
    ['with other rules', (l) => [group(hook(l, { if: 'Bash(ls)' }), hook(l, { if: 'Bash(l*)' }))], 2],
    ['with other shells', (l) => [group(hook(l), hook(l, { shell: 'bash' }))], 2],
    [
      'with arguments',
      (l) => [group(hook(l), hook('/bin/sh', { args: ['-c', l] }), hook('/bin/sh', { args: ['-c', l] }))],
      2,
    ],
    [
      'once where the other copy does not match',
      (l) => [{ PreToolUse: [{ matcher: 'Read', hooks: [hook(l)] }, { hooks: [hook(l)] }] }],
      1,
    ],
  ])('%s', async (_, files, runs) => {
    const { host } = testHost({ session: { session_id: 's', transcript_path: '', cwd: tmpdir() } });
    const { line, count } = counter();
    for (const file of files(line)) registerAs(host, file, CLAUDE);
    await host.fire('PreToolUse', PRE);
    expect(count()).toBe(runs);
    await host.close();
  });

  test('runs once a fire, every fire', async () => {
    const { host } = testHost({ session: { session_id: 's', transcript_path: '', cwd: tmpdir() } });
    const { line, count } = counter();
    registerAs(host, group(hook(line), hook(line)), CLAUDE);
    for (let i = 0; i < 3; i++) await host.fire('PreToolUse', PRE);
    expect(count()).toBe(3);
    await host.close();
  });

  test('the outermost copy is the one, the others are duplicates; each plugin’s stays separate', async () => {
    const { host } = testHost({ session: { session_id: 's', transcript_path: '', cwd: tmpdir() } });
    const seen = watch(host);
    const { line, count } = counter();
    for (const [kind, family] of [['user'], ['project'], ['plugin', 'one'], ['plugin', 'two']] as const) {
      registerAs(host, group(hook(line)), { dialect: 'claude', source: { kind }, ...(family ? { family } : {}) });
    }
    await host.fire('PreToolUse', PRE);
    expect(only(fires(seen)).handlers.map((h) => [h.source.kind, h.reason])).toEqual([
      ['user', undefined],
      ['project', 'duplicate'],
      ['plugin', undefined],
      ['plugin', undefined],
    ]);
    expect(count()).toBe(3);
    await host.close();
  });

  test('has the strictest failure policy of its copies', async () => {
    const { host } = testHost({ session: { session_id: 's', transcript_path: '', cwd: tmpdir() } });
    registerAs(host, group(hook('exit 1')), CLAUDE);
    registerAs(host, group(hook('exit 1', { onFailure: 'block' })), CLAUDE);
    const decision = await host.fire('PreToolUse', PRE);
    expect(decision.verdict).toBe('deny');
    expect(decision.failures).toHaveLength(1);
    await host.close();
  });

  test('is in the background only if all its copies are', async () => {
    const { host } = testHost({ session: { session_id: 's', transcript_path: '', cwd: tmpdir() } });
    const line = 'echo no >&2; exit 2';
    registerAs(host, group(hook(line, { async: true })), CLAUDE);
    registerAs(host, group(hook(line)), CLAUDE);
    expect(await host.fire('PreToolUse', PRE)).toMatchObject({ verdict: 'deny', reason: 'no' });
    await host.close();
  });

  test('from code runs as often as it was registered', async () => {
    const { host } = testHost({ session: { session_id: 's', transcript_path: '', cwd: tmpdir() } });
    const { line, count } = counter();
    host.register({ PreToolUse: [{ hooks: [command(line), command(line)] }] });
    await host.fire('PreToolUse', PRE);
    expect(count()).toBe(2);
    await host.close();
  });
});
