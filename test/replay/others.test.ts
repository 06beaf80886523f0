import { describe, expect, test } from 'vitest';
import { deny, type Hooks, type Host, rule } from '../../src/index.js';
import { bash, hostOf, lived, words } from './kit.js';

const READ_ONLY: Hooks = { PreToolUse: [{ name: 'read only', onFailure: 'block', hooks: [() => deny('no')] }] };
const ONE = { agent_id: 'r1', agent_type: 'reviewer', session_id: 's1' };
const TWO = { ...ONE, agent_id: 'r2' };
const stop = (agent: object) =>
  ['SubagentStop', { ...agent, stop_hook_active: false, agent_transcript_path: '' }] as const;
const call = (agent: object = {}) => ['PreToolUse', { ...bash('ls'), ...agent }] as const;

function make(hooks: Hooks = READ_ONLY, base: Hooks = {}): Host {
  const host = hostOf(base, { merge: 'all' });
  host.spawnHooks('reviewer', hooks);
  return host;
}

describe('where the hooks of all agents count (merge: "all")', () => {
  test('a call is unknown as long as another agent with hooks may be running', async () => {
    const { fires, verdicts } = await lived(
      make(),
      call(),
      ['SubagentStart', ONE],
      call(),
      call(ONE),
      stop(ONE),
      call(),
    );
    expect(verdicts).toEqual(['none', 'none', 'deny', 'deny', 'none', 'none']);
    expect(await words(make(), fires)).toEqual(['none', 'none', 'unknown', 'deny', 'none', 'none']);
  });

  test('each of two agents is another one to the other', async () => {
    const { fires } = await lived(
      make(),
      ['SubagentStart', ONE],
      ['SubagentStart', TWO],
      call(ONE),
      stop(ONE),
      call(TWO),
    );
    expect(await words(make(), fires)).toEqual(['none', 'none', 'unknown', 'none', 'deny']);
  });

  test('an agent that may not have ended may be running', async () => {
    const { fires } = await lived(make(), ['SubagentStart', ONE], stop(ONE), call());
    const now = make(READ_ONLY, { SubagentStop: [{ hooks: [() => undefined] }] });
    expect(await words(now, fires)).toEqual(['none', 'unknown', 'unknown']);
  });

  test('an agent that has ended counts in a fire that lists its hooks: hooks by hand have kept its scope open', async () => {
    const then = make();
    then.registerScoped({ session: 's1', agent: 'r1' }, { Notification: [{ hooks: [() => undefined] }] });
    const { fires, verdicts } = await lived(then, ['SubagentStart', ONE], stop(ONE), call());
    expect(verdicts).toEqual(['none', 'none', 'deny']);
    expect(await words(make(), fires)).toEqual(['none', 'none', 'unknown']);
  });

  test('an agent whose hooks are for other events does not matter, nor one that was registered by name', async () => {
    const { fires } = await lived(make(), ['SubagentStart', ONE], call());
    const elsewhere: Hooks = { PostToolUse: READ_ONLY.PreToolUse, Stop: [{ hooks: [() => undefined] }] } as Hooks;
    expect(await words(make(elsewhere), fires)).toEqual(['none', 'none']);
    const named = make(elsewhere);
    named.registerScoped(
      { session: 's1', agent: 'own' },
      { PreToolUse: [{ once: true, hooks: [rule('deny', 'no')] }] },
    );
    expect(await words(named, [...fires, ...fires])).toEqual(['none', 'deny', 'none', 'none']);
  });

  test('and only the lineage by default', async () => {
    const { fires } = await lived(make(), ['SubagentStart', ONE], call());
    const now = hostOf({});
    now.spawnHooks('reviewer', READ_ONLY);
    expect(await words(now, fires)).toEqual(['none', 'none']);
  });
});
