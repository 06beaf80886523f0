import { describe, expect, test } from 'vitest';
import { deny, rewrite } from '../../src/events/output/helpers.js';
import type { HookContext } from '../../src/host/call/context.js';
import { INPUTS } from './inputs.js';
import { anyHooks, deferred, sleep, testHost, turn, until } from './kit.js';

const PRE = INPUTS.PreToolUse;
const silent = async (): Promise<undefined> => undefined;
const quiet = (): undefined => undefined;

describe('a fire whose handlers are silent', () => {
  test('lists them all in its decision, which nobody can change', async () => {
    const { host } = testHost();
    host.register({ PreToolUse: [{ hooks: [silent, quiet, silent] }] }, { name: 'three' });
    const decision = await host.fire('PreToolUse', PRE);
    expect(decision.verdict).toBe('none');
    expect(decision.outcomes.map((o) => o.id)).toEqual(['three/silent#1', 'three/quiet#2', 'three/silent#3']);
    expect(() => (decision.outcomes as unknown[]).push('more')).toThrow(TypeError);
    expect(() => Object.assign(decision, { verdict: 'deny' })).toThrow(TypeError);
    expect((await host.fire('PreToolUse', PRE)).verdict).toBe('none');
  });

  test('waits once for any kind of promise or thenable, as await does', async () => {
    const { host, reports } = testHost();
    class Other extends Promise<undefined> {}
    const log: string[] = [];
    const thenable = (then: (yes: (value?: unknown) => void) => void): unknown => Object.fromEntries([['then', then]]);
    const hooks = [
      () => Other.resolve(),
      silent,
      () =>
        Object.assign(
          Promise.resolve(),
          thenable((yes) => [yes(), yes(deny('twice'))]),
        ),
      silent,
      () => thenable((yes) => [yes(), yes(deny('twice'))]),
      silent,
      () =>
        thenable((yes) => {
          yes();
          throw new Error('after all');
        }),
      silent,
      () => void log.push('last'),
    ];
    host.register(anyHooks({ PreToolUse: [{ hooks }] }));
    const decision = await host.fire('PreToolUse', PRE);
    expect([decision.verdict, decision.failures, log, reports]).toEqual(['none', [], ['last'], []]);
  });

  test('calls each handler once, after the one before has settled', async () => {
    const { host } = testHost();
    const gate = deferred();
    const log: string[] = [];
    const say = (name: string) => async (): Promise<undefined> => {
      log.push(`${name} in`);
      if (name === 'a') await gate.promise;
      log.push(`${name} out`);
    };
    host.register({ PreToolUse: [{ hooks: [say('a'), () => void log.push('sync'), say('b')] }] });
    const decision = host.fire('PreToolUse', PRE);
    await turn();
    expect(log).toEqual(['a in']);
    gate.resolve(0);
    await decision;
    expect(log).toEqual(['a in', 'a out', 'sync', 'b in', 'b out']);
  });
});

describe('a handler that hangs among silent ones', () => {
  const hang = (): Promise<never> => new Promise(() => {});

  test('times out, and the others run and are listed', async () => {
    const { host, reports } = testHost();
    let after = 0;
    host.register({ PreToolUse: [{ timeout: 0.03, hooks: [silent, hang, () => void after++] }] }, { name: 'h' });
    const decision = await host.fire('PreToolUse', PRE);
    expect(decision.failures.map((f) => [f.name, f.cause])).toEqual([['h/hang', 'timeout']]);
    expect(decision.outcomes).toHaveLength(3);
    expect(after).toBe(1);
    expect(reports).toHaveLength(1);
  });

  test('is told by its signal, also when it first looks at it too late', async () => {
    const { host } = testHost();
    const contexts: HookContext[] = [];
    const reasons: unknown[] = [];
    const listening = (_: unknown, __: unknown, context: HookContext): Promise<never> => {
      context.signal.addEventListener('abort', () => reasons.push((context.signal.reason as DOMException).name));
      return hang();
    };
    const keeping = (_: unknown, __: unknown, context: HookContext): Promise<never> => {
      contexts.push(context);
      return hang();
    };
    host.register({ PreToolUse: [{ timeout: 0.02, hooks: [listening, keeping] }] });
    await host.fire('PreToolUse', PRE);
    expect(reasons).toEqual(['TimeoutError']);
    expect(contexts[0]?.signal.aborted).toBe(true);
  });

  test('says nothing any more when it wakes', async () => {
    const { host, reports } = testHost();
    const gates = [deferred<never>(), deferred<never>(), deferred<never>()] as const;
    let after = 0;
    const late = gates.map((gate) => () => gate.promise);
    host.register({ PreToolUse: [{ timeout: 0.02, hooks: [...late, () => void after++] }] });
    const decision = await host.fire('PreToolUse', PRE);
    expect(decision.failures).toHaveLength(3);
    gates[0].resolve(deny('too late') as never);
    gates[1].reject(new Error('too late'));
    gates[2].resolve(undefined as never);
    await turn();
    expect([decision.verdict, after, reports.length]).toEqual(['none', 1, 3]);
  });

  test('is not followed into the background by what it says too late', async () => {
    const { host } = testHost();
    const gate = deferred<never>();
    host.register({ PreToolUse: [{ timeout: 0.02, hooks: [() => gate.promise] }] });
    await host.fire('PreToolUse', PRE);
    gate.resolve({ async: true, result: Promise.resolve({ systemMessage: 'too late' }) } as never);
    await turn();
    expect(await host.close()).toEqual({ pending: [] });
    expect(host.pendingContext()).toEqual([]);
  });

  test('has its whole time for itself, however long the ones before took', async () => {
    const { host } = testHost();
    const takesLong = async (): Promise<undefined> => void (await sleep(250));
    host.register({ PreToolUse: [{ timeout: 0.4, hooks: [takesLong, takesLong, takesLong] }] });
    expect((await host.fire('PreToolUse', PRE)).failures).toEqual([]);
  });

  test('does not keep another fire waiting', async () => {
    const { host } = testHost();
    let first = true;
    const once = (): Promise<undefined> => {
      if (!first) return silent();
      first = false;
      return hang();
    };
    host.register({ PreToolUse: [{ timeout: 0.05, hooks: [once] }] });
    const hung = host.fire('PreToolUse', PRE);
    expect((await host.fire('PreToolUse', PRE)).failures).toEqual([]);
    expect((await hung).failures).toHaveLength(1);
  });
});

describe('hooks that are looked at before they run', () => {
  const named = (log: string[], name: string, answer: () => unknown = silent) =>
    Object.defineProperty(
      () => {
        log.push(name);
        return answer();
      },
      'name',
      { value: name },
    );
  const looked = (log: string[], name: string, runs: boolean | (() => boolean), answer?: () => unknown) => ({
    matcher: () => {
      log.push(`${name}?`);
      return typeof runs === 'boolean' ? runs : runs();
    },
    hooks: [named(log, name, answer)],
  });
  const idsOf = ({ outcomes }: { outcomes: readonly { id: string }[] }): string =>
    outcomes.map(({ id }) => id.replace(/#.*/, '')).join(' ');

  test.each([false, true])(
    'are looked at in their turn, and who is passed over is in no outcome; watched: %s',
    async (watched) => {
      const { host } = testHost();
      if (watched) host.events$.subscribe(() => undefined);
      const log: string[] = [];
      const some = [looked(log, 'a', true), looked(log, 'b', false), looked(log, 'c', true)];
      host.register(anyHooks({ PreToolUse: [...some, { if: 'Bash(nothing)', hooks: [named(log, 'd')] }] }));
      const decision = await host.fire('PreToolUse', PRE);
      expect(log.join(' ')).toBe('a? a b? c? c');
      expect(decision.verdict).toBe('none');
      expect(idsOf(decision)).toBe('a c');
    },
  );

  test('are asked in the same order when one of them speaks', async () => {
    const { host } = testHost();
    const log: string[] = [];
    const says = (name: string): ReturnType<typeof looked> => looked(log, name, true, () => deny(`by ${name}`));
    host.register(anyHooks({ PreToolUse: [looked(log, 'a', false), says('b'), looked(log, 'c', false), says('d')] }));
    const decision = await host.fire('PreToolUse', PRE);
    expect(log.join(' ')).toBe('a? b? b c? d? d');
    expect(idsOf(decision)).toBe('b d');
    expect(decision.reason).toBe('by b');
  });

  test('may match what a later hook has rewritten, and are asked then for the first time', async () => {
    const { host } = testHost();
    const log: string[] = [];
    const calls: string[] = [];
    let rewritten = false;
    const late = looked(log, 'late', () => rewritten);
    const early = {
      matcher: () => true,
      hooks: [(_: unknown, __: unknown, { call }: HookContext) => void calls.push(call)],
    };
    const writes = (): unknown => {
      rewritten = true;
      return rewrite({ command: 'pwd' });
    };
    host.register(anyHooks({ PreToolUse: [late, early, { hooks: [writes] }] }));
    const decision = await host.fire('PreToolUse', PRE);
    expect(decision.updatedInput).toEqual({ command: 'pwd' });
    expect(log.join(' ')).toBe('late? late? late');
    expect(calls).toEqual(['first', 'reask']);
  });

  test('once: runs in one fire, and is passed over in the next', async () => {
    const { host } = testHost();
    const log: string[] = [];
    host.register(anyHooks({ PreToolUse: [{ once: true, hooks: [named(log, 'a')] }, { hooks: [named(log, 'b')] }] }));
    expect(idsOf(await host.fire('PreToolUse', PRE))).toBe('a b');
    expect(idsOf(await host.fire('PreToolUse', PRE))).toBe('b');
    expect(log.join(' ')).toBe('a b b');
  });

  test('see the input that hooks see, which nobody can change', async () => {
    const { host, reports } = testHost();
    const seen: unknown[] = [];
    const spoils = (_: unknown, input: Record<string, unknown>): boolean => {
      seen.push(input['tool_input']);
      input['tool_name'] = 'Other';
      return false;
    };
    host.register(
      anyHooks({ PreToolUse: [{ matcher: spoils, hooks: [(i: typeof PRE) => void seen.push(i.tool_input)] }] }),
    );
    await host.fire('PreToolUse', PRE);
    expect(reports.join()).toContain('cannot set "tool_name"');
    expect(seen).toEqual([PRE.tool_input, PRE.tool_input]);
  });
});

describe('aborting', () => {
  test('a waiting fire rejects it, ends the handler and calls nobody after it', async () => {
    const { host } = testHost();
    const controller = new AbortController();
    const gate = deferred<undefined>();
    const signals: AbortSignal[] = [];
    let after = 0;
    const waiting = (_: unknown, __: unknown, { signal }: HookContext): Promise<undefined> => {
      signals.push(signal);
      return gate.promise;
    };
    host.register({ PreToolUse: [{ hooks: [silent, waiting, () => void after++] }] });
    const fire = host.fire('PreToolUse', PRE, { signal: controller.signal });
    await until(() => signals.length === 1);
    controller.abort();
    await expect(fire).rejects.toMatchObject({ code: 'ABORTED' });
    expect(signals[0]?.aborted).toBe(true);
    gate.resolve(undefined);
    await turn();
    expect(after).toBe(0);
  });

  test.each([
    ['its only handler, at once', 0],
    ['a handler after one that was waited for', 1],
  ])('by %s rejects the fire and calls nobody after it', async (_, before) => {
    const { host } = testHost();
    const controller = new AbortController();
    let after = 0;
    const hooks = [...Array(before).fill(silent), () => controller.abort(), () => void after++];
    host.register({ PreToolUse: [{ hooks }] });
    await expect(host.fire('PreToolUse', PRE, { signal: controller.signal })).rejects.toMatchObject({
      code: 'ABORTED',
    });
    expect(after).toBe(0);
  });

  test('while a rewrite is under way, by a handler, rejects the fire too', async () => {
    const { host } = testHost();
    const controller = new AbortController();
    host.register(anyHooks({ PreToolUse: [{ phase: 'rewrite', hooks: [() => controller.abort()] }] }));
    await expect(host.fire('PreToolUse', PRE, { signal: controller.signal })).rejects.toMatchObject({
      code: 'ABORTED',
    });
  });

  test("leaves no listener on the caller's signal", async () => {
    const { host } = testHost();
    const { signal } = new AbortController();
    const listeners = new Set<unknown>();
    const { addEventListener, removeEventListener } = signal;
    signal.addEventListener = (...args: Parameters<typeof addEventListener>): void => {
      listeners.add(args[1]);
      addEventListener.apply(signal, args);
    };
    signal.removeEventListener = (...args: Parameters<typeof removeEventListener>): void => {
      listeners.delete(args[1]);
      removeEventListener.apply(signal, args);
    };
    host.register({ PreToolUse: [{ hooks: [silent] }] });
    const fire = host.fire('PreToolUse', PRE, { signal });
    expect(listeners.size).toBe(1);
    await fire;
    await turn();
    expect(listeners.size).toBe(0);
  });
});
