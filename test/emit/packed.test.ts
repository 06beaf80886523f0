import fc from 'fast-check';
import { expect, test } from 'vitest';
import { packed, unpacked } from '../../src/emit/packed.js';
import type { FireRecord, HookRecord } from '../../src/emit/record.js';
import { createRedactor } from '../../src/emit/redact/redactor.js';
import { inputOf } from '../host/inputs.js';
import { testHost } from '../host/kit.js';

// What is packed and written is read as it was, whatever stands in it.

const RUNS = Number(process.env['HOOKSCOPE_GENERATED'] ?? 100);
const plain = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;
const again = (records: readonly HookRecord[]): HookRecord[] =>
  plain(packed(records)).flatMap((item) => [...unpacked(item)]);
const lengthOf = (items: readonly unknown[]): number => JSON.stringify(items).length;

const SAYS = {
  nothing: () => undefined,
  later: async () => undefined,
  allows: () => ({ hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'allow' } }) as const,
  denies: () =>
    ({
      hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'deny', permissionDecisionReason: 'no' },
    }) as const,
  rewrites: () =>
    ({
      hookSpecificOutput: {
        hookEventName: 'PreToolUse',
        permissionDecision: 'allow',
        updatedInput: { command: 'true' },
      },
    }) as const,
  throws: () => {
    throw new Error('out of order');
  },
};
const hooks = fc.array(
  fc.record({
    says: fc.constantFrom(...(Object.keys(SAYS) as (keyof typeof SAYS)[])),
    name: fc.option(fc.constantFrom('a', 'b', '"\n'), { nil: undefined }),
    matcher: fc.constantFrom(undefined, 'Bash', 'Read'),
    stage: fc.constantFrom(0, 0, 1),
    plugin: fc.boolean(),
    shadow: fc.constantFrom(false, false, false, true),
  }),
  { maxLength: 5 },
);

/** What a host tells of some calls, of an agent's too. */
async function told(
  some: readonly (typeof hooks extends fc.Arbitrary<infer T> ? T : never)[number][],
  agents: readonly boolean[],
): Promise<HookRecord[]> {
  const { host } = testHost();
  const records: HookRecord[] = [];
  host.events$.subscribe((record) => records.push(record));
  host.registerScoped({ session: 's', agent: 'agent-1' }, { PreToolUse: [{ hooks: [SAYS.nothing] }] });
  for (const { says, name, matcher, stage, plugin, shadow } of some) {
    const handler = SAYS[says] as never;
    const group = {
      hooks: [name === undefined ? handler : { handler, name }],
      stage,
      ...(matcher === undefined ? {} : { matcher }),
      ...(shadow ? { enforce: false } : {}),
    };
    if (!plugin) host.register({ PreToolUse: [group] } as never);
    else
      await host.use({
        name: `plugin-${records.length}-${Math.random()}`,
        apply: (scope) => void scope.register({ PreToolUse: [group] } as never),
      });
  }
  await Promise.all(
    agents.map((agent, i) =>
      host.fire('PreToolUse', {
        ...inputOf('PreToolUse'),
        ...(i % 2 === 0 ? { tool_use_id: `toolu_${i}` } : {}),
        ...(agent ? { session_id: 's', agent_id: 'agent-1', agent_type: 'general' } : {}),
      } as never),
    ),
  );
  await host.close();
  return plain(records);
}

const calls = fc.array(fc.boolean(), { minLength: 1, maxLength: 3 });

test("whatever a host's hooks say, its records are the same when they come out", async () => {
  let most = 0;
  await fc.assert(
    fc.asyncProperty(hooks, calls, async (some, agents) => {
      const records = await told(some, agents);
      const items = packed(records);
      most = Math.max(most, records.length - items.length);
      expect(again(records)).toEqual(records);
    }),
    { numRuns: RUNS },
  );
  expect(most).toBeGreaterThan(4);
});

test('a call with one hook is one item, and three fifths of the text', async () => {
  const usual = {
    says: 'nothing',
    name: undefined,
    matcher: undefined,
    stage: 0,
    plugin: true,
    shadow: false,
  } as const;
  const records = await told([usual], [false]);
  expect(records).toHaveLength(3);
  const items = packed(records);
  expect(items).toHaveLength(1);
  expect(lengthOf(items) / lengthOf(records)).toBeLessThan(0.65);
});

/** What no host tells, or a later version does. */
const changes = fc.array(
  fc.record({
    at: fc.nat(60),
    what: fc.oneof(
      fc.constantFrom('twice', 'gone', 'swapped', 'masked'),
      fc.record({
        key: fc.constantFrom(
          ...(
            'seq time host_id subtype hook_id hook_name hook_event uuid session_id fire_id scope handler handler_id name source stdout ' +
            'outcome duration_ms tool_use_id agent_id plugin exit_code redacted __proto__ runs fire handlers later'
          ).split(' '),
        ),
        value: fc.constantFrom<unknown>(
          undefined,
          '',
          'x',
          '000000000001',
          'hook_started',
          'hook_response',
          7,
          null,
          {},
          [],
          { kind: 'code' },
        ),
      }),
    ),
  }),
  { minLength: 1, maxLength: 6 },
);

test('records that do not fit together, or hold more than we know, are the same as well', async () => {
  const silent = {
    says: 'nothing',
    name: undefined,
    matcher: undefined,
    stage: 0,
    plugin: false,
    shadow: false,
  } as const;
  const given = await told(
    [silent, { ...silent, says: 'denies', plugin: true }, { ...silent, says: 'throws', name: 'a' }],
    [false, true, false],
  );
  const redactor = createRedactor({ paths: ['name', 'handlers.*.source'] });
  fc.assert(
    fc.property(changes, (some) => {
      const records: HookRecord[] = plain(given);
      for (const { at, what } of some) {
        const i = at % records.length;
        const record = records[i] as HookRecord;
        if (what === 'twice') records.splice(i, 0, plain(record));
        else if (what === 'gone') records.splice(i, 1);
        else if (what === 'swapped') records.splice(i, 2, ...records.slice(i, i + 2).reverse());
        else if (what === 'masked') records[i] = plain(redactor.redact(record));
        else if (what.value === undefined) delete (record as never)[what.key];
        else if (typeof what === 'object')
          Object.defineProperty(record, what.key, {
            value: what.value,
            enumerable: true,
            configurable: true,
            writable: true,
          });
        if (records.length === 0) return;
      }
      const before = plain(records);
      // A list of handlers that is none, and the like: such a record is refused as a whole by whoever reads it, before or after.
      if (before.some((one) => one.type === 'hook_fire' && !(isList(one) && typeof one.fire_id === 'string'))) return;
      expect(plain(again(before))).toEqual(before);
    }),
    { numRuns: RUNS * 10 },
  );
});
const isList = (one: FireRecord): boolean =>
  Array.isArray(one.handlers) && one.handlers.every((row) => typeof row === 'object' && row !== null);
