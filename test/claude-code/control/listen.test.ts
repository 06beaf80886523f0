import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Host } from '../../../src/create-host.js';
import { CATALOGUE, CLAUDE_EVENTS, type HookEvent } from '../../../src/events/catalogue.js';
import type { EventSpec } from '../../../src/events/spec.js';
import type { Hooks } from '../../../src/host/types.js';
import { anyHooks, testHost } from '../../host/kit.js';
import { BASE, bash, type Connected, connect, isProblem, tapped } from './kit.js';
import type { Json } from './puppet.js';

/** More of them with HOOKSCOPE_GENERATED=N. */
const RUNS = Math.ceil(Number(process.env['HOOKSCOPE_GENERATED'] ?? 300) / 50);

const ALWAYS = ['PermissionRequest', 'PostToolUse', 'PreToolUse', 'SubagentStart', 'SubagentStop'];
/** Asked about between sessions alone: by them the host keeps sessions. */
const BOUNDS = ['SessionEnd', 'SessionStart'];
const NEEDED = [...ALWAYS, ...BOUNDS].sort();
const OTHERS = CLAUDE_EVENTS.filter((event) => !NEEDED.includes(event));
const stops = (event: HookEvent): boolean => ['gate', 'block', 'stop'].includes((CATALOGUE[event] as EventSpec).fold);

const asked = ({ setUp }: Connected): string[] => Object.keys((setUp['request'] as Json)['hooks'] as Json).sort();
const hook = () => undefined;
const hooksOf = (...events: readonly string[]) =>
  anyHooks(Object.fromEntries(events.map((event) => [event, [{ hooks: [hook] }]])));
const notListened = expect.objectContaining({ code: 'NOT_LISTENED' });
const late = (seen: readonly unknown[]): string[] =>
  seen
    .filter((record) => isProblem(record as never))
    .flatMap((record) => {
      const { problem, message } = record as { problem: string; message: string };
      return problem === 'not_listened' ? [message] : [];
    });

describe('listen: "needed"', () => {
  it('without hooks asks about calls, agents and sessions alone; all is the default', async () => {
    expect(asked(await connect(testHost().host, { listen: 'needed' }))).toEqual(NEEDED);
    const all = CLAUDE_EVENTS.filter((event) => event !== 'WorktreeCreate').sort();
    expect(asked(await connect(testHost().host, { listen: 'all' }))).toEqual(all);
    expect(asked(await connect(testHost().host))).toEqual(all);
  });

  it('what else it can be is an error', async () => {
    await expect(connect(testHost().host, { listen: 'some' as never })).rejects.toMatchObject({
      code: 'INVALID_OPTIONS',
    });
  });

  /** Every way to have hooks before it is connected. */
  const WAYS: Readonly<Record<string, (host: Host, event: string) => unknown>> = {
    register: (host, event) => host.register(hooksOf(event)),
    session: (host, event) => host.registerScoped({ session: 'S9' }, hooksOf(event)),
    agent: (host, event) => host.registerScoped({ session: 'S9', agent: 'a' }, hooksOf(event)),
    plugin: (host, event) => host.use({ name: 'p', apply: (scope) => void scope.register(hooksOf(event) as never) }),
    spawnHooks: (host, event) => host.spawnHooks('helper', hooksOf(event)),
    tap: (host, event) => host.hooks[event as 'Stop'].tapPromise('t', async () => undefined),
  };

  it('asks about what has hooks, however they came, and about nothing else', async () => {
    const some = fc.array(fc.tuple(fc.constantFrom(...Object.keys(WAYS)), fc.constantFrom(...CLAUDE_EVENTS)), {
      maxLength: 4,
    });
    await fc.assert(
      fc.asyncProperty(some, async (registered) => {
        const { host } = testHost();
        for (const [way, event] of registered) await WAYS[way]?.(host, event);
        const client = await connect(host, { listen: 'needed' });
        // In an agent's scope Stop means the end of that agent.
        const means = ([way, event]: readonly [string, string]) =>
          event === 'Stop' && (way === 'agent' || way === 'spawnHooks') ? 'SubagentStop' : event;
        const hooked = registered.map(means);
        const speaks = hooked.includes('SessionStart') ? ['UserPromptSubmit'] : [];
        expect(asked(client)).toEqual([...new Set([...NEEDED, ...hooked, ...speaks])].sort());
        await client.client.close();
      }),
      { numRuns: RUNS },
    );
  });

  it('asks about what is tapped or intercepted, also where it would otherwise be left alone', async () => {
    const { host } = testHost();
    host.hooks.WorktreeCreate.tap('t', () => undefined);
    host.hooks.Notification.intercept({ call: () => undefined });
    expect(asked(await connect(host, { listen: 'needed' }))).toEqual(
      [...NEEDED, 'Notification', 'WorktreeCreate'].sort(),
    );
  });

  it('asks about what its own spawnHooks are for', async () => {
    const client = await connect(testHost().host, {
      listen: 'needed',
      spawnHooks: { helper: hooksOf('PostToolBatch') },
    });
    expect(asked(client)).toEqual([...NEEDED, 'PostToolBatch'].sort());
  });

  it('asks about everything where hooks are made for each agent, and still makes worktrees itself', async () => {
    const made = (): Hooks => ({ Stop: [{ hooks: [hook] }] });
    const own = await connect(testHost().host, { listen: 'needed', spawnHooks: { helper: made } });
    expect(asked(own)).toEqual(CLAUDE_EVENTS.filter((event) => event !== 'WorktreeCreate').sort());
    const { host } = testHost();
    host.spawnHooks('helper', made);
    expect(asked(await connect(host, { listen: 'needed' }))).toEqual(asked(own));
  });

  it('asks about prompts where context may wait for one: of SessionStart, of hooks in the background', async () => {
    const { host } = testHost();
    host.register({
      SessionStart: [
        { hooks: [() => ({ hookSpecificOutput: { hookEventName: 'SessionStart' as const, additionalContext: 'C' } })] },
      ],
    });
    const client = await connect(host, { listen: 'needed' });
    expect(asked(client)).toContain('UserPromptSubmit');
    const answer = await client.fire('UserPromptSubmit', { prompt: 'go' });
    expect(JSON.stringify(answer)).toContain('"additionalContext":"C"');
    const background = testHost().host;
    background.register({ PostToolUse: [{ hooks: [{ type: 'command', command: 'true', async: true }] }] });
    expect(asked(await connect(background, { listen: 'needed' }))).toContain('UserPromptSubmit');
    const again = testHost().host;
    again.register({ PostToolUse: [{ hooks: [{ handler: hook, async: 'two-phase' }] }] });
    expect(asked(await connect(again, { listen: 'needed' }))).toContain('UserPromptSubmit');
  });

  it('SessionStart fires, scopes open and end, and calls are compared', async () => {
    const { host, reports } = testHost();
    const seen = tapped(host);
    const client = await connect(host, { listen: 'needed' });
    const agent = { agent_id: 'a1', agent_type: 'helper' };
    await client.fire('SubagentStart', agent);
    host.registerScoped(
      { session: 'S1', agent: 'a1' },
      { PreToolUse: [{ hooks: [() => ({ decision: 'block', reason: 'R' })] }] },
    );
    expect(JSON.stringify(await client.fire('PreToolUse', { ...bash('ls', 't1'), ...agent }))).toContain('"deny"');
    await client.fire('PostToolUse', { ...bash('ls', 't1'), ...agent, tool_response: {} });
    const stop = { ...agent, stop_hook_active: false, agent_transcript_path: '', last_assistant_message: '' };
    await client.fire('SubagentStop', stop);
    expect(JSON.stringify(await client.fire('PreToolUse', { ...bash('ls', 't2'), ...agent }))).not.toContain('"deny"');
    expect(reports.filter((text) => text.includes('denied'))).toHaveLength(1);
    expect(seen.filter((record) => 'event' in record && record.event === 'SessionStart')).toHaveLength(1);
  });
});

describe('hooks that come too late', () => {
  it('throw NOT_LISTENED where they could stop something, and are told elsewhere; nothing is registered then', async () => {
    const { host } = testHost();
    const seen = tapped(host);
    const client = await connect(host, { listen: 'needed' });
    for (const event of CLAUDE_EVENTS) {
      const before = JSON.stringify(host.describe());
      const told = late(seen).length;
      if (NEEDED.includes(event)) expect(() => host.register(hooksOf(event))).not.toThrow();
      else if (stops(event)) {
        expect(() => host.register(hooksOf('PreToolUse', event))).toThrow(notListened);
        expect(() => host.register(hooksOf(event))).toThrow(new RegExp(`${event} .*listen: 'all'`));
        expect(JSON.stringify(host.describe())).toBe(before);
      } else host.register(hooksOf(event));
      const loud = !NEEDED.includes(event) && !stops(event);
      expect([event, late(seen).length - told]).toEqual([event, loud ? 1 : 0]);
      if (loud) expect(late(seen).at(-1)).toMatch(new RegExp(`came too late for ${event},`));
    }
    expect(OTHERS.filter(stops).length).toBeGreaterThan(5);
    await client.client.close();
    // Nobody is there any more that they would be too late for.
    for (const event of OTHERS) expect(() => host.register(hooksOf(event))).not.toThrow();
  });

  it('are told once each, however often they come', async () => {
    const { host } = testHost();
    const seen = tapped(host);
    await connect(host, { listen: 'needed' });
    const register = (name: string) => host.register({ Notification: [{ name, hooks: [hook] }] });
    for (const name of ['a', 'b', 'a', 'a']) register(name);
    expect(late(seen)).toEqual([
      expect.stringContaining('a came too late'),
      expect.stringContaining('b came too late'),
    ]);
  });

  it('by any way', async () => {
    const { host } = testHost();
    await connect(host, { listen: 'needed' });
    const plugin = {
      name: 'p',
      apply: (scope: { register(hooks: unknown): unknown }) => void scope.register(hooksOf('Stop')),
    };
    await expect(host.use(plugin as never)).rejects.toMatchObject({ cause: notListened });
    expect(() => host.registerScoped({ session: 'S7' }, hooksOf('Stop'))).toThrow(notListened);
    expect(() => host.registerScoped('a9', hooksOf('UserPromptSubmit'))).toThrow(notListened);
    expect(() => host.spawnHooks('helper', hooksOf('PostToolBatch'))).toThrow(notListened);
    expect(() => host.on('ConfigChange', hook)).toThrow(notListened);
    expect(() => host.hooks.Stop.tapPromise('t', async () => undefined)).toThrow(notListened);
    // No scope was left open.
    expect(JSON.stringify(host.describe())).not.toContain('S7');
  });

  it('an agent whose hooks are made too late has gates that fail, and that is told', async () => {
    const { host, reports } = testHost({ onFailure: 'block' });
    const client = await connect(host, { listen: 'needed' });
    host.spawnHooks('helper', () => hooksOf('PostToolBatch'));
    const answer = await client
      .fire('PreToolUse', { ...bash('ls'), agent_id: 'a1', agent_type: 'helper' })
      .catch(String);
    expect(JSON.stringify(answer)).toContain('gave this agent no hooks: Hooks for PostToolBatch');
    expect(reports.join('\n')).toMatch(/so its gates deny: Hooks for PostToolBatch would never run/);
  });

  it('an event that has a hook by then may have more', async () => {
    const { host } = testHost();
    const undo = host.register(hooksOf('Stop'));
    const client = await connect(host, { listen: 'needed' });
    undo();
    host.register({ Stop: [{ hooks: [() => ({ decision: 'block', reason: 'not yet' })] }] });
    expect(await client.fire('Stop', { stop_hook_active: false })).toMatchObject({ response: { decision: 'block' } });
  });

  it('are no business of a session that is driven here, nor of another program', async () => {
    const { host } = testHost();
    const one = await connect(host, { listen: 'needed' });
    await one.fire('PreToolUse', { ...bash('ls'), session_id: 'ONE' });
    const session = await host.openSession({ session_id: 'mine' });
    expect(() => host.registerScoped({ session: 'mine' }, hooksOf('Stop'))).not.toThrow();
    await session.close();
    const two = await connect(host, { spawnHooks: { helper: hooksOf('PostToolBatch') } });
    await two.fire('SubagentStart', { session_id: 'TWO', agent_id: 'a', agent_type: 'helper' });
    expect(() => host.registerScoped({ session: 'TWO' }, hooksOf('Stop'))).not.toThrow();
    expect(() => host.registerScoped({ session: 'ONE' }, hooksOf('Stop'))).toThrow(notListened);
    expect(() => host.register(hooksOf('Stop'))).toThrow(notListened);
    expect(BASE.session_id).toBe('S1');
  });
});
