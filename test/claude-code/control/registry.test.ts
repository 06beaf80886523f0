import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { CallbackRegistry, matcherConfig } from '../../../src/claude-code/control/client/registry.js';
import { HookscopeError } from '../../../src/index.js';

type Callback = () => unknown;
const callbacks = (count: number): Callback[] => Array.from({ length: count }, (_, at) => () => at);

describe('CallbackRegistry', () => {
  it('gives ids in the order of registration', () => {
    const registry = new CallbackRegistry<Callback>();
    expect(callbacks(12).map((callback) => registry.register(callback))).toEqual(
      Array.from({ length: 12 }, (_, at) => `hook_${at}`),
    );
    expect(registry.size).toBe(12);
  });

  it('a callback keeps its id however often it is registered, and takes no number from the next', () => {
    const registry = new CallbackRegistry<Callback>();
    const [a, b, c] = callbacks(3) as [Callback, Callback, Callback];
    const ids = [a, b, a, a, c, b].map((callback) => registry.register(callback));
    expect(ids).toEqual(['hook_0', 'hook_1', 'hook_0', 'hook_0', 'hook_2', 'hook_1']);
    expect(registry.size).toBe(3);
  });

  it('finds callbacks by id and ids by callback', () => {
    const registry = new CallbackRegistry<Callback>();
    const list = callbacks(5);
    for (const callback of list) {
      const id = registry.register(callback);
      expect(registry.callback(id)).toBe(callback);
      expect(registry.idOf(callback)).toBe(id);
    }
    for (const unknown of ['hook_5', 'hook_', 'hook_00', '', '__proto__', 'toString'])
      expect(registry.callback(unknown)).toBeUndefined();
    expect(registry.idOf(() => 1)).toBeUndefined();
  });

  it('two registries know nothing of each other', () => {
    const [one, two] = [new CallbackRegistry<Callback>(), new CallbackRegistry<Callback>()];
    const [a, b] = callbacks(2) as [Callback, Callback];
    expect([one.register(a), two.register(b)]).toEqual(['hook_0', 'hook_0']);
    expect(one.idOf(b)).toBeUndefined();
  });

  it('keeps less than 1 KB a hook, 100,000 of them', async () => {
    const program = fileURLToPath(new URL('../../fixtures/control/registry-heap.mjs', import.meta.url));
    const { stdout } = await execa(process.execPath, ['--expose-gc', program, '100000']);
    const { each, ...rest } = JSON.parse(stdout) as { each: number };
    expect(rest).toEqual({ size: 100_000, last: 'hook_99999', found: true });
    expect(each).toBeGreaterThan(0);
    expect(each).toBeLessThan(1024);
  });
});

describe('matcherConfig', () => {
  it('writes what initialize holds: ids over all events, in the order of registration', () => {
    const registry = new CallbackRegistry<Callback>();
    const [a, b, c] = callbacks(3) as [Callback, Callback, Callback];
    const config = matcherConfig(
      {
        PreToolUse: [{ matcher: 'Bash', hooks: [a, b], timeout: 1.5, onFailure: 'block' }, { hooks: [a] }],
        PostToolUse: [{ matcher: '*', hooks: [c], timeout: 0 }],
        Stop: [],
      },
      registry,
    );
    expect(JSON.stringify(config)).toBe(
      '{"PreToolUse":[{"matcher":"Bash","hookCallbackIds":["hook_0","hook_1"],"timeout":1.5,"onFailure":"block"},{"hookCallbackIds":["hook_0"]}],"PostToolUse":[{"matcher":"*","hookCallbackIds":["hook_2"],"timeout":0}],"Stop":[]}',
    );
    expect(registry.callback('hook_2')).toBe(c);
  });

  const f = (): undefined => undefined;
  const WRONG: [hooks: unknown, message: RegExp][] = [
    [undefined, /hooks: expected an object of events/],
    [[], /hooks: expected an object of events/],
    [{ PreTolUse: [] }, /PreTolUse: is not a known event.*Did you mean "PreToolUse"/],
    [{ PreToolUse: {} }, /PreToolUse: expected an array of matchers/],
    [{ PreToolUse: [f] }, /PreToolUse\[0\]: expected a matcher/],
    [
      { PreToolUse: [{ hooks: [f] }, { matcher: /Bash/, hooks: [f] }] },
      /PreToolUse\[1\]\.matcher: expected a string, which can be sent/,
    ],
    [{ PreToolUse: [{}] }, /PreToolUse\[0\]\.hooks: expected an array of functions/],
    [{ PreToolUse: [{ hooks: f }] }, /PreToolUse\[0\]\.hooks/],
    [{ PreToolUse: [{ hooks: ['./guard.sh'] }] }, /PreToolUse\[0\]\.hooks/],
    [{ PreToolUse: [{ hooks: [f], timeout: -1 }] }, /PreToolUse\[0\]\.timeout: expected .*got -1/],
    [{ PreToolUse: [{ hooks: [f], timeout: '5' }] }, /PreToolUse\[0\]\.timeout/],
    [
      { PreToolUse: [{ hooks: [f], onFailure: 'ask' }] },
      /PreToolUse\[0\]\.onFailure: expected "continue" or "block", got "ask"/,
    ],
    [
      { PreToolUse: [{ hooks: [f], timout: 5 }] },
      /PreToolUse\[0\]\.timout: is not a known key.*Did you mean "timeout"/,
    ],
  ];
  it.each(WRONG)('%j is an error that names the place; nothing is registered', (hooks, message) => {
    const registry = new CallbackRegistry<Callback>();
    const given =
      hooks !== null && typeof hooks === 'object' && !Array.isArray(hooks)
        ? { Stop: [{ hooks: [f] }], ...hooks }
        : hooks;
    expect(() => matcherConfig(given as never, registry)).toThrow(message);
    expect(() => matcherConfig(given as never, registry)).toThrow(HookscopeError);
    expect(registry.size).toBe(0);
  });
});
