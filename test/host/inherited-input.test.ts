import { expect, test } from 'vitest';
import { deny } from '../../src/events/output/helpers.js';
import { fires, only, testHost, watch } from './kit.js';

const call = { tool_name: 'Bash', tool_input: { command: 'ls' }, tool_use_id: 't1' };
const base = { session_id: 's', transcript_path: '/t', cwd: '/w', hook_event_name: 'PreToolUse' };

class OfAgent {
  readonly tool_input = { command: 'ls' };
  get agent_id(): string {
    return 'A';
  }
  get agent_type(): string {
    return 'worker';
  }
  get tool_name(): string {
    return 'Bash';
  }
  get tool_use_id(): string {
    return 't1';
  }
}

const INPUTS: Record<string, () => object> = {
  'own fields': () => ({ ...call, agent_id: 'A', agent_type: 'worker' }),
  'a prototype': () => Object.assign(Object.create({ agent_id: 'A', agent_type: 'worker' }), call),
  'a prototype, complete': () => Object.assign(Object.create({ agent_id: 'A', agent_type: 'worker' }), base, call),
  "a class's getters": () => new OfAgent(),
  "a class's getters, complete": () => Object.assign(new OfAgent(), base),
  'no prototype': () => Object.assign(Object.create(null), call, { agent_id: 'A', agent_type: 'worker' }),
  'getters of its own': () => ({
    ...call,
    agent_type: 'worker',
    get agent_id() {
      return 'A';
    },
  }),
};

test.each(Object.keys(INPUTS))('scope, hooks, explain and record see the same ids: %s', async (way) => {
  const { host } = testHost();
  const records = watch(host);
  const seen: unknown[] = [];
  const note = (input: object): void => {
    const { agent_id, agent_type, tool_name, tool_use_id } = input as Record<string, unknown>;
    seen.push(
      { agent_id, agent_type, tool_name, tool_use_id },
      Object.keys(JSON.parse(JSON.stringify(input)) as object),
    );
  };
  host.registerScoped('A', { PreToolUse: [{ matcher: 'Bash', hooks: [note, () => deny('A')] }] });
  const input = (INPUTS[way] as () => object)();
  expect(host.explain('PreToolUse', input as never)).toMatchObject({ scope: 'A', subject: 'Bash' });
  expect(await host.fire('PreToolUse', input as never)).toMatchObject({ verdict: 'deny', reason: 'A' });
  const ids = { agent_id: 'A', agent_type: 'worker', tool_name: 'Bash', tool_use_id: 't1' };
  expect(seen).toEqual([ids, expect.arrayContaining(Object.keys(ids))]);
  const record = only(fires(records));
  expect(record).toMatchObject({ scope: 'A', scope_known: true, agent_id: 'A', tool_use_id: 't1', input: ids });
});

test.each([
  ['agent_id', ['B', 'A']],
  ['agent_id', [undefined, 'A']],
  ['session_id', ['s1', 's2']],
] as const)('a getter of %s that changes its mind is read once: %j', async (field, values) => {
  const { host } = testHost();
  const records = watch(host);
  let reads = 0;
  let seen: unknown;
  host.register({
    PreToolUse: [
      {
        hooks: [
          (input) => {
            seen = input[field];
          },
        ],
      },
    ],
  });
  const input = Object.defineProperty({ ...call }, field, { enumerable: true, get: () => values[reads++] });
  await host.fire('PreToolUse', input as never);
  const expected = values[0] ?? (field === 'session_id' ? 's' : undefined);
  expect([reads, seen, only(fires(records))[field]]).toEqual([1, expected, expected]);
});
