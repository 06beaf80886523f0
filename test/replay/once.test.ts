import { describe, expect, test } from 'vitest';
import { deny, type FireRecord, type Hooks, type Host, rule, stop } from '../../src/index.js';
import { replay } from '../../src/replay.js';
import { generated, SEED } from '../seed.js';
import { all } from './all.js';
import { bash, hostOf, type Life, lived, words as wordsOf } from './kit.js';
import { fresh, live, sceneOf } from './scenes.js';

const under = (hooks: Hooks, ...commands: string[]): Promise<Life> =>
  lived(hostOf(hooks), ...commands.map((command) => ['PreToolUse', bash(command)] as const));
const words = (hooks: Hooks, fires: readonly FireRecord[]): Promise<string[]> => wordsOf(hostOf(hooks), fires);

const guard = () => deny('no');
const on = (group: object, hook: unknown = guard): Hooks =>
  ({ PreToolUse: [{ name: 'guard', ...group, hooks: [hook] }] }) as Hooks;

describe('a hook that runs once', () => {
  test.each([
    ['a function', guard],
    ['a command', { type: 'command', command: './guard.sh' }],
  ])('and is new, %s, is unknown where it would run, and known where it has run', async (_, hook) => {
    const { fires } = await under({}, 'rm a', 'rm b');
    expect(await words(on({ once: true, onFailure: 'block' }, hook), fires)).toEqual(['unknown', 'none']);
  });

  test('ran at every call before it was one: it decides the first call alone', async () => {
    const { fires } = await under(on({}), 'rm a', 'rm b');
    const now = on({ once: true });
    expect(await words(now, fires)).toEqual((await under(now, 'rm a', 'rm b')).verdicts);
  });

  test('was used up by a call that it is no longer asked about: it is still due', async () => {
    const { fires } = await under(on({ once: true }), 'ls', 'rm b');
    // Nobody has asked the function about the second call.
    expect(await words(on({ once: true, if: 'Bash(rm *)' }), fires)).toEqual(['none', 'unknown']);
    const no = rule('deny', 'no');
    const ruled = await under(on({ once: true }, no), 'ls', 'rm b');
    const now = on({ once: true, if: 'Bash(rm *)' }, no);
    expect(await words(now, ruled.fires)).toEqual((await under(now, 'ls', 'rm b')).verdicts);
  });

  test('used up before the recording begins has had its run under the same hooks, and may have had it under others', async () => {
    const hooks = on({ once: true }, rule('deny', 'no'));
    const { fires } = await under(hooks, 'ls', 'ls', 'ls');
    expect(await words(hooks, fires.slice(1))).toEqual(['none', 'none']);
    expect(await words({ ...hooks, Stop: [{ hooks: [() => undefined] }] }, fires.slice(1))).toEqual([
      'unknown',
      'none',
    ]);
  });

  test('ran twice in records that name no host: these may be of two', async () => {
    const hooks = on({ once: true }, rule('deny', 'no'));
    const [one, two] = [await under(hooks, 'ls'), await under(hooks, 'ls')];
    const old = [...one.fires, ...two.fires].map(({ host_id: _, ...fire }) => fire as FireRecord);
    expect(await words({ ...hooks, Stop: [{ hooks: [() => undefined] }] }, old)).toEqual(['deny', 'unknown']);
    expect(await words({ ...hooks, Stop: [{ hooks: [() => undefined] }] }, [...one.fires, ...two.fires])).toEqual([
      'deny',
      'deny',
    ]);
  });

  test('may not have been reached, if a hook with an unknown answer could have ended the run', async () => {
    const { fires } = await under(on({ once: true }, rule('deny', 'no')), 'ls', 'rm b');
    const first = { name: 'first', if: 'Bash(ls)', hooks: [() => stop('enough')] };
    const now: Hooks = { PreToolUse: [first, ...(on({ once: true }, rule('deny', 'no')).PreToolUse ?? [])] };
    expect(await words(now, fires)).toEqual(['unknown', 'unknown']);
  });

  test('belongs to an agent that may have ended, if its stop is unknown', async () => {
    const agent = { agent_id: 'a1', agent_type: 'reviewer', session_id: 's1' };
    const make = (more: Hooks): Host => {
      const host = hostOf(more);
      host.spawnHooks('reviewer', { PreToolUse: [{ once: true, hooks: [rule('deny', 'no')] }] });
      return host;
    };
    const { fires } = await lived(
      make({}),
      ['PreToolUse', { ...bash('ls'), ...agent }],
      ['SubagentStop', { ...agent, stop_hook_active: false, agent_transcript_path: '' }],
      ['PreToolUse', { ...bash('ls'), ...agent }],
    );
    const now = make({ SubagentStop: [{ hooks: [() => undefined] }] });
    expect(await wordsOf(now, fires)).toEqual(['deny', 'unknown', 'unknown']);
  });
});

describe('a hook that runs once for each agent of a type is due again', () => {
  const agent = (agent_type: string) => ({ agent_id: 'a1', agent_type, session_id: 's1' });
  const make = (more: Hooks = {}): Host => {
    const host = hostOf(more);
    host.spawnHooks('reviewer', { PreToolUse: [{ once: true, hooks: [rule('deny', 'no')] }] });
    return host;
  };
  const call = ['PreToolUse', { ...bash('ls'), agent_id: 'a1' }] as const;
  const others = { PostToolUse: [{ hooks: [() => undefined] }] };

  test('after a start of another agent that has failed, of which there may be no record', async () => {
    for (const how of ['plugin', 'signal']) {
      const host = make();
      const session = await host.openSession({ session_id: 's1' });
      const fires: FireRecord[] = [];
      host.events$.subscribe((one) => one.type === 'hook_fire' && fires.push(one));
      await host.fire('SubagentStart', agent('reviewer'));
      for (const _ of [1, 2]) await host.fire('PreToolUse', { ...bash('ls'), ...agent('reviewer') });
      const over = new AbortController();
      const fails =
        how === 'plugin'
          ? { plugins: [{ name: 'p', apply: () => Promise.reject(new Error('no')) }] }
          : { signal: over.signal, hooks: { SubagentStart: [{ hooks: [() => over.abort()] }] } };
      await expect(session.spawn({ id: 'a1', agent_type: 'builder', ...fails } as never)).rejects.toThrow();
      for (const _ of [1, 2]) await host.fire('PreToolUse', { ...bash('ls'), ...agent('reviewer') });
      await host.close();
      const asked = fires.filter(({ event }) => event === 'PreToolUse');
      for (const now of [make(), make(others)])
        expect([how, await wordsOf(now, asked)]).toEqual([how, ['deny', 'none', 'deny', 'none']]);
    }
  });

  test('where an agent of another type has started with its id while it was at work', async () => {
    const { fires, verdicts } = await lived(
      make({ SubagentStart: [{ hooks: [() => undefined] }] }),
      ['SubagentStart', agent('reviewer')],
      call,
      ['SubagentStart', agent('builder')],
      call,
      ['SubagentStart', agent('reviewer')],
      call,
      call,
    );
    expect(verdicts).toEqual(['none', 'deny', 'none', 'none', 'none', 'deny', 'none']);
    for (const now of [make(), make(others)]) expect(await wordsOf(now, fires)).toEqual(verdicts);
  });
});

const SESSIONS = generated(60);

test(`in ${SESSIONS} random sessions, with other hooks that run once: what is known is what a real host decides`, {
  timeout: 300_000,
}, async () => {
  let known = 0;
  let fired = 0;
  for (let i = 0; i < SESSIONS; i++) {
    const scene = sceneOf(SEED * 1000 + i);
    const [before, after] = [await live(scene), await live(scene, 'once')];
    const host = fresh(scene, 'once');
    const replayed = await all(replay(host, before.fires));
    const real = after.fires.filter(({ shadow_of: shadow }) => shadow === undefined);
    expect(replayed.length).toBe(real.length);
    for (const [at, { now, fire }] of replayed.entries()) {
      fired += 1;
      if (now.unknown.length > 0) continue;
      known += 1;
      const { verdict, blocked, continues, updatedInput } = (real[at] as FireRecord).decision as Record<
        string,
        unknown
      >;
      const place = `session ${i} of seed ${SEED}, fire ${at}, ${fire.event}`;
      expect(now.problem, place).toBeUndefined();
      expect(now.decision, place).toMatchObject(
        JSON.parse(JSON.stringify({ verdict, blocked, continues, updatedInput })),
      );
    }
    await host.close();
  }
  expect(known).toBeGreaterThan(fired / 2);
});
