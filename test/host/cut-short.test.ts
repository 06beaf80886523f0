import { describe, expect, test } from 'vitest';
import { formatFire } from '../../src/emit/reading/print.js';
import type { FireRecord } from '../../src/emit/record.js';
import type { NoEvents } from '../../src/events/catalogue.js';
import { stop } from '../../src/events/output/helpers.js';
import { command } from '../../src/handlers/command/spec.js';
import { answerFor, type WhyAnswer } from '../../src/why/answer.js';
import { INPUTS } from './inputs.js';
import { fires, never, only, testHost, turn, until, watch } from './kit.js';

const PRE = INPUTS.PreToolUse;
type TestHost = ReturnType<typeof testHost<NoEvents>>['host'];

const why = (record: FireRecord): WhyAnswer =>
  answerFor(record, { agent: 'main', hook: undefined, otherFires: { sentences: [], changes: [] }, outcome: [] });
const reasons = ({ handlers }: FireRecord) => handlers.map(({ name, reason }) => [name, reason]);

/** The record of a fire whose first hook has no answer when it is aborted; `prepare` adds the others. */
async function abortedFire(prepare: (host: TestHost) => void): Promise<FireRecord> {
  const { host } = testHost();
  const seen = watch(host);
  const caller = new AbortController();
  prepare(host);
  const fire = host.fire('PreToolUse', PRE, { signal: caller.signal });
  await turn();
  caller.abort();
  await expect(fire).rejects.toMatchObject({ code: 'ABORTED' });
  await until(() => fires(seen).length === 1);
  return only(fires(seen));
}

/** Fires that end before their second hook, by the error's code. */
const ENDS: Readonly<Record<string, { readonly fire: () => Promise<FireRecord>; readonly change: string }>> = {
  ABORTED: {
    fire: () =>
      abortedFire((host) => {
        host.on('PreToolUse', never as never, { name: 'slow' });
        host.on('PreToolUse', () => undefined, { name: 'second' });
      }),
    change: 'For second to be asked: the caller must wait longer, or the hooks before it must be faster.',
  },
  CLOSED: {
    async fire() {
      const { host } = testHost({ closeTimeout: 0.05 });
      const seen = watch(host);
      host.on('PreToolUse', never as never, { name: 'slow' });
      host.on('PreToolUse', () => undefined, { name: 'second' });
      const fire = host.fire('PreToolUse', PRE);
      await Promise.all([expect(fire).rejects.toMatchObject({ code: 'CLOSED' }), host.close()]);
      return only(fires(seen));
    },
    change: 'For second to be asked: the host must stay open longer, or the hooks before it must be faster.',
  },
  INVALID_INPUT: {
    async fire() {
      const { host } = testHost();
      const seen = watch(host);
      host.on('PreToolUse', command('true'), { name: 'outside' });
      host.on('PreToolUse', () => undefined, { name: 'second' });
      const round: Record<string, unknown> = { command: 'ls' };
      round['itself'] = round;
      const fire = host.fire('PreToolUse', { ...PRE, tool_input: round } as never);
      await expect(fire).rejects.toMatchObject({ code: 'INVALID_INPUT' });
      await until(() => fires(seen).length === 1);
      return only(fires(seen));
    },
    change: 'For second to be asked: the input must be smaller, or what the error named must be corrected.',
  },
};

describe('a hook that was not reached', () => {
  test.each(Object.keys(ENDS))('before a fire was rejected with %s blames no other hook', async (code) => {
    const { fire, change } = ENDS[code] as (typeof ENDS)[string];
    const record = await fire();
    expect(record.error).toBe(code);
    expect(reasons(record)[1]).toEqual(['second', 'cancelled']);
    expect(formatFire(record)).toMatch(/second .*did not run: the fire was cancelled before its turn$/m);
    const { not_asked: told, changes } = why(record);
    expect(told).toHaveLength(1);
    expect(told[0]?.text).toMatch(/was not asked: .+ before its turn\.$/);
    expect(changes).toContain(change);
    expect(JSON.stringify([told, changes])).not.toContain('continue: false');
  });

  test('since the fire was cancelled would have run: what another reason keeps from running has that', async () => {
    const late = await abortedFire((host) => {
      host.hooks.PreToolUse.tapPromise({ name: 'early', stage: -1 }, async () => undefined);
      host.on('PreToolUse', never as never, { name: 'slow' });
      host.on('PreToolUse', () => undefined, { name: 'of Read', matcher: 'Read' });
      host.on('PreToolUse', () => undefined, { name: 'second' });
      host.on('PreToolUse', () => undefined, { name: 'observer', phase: 'observe' });
      host.hooks.PreToolUse.tap({ name: 'late', stage: 5 }, () => undefined);
    });
    expect(reasons(late)).toEqual([
      ['early', undefined],
      ['slow', undefined],
      ['of Read', 'matcher'],
      ['second', 'cancelled'],
      ['observer', 'cancelled'],
      ['late', 'cancelled'],
    ]);
  });

  test('after a hook ended the run has that reason, although the fire was then cancelled; observers do not', async () => {
    const record = await abortedFire((host) => {
      host.on('PreToolUse', () => stop('enough'), { name: 'ends' });
      host.on('PreToolUse', () => undefined, { name: 'second' });
      host.on('PreToolUse', never as never, { name: 'slow', phase: 'observe' });
      host.on('PreToolUse', () => undefined, { name: 'observer', phase: 'observe' });
      host.hooks.PreToolUse.tap({ name: 'late', stage: 5 }, () => undefined);
    });
    expect(reasons(record)).toEqual([
      ['ends', undefined],
      ['second', 'bailed'],
      ['slow', undefined],
      ['observer', 'cancelled'],
      ['late', 'bailed'],
    ]);
    expect(why(record).changes).toContain(
      'For second to be asked: ends must not answer continue: false, or this one needs an earlier stage.',
    );
  });

  test.each(
    (['series', 'parallel'] as const).flatMap((mode) =>
      (['series', 'parallel'] as const).flatMap((next) =>
        [true, false].map((rewrites) => [mode, next, rewrites] as const),
      ),
    ),
  )('has no reason that was found ahead of its turn (%s, then %s, rewritten: %s)', async (mode, next, rewrites) => {
    const { host } = testHost();
    const seen = watch(host);
    const end = { continue: false, stopReason: 'enough' };
    const answer = rewrites ? { ...end, hookSpecificOutput: { updatedInput: { command: 'rm x' } } } : end;
    const late = (name: string, rest: object) => ({ mode: next, name, hooks: [() => undefined], ...rest });
    host.register({
      PreToolUse: [
        // Between two of one group, it has had its turn.
        { mode, name: 'first', hooks: [() => undefined] },
        late('passed', { mode: 'parallel', if: 'Bash(git *)' }),
        { mode, name: 'ends', hooks: [() => answer as never] },
        late('rule', { if: 'Bash(rm *)' }),
        late('predicate', {
          matcher: (_: unknown, { tool_input }: { tool_input: unknown }) => JSON.stringify(tool_input).includes('rm'),
        }),
        late('matches', {}),
      ],
    });
    await host.fire('PreToolUse', { ...PRE, tool_input: { command: 'ls' } });
    const { handlers } = only(fires(seen));
    // All in one parallel group: the turn of each has come.
    const isOne = mode === 'parallel' && next === 'parallel';
    expect(handlers.map(({ name, reason }) => [name, reason])).toEqual([
      ['first', undefined],
      ['passed', 'if'],
      ['ends', undefined],
      ['rule', isOne ? 'if' : 'bailed'],
      ['predicate', isOne ? 'matcher' : 'bailed'],
      ['matches', isOne ? undefined : 'bailed'],
    ]);
  });

  test.each([false, true])(
    'has its own reason if its turn came with the group that ended the run (aborted: %s)',
    async (aborts) => {
      const { host } = testHost();
      const seen = watch(host);
      const caller = new AbortController();
      let asked = 0;
      const ends = () => {
        if (aborts) caller.abort();
        return (aborts ? undefined : { continue: false }) as never;
      };
      const hooks = [() => undefined];
      host.register({
        PreToolUse: [
          { mode: 'parallel', name: 'ends', hooks: [ends] },
          { mode: 'parallel', name: 'rule', if: 'Bash(git *)', hooks },
          { mode: 'parallel', name: 'predicate', matcher: () => asked++ < 0, hooks },
          { name: 'alone', if: 'Bash(git *)', hooks },
        ],
      });
      const fire = host.fire('PreToolUse', PRE, { signal: caller.signal });
      if (aborts) await expect(fire).rejects.toMatchObject({ code: 'ABORTED' });
      await fire.catch(() => undefined);
      await until(() => fires(seen).length === 1);
      expect(reasons(only(fires(seen)))).toEqual([
        ['ends', undefined],
        ['rule', 'if'],
        ['predicate', 'matcher'],
        ['alone', aborts ? 'cancelled' : 'bailed'],
      ]);
      expect(asked).toBe(1);
    },
  );

  test('is explained by the error in a record that calls it bailed, as those of older versions do', async () => {
    const record = await (ENDS['ABORTED'] as (typeof ENDS)[string]).fire();
    const handlers = record.handlers.map((row) => (row.reason === 'cancelled' ? { ...row, reason: 'bailed' } : row));
    const { not_asked: told, changes } = why({ ...record, handlers } as FireRecord);
    expect(told[0]?.text).toMatch(/was not asked: the caller aborted the fire before its turn\.$/);
    expect(changes).toContain((ENDS['ABORTED'] as (typeof ENDS)[string]).change);
  });
});
