import { describe, expect, test } from 'vitest';
import {
  ask,
  createHost,
  deny,
  type FireRecord,
  type HookRecord,
  type Hooks,
  type HookscopeError,
  type Host,
} from '../../src/index.js';
import { type RecordedFire, replay } from '../../src/replay.js';
import { all } from './all.js';

const CALL = { tool_name: 'Bash', tool_input: { command: 'ls' }, tool_use_id: 't1', session_id: 's1' };
const GUARD: Hooks = { PreToolUse: [{ name: 'guard', onFailure: 'continue', hooks: [() => deny('no')] }] };

function hostOf(hooks: Hooks): Host {
  const host = createHost({ logger: () => undefined });
  host.register(hooks);
  return host;
}

async function recordOf(hooks: Hooks): Promise<FireRecord> {
  const host = hostOf(hooks);
  const fires: FireRecord[] = [];
  host.events$.subscribe((one) => one.type === 'hook_fire' && fires.push(one));
  await host.fire('PreToolUse', CALL);
  await host.close();
  return structuredClone(fires[0]) as FireRecord;
}

describe('an answer that was damaged is unknown, and no silence', () => {
  const damaged: [what: string, row: object][] = [
    ['is gone', { output: undefined }],
    ['is another type', { output: 5 }],
    ['is a text', { output: 'deny' }],
    [
      'has another word',
      { output: { hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'dexy' } } },
    ],
    ['has another key', { output: { hookSpecificOutpux: { permissionDecision: 'deny' } } }],
    ['has no known status', { status: 'rxn' }],
    ['failed, and nobody knows how', { status: 'failed', output: undefined, verdict: 'none' }],
  ];
  test.each(damaged)('one that %s', async (_, row) => {
    const record = await recordOf(GUARD);
    const [handler] = record.handlers;
    const broken = { ...record, handlers: [{ ...handler, ...row }] } as never;
    const [found] = await all(replay(hostOf(GUARD), [broken]));
    expect(found?.changed).toBe('unknown');
    expect(found?.by).toMatchObject({ name: 'guard', why: expect.stringMatching(/damaged|no answer/) });
    expect((await all(replay(hostOf(GUARD), [record])))[0]?.changed).toBeUndefined();
  });
});

describe('an answer that counted as something else than it says', () => {
  const said = (output: object) => ({ hookSpecificOutput: { hookEventName: 'PreToolUse', ...output } });
  const silent: Hooks = { PreToolUse: [{ name: 'guard', hooks: [() => undefined] }] };
  const word = async (hooks: Hooks, row: object, record?: FireRecord): Promise<string | undefined> => {
    const one = record ?? (await recordOf(hooks));
    const [found] = await all(replay(hostOf(hooks), [{ ...one, handlers: [{ ...one.handlers[0], ...row }] } as never]));
    return found?.now.unknown.length ? found.now.unknown[0]?.why : found?.now.word;
  };
  const damaged = 'what was recorded of it is damaged';

  test('is damaged: a deny of a hook without an opinion, and one word instead of another', async () => {
    expect(await word(silent, { output: said({ permissionDecision: 'deny' }) })).toBe(damaged);
    expect(await word(silent, { output: said({ permissionDecision: 'ask' }) })).toBe(damaged);
    expect(await word(GUARD, { output: said({ permissionDecision: 'ask' }) })).toBe(damaged);
    expect(await word(GUARD, { verdict: 'ask' })).toBe(damaged);
    expect(await word(GUARD, { status: 'failed', failure: { cause: 'exit_code', message: '' }, verdict: 'ask' })).toBe(
      damaged,
    );
  });

  test('is damaged also where nothing is allowed or denied: a block that counted as nothing', async () => {
    const hooks: Hooks = { UserPromptSubmit: [{ name: 'guard', hooks: [() => undefined] }] };
    const host = hostOf(hooks);
    const fires: FireRecord[] = [];
    host.events$.subscribe((one) => one.type === 'hook_fire' && fires.push(one));
    await host.fire('UserPromptSubmit', { prompt: 'p' });
    await host.close();
    const [record] = structuredClone(fires);
    expect(await word(hooks, {}, record)).toBe('none');
    expect(await word(hooks, { output: { decision: 'block', reason: 'no' } }, record)).toBe(damaged);
  });

  test('is whole: an allow that its own rewrite made none, a failure that denies, and a rewrite whose word does not count', async () => {
    expect(await word(silent, { output: said({ permissionDecision: 'allow' }) })).toBe('allow');
    const fails: Hooks = {
      PreToolUse: [{ name: 'guard', onFailure: 'block', hooks: [() => ({ decision: 5 }) as never] }],
    };
    expect(await word(fails, {})).toBe('deny');
    const rewrites: Hooks = {
      PreToolUse: [{ name: 'guard', phase: 'rewrite', hooks: [() => said({ permissionDecision: 'deny' }) as never] }],
    };
    expect(await word(rewrites, {})).toBe('none');
    // The same hook decides now.
    const [found] = await all(
      replay(hostOf({ PreToolUse: [{ ...rewrites.PreToolUse?.[0], phase: 'decide' } as never] }), [
        await recordOf(rewrites),
      ]),
    );
    expect(found?.now).toMatchObject({ word: 'deny', unknown: [] });
  });
});

describe('what is given in code and is no record is refused, with its place and key', () => {
  const refused = async (source: unknown): Promise<string> => {
    try {
      await all(replay(hostOf(GUARD), source as never));
    } catch (error) {
      expect((error as HookscopeError).code).toBe('INVALID_OPTIONS');
      return (error as Error).message;
    }
    return 'it was replayed';
  };
  const fire: RecordedFire = {
    place: 'here',
    id: '1',
    time: '2026-01-01T00:00:00.000Z',
    event: 'PreToolUse',
    session: 's1',
    scope: 'session',
    input: CALL,
    versions: [],
    hooks: [],
    masked: false,
    truncated: [],
    inferred: [],
  };

  test('a fire as it should be is replayed, and a record of a type that is not known is left out', async () => {
    const later = { type: 'from_a_later_version' } as unknown as HookRecord;
    expect(await all(replay(hostOf({ PreToolUse: [{ hooks: [() => ask('?')] }] }), [fire, later]))).toHaveLength(1);
  });

  test.each<[source: unknown, message: RegExp]>([
    [5, /replay: source: expected the name of a file, or records or fires in an iterable, got 5/],
    ['', /replay: source: expected the name of a file/],
    [undefined, /replay: source: expected the name of a file/],
    [[null], /replay: source\[0\]: expected a record or a fire, got null/],
    [[fire, 'x'], /replay: source\[1\]: expected a record or a fire, got string/],
    [[{}], /replay: source\[0\]\.place: expected a string, and there is none/],
    [[{ ...fire, input: 'x' }], /source\[0\]\.input: expected an object, got "x"/],
    [[{ ...fire, hooks: [{ name: 'a', kind: 'rule' }] }], /source\[0\]\.hooks\[0\]\.answers: expected an array/],
    [[{ ...fire, hooks: [7] }], /source\[0\]\.hooks\[0\]: expected an object, got number/],
    [[{ type: 7 }], /source\[0\]\.type: expected/],
    [[{ type: 'hook_fire' }], /source\[0\]\.\w+: expected/],
  ])('case %#', async (source, message) => {
    expect(await refused(source)).toMatch(message);
  });

  test.each(['time', 'fire_id', 'event', 'decision', 'handlers'])('a record without its %s', async (key) => {
    const record = await recordOf(GUARD);
    expect(await refused([record, { ...record, [key]: undefined }])).toMatch(`replay: source[1].${key}: expected`);
    expect(await refused([{ ...record, [key]: 5 }])).toMatch(`replay: source[0].${key}: expected`);
  });
});
