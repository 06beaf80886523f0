import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Host } from '../../src/create-host.js';
import { answersIn } from '../../src/emit/reading/answers.js';
import type { FireRecord } from '../../src/emit/record.js';
import { allow, ask, deny, rewrite } from '../../src/events/output/helpers.js';
import type { AnyDecision } from '../../src/host/decide/decision.js';
import { servicesOf } from '../../src/host/internals.js';
import { fireHook } from '../../src/testing.js';
import { recompute } from '../contracts/recompute.js';
import { generated } from '../seed.js';
import { INPUTS } from './inputs.js';
import { anyHooks, fires, only, testHost, watch } from './kit.js';
import { entryOf } from './said.js';

type Input = { tool_input: { command: string } };
const { tool_use_id: _, ...CALL } = { ...INPUTS.PreToolUse, tool_name: 'Bash' };
const about = (command: string) => ({ ...CALL, tool_input: { command } });
const commandOf = (input: unknown): string => (input as Input).tool_input.command;
const to = (command: string) => rewrite({ command });

function managed(host: Host, event: string, group: unknown): void {
  servicesOf(host).registrar.register(undefined, anyHooks({ [event]: [group] }), {}, true);
}

/** Denies `rm`. */
const guard = {
  onFailure: 'block',
  hooks: [
    { name: 'guard', handler: (input: Input) => (commandOf(input).startsWith('rm') ? deny('no rm') : undefined) },
  ],
};
const rewriter = { phase: 'rewrite', hooks: [{ name: 'rewriter', handler: () => to('ls') }] };

async function decide(
  groups: readonly unknown[],
  prepare: (host: Host) => unknown = () => undefined,
): Promise<{ decision: AnyDecision; record: FireRecord; reports: string[] }> {
  const { host, reports } = testHost();
  await prepare(host);
  host.register(anyHooks({ PermissionRequest: groups }));
  const seen = watch(host);
  const decision = (await host.fire('PermissionRequest', about('rm x') as never)) as AnyDecision;
  return { decision, record: only(fires(seen).filter(({ event }) => event === 'PermissionRequest')), reports };
}

describe('a rewrite on PermissionRequest that no allow carries', () => {
  test('withdraws no deny of the input that stays', async () => {
    const { decision, record, reports } = await decide([guard, rewriter]);
    expect(decision).toMatchObject({ verdict: 'deny', reason: 'no rm', decidedBy: 'guard#1' });
    expect(decision.updatedInput).toBeUndefined();
    expect(record.final_input?.['tool_input']).toEqual({ command: 'rm x' });
    expect(record.versions).toEqual([{ command: 'ls' }]);
    const [guarded, rewrote] = record.handlers;
    expect(guarded).toMatchObject({ verdict: 'deny', reasked: 1 });
    expect(guarded?.judged).toBeUndefined();
    expect(
      answersIn(record)
        .get('guard#1')
        ?.map(({ given, replaced }) => [given, replaced]),
    ).toEqual([
      [{ command: 'rm x' }, false],
      [{ command: 'ls' }, true],
    ]);
    expect(rewrote?.warnings).toEqual([expect.stringContaining('its rewrite has no effect')]);
    expect(reports).toEqual([expect.stringContaining('rewriter: its rewrite has no effect')]);
    expect(answersIn(record).get('rewriter#2')?.[0]?.rewrite).toMatchObject({ dropped: true });
    const { outcomes: __, ...fields } = { ...decision, outcomes: undefined };
    expect(recompute(JSON.parse(JSON.stringify(record)), entryOf('PermissionRequest'))).toEqual(fields);
  });

  test('is not what the guards after it judge', async () => {
    const { decision } = await decide([rewriter, guard]);
    expect(decision).toMatchObject({ verdict: 'deny', reason: 'no rm' });
  });

  test('does not have a hook asked twice about one input', async () => {
    const asked: string[] = [];
    const once = (input: Input) => {
      asked.push(commandOf(input));
      return asked.length === 1 ? deny('no rm') : undefined;
    };
    const { decision } = await decide([{ hooks: [once] }, rewriter]);
    expect([decision.verdict, asked]).toEqual(['deny', ['rm x', 'ls']]);
  });

  test('takes the rewrite of an allow with it', async () => {
    const allows = (input: Input) => (commandOf(input) === 'rm x' ? to('ls') : undefined);
    const { decision, record } = await decide([
      guard,
      { hooks: [allows] },
      { phase: 'rewrite', hooks: [() => to('pwd')] },
    ]);
    expect(decision.verdict).toBe('deny');
    expect(record.final_input?.['tool_input']).toEqual({ command: 'rm x' });
  });

  test('leaves the question to the user where nobody denies, and is not said', async () => {
    const { decision, record } = await decide([rewriter]);
    expect([decision.verdict, decision.updatedInput, decision.toJSON()]).toEqual(['none', undefined, {}]);
    expect(record.final_input?.['tool_input']).toEqual({ command: 'rm x' });
  });

  test('is not there in the testing kit either', async () => {
    const fired = await fireHook(anyHooks({ PermissionRequest: [guard, rewriter] }) as never, 'PermissionRequest', {
      tool_name: 'Bash',
      tool_input: { command: 'rm x' },
    } as never);
    expect(fired.decision).toMatchObject({ verdict: 'deny' });
  });
});

test('a rewrite of a hook that only rewrites runs where another hook allows it', async () => {
  const { decision, record } = await decide([
    guard,
    rewriter,
    { hooks: [(input: Input) => (commandOf(input) === 'ls' ? allow() : undefined)] },
  ]);
  expect(decision).toMatchObject({ verdict: 'allow', updatedInput: { command: 'ls' } });
  expect(record.final_input?.['tool_input']).toEqual({ command: 'ls' });
});

describe('where managed policy has asked about the call', () => {
  const asks = async (host: Host): Promise<void> => {
    managed(host, 'PreToolUse', { hooks: [() => ask('a person decides')] });
    await host.fire('PreToolUse', about('rm x') as never);
  };
  const replaces = { hooks: [{ name: 'replaces', handler: () => to('ls') }] };

  test('a rewrite that is not managed withdraws no deny', async () => {
    const { decision, record } = await decide([guard, replaces], asks);
    expect(decision).toMatchObject({
      verdict: 'deny',
      reason: 'no rm',
      overruled: [expect.stringContaining('replaces')],
    });
    expect(record.final_input).toBeUndefined();
    expect(record.handlers[1]?.warnings).toEqual([expect.stringContaining('managed policy has asked')]);
  });

  test('nor one of managed policy', async () => {
    const { decision } = await decide([replaces], async (host) => {
      managed(host, 'PermissionRequest', guard);
      await asks(host);
    });
    expect(decision).toMatchObject({ verdict: 'deny', reason: 'no rm' });
  });

  test('what is asked while the hooks answer does not change what runs', async () => {
    let host: Host | undefined;
    const { decision } = await decide(
      [
        guard,
        { hooks: [(input: Input) => (commandOf(input) === 'rm x' ? to('ls') : undefined)] },
        { phase: 'observe', hooks: [() => host?.fire('PreToolUse', about('rm x') as never).then(() => undefined)] },
      ],
      (made) => {
        host = made;
        managed(made, 'PreToolUse', { hooks: [() => ask('a person decides')] });
      },
    );
    expect(decision).toMatchObject({ verdict: 'allow', updatedInput: { command: 'ls' } });
  });
});

test.each(['strictest', 'first', 'last'] as const)(
  'in a session the denied call does not run (%s)',
  async (decisions) => {
    for (const policy of [false, true]) {
      const { host } = testHost({ decisions });
      if (policy) managed(host, 'PreToolUse', { hooks: [() => ask('a person decides')] });
      const replaces = { hooks: [(input: Input) => (commandOf(input) === 'rm x' ? to('ls') : undefined)] };
      host.register(anyHooks({ PermissionRequest: [guard, policy ? replaces : rewriter] }));
      const session = await host.openSession({
        permission: () => ({ behavior: 'ask' }),
        ask: () => ({ behavior: 'allow' }),
      });
      const ran: unknown[] = [];
      await session.tool({ name: 'Bash', input: { command: 'rm x' }, execute: (input) => ran.push(input) });
      expect(ran).toEqual([]);
      await host.close();
    }
  },
);

// Random hosts.
const COMMANDS = ['a', 'b', 'c', 'd'];
interface Said {
  readonly verdict: 'allow' | 'deny' | 'ask' | 'none';
  readonly to?: string;
  readonly fails?: 'always' | 'reask';
}
const said: fc.Arbitrary<Said> = fc.record(
  {
    verdict: fc.constantFrom('allow', 'allow', 'deny', 'deny', 'ask', 'none', 'none'),
    to: fc.constantFrom(...COMMANDS),
    fails: fc.constantFrom('always', 'reask'),
  },
  { requiredKeys: ['verdict'] },
);
const hook = fc.record({
  of: fc.constantFrom('managed', 'host', 'host', 'agent', 'agent'),
  phase: fc.constantFrom('decide', 'decide', 'decide', 'rewrite'),
  stage: fc.constantFrom(0, 0, 1, -1),
  mode: fc.constantFrom('series', 'parallel'),
  onFailure: fc.constantFrom('continue', 'ask', 'block'),
  only: fc.option(fc.constantFrom(...COMMANDS), { freq: 3 }),
  on: fc.tuple(said, said, said, said),
  fails: fc.nat(4).map((n) => n === 0),
});
type Hook = typeof hook extends fc.Arbitrary<infer T> ? T : never;
interface Heard {
  readonly hook: number;
  readonly command: string;
  readonly said: Said | undefined;
}

const wordOf = ({ verdict, to: other }: Said): unknown => {
  if (verdict === 'deny') return { behavior: 'deny', message: 'no' };
  if (other !== undefined && verdict !== 'ask') return { behavior: 'allow', updatedInput: { command: other } };
  return verdict === 'allow' ? { behavior: 'allow' } : undefined;
};
/** The command that the hook's own answer would run. */
const meant = ({ command, said: s }: Heard): string | undefined => {
  const word = s && (wordOf(s) as { behavior: string; updatedInput?: { command: string } } | undefined);
  return word?.behavior === 'allow' ? (word.updatedInput?.command ?? command) : undefined;
};

async function fire(hooks: readonly Hook[], decisions: 'strictest' | 'first' | 'last', policy: boolean) {
  const { host } = testHost({ decisions });
  const heard: Heard[] = [];
  if (policy) managed(host, 'PreToolUse', { hooks: [() => ask('a person decides')] });
  host.registerScoped('agent', {});
  for (const [i, { of, only: one, on, fails, ...how }] of hooks.entries()) {
    const handler = (input: Input, __: unknown, { call }: { call: string }): unknown => {
      const command = commandOf(input);
      const own = on[COMMANDS.indexOf(command)] as Said;
      const broken = fails && own.fails !== undefined && (own.fails === 'always' || call === 'reask');
      heard.push({ hook: i, command, said: broken ? undefined : own });
      if (broken) throw new Error('broken');
      const decision = wordOf(own);
      return decision === undefined ? undefined : { hookSpecificOutput: { decision } };
    };
    const group = { ...how, ...(one === null ? {} : { if: `Bash(${one})` }), hooks: [{ name: `h${i}`, handler }] };
    if (of === 'managed') managed(host, 'PermissionRequest', group);
    else if (of === 'host') host.register(anyHooks({ PermissionRequest: [group] }));
    else host.registerScoped('agent', anyHooks({ PermissionRequest: [group] }));
  }
  const call = { ...about('a'), agent_id: 'agent' } as never;
  if (policy) await host.fire('PreToolUse', call);
  const seen = watch(host);
  const decision = (await host.fire('PermissionRequest', call)) as AnyDecision;
  return { decision, heard, record: only(fires(seen)) };
}

const hosts = fc.tuple(
  fc.array(hook, { minLength: 1, maxLength: 6 }),
  fc.constantFrom('strictest' as const, 'strictest' as const, 'first' as const, 'last' as const),
  fc.boolean(),
);

describe('random hosts', () => {
  test('lose no deny of the input that runs, and run what somebody allowed or what was asked', async () => {
    await fc.assert(
      fc.asyncProperty(hosts, async ([hooks, decisions, policy]) => {
        const { decision, heard, record } = await fire(hooks, decisions, policy);
        const spoken = (decision.toJSON()['hookSpecificOutput'] as { decision?: Record<string, unknown> })?.decision;
        expect(spoken?.['behavior'] ?? 'none').toBe(decision.verdict);
        expect(spoken?.['updatedInput']).toEqual(decision.updatedInput);
        if (!policy) {
          const { outcomes: __, ...fields } = { ...decision, outcomes: undefined };
          expect(recompute(JSON.parse(JSON.stringify(record)), entryOf('PermissionRequest'))).toEqual(fields);
        }
        if (decision.verdict === 'deny') return;
        const runs = (decision.updatedInput as { command: string } | undefined)?.command ?? 'a';
        expect(commandOf(record.final_input ?? record.input)).toBe(runs);
        for (const [i, { phase, of, only: one }] of hooks.entries()) {
          if (phase === 'rewrite') continue;
          const own = heard.filter((h) => h.hook === i);
          // Whoever matches what runs has judged it, or has made it.
          if (one === null || one === runs) expect(own.some((h) => h.command === runs || meant(h) === runs)).toBe(true);
          if (decisions !== 'strictest' && of !== 'managed') continue;
          // A deny is lost only where the hook itself has said something else since.
          const about = own.filter((h) => h.said !== undefined && (h.command === runs || meant(h) === runs));
          for (const last of [about.at(-1), own.findLast((h) => h.said !== undefined)])
            expect(last?.said?.verdict).not.toBe('deny');
        }
        if (decision.verdict !== 'allow') return;
        const who = heard.filter((h) => hooks[h.hook]?.phase === 'decide' && meant(h) === runs);
        const may = who.filter((h) => !policy || hooks[h.hook]?.of === 'managed');
        expect(may.map((h) => `h${h.hook}`)).toContain(decision.decidedBy?.replace(/#.*/, ''));
      }),
      { numRuns: generated(300) },
    );
  });

  test('come to every end', async () => {
    const ends = new Map<string, number>();
    for (const [hooks, decisions, policy] of fc.sample(hosts, { numRuns: 500, seed: 7 })) {
      const { decision, record } = await fire(hooks, decisions, policy);
      const back = record.final_input !== undefined && commandOf(record.final_input) === 'a';
      for (const end of [decision.verdict, back ? 'withdrawn' : '', decision.updatedInput ? 'rewritten' : ''])
        ends.set(String(end), (ends.get(String(end)) ?? 0) + 1);
    }
    for (const end of ['none', 'allow', 'deny', 'withdrawn', 'rewritten'])
      expect(ends.get(end), end).toBeGreaterThan(15);
  });
});
