import { describe, expect, test } from 'vitest';
import type { Host } from '../../src/create-host.js';
import type { NoEvents } from '../../src/events/catalogue.js';
import { INPUTS } from '../host/inputs.js';
import { anyHooks, deferred, fires, only, testHost, turn, watch } from '../host/kit.js';

const PRE = INPUTS.PreToolUse;
const oops = (): never => {
  throw new Error('trap');
};
/** An object that looks like a promise. */
const thenable = (then: unknown): object => Object.defineProperty({}, 'then', { value: then });
const revoked = (): object => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
};
const everyTrap = new Proxy({}, { get: (_, trap) => (trap === 'then' ? undefined : oops) }) as ProxyHandler<object>;
const deep = (levels: number): unknown => {
  let value: Record<string, unknown> = {};
  for (let i = 0; i < levels; i++) value = { a: value };
  return value;
};
const cycle: Record<string, unknown> = { hookSpecificOutput: { updatedInput: {} } };
(cycle['hookSpecificOutput'] as Record<string, Record<string, unknown>>)['updatedInput']!['self'] = cycle;

/** Answers no schema has dreamt of, all of which fail their handler by name and nobody else. */
const ANSWERS: Readonly<Record<string, () => unknown>> = {
  'a string': () => 'yes',
  'a number': () => 1,
  true: () => true,
  false: () => false,
  'a symbol': () => Symbol('s'),
  'a bigint': () => 1n,
  'a function': () => oops,
  'an array': () => [{}],
  'a getter that throws': () => Object.defineProperty({}, 'systemMessage', { enumerable: true, get: oops }),
  'a getter that throws inside': () => ({
    hookSpecificOutput: Object.defineProperty({}, 'updatedInput', { enumerable: true, get: oops }),
  }),
  'a getter of async that throws': () => Object.defineProperty({}, 'async', { enumerable: true, get: oops }),
  'a getter of hookSpecificOutput that throws': () =>
    Object.defineProperty({}, 'hookSpecificOutput', { enumerable: true, get: oops }),
  'a toJSON that throws': () => ({ toJSON: oops }),
  'a toJSON that says a string': () => ({ toJSON: () => 'text' }),
  'a proxy that throws at everything but then': () =>
    new Proxy(
      {},
      {
        ...Object.fromEntries(['has', 'ownKeys', 'getPrototypeOf', 'getOwnPropertyDescriptor'].map((t) => [t, oops])),
        get: (_, key) => (key === 'then' ? undefined : oops()),
      },
    ),
  'a proxy that throws when asked whether': () => new Proxy({ systemMessage: 'x' }, { has: oops }),
  'a proxy that throws when asked what it is': () => new Proxy({ systemMessage: 7 }, { getPrototypeOf: oops }),
  'a proxy that throws at everything': () => new Proxy({}, everyTrap),
  'a revoked proxy': revoked,
  'an input that is a cycle': () => cycle,
  'an input of functions': () => ({ hookSpecificOutput: { updatedInput: { fn: oops } } }),
  'an input that is a map': () => ({ hookSpecificOutput: { updatedInput: new Map() } }),
  'an input of NaN': () => ({ hookSpecificOutput: { updatedInput: { n: Number.NaN } } }),
  'an input nested ten thousand deep': () => ({ hookSpecificOutput: { updatedInput: deep(10_000) } }),
  'a specific part that is text': () => ({ hookSpecificOutput: 'deny' }),
  'an error': () => new Error('returned, not thrown'),
  'a thenable whose then throws': () => thenable(oops),
  'a thenable whose then cannot be read': () => Object.defineProperty({}, 'then', { get: oops }),
  'a proxy around a promise': () => new Proxy(Promise.resolve({}), {}),
  'an object with the prototype of promises': () => Object.create(Promise.prototype) as object,
  'a map': () => new Map([['decision', 'block']]),
  'an object whose class says it': () =>
    new (class {
      get decision(): string {
        return 'block';
      }
    })(),
  'an object that inherits all it says': () => Object.create({ decision: 'block' }) as object,
  'an async answer whose result cannot be read': () =>
    Object.defineProperty({ async: true }, 'result', { enumerable: true, get: oops }),
  'a generator': () =>
    (async function* () {
      yield await Promise.resolve({ decision: 'block' });
    })(),
  'a rejected promise in a known key': () => ({ systemMessage: Promise.reject(new Error('nested')) }),
  'a thenable that rejects': () => thenable((_: unknown, no: (e: unknown) => void) => no(new Error('no'))),
  'a thenable that settles twice': () =>
    thenable((yes: (v: unknown) => void, no: (e: unknown) => void) => {
      no(new Error('first'));
      yes({});
    }),
};

/** What can be thrown. */
const THROWN: Readonly<Record<string, () => unknown>> = {
  undefined: () => undefined,
  null: () => null,
  'a string': () => 'text',
  'an object': () => ({ code: 7 }),
  'an object that cannot be printed': () => ({ toString: oops, [Symbol.toPrimitive]: oops }),
  'an object without a prototype': () => Object.create(null),
  'a revoked proxy': revoked,
  'a proxy that throws at everything': () => new Proxy({}, everyTrap),
  'an error whose message throws': () => Object.defineProperty(new Error('x'), 'message', { get: oops }),
  'an error of another kind': () => Object.assign(new Error('own'), { name: 'OwnError' }),
};

const WAYS: Readonly<Record<string, (host: Host, make: () => unknown) => void>> = {
  'a callback': (host, make) => host.register(anyHooks({ PreToolUse: [{ name: 'it', hooks: [() => make()] }] })),
  'an async callback': (host, make) =>
    host.register(
      anyHooks({
        PreToolUse: [
          {
            name: 'it',
            hooks: [
              async () => {
                await turn();
                return make();
              },
            ],
          },
        ],
      }),
    ),
  'a parallel callback': (host, make) =>
    host.register(anyHooks({ PreToolUse: [{ name: 'it', mode: 'parallel', hooks: [() => make()] }] })),
  'a tap': (host, make) => host.hooks.PreToolUse.tap('it', () => make()),
  'a tapPromise': (host, make) => host.hooks.PreToolUse.tapPromise('it', async () => make()),
};

describe.each(Object.keys(WAYS))('%s', (way) => {
  const install = WAYS[way] as (host: Host, make: () => unknown) => void;
  const check = async (make: () => unknown, watched: boolean): Promise<string> => {
    const { host, reports } = testHost<NoEvents>({ timeout: 5, onFailure: 'block' });
    const seen = watched ? watch(host) : [];
    const ran: string[] = [];
    install(host, make);
    host.register({ PreToolUse: [{ hooks: [() => void ran.push('after')] }] });
    const decision = await host.fire('PreToolUse', PRE);
    expect(decision).toMatchObject({ verdict: 'deny', failures: [{ name: 'it', blocked: true }] });
    expect(ran).toEqual(['after']);
    if (watched) {
      const row = only(fires(seen)).handlers.find((h) => h.name === 'it');
      expect(row).toMatchObject({ status: 'failed', failure: { cause: decision.failures[0]!.cause } });
    } else expect(reports.length).toBeGreaterThan(0);
    expect(decision.failures[0]!.message).not.toBe('');
    return decision.failures[0]!.cause;
  };

  test.each(Object.keys(ANSWERS).flatMap((name) => [[name, false] as const, [name, true] as const]))(
    'that answers %s fails, and nobody with it (watched: %s)',
    async (name, watched) => {
      const cause = await check(ANSWERS[name] as () => unknown, watched);
      expect(cause).toMatch(/^(bad_schema|threw)$/);
      // What an async function returns, the language itself waits for.
      if (/promise/.test(name) && /async|tapPromise/.test(way)) return;
      if (!/then|error/.test(name) && !/everything$|revoked/.test(name)) expect(cause).toBe('bad_schema');
    },
  );

  test.each(Object.keys(THROWN).flatMap((name) => [[name, false] as const, [name, true] as const]))(
    'that throws %s fails, and nobody with it (watched: %s)',
    async (name, watched) => {
      const make = (): never => {
        throw (THROWN[name] as () => unknown)();
      };
      expect(await check(make, watched)).toBe('threw');
    },
  );
});

describe('a promise that rejects and cannot be listened to by its own then', () => {
  class Throwing extends Promise<unknown> {}
  Object.defineProperty(Throwing.prototype, 'then', { value: oops });
  const hidden = (promise: Promise<unknown>): Promise<unknown> => Object.defineProperty(promise, 'then', { get: oops });
  const no = (): Error => new Error('nobody hears this');
  test.each<readonly [string, () => unknown]>([
    ['its then throws', () => Throwing.reject(no())],
    ['its then cannot be read', () => hidden(Promise.reject(no()))],
    ['it is frozen', () => Object.freeze(Throwing.reject(no()))],
    ['it stands in an answer', () => ({ systemMessage: Throwing.reject(no()) })],
    ['it is the result of an async answer', () => ({ async: true, result: hidden(Promise.reject(no())) })],
    ['it is thrown', () => Promise.reject(Throwing.reject(no()))],
  ])('does not end the process: %s', async (_, make) => {
    const unhandled: unknown[] = [];
    const hear = (error: unknown): void => void unhandled.push(error);
    const others = process.listeners('unhandledRejection');
    process.removeAllListeners('unhandledRejection').on('unhandledRejection', hear);
    try {
      const { host, reports } = testHost<NoEvents>();
      host.register(anyHooks({ PreToolUse: [{ hooks: [make] }] }));
      await host.fire('PreToolUse', PRE);
      await new Promise((resolve) => setTimeout(resolve, 5));
      expect(reports.length).toBeGreaterThan(0);
    } finally {
      process.removeAllListeners('unhandledRejection');
      for (const other of others) process.on('unhandledRejection', other);
    }
    expect(unhandled).toEqual([]);
  });
});

describe('answers that are strange and well', () => {
  test.each<[string, () => unknown, object]>([
    [
      'an object without a prototype',
      () => Object.assign(Object.create(null), { decision: 'approve' }),
      { verdict: 'allow' },
    ],
    [
      'an instance of a class',
      () =>
        new (class {
          decision = 'approve';
        })(),
      { verdict: 'allow' },
    ],
    [
      'what its toJSON says',
      () => ({ decision: 'block', toJSON: () => ({ decision: 'approve' }) }),
      { verdict: 'allow' },
    ],
    [
      'a date as JSON has it',
      () => ({ hookSpecificOutput: { updatedInput: { at: new Date(0) } } }),
      { updatedInput: { at: '1970-01-01T00:00:00.000Z' } },
    ],
    ['a thenable', () => thenable((yes: (v: unknown) => void) => yes({ decision: 'approve' })), { verdict: 'allow' }],
    ['a thenable of nothing', () => thenable((yes: (v: unknown) => void) => yes(undefined)), { verdict: 'none' }],
    ['a frozen object', () => Object.freeze({ decision: 'approve' as const }), { verdict: 'allow' }],
    [
      'an unknown key that cannot be read',
      () => ({
        decision: 'approve',
        other: {
          get x(): never {
            return oops();
          },
        },
      }),
      { verdict: 'allow' },
    ],
    ['a prototype in its JSON', () => JSON.parse('{"__proto__":{"decision":"block"}}'), { verdict: 'none' }],
  ])('%s', async (_, make, is) => {
    for (const watched of [false, true]) {
      const { host } = testHost();
      if (watched) watch(host);
      host.register(anyHooks({ PreToolUse: [{ hooks: [make] }] }));
      expect(await host.fire('PreToolUse', PRE)).toMatchObject({ ...is, failures: [] });
    }
  });

  test('a tapAsync that is called back twice has answered the first time', async () => {
    const { host } = testHost();
    host.hooks.PreToolUse.tapAsync('twice', (_, done) => {
      done(null, { decision: 'approve' });
      done(new Error('again'), { decision: 'block' });
    });
    expect(await host.fire('PreToolUse', PRE)).toMatchObject({ verdict: 'allow', failures: [] });
  });

  test('what was answered may be changed later by who answered: nobody sees it', async () => {
    const { host } = testHost();
    const gate = deferred();
    const mine = {
      hookSpecificOutput: { permissionDecision: 'deny', permissionDecisionReason: 'no', updatedInput: { a: [1] } },
    };
    host.register(anyHooks({ PreToolUse: [{ hooks: [() => mine, () => gate.promise] }] }));
    const fire = host.fire('PreToolUse', PRE);
    await turn();
    mine.hookSpecificOutput.permissionDecision = 'allow';
    mine.hookSpecificOutput.updatedInput.a.push(2);
    gate.resolve(undefined);
    expect(await fire).toMatchObject({ verdict: 'deny', updatedInput: { a: [1] } });
  });
});
