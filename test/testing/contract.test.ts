import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { addContext, allow, definePlugin, deny, type Plugin, type PluginScope, rewrite } from '../../src/index.js';
import { type ContractCase, type ContractOptions, contract, payload } from '../../src/testing.js';

const RM = ['PreToolUse', payload.preToolUse.bash('rm -rf /')] as const;
const LS = ['PreToolUse', payload.preToolUse.bash('ls')] as const;
const GUARD = { denies: [RM], passes: [LS] };

const commandOf = (input: unknown): string => {
  const { command } = (input ?? {}) as { command?: unknown };
  return typeof command === 'string' ? command : '';
};
const isRm = (input: unknown): boolean => commandOf(input).startsWith('rm ');

/** A plugin with one guard on PreToolUse. */
function guard(
  hook: (input: unknown, id: string | undefined, signal: AbortSignal) => unknown,
  more: Partial<Plugin> = {},
): Plugin {
  return {
    name: 'under-test',
    apply(scope: PluginScope) {
      scope.register(
        { PreToolUse: [{ hooks: [({ tool_input }, id, { signal }) => hook(tool_input, id, signal) as never] }] },
        { onFailure: 'block' },
      );
    },
    ...more,
  };
}

/** The names of the cases that it fails, and why. */
async function broken(plugin: Plugin, options: ContractOptions = {}): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const { name, run } of contract(plugin, { patience: 0.1, ...options })) {
    const signals = process.listeners('SIGUSR2');
    await run().catch((error: Error) => {
      found[name] = error.message;
    });
    for (const listener of process.listeners('SIGUSR2'))
      if (!signals.includes(listener)) process.off('SIGUSR2', listener);
  }
  return found;
}

describe('a plugin that keeps the contract', () => {
  test('a guard', async () => {
    expect(
      await broken(
        guard((input) => (isRm(input) ? deny('no') : undefined)),
        GUARD,
      ),
    ).toEqual({});
  });

  test('one with timers and listeners that it takes back, and a rewrite that settles', async () => {
    const plugin = definePlugin({
      name: 'tidy',
      apply(scope) {
        const timer = setInterval(() => {}, 1000);
        const listen = (): void => {};
        process.on('SIGUSR2', listen);
        scope.onClose(() => {
          clearInterval(timer);
          process.off('SIGUSR2', listen);
        });
        scope.on('PreToolUse', ({ tool_input }) => {
          const command = commandOf(tool_input);
          return command === '' || command.startsWith('nice ') ? undefined : rewrite({ command: `nice ${command}` });
        });
        scope.on('Stop', async (_input, _id, { signal }) => {
          await sleep(5, undefined, { signal });
        });
      },
    });
    expect(await broken(plugin as Plugin)).toEqual({});
  });
});

test('a hook that says its context once passes, and a case without its calls is not there', async () => {
  const plugin = definePlugin({
    name: 'greeter',
    apply: (scope) => scope.register({ SessionStart: [{ once: true, hooks: [() => addContext('Hello.')] }] }),
  }) as Plugin;
  expect(await broken(plugin)).toEqual({});
  const names = (options?: ContractOptions): readonly string[] => contract(plugin, options).map(({ name }) => name);
  expect(names(GUARD).filter((name) => !names().includes(name))).toEqual(
    expect.arrayContaining([expect.stringMatching(/when it fails/), expect.stringMatching(/without a word/)]),
  );
});

describe('a plugin that was built to be bad fails', () => {
  const seen = new Map<string | undefined, unknown>();
  const shared: (() => void)[] = [];
  const armed: { armed: boolean }[] = [];
  const failed = new Set<string>();
  const [{ fetch }, { now }] = [globalThis, Date];
  afterAll(() => {
    globalThis.fetch = fetch;
    Date.now = now;
  });
  const bad: Record<string, { plugin: Plugin; options?: ContractOptions; fails: RegExp; why: RegExp }> = {
    'trusts the shape of what it is given': {
      plugin: guard((input) => ((input as { command: string }).command.startsWith('rm ') ? deny('no') : undefined)),
      fails: /odd inputs/,
      why: /PreToolUse \{.*threw/,
    },
    'answers what is no answer': {
      plugin: guard(() => ({ hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'perhaps' } })),
      fails: /odd inputs/,
      why: /perhaps/,
    },
    'never settles': {
      plugin: guard(() => new Promise(() => {})),
      fails: /answers in time/,
      why: /does not answer within 0.1 s/,
    },
    'does not hear the signal': {
      plugin: guard(() => new Promise((resolve) => setTimeout(resolve, 60_000))),
      fails: /signal aborts/,
      why: /1 Timeout/,
    },
    'leaves a timer': {
      plugin: guard(() => undefined, {
        apply(scope) {
          setInterval(() => {}, 60_000);
          scope.on('Stop', () => undefined);
        },
      }),
      fails: /left behind/,
      why: /1 Timeout/,
    },
    'leaves a listener': {
      plugin: guard(() => undefined, {
        apply(scope) {
          process.on('SIGUSR2', () => {});
          scope.on('Stop', () => undefined);
        },
      }),
      fails: /left behind/,
      why: /SIGUSR2/,
    },
    'changes the environment': {
      plugin: guard(() => {
        process.env['UNDER_TEST'] = String(Math.random());
      }),
      fails: /left behind/,
      why: /UNDER_TEST/,
    },
    'leaves a rejection to nobody': {
      plugin: guard(() => {
        void Promise.reject(new Error('nobody waits'));
      }),
      fails: /answers in time/,
      why: /nobody waits/,
    },
    'remembers a verdict by the id of the call': {
      plugin: guard((input, id) => {
        if (!seen.has(id) && id !== undefined) seen.set(id, isRm(input) ? deny('no') : undefined);
        return seen.get(id);
      }),
      options: GUARD,
      fails: /not what it was under the same id/,
      why: /not denied/,
    },
    'denies the first time alone': {
      plugin: guard(() => undefined, {
        apply(scope) {
          let denials = 0;
          scope.on('PreToolUse', ({ tool_input }) => {
            if (isRm(tool_input)) denials += 1;
            return denials === 1 && isRm(tool_input) ? deny('no') : undefined;
          });
        },
      }),
      options: GUARD,
      fails: /asked again/,
      why: /then/,
    },
    'rewrites what it has rewritten': {
      plugin: guard((input) => rewrite({ command: `nice ${commandOf(input)}` })),
      fails: /rewritten itself/,
      why: /nice nice/,
    },
    'allows instead of staying silent': {
      plugin: guard((input) => (isRm(input) ? deny('no') : allow())),
      options: GUARD,
      fails: /without a word/,
      why: /allow/,
    },
    'looks at the main agent alone': {
      plugin: definePlugin({
        name: 'under-test',
        apply: (scope) =>
          scope.on('PreToolUse', ({ tool_input, agent_id }) =>
            agent_id === undefined && isRm(tool_input) ? deny('no') : undefined,
          ),
      }) as Plugin,
      options: GUARD,
      fails: /for an agent/,
      why: /for an agent/,
    },
    'fails open': {
      plugin: definePlugin({
        name: 'under-test',
        apply: (scope) => scope.on('PreToolUse', ({ tool_input }) => (isRm(tool_input) ? deny('no') : undefined)),
      }) as Plugin,
      options: GUARD,
      fails: /when it fails/,
      why: /onFailure: 'block'/,
    },
    'has a cleanup that never ends': {
      plugin: guard(() => undefined, {
        apply(scope) {
          scope.on('Stop', () => undefined);
          return () => new Promise(() => {});
        },
      }),
      fails: /under way/,
      why: /cleanup does not end/,
    },
    'gives way to other hooks': {
      plugin: guard(() => undefined, {
        apply(scope) {
          const alone = (): boolean => scope.describe().hooks.length === 1;
          scope.on('PreToolUse', ({ tool_input }) => (isRm(tool_input) && alone() ? deny('no') : undefined), {
            onFailure: 'block',
          });
        },
      }),
      options: GUARD,
      fails: /another hook allows/,
      why: /not denied beside a hook that allows/,
    },
    'keeps what belongs to one agent for all': {
      plugin: guard(() => undefined, {
        apply(scope) {
          shared.push(scope.on('PreToolUse', () => undefined));
          scope.onClose(() => {
            for (const undo of shared.splice(0)) undo();
          });
        },
      }),
      fails: /two agents apart/,
      why: /hooks of the second agent/,
    },
    'rewrites what it must let through': {
      plugin: guard((input) => (isRm(input) ? deny('no') : rewrite({ command: 'other' }))),
      options: GUARD,
      fails: /without a word/,
      why: /other/,
    },
    'tells the user of what it must let through': {
      plugin: guard((input) => (isRm(input) ? deny('no') : { systemMessage: 'Hello.' })),
      options: GUARD,
      fails: /without a word/,
      why: /Hello/,
    },
    'disarms one agent with the other': {
      plugin: guard(() => undefined, {
        apply(scope) {
          const one = { armed: true };
          armed.push(one);
          scope.on('PreToolUse', ({ tool_input }) => (one.armed && isRm(tool_input) ? deny('no') : undefined));
          return () => {
            for (const other of armed) other.armed = false;
          };
        },
      }),
      options: GUARD,
      fails: /two agents apart/,
      why: /not denied for one agent after the other has ended/,
    },
    'replaces a global': {
      plugin: guard(() => undefined, {
        apply(scope) {
          const { fetch } = globalThis;
          globalThis.fetch = (...given) => fetch(...given);
          scope.on('Stop', () => undefined);
        },
      }),
      fails: /left behind/,
      why: /fetch is another/,
    },
    'replaces what the language has': {
      plugin: guard(() => undefined, {
        apply(scope) {
          Date.now = Date.now.bind(Date);
          scope.on('Stop', () => undefined);
        },
      }),
      fails: /left behind/,
      why: /Date\.now is another/,
    },
    'leaves a global under a symbol': {
      plugin: guard(() => undefined, {
        apply(scope) {
          Object.assign(globalThis, { [Symbol(`left ${Math.random()}`)]: 1 });
          scope.on('Stop', () => undefined);
        },
      }),
      fails: /left behind/,
      why: /Symbol\(left .*\) is new/,
    },
    'leaves a timer that keeps nothing running': {
      plugin: guard(() => undefined, {
        apply(scope) {
          setInterval(() => {}, 60_000).unref();
          scope.on('Stop', () => undefined);
        },
      }),
      fails: /left behind/,
      why: /1 Timeout/,
    },
    'is only tried out, in half of the sessions': {
      plugin: guard(() => undefined, {
        apply: (scope) =>
          scope.on('PreToolUse', ({ tool_input }) => (isRm(tool_input) ? deny('no') : undefined), { enforce: 0.5 }),
      }),
      options: GUARD,
      fails: /denies what it must: alone/,
      why: /not denied/,
    },
    'never ends in the background': {
      plugin: guard(() => undefined, {
        apply: (scope) =>
          scope.register({ PostToolUse: [{ hooks: [{ handler: () => new Promise(() => {}), async: true }] }] }),
      }),
      fails: /answers in time/,
      why: /in the background within 0.1 s/,
    },
    'throws in the background': {
      plugin: guard(() => undefined, {
        apply: (scope) =>
          scope.register({
            PostToolUse: [{ hooks: [{ handler: () => Promise.reject(new Error('late')), async: true }] }],
          }),
      }),
      fails: /odd inputs/,
      why: /threw.*late/,
    },
    'registers nothing': { plugin: guard(() => undefined, { apply() {} }), fails: /has hooks/, why: /no hooks/ },
  };

  test.each(Object.entries(bad))('%s', async (_name, { plugin, options, fails, why }) => {
    const found = await broken(plugin, options);
    for (const one of Object.keys(found).filter((title) => fails.test(title))) failed.add(one);
    const [, message] = Object.entries(found).find(([name]) => fails.test(name)) ?? [];
    expect(message, JSON.stringify(found)).toMatch(why);
  });

  test('and there is one for every case of the contract', () => {
    const all = contract(
      guard(() => undefined),
      GUARD,
    ).map(({ name }) => name);
    expect(all.filter((name) => !failed.has(name))).toEqual([]);
    expect(Object.keys(bad).length).toBeGreaterThanOrEqual(10);
  });
});

describe('what a plugin leaves that is the same each time', () => {
  const LEAK = /left behind/;
  const other = (): void => {};
  const path = process.env['PATH'] as string;
  const { fetch } = globalThis;
  const { now } = Date;
  let timer: NodeJS.Timeout | undefined;
  const leave: Record<string, [leave: () => void, why: RegExp]> = {
    'a variable': [() => void Object.assign(process.env, { UNDER_TEST_SAME: '1' }), /UNDER_TEST_SAME is new/],
    'another variable than it was': [
      () => void Object.assign(process.env, { PATH: `/none:${path}` }),
      /process\.env\.PATH is another/,
    ],
    'a variable that is gone': [() => void delete process.env['PATH'], /process\.env\.PATH is gone/],
    'a global': [() => void Object.assign(globalThis, { underTest: 1 }), /underTest is new/],
    'another function': [() => void Object.assign(globalThis, { fetch: other }), /fetch is another/],
    'another function of the language': [() => void Object.assign(Date, { now: () => 5 }), /Date\.now is another/],
    'a listener, once': [
      () => void (process.listeners('SIGUSR2').includes(other) || process.on('SIGUSR2', other)),
      /process\.on\(SIGUSR2\) is (new|another)/,
    ],
    'a timer, once': [
      () => {
        timer ??= setInterval(() => {}, 60_000);
      },
      /1 Timeout/,
    ],
  };
  const restore = (): void => {
    Object.assign(process.env, { PATH: path });
    delete process.env['UNDER_TEST_SAME'];
    Reflect.deleteProperty(globalThis, 'underTest');
    Object.assign(globalThis, { fetch });
    Object.assign(Date, { now });
    process.off('SIGUSR2', other);
    clearInterval(timer);
    timer = undefined;
  };
  afterEach(restore);

  const inApply = (act: () => void): Plugin =>
    guard(() => undefined, {
      apply(scope) {
        act();
        scope.on('PreToolUse', () => undefined);
      },
    });
  const inHook = (act: () => void): Plugin => guard(() => act());
  const orders: Record<string, (cases: readonly ContractCase[]) => readonly ContractCase[]> = {
    'in order': (cases) => cases,
    'in reverse': (cases) => cases.toReversed(),
    alone: (cases) => cases.filter(({ name }) => LEAK.test(name)),
    'as the last': (cases) => cases.toSorted((one, two) => Number(LEAK.test(one.name)) - Number(LEAK.test(two.name))),
  };
  /** What the case says that looks for what is left. */
  async function said(plugin: Plugin, order: string, between: () => void = () => {}): Promise<string> {
    let found = '';
    for (const { name, run } of orders[order]?.(contract(plugin, { patience: 0.05 })) ?? []) {
      between();
      await run().catch((error: Error) => {
        if (LEAK.test(name)) found = error.message;
      });
    }
    return found;
  }
  const rows = Object.entries(leave).flatMap(([what, [act, why]]) =>
    Object.keys(orders).map((order) => [what, order, act, why] as const),
  );

  test.each(rows)('%s is found, %s', async (_what, order, act, why) => {
    for (const made of [inApply, inHook]) {
      expect(await said(made(act), order)).toMatch(why);
      restore();
    }
  });

  test.each(Object.keys(orders))("what others leave between the cases is not the plugin's: %s", async (order) => {
    const timers: NodeJS.Timeout[] = [];
    let round = 0;
    const between = (): void => {
      round += 1;
      process.env[`UNDER_TEST_${round}`] = '1';
      process.env['UNDER_TEST_SAME'] = String(round);
      Object.assign(globalThis, { underTest: round, fetch: () => round });
      process.on('SIGUSR2', () => round);
      timers.push(setInterval(() => {}, 60_000));
    };
    const tidy = guard(() => undefined, {
      apply(scope) {
        const listen = (): void => {};
        process.on('SIGUSR2', listen);
        process.env['UNDER_TEST_OWN'] = '1';
        scope.on('PreToolUse', () => undefined);
        scope.onClose(() => {
          process.off('SIGUSR2', listen);
          delete process.env['UNDER_TEST_OWN'];
        });
      },
    });
    const before = process.listeners('SIGUSR2');
    try {
      expect(await said(tidy, order, between)).toBe('');
    } finally {
      for (const one of timers) clearInterval(one);
      for (const one of process.listeners('SIGUSR2')) if (!before.includes(one)) process.off('SIGUSR2', one);
      for (; round > 0; round--) delete process.env[`UNDER_TEST_${round}`];
    }
  });

  test('what a test between the cases has put back is not there any more', async () => {
    for (const [what, [act]] of Object.entries(leave)) {
      // The case itself is the last, and the plugin leaves nothing then.
      let isOn = true;
      const plugin = inApply(() => isOn && act());
      for (const { name, run } of orders['as the last']?.(contract(plugin, { patience: 0.05 })) ?? []) {
        isOn = !LEAK.test(name);
        if (!isOn) restore();
        await run().catch((error: Error) => expect.fail(`${what}: ${error.message}`));
      }
    }
  });

  test.each(Object.keys(orders))('what a library leaves when it is first imported is not its: %s', async (order) => {
    const key = Symbol.for('under-test');
    let isImported = false;
    const importOnce = (): void => {
      Object.assign(globalThis, { [key]: {} });
      if (isImported) return;
      isImported = true;
      Object.assign(globalThis, { underTest: {} });
      process.on('SIGUSR2', other);
    };
    try {
      for (const made of [inApply, inHook]) {
        expect(await said(made(importOnce), order)).toBe('');
        expect([Reflect.get(globalThis, 'underTest'), process.listeners('SIGUSR2')]).toEqual([{}, [other]]);
        restore();
        isImported = false;
      }
    } finally {
      Reflect.deleteProperty(globalThis, key);
    }
  });

  test('contracts at the same time do not see each other, and put the listeners of others back', async () => {
    const names = ['unhandledRejection', 'uncaughtException'] as const;
    const before = names.map((name) => process.rawListeners(name));
    const idle = (): Plugin => guard(() => sleep(5));
    expect(await Promise.all([broken(idle()), sleep(30).then(() => broken(idle()))])).toEqual([{}, {}]);
    expect(names.map((name) => process.rawListeners(name))).toEqual(before);
  });

  test('the first use of what Node makes when it is needed is nothing that is left', async () => {
    const plugin = guard(async () => {
      await (await fetch('data:,x')).text();
    });
    expect(await said(plugin, 'alone')).toBe('');
  });
});

test('a hook that never settles holds no case for long', async () => {
  const plugin = definePlugin({
    name: 'stuck',
    apply: (scope) => {
      for (const event of ['PreToolUse', 'Stop', 'Notification', 'PreCompact'] as const)
        scope.on(event, () => new Promise(() => {}));
    },
  });
  const began = process.hrtime.bigint();
  await broken(plugin as Plugin, { ...GUARD, patience: 0.1 });
  // Ten times what all cases may take; a limit for what hangs.
  expect(Number(process.hrtime.bigint() - began) / 1e9).toBeLessThan(120);
});

test('wrong options are errors', () => {
  expect(() =>
    contract(
      guard(() => undefined),
      { deny: [] } as never,
    ),
  ).toThrow('denies');
  for (const denies of [[{ tool_name: 'Bash' }], [null], [['PreTolUse', {}]], [['PreToolUse', 5]]])
    expect(() =>
      contract(
        guard(() => undefined),
        { denies } as never,
      ),
    ).toThrow(/INVALID_OPTIONS|denies: expected a list in which each is an event and its input/);
});
