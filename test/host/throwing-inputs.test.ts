import { expect, test } from 'vitest';
import { createHost, type Host } from '../../src/create-host.js';
import type { HookEvent } from '../../src/events/catalogue.js';
import { deny, rewrite } from '../../src/events/output/helpers.js';
import type { AnyDecision } from '../../src/host/decide/decision.js';
import { INPUTS } from './inputs.js';
import { anyHooks, fireAny, fires, only, watch } from './kit.js';

type Json = Record<string, unknown>;

/** A value that throws the nth time that anything of it is looked at, and ever after. */
class Failing {
  looks = 0;
  constructor(readonly last: number) {}

  of<T extends object>(value: T): T {
    const look = (): void => {
      if (++this.looks > this.last) throw new Error('the cursor is closed');
    };
    return new Proxy(value, {
      get: (target, key) => {
        look();
        const found: unknown = Reflect.get(target, key);
        return typeof found === 'object' && found !== null ? this.of(found) : found;
      },
      has: (target, key) => {
        look();
        return Reflect.has(target, key);
      },
      ownKeys: (target) => {
        look();
        return Reflect.ownKeys(target);
      },
      getOwnPropertyDescriptor: (target, key) => {
        look();
        return Reflect.getOwnPropertyDescriptor(target, key);
      },
    });
  }
}

const silent = async (): Promise<void> => undefined;
const never = (): Promise<void> => new Promise(() => undefined);
const refuse = (): unknown => deny('not here');
const GUARD = { if: 'Bash(ls *)', onFailure: 'block', hooks: [refuse] };
const turned = (how: object): Json => ({ ...GUARD, ...how });
const replaced = async (): Promise<unknown> => rewrite({ command: 'ls -l' });

/** Each ends with a guard that denies whatever it is asked about. */
const HOSTS: Readonly<Record<string, (host: Host) => void>> = {
  'sync hooks': on(() => undefined),
  'async hooks': on(silent),
  'a hook in time and one that is not': on(silent, { handler: never, timeout: 0.01 }),
  'hooks in parallel': (host) =>
    void host.register(
      anyHooks({ PreToolUse: [turned({ mode: 'parallel', hooks: [silent, () => undefined] }), GUARD] }),
    ),
  'a once hook': (host) =>
    void host.register(anyHooks({ PreToolUse: [turned({ once: true, hooks: [silent] }), GUARD] })),
  'a rewrite that is asked about': on(silent, replaced),
  'a sync rewrite': on(silent, () => rewrite({ command: 'ls -l' })),
  'a rewrite to the same': on(async () => rewrite({ command: 'ls' })),
  'raw taps': (host) => {
    host.hooks.PreToolUse.tapPromise({ name: 'early', stage: -1 }, silent);
    host.hooks.PreToolUse.tap({ name: 'rewriting', stage: 1 }, () => rewrite({ command: 'ls -a' }));
    on(silent)(host);
  },
  'a matcher that is a function': (host) => {
    const matcher = ({ tool_input }: Json): boolean => (tool_input as Json)['command'] !== '';
    host.register(anyHooks({ PreToolUse: [{ matcher, hooks: [silent] }, GUARD] }));
  },
  'a hook that asks a model': on({ type: 'prompt', prompt: 'Is $ARGUMENTS harmless?' }),
  'a rule': on({ type: 'rule', decision: 'ask', reason: 'first ask' }),
  observers: (host) => void host.register(anyHooks({ PreToolUse: [{ phase: 'observe', hooks: [silent] }, GUARD] })),
  'an agent of its own': (host) => {
    host.spawnHooks('worker', anyHooks({ PreToolUse: [{ hooks: [silent] }] }) as never);
    on(silent)(host);
  },
};

function on(...hooks: readonly unknown[]): (host: Host) => void {
  return (host) => void host.register(anyHooks({ PreToolUse: [{ hooks }, GUARD] }));
}

const CALL = {
  ...INPUTS.PreToolUse,
  session_id: 's',
  agent_id: 'a1',
  agent_type: 'worker',
  tool_input: { command: 'ls -a' },
};

interface Settled {
  readonly decision?: AnyDecision;
  readonly error?: { readonly code?: string };
}

async function settled(fired: Promise<AnyDecision>): Promise<Settled> {
  return await fired.then(
    (decision) => ({ decision }),
    (error) => ({ error }),
  );
}

test.each(Object.keys(HOSTS).flatMap((name) => [[name, 'watched'] as const, [name, 'unwatched'] as const]))(
  'an input that throws late, with %s (%s): the fire is decided as always, or rejects, and one record says which',
  async (name, how) => {
    let last = 0;
    for (let over = false; !over; last++) {
      const host = createHost({ logger: () => undefined, model: async () => ({ ok: true }) as never });
      (HOSTS[name] as (host: Host) => void)(host);
      const seen = how === 'watched' ? watch(host) : undefined;
      const failing = new Failing(last);
      const { decision, error } = await settled(fireAny(host, 'PreToolUse', failing.of(CALL)));
      over = failing.looks <= last;
      if (decision === undefined) expect(error, `${last} looks`).toMatchObject({ code: 'INVALID_INPUT' });
      else expect(decision.verdict, `${last} looks`).toBe('deny');
      if (seen !== undefined) {
        const record = only(fires(seen));
        expect(seen.at(-1)).toBe(record);
        expect([record.error, record.error ?? record.decision.verdict]).toEqual(
          decision === undefined ? ['INVALID_INPUT', 'INVALID_INPUT'] : [undefined, decision.verdict],
        );
        const told = seen.filter(({ type }) => type === 'system');
        expect(told.every(({ fire_id }) => fire_id === record.fire_id)).toBe(true);
      }
      await host.close();
    }
    expect(last).toBeGreaterThan(3);
  },
);

test.each(Object.keys(INPUTS))('%s with an input that throws late is decided, or rejects', async (event) => {
  for (const watched of [false, true]) {
    for (let last = 0, over = false; !over; last++) {
      const host = createHost({ logger: () => undefined });
      host.register(anyHooks({ [event]: [{ hooks: [silent, () => undefined] }] }));
      if (watched) watch(host);
      const failing = new Failing(last);
      const input = { session_id: 's', ...INPUTS[event as HookEvent] };
      const { decision, error } = await settled(fireAny(host, event, failing.of(input)));
      over = failing.looks <= last;
      if (decision === undefined) expect(error).toMatchObject({ code: 'INVALID_INPUT' });
      await host.close();
    }
  }
});

test('the error says that a file of hookscope may be to blame as well, which throws like a getter if it is gone', async () => {
  const host = createHost();
  host.register({ PreToolUse: [{ hooks: [silent] }] });
  const fired = fireAny(host, 'PreToolUse', new Failing(0).of(CALL));
  await expect(fired).rejects.toThrow(
    'PreToolUse: (the input) or a file of hookscope cannot be read: the cursor is closed.',
  );
});
