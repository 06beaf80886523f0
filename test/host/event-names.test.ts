import { expect, test } from 'vitest';
import { agentCodec, supports } from '../../src/agents.js';
import { eventName, HookscopeError, type PluginScope, validateOutput } from '../../src/index.js';
import { fireHook } from '../../src/testing.js';
import { testHost } from './kit.js';

const { proxy: revoked, revoke } = Proxy.revocable({}, {});
revoke();
const unprintable = () => {
  throw new RangeError('mine');
};

/** What JavaScript lets a caller pass as the name of an event. */
const NAMES: Readonly<Record<string, unknown>> = {
  nothing: undefined,
  null: null,
  'a number': 5,
  NaN: Number.NaN,
  'a flag': true,
  'a bigint': 1n,
  'a symbol': Symbol('PreToolUse'),
  'an object': { PreToolUse: true },
  'an object without a prototype': Object.create(null),
  'an object that has no text': { toString: unprintable, toJSON: unprintable },
  'an object that cannot be inspected': { [Symbol.for('nodejs.util.inspect.custom')]: unprintable },
  'a revoked proxy': revoked,
  'a function': () => 'PreToolUse',
  'a list with the name': ['PreToolUse'],
  'an empty text': '',
  constructor: 'constructor',
  ['__proto__']: '__proto__',
  toString: 'toString',
  hasOwnProperty: 'hasOwnProperty',
};

async function calls() {
  const { host } = testHost();
  const session = await host.openSession({ session_id: 's', watch: false });
  const scope = await new Promise<PluginScope>((resolve) => {
    void host.use({ name: 'p', apply: (own) => resolve(own as never) });
  });
  const codec = agentCodec('codex');
  const nothing = () => undefined;
  return {
    host,
    // `never`: the types refuse all of these names.
    refused: {
      'host.fire': (name: never) => host.fire(name, {} as never),
      'host.fireAny': (name: never) => host.fireAny(name, {}),
      'host.explain': (name: never) => host.explain(name, {}),
      'host.on': (name: never) => host.on(name, nothing),
      'scope.on': (name: never) => host.scope('x').on(name, nothing),
      'plugin.on': (name: never) => scope.on(name, nothing),
      'session.on': (name: never) => session.on(name, nothing),
      'session.fire': (name: never) => session.fire(name, {} as never),
      validateOutput: (name: never) => validateOutput(name, {}),
      'codec.encode': (name: never) => codec.encode({ verdict: 'deny' } as never, name),
      'codec.refuse': (name: never) => codec.refuse('no', name),
      'codec.timeout': (name: never) => codec.timeout(name),
      'codec.decode': (name: never) => codec.decode('{}', {}, [name]),
      'codec.decode of no payload': (name: never) => codec.decode('', {}, [name]),
      'codec.payload': (name: never) => codec.payload({ as: name, input: {} }),
      'fireHook of hooks': (name: never) => fireHook({}, name),
      'fireHook of one hook': (name: never) => fireHook(nothing, name),
    },
    unknown: {
      eventName: (name: never) => eventName(name),
      supports: (name: never) => (supports('codex', name, 'deny').carried === 'no' ? undefined : name),
      'host.supports': async (name: never) =>
        (await host.supports('codex', name, 'deny')).carried === 'no' ? undefined : name,
    },
  };
}

test.each(Object.entries(NAMES))('%s is no name of an event', async (_, name) => {
  const { host, refused, unknown } = await calls();
  const before = String(host.describe());
  for (const [call, make] of Object.entries(refused)) {
    const came = await (async () => make(name as never))().catch((error: unknown) => error);
    expect(came, call).toBeInstanceOf(HookscopeError);
  }
  for (const [call, make] of Object.entries(unknown)) expect(await make(name as never), call).toBeUndefined();
  expect(String(host.describe())).toBe(before);
  await host.close();
});
