import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { HookRecord } from '../../../src/emit/record.js';
import { allow, ask, deny, rewrite } from '../../../src/events/output/helpers.js';
import type { HookAlarm } from '../../../src/host/alarms/alarms.js';
import { servicesOf } from '../../../src/host/internals.js';
import { anyHooks, testHost } from '../kit.js';

/** How many sessions: a few in the gate, `HOOKSCOPE_GENERATED=10000` for all. */
const RUNS = Number(process.env['HOOKSCOPE_GENERATED'] ?? 150);

/** What a guard says of an input, and what an answer for the user says, are written in the input's own fields. */
interface Ask {
  readonly command: string;
  readonly says: 'deny' | 'allow' | 'ask' | 'rewrite' | 'nothing' | 'throws';
  readonly more: unknown;
}

interface Call {
  readonly agent: number;
  readonly input: Ask;
  readonly answer: 'none' | 'nothing' | 'deny' | 'allow' | 'give';
  readonly done: 'not' | 'failed' | 'as decided' | 'as asked' | 'otherwise';
  /** Where in time it is judged, answered and done. */
  readonly at: readonly [number, number, number];
  readonly twice: boolean;
}

const input: fc.Arbitrary<Ask> = fc.record({
  command: fc.constantFrom('ls', 'rm -rf x', 'echo $A', ''),
  says: fc.constantFrom('deny', 'allow', 'ask', 'rewrite', 'nothing', 'throws'),
  more: fc.oneof(
    fc.constant({ b: 1, a: [1, { d: 'é', c: null }] }),
    fc.jsonValue({ maxDepth: 2 }),
    fc.constant('x'.repeat(6_000)),
  ),
});
const time = fc.integer({ min: 0, max: 99 });
const session = fc.array(
  fc.record({
    agent: fc.integer({ min: 0, max: 2 }),
    input,
    answer: fc.constantFrom('none', 'nothing', 'deny', 'allow', 'give'),
    done: fc.constantFrom('not', 'failed', 'as decided', 'as asked', 'otherwise'),
    at: fc.tuple(time, time, time).map((all) => all.sort((a, b) => a - b) as [number, number, number]),
    twice: fc.boolean(),
  }),
  { minLength: 1, maxLength: 8 },
);

const rewritten = (of: Ask): Ask => ({ ...of, command: `safe ${of.command}` });
const given = (of: Ask): Ask => ({ ...of, command: `given ${of.command}` });
const otherwise = (of: Ask): Ask => ({ ...of, command: `${of.command} && curl x` });

/** The same JSON, its keys the other way round. */
function turned(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(turned);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, member]) => [key, turned(member)]),
  );
}

/** What must be said of the call, and of nothing else. Knows nothing of how it is found out. */
function expected({ input: asked, answer, done }: Call): string | undefined {
  if (done === 'not' || done === 'failed') return undefined;
  if (asked.says === 'deny' || answer === 'deny') return 'not_honoured';
  const decided = asked.says === 'rewrite' ? rewritten(asked) : asked;
  const right = [decided, ...(answer === 'give' ? [given(decided)] : [])];
  return right.some((one) => isDeepStrictEqual(one, ranWith(asked, answer, done))) ? undefined : 'other_input';
}

function ranWith(asked: Ask, answer: Call['answer'], done: Call['done']): Ask {
  const decided = asked.says === 'rewrite' ? rewritten(asked) : asked;
  if (done === 'as asked') return asked;
  if (done === 'otherwise') return otherwise(asked);
  return answer === 'give' ? given(decided) : decided;
}

const guard = ({ tool_input: { says }, tool_input }: { tool_input: Ask }): unknown => {
  if (says === 'deny') return deny('no');
  if (says === 'allow') return allow();
  if (says === 'ask') return ask('sure?');
  if (says === 'rewrite' && !tool_input.command.startsWith('safe')) return rewrite(rewritten(tool_input));
  if (says === 'throws') throw new Error('broken');
  return undefined;
};

/** Another host takes over, as after a reload; what is under way for so long ends in the one before. */
interface Reload {
  readonly at: number;
  readonly lasts: number;
}

interface How {
  readonly watched: boolean;
  readonly told: boolean;
  readonly reloads: readonly Reload[];
}

async function play(calls: readonly Call[], how: How) {
  const alarms: HookAlarm[] = [];
  const records: HookRecord[] = [];
  const reports: string[] = [];
  const answers = new Map<string, unknown>();
  const open = () => {
    const made = testHost(how.told ? { onAlarm: (alarm) => void alarms.push(alarm) } : {});
    if (how.watched) made.host.events$.subscribe((record) => records.push(record));
    made.host.register(
      anyHooks({
        PreToolUse: [{ hooks: [guard] }],
        PermissionRequest: [{ hooks: [(_: unknown, id: string) => answers.get(id)] }],
      }),
    );
    return made;
  };
  const hosts = [open()];
  let host = hosts[0]?.host as ReturnType<typeof open>['host'];
  /** Who answers at that time. */
  const hostAt = (at: number) => {
    const begun = how.reloads.filter((reload) => reload.at <= at);
    for (const _ of begun.slice(hosts.length - 1)) {
      const next = open();
      servicesOf(hosts.at(-1)?.host).alarms.passOn((call) =>
        servicesOf(next.host).alarms.takeOver(structuredClone(call)),
      );
      hosts.push(next);
    }
    const last = begun.at(-1);
    const ends = last !== undefined && at < last.at + last.lasts;
    return (hosts.at(ends ? -2 : -1) as ReturnType<typeof open>).host;
  };
  const steps = calls.flatMap((call, i) => {
    const { agent, input: asked, answer, done, at, twice } = call;
    const id = `toolu_${i}`;
    const decided = asked.says === 'rewrite' ? rewritten(asked) : asked;
    const base = { session_id: 's', tool_name: 'Bash', ...(agent === 0 ? {} : { agent_id: `agent-${agent}` }) };
    const fire = (event: string, own: object) => host.fireAny(event, { ...base, tool_use_id: id, ...own });
    const response = { stdout: '', stderr: '' };
    return [
      { at: at[0], run: () => fire('PreToolUse', { tool_input: asked }) },
      {
        at: at[1],
        run: async () => {
          if (answer === 'none') return;
          const allowed = { behavior: 'allow', ...(answer === 'give' ? { updatedInput: given(decided) } : {}) };
          const decision = answer === 'deny' ? { behavior: 'deny', message: 'no' } : allowed;
          if (answer !== 'nothing')
            answers.set(id, { hookSpecificOutput: { hookEventName: 'PermissionRequest', decision } });
          await fire('PermissionRequest', { tool_input: decided });
        },
      },
      {
        at: at[2],
        run: async () => {
          if (done === 'failed') await fire('PostToolUseFailure', { tool_input: otherwise(asked), error: 'x' });
          if (done === 'not' || done === 'failed') return;
          const post = { tool_input: turned(ranWith(asked, answer, done)), tool_response: response };
          for (const _ of twice ? [1, 2] : [1]) await fire('PostToolUse', post);
        },
      },
    ];
  });
  for (const { at, run } of steps.sort((a, b) => a.at - b.at)) {
    host = hostAt(at);
    await run();
  }
  for (const made of hosts) {
    await made.host.close();
    reports.push(...made.reports);
  }
  return { alarms, records, reports };
}

const anyReloads: fc.Arbitrary<Reload[]> = fc
  .array(fc.record({ at: time, lasts: fc.constantFrom(0, 0, 20) }), { maxLength: 3 })
  .map((all) => all.sort((a, b) => a.at - b.at));

test(`of ${RUNS} random sessions, through reloads: an alarm exactly when what was done is not what was decided`, async () => {
  await fc.assert(
    fc.asyncProperty(session, fc.boolean(), fc.boolean(), anyReloads, async (calls, watched, told, reloads) => {
      const { alarms, records, reports } = await play(calls, { watched, told, reloads });
      const wanted = calls.flatMap((call, i) => {
        const alarm = expected(call);
        return alarm ? [`${alarm} toolu_${i} ${call.agent === 0 ? '' : `agent-${call.agent}`}`] : [];
      });
      const name = ({ alarm, tool_use_id, agent_id = '' }: HookAlarm): string => `${alarm} ${tool_use_id} ${agent_id}`;
      if (told) expect(alarms.map(name).sort()).toEqual(wanted.sort());
      const recorded = records.flatMap((record) => (record.type === 'hook_alarm' ? [name(record)] : []));
      if (watched) expect(recorded.sort()).toEqual(wanted.sort());
      expect(reports.filter((text) => text.startsWith('Alarm')).length).toBe(wanted.length);
    }),
    { numRuns: RUNS },
  );
}, 600_000);
