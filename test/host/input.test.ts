import { describe, expect, test } from 'vitest';
import { createHost } from '../../src/create-host.js';
import { HOOK_EVENTS } from '../../src/events/catalogue.js';
import { snapshot } from '../../src/values/copies/snapshot.js';
import { INPUTS, inputOf } from './inputs.js';
import { anyHooks, fireAny, only, testHost, watch } from './kit.js';

type Json = Record<string, unknown>;
const PRE = { ...INPUTS.PreToolUse, tool_input: { command: 'ls', list: [{ deep: 1 }, { deep: 0 }] } };

/** Ways to change what one was given. */
const ATTEMPTS: Readonly<
  Record<string, (input: { tool_input: { command?: string; list: { deep: number }[] } } & Json) => unknown>
> = {
  'set a field': (i) => Object.assign(i, { tool_name: 'rm' }),
  'set a field inside': (i) => Object.assign(i.tool_input, { command: 'rm' }),
  'set a field far inside': (i) => Object.assign(i.tool_input.list[0] as object, { deep: 2 }),
  'add a field': (i) => Object.assign(i, { extra: 1 }),
  'push to a list': (i) => i.tool_input.list.push({ deep: 2 }),
  'sort a list': (i) => i.tool_input.list.sort(),
  'delete a field': (i) => delete i.tool_input.command,
  'define a field': (i) => Object.defineProperty(i, 'x', { value: 1 }),
  'freeze it': (i) => Object.freeze(i),
  'change its prototype': (i) => Object.setPrototypeOf(i, null),
};

test.each([0, -1, 1.5, '1'])('a limit of %j bytes for inputs is refused in words', (maxInputBytes) => {
  expect(() => createHost({ maxInputBytes: maxInputBytes as number })).toThrow(
    /maxInputBytes.*a whole number of bytes over 0/,
  );
});

describe.each([false, true])('a hook’s input (watched: %s)', (watched) => {
  const make = () => {
    const made = testHost();
    if (watched) watch(made.host);
    return made;
  };

  test.each(Object.keys(ATTEMPTS))('cannot be changed: %s', async (name) => {
    for (const own of [structuredClone(PRE), Object.freeze(structuredClone(PRE))]) {
      const { host } = make();
      const seen: unknown[] = [];
      const change = ATTEMPTS[name] as (input: never) => unknown;
      host.register(
        anyHooks({
          PreToolUse: [
            {
              hooks: [
                (input: never) => void change(input),
                (input: unknown) => void seen.push(JSON.stringify(input)),
                async (input: never) => void change(input),
              ],
            },
          ],
        }),
      );
      host.hooks.PreToolUse.tap('tap', (fire) => void change(fire.input as never));
      const decision = await host.fire('PreToolUse', own);
      expect(decision.failures).toHaveLength(3);
      for (const failure of decision.failures)
        expect(failure).toMatchObject({ cause: 'threw', message: expect.stringMatching(/read-only.*updatedInput/) });
      expect(own).toEqual(PRE);
      expect(seen).toEqual(
        [
          JSON.stringify({
            session_id: 's',
            transcript_path: '/t/s.jsonl',
            cwd: '/w',
            ...PRE,
            hook_event_name: 'PreToolUse',
          }),
        ].map((text) =>
          expect.toSatisfy(
            (s: string) => JSON.stringify(sorted(JSON.parse(s))) === JSON.stringify(sorted(JSON.parse(text))),
          ),
        ),
      );
      expect(Object.isFrozen(own.tool_input)).toBe(false);
    }
  });

  test('a rewritten input cannot be changed either', async () => {
    const { host } = make();
    host.register(
      anyHooks({
        PreToolUse: [
          { hooks: [() => ({ hookSpecificOutput: { updatedInput: { command: 'pwd', list: [1] } } })] },
          { hooks: [(i: { tool_input: { list: number[] } }) => void i.tool_input.list.push(2)] },
        ],
      }),
    );
    const decision = await host.fire('PreToolUse', PRE);
    expect(only(decision.failures).message).toMatch(/read-only/);
    expect(decision.updatedInput).toEqual({ command: 'pwd', list: [1] });
  });

  test('snapshot() is a plain copy of it, to be changed at will', async () => {
    const { host } = make();
    const copies: Json[] = [];
    host.register({
      PreToolUse: [
        {
          hooks: [
            (input) => {
              const copy = snapshot(input) as unknown as { tool_input: { list: unknown[] } } & Json;
              copy.tool_input.list.push('mine');
              copies.push(structuredClone(copy));
            },
          ],
        },
      ],
    });
    const own = structuredClone(PRE);
    await host.fire('PreToolUse', own);
    expect(copies[0]).toMatchObject({ tool_input: { list: [{ deep: 1 }, { deep: 0 }, 'mine'] } });
    expect(own).toEqual(PRE);
  });

  test('is the caller’s own object, looked at and not copied: large things are not walked', async () => {
    const { host } = make();
    if (watched) return;
    let touched = 0;
    const touch = <T>(value: T): T => {
      touched++;
      return value;
    };
    const trap = new Proxy(
      { a: 1 },
      { get: (t, k) => touch(Reflect.get(t, k)), ownKeys: (t) => touch(Reflect.ownKeys(t)) },
    );
    host.register({ PostToolUse: [{ hooks: [() => {}, async () => {}] }] });
    const input = {
      ...INPUTS.PostToolUse,
      session_id: 's',
      transcript_path: '',
      cwd: '',
      hook_event_name: 'PostToolUse' as const,
      tool_response: trap,
    };
    await host.fire('PostToolUse', input);
    expect(touched).toBe(0);
  });
});

function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(sorted);
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => a.localeCompare(b))
      .map(([k, v]) => [k, sorted(v)]),
  );
}

describe('what is missing is filled in', () => {
  test.each(HOOK_EVENTS)(
    '%s: with the host’s session and its own name; what is there stays, what nobody knows too',
    async (event) => {
      const { host } = testHost({
        session: { session_id: 's', transcript_path: '/t', cwd: '/w', permission_mode: 'plan' },
      });
      const seen: Json[] = [];
      host.register(anyHooks({ [event]: [{ hooks: [(input: Json) => void seen.push({ ...input })] }] }));
      await fireAny(host, event, inputOf(event));
      expect(seen[0]).toEqual({
        session_id: 's',
        transcript_path: '/t',
        cwd: '/w',
        permission_mode: 'plan',
        hook_event_name: event,
        ...inputOf(event),
      });
      const own = {
        ...inputOf(event),
        session_id: 'x',
        transcript_path: '/x',
        cwd: '/x',
        permission_mode: 'default',
        hook_event_name: event,
        effort: { level: 'high' },
        future: { a: [1] },
      };
      await fireAny(host, event, own);
      expect(seen[1]).toEqual(own);
      await fireAny(host, event, { ...inputOf(event), session_id: undefined, future: undefined });
      expect(seen[2]).toEqual(seen[0]);
    },
  );

  test('a host without a session has one of its own, the same for every fire', async () => {
    const host = createHost();
    const ids: unknown[] = [];
    host.register({ Stop: [{ hooks: [(input) => void ids.push(input.session_id, input.cwd)] }] });
    await host.fire('Stop', INPUTS.Stop);
    await host.fire('Stop', INPUTS.Stop);
    expect(ids[0]).toMatch(/^[0-9a-f-]{36}$/);
    expect(ids.slice(2)).toEqual([ids[0], process.cwd()]);
  });
});

test('with nothing registered for it an input is not even looked at', async () => {
  const { host } = testHost();
  host.register({ Stop: [{ hooks: [() => {}] }] });
  const input = new Proxy(
    {},
    {
      get: () => {
        throw new Error('looked at');
      },
      ownKeys: () => {
        throw new Error('looked at');
      },
    },
  );
  expect((await host.fire('PreToolUse', input as never)).verdict).toBe('none');
});

test('a context cannot be turned against another handler', async () => {
  const { host } = testHost();
  const seen: unknown[] = [];
  host.register({
    PreToolUse: [
      {
        hooks: [
          (_, __, context) => {
            for (const target of [context, Object.getPrototypeOf(context)]) {
              try {
                Object.assign(target, { call: 'async', progress: () => seen.push('hijacked') });
              } catch {
                // It is frozen: so much the better.
              }
            }
          },
          (_, __, context) => {
            context.progress('mine');
            seen.push(context.call);
          },
        ],
      },
    ],
  });
  await host.fire('PreToolUse', PRE);
  expect(seen).toEqual(['first']);
});
