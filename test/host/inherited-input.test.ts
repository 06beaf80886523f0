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

test('a getter of a class that changes its mind is read once', async () => {
  const { host } = testHost();
  const records = watch(host);
  let reads = 0;
  class Changing {
    get agent_id(): string {
      return `A${reads++}`;
    }
  }
  let seen: unknown;
  host.on('PreToolUse', ({ agent_id }) => {
    seen = agent_id;
  });
  await host.fire('PreToolUse', Object.assign(new Changing(), call) as never);
  expect([reads, seen, only(fires(records)).agent_id]).toEqual([1, 'A0', 'A0']);
});

test('an object whose own __proto__ says that it is plain is taken for one', async () => {
  const { host } = testHost();
  host.registerScoped('A', {
    PreToolUse: [{ hooks: [(input) => void expect(Object.keys(input)).not.toContain('agent_id')] }],
  });
  const input: object = Object.assign(Object.create({ agent_id: 'A' }), call);
  Object.defineProperty(input, '__proto__', { value: Object.prototype });
  expect(await host.fire('PreToolUse', input as never)).toMatchObject({ verdict: 'none', failures: [] });
});
