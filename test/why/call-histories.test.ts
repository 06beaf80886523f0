import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { FireRecord, HookRecord } from '../../src/index.js';
import { callOf } from '../../src/why/calls.js';
import { whatBecame } from '../../src/why/ran.js';
import { fire } from '../emit/samples.js';
import { generated } from '../seed.js';

type Says = 'none' | 'allow' | 'ask' | 'deny' | 'denies by itself' | 'allows by itself' | 'is cut short';
interface Made {
  readonly agent: string | undefined;
  readonly id: string;
  readonly command: string;
  /** What each of the agent's hooks says. */
  readonly says: readonly Says[];
  readonly end: 'ran' | 'failed' | 'nothing';
  /** Hooks that are told of the end. */
  readonly told: readonly boolean[];
  /** The files of the hooks are edited before it. */
  readonly isEdited: boolean;
  /** It runs although hooks have denied it. */
  readonly isWayward: boolean;
}

/** A call that was made, and the records of it. */
interface Truth {
  readonly records: HookRecord[];
  readonly isDenied: boolean;
  readonly end: Made['end'];
}

/** Its hook was stopped, and a failure counts as a denial. */
const CUT_SHORT = { error: 'ABORTED', decision: { ...fire().decision, verdict: 'deny' } };

/** What an agent with a hook that a server answers, and others that each run a process, leaves in the records. */
function recordsOf(calls: readonly Made[], hasServer: boolean): Truth[] {
  let at = 0;
  let hosts = 0;
  let edits = 0;
  const emit = (truth: Truth, made: Made, event: string, hook: number, says: Says): void => {
    const isOwn = says.endsWith('itself');
    const isServed = hasServer && hook === 0;
    const verdict = says === 'denies by itself' ? 'deny' : isOwn || says === 'is cut short' ? 'none' : says;
    const push = (host: string, more: object): void => {
      const { agent_id: _, ...usual } = fire();
      at += 1;
      truth.records.push({
        ...usual,
        ...{ event, fire_id: `fire ${at}`, seq: at, host_id: host, tool_use_id: made.id, session_id: 's' },
        ...(made.agent === undefined ? {} : { agent_id: made.agent }),
        time: new Date(Date.UTC(2026, 0, 1) + at * 100).toISOString(),
        input: { tool_name: 'Bash', tool_input: { command: made.command } },
        decision: { ...fire().decision, verdict },
        ...more,
      } as FireRecord);
    };
    hosts += 1;
    const ofItself = { unanswered: 'gone', handlers: [] };
    const revision = `${hook} ${edits}`;
    if (isServed && !isOwn) push('server', says === 'is cut short' ? CUT_SHORT : { revision });
    else if (!isOwn)
      push(`host ${hosts}`, { stateless: true, revision, ...(says === 'is cut short' ? CUT_SHORT : {}) });
    if (isOwn) push(`host ${hosts}`, ofItself);
    else if (says === 'is cut short')
      push(`host ${hosts}`, { ...ofItself, decision: { ...fire().decision, verdict: 'deny' } });
  };
  return calls.map((made) => {
    if (made.isEdited) edits += 1;
    const isDenied = made.says.some(
      (says) => says === 'deny' || says === 'denies by itself' || says === 'is cut short',
    );
    const truth: Truth = { records: [], isDenied, end: isDenied && !made.isWayward ? 'nothing' : made.end };
    for (const [hook, says] of made.says.entries()) emit(truth, made, 'PreToolUse', hook, says);
    const event = truth.end === 'ran' ? 'PostToolUse' : 'PostToolUseFailure';
    if (truth.end !== 'nothing')
      for (const hook of made.says.keys()) if (made.told[hook]) emit(truth, made, event, hook, 'none');
    return truth;
  });
}

const idOf = (record: HookRecord): string | undefined => (record as FireRecord).tool_use_id;

const SAYS: readonly Says[] = ['none', 'allow', 'ask', 'deny', 'denies by itself', 'allows by itself', 'is cut short'];

const histories = fc.tuple(fc.integer({ min: 1, max: 3 }), fc.boolean()).chain(([hooks, hasServer]) =>
  fc.record({
    hasServer: fc.constant(hasServer),
    calls: fc.array(
      fc.record<Made>({
        agent: fc.constantFrom(undefined, 'a', 'b'),
        id: fc.constantFrom('call_0', 'call_0', 'call_1'),
        command: fc.constantFrom('ls', 'ls', 'rm'),
        says: fc.array(fc.constantFrom(...SAYS), { minLength: hooks, maxLength: hooks }),
        end: fc.constantFrom('ran', 'failed', 'nothing'),
        told: fc.array(fc.boolean(), { minLength: hooks, maxLength: hooks }),
        isEdited: fc.boolean(),
        isWayward: fc.boolean(),
      }),
      { minLength: 1, maxLength: 6 },
    ),
  }),
);

test('of whatever calls were made, with one id or several, nothing is said that is not so, and all that is kept of a call is found', () => {
  fc.assert(
    fc.property(histories, ({ calls, hasServer }) => {
      const truths = recordsOf(calls, hasServer);
      const all = truths.flatMap(({ records }) => records);
      for (const { records: own, isDenied, end } of truths)
        for (const record of own) {
          const found = callOf(
            all.filter((one) => idOf(one) === idOf(record)),
            record,
          );
          const text = whatBecame(found).join(' ');
          if (text.includes('It ran')) expect(end, text).toBe('ran');
          if (text.includes('although it was denied')) expect(isDenied, text).toBe(true);
          if (text.includes('PostToolUseFailure was fired for it')) expect(end, text).toBe('failed');
          for (const one of found.records) expect(own).toContain(one);
          const near = [...found.before, ...found.records, ...found.after];
          for (const one of own) expect(near).toContain(one);
        }
    }),
    { numRuns: generated(500) },
  );
});

test('of calls with ids of their own all is said', () => {
  fc.assert(
    fc.property(histories, ({ calls, hasServer }) => {
      const truths = recordsOf(
        calls.map((made, i) => ({ ...made, id: `call_${i}`, told: made.told.map(() => true) })),
        hasServer,
      );
      for (const { records: own, isDenied, end } of truths) {
        if (end !== 'ran') continue;
        const [first] = own as [HookRecord, ...HookRecord[]];
        const [last] = own.slice(-1) as [HookRecord];
        for (const record of [first, last]) expect(callOf(own, record).others).toBe(0);
        const text = whatBecame(callOf(own, last)).join(' ');
        expect(text).toContain('It ran');
        expect(text.includes('denied')).toBe(isDenied);
      }
    }),
    { numRuns: generated(200) },
  );
});
