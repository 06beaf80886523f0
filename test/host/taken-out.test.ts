import { expect, test } from 'vitest';
import { CallbackRegistry } from '../../src/claude-code.js';
import type { HookContext, Host } from '../../src/index.js';
import { createHost, definePlugin } from '../../src/index.js';
import { testHost, turn, until, watch } from './kit.js';

/** Calls whose context is taken apart: by what calls them. */
const CALLS = ['first', 'reask', 'async', 'tap', 'tapAsync', 'tapPromise', 'parallel', 'observe', 'spawn'] as const;

/** Registers `take`, to be called in that way. */
function arrange(kind: (typeof CALLS)[number], host: Host, take: (context: HookContext<never>) => void): void {
  const hook = (_input: unknown, _id: unknown, context: unknown): void => take(context as HookContext<never>);
  const { PreToolUse } = host.hooks;
  switch (kind) {
    case 'reask':
      return void host.register({
        PreToolUse: [
          { hooks: [hook] },
          { hooks: [() => ({ hookSpecificOutput: { updatedInput: { command: 'pwd' } } }) as never] },
        ],
      });
    case 'async':
      return void host.register({ PreToolUse: [{ hooks: [{ handler: hook, async: true }] }] });
    case 'tap':
      return void PreToolUse.tap('x', ({ context }) => take(context as never));
    case 'tapAsync':
      return void PreToolUse.tapAsync('x', ({ context }, done) => done(undefined, take(context as never)));
    case 'tapPromise':
      return void PreToolUse.tapPromise('x', async ({ context }) => take(context as never));
    case 'parallel':
      return void host.register({ PreToolUse: [{ mode: 'parallel', hooks: [async () => undefined, hook] }] });
    case 'observe':
      return void host.register({ PreToolUse: [{ phase: 'observe', hooks: [hook] }] });
    case 'spawn':
      return void host.spawnHooks('t', { PreToolUse: [{ hooks: [hook] }] });
    default:
      return void host.register({ PreToolUse: [{ hooks: [hook] }] });
  }
}

test.each(CALLS)('every member of a context works when it is taken out: %s', async (kind) => {
  const { host } = testHost();
  const seen = watch(host);
  const said: string[] = [];
  arrange(kind, host, ({ progress, signal, scope, call, host: inside }) => {
    const before = said.push(call) - 1;
    expect(signal.aborted).toBe(false);
    expect(scope).toBe('a');
    const { describe } = inside as unknown as typeof host;
    expect(describe().scope).toBe('managed');
    progress(`${call} ${before}`);
    expect(() => progress(7 as never)).toThrow(/takes a string/);
  });
  await host.fire('PreToolUse', {
    tool_name: 'Bash',
    tool_input: { command: 'ls' },
    tool_use_id: 't1',
    agent_id: 'a',
    agent_type: 't',
  });
  await until(() => said.length === (kind === 'reask' ? 2 : 1));
  await turn();
  const progress = seen.filter((record) => record.type === 'system' && record.subtype === 'hook_progress');
  expect(progress.map((record) => (record as unknown as { output: string }).output)).toEqual(
    said.map((call, i) => `${call} ${i}`),
  );
  await host.close();
});

test('a member that was taken out is its own call’s, and stays it: two calls at once do not mix', async () => {
  const { host } = testHost();
  const seen = watch(host);
  const kept: HookContext['progress'][] = [];
  let go: () => void = () => undefined;
  const both = new Promise<void>((resolve) => {
    go = resolve;
  });
  host.register({
    Stop: [
      {
        name: 'keeper',
        hooks: [
          async (_input, _id, { progress, scope }) => {
            kept.push(progress);
            if (kept.length === 2) go();
            await both;
            progress(scope);
          },
        ],
      },
    ],
  });
  await Promise.all(['a', 'b'].map((scope) => host.fire('Stop', { stop_hook_active: false }, { scope })));
  for (const progress of kept) progress('late');
  const pieces = seen.filter((record) => record.type === 'system' && record.subtype === 'hook_progress') as unknown as {
    output: string;
    scope: string;
  }[];
  expect(pieces.map(({ output, scope }) => [output, scope]).sort()).toEqual([
    ['a', 'a'],
    ['b', 'b'],
  ]);
});

/** Of its own and of its class. */
const namesIn = (object: object): string[] => {
  const { prototype } = object.constructor;
  const inherited = prototype === Object.prototype ? [] : Object.getOwnPropertyNames(prototype);
  return [...Object.keys(object), ...inherited].filter((name) => name !== 'constructor');
};

/** How a call without arguments comes out: most refuse it, in words of ours. */
async function outcome(call: () => unknown): Promise<string> {
  try {
    return typeof (await call());
  } catch (error) {
    return (error as Error).message;
  }
}

test('every method of a host, a scope, a plugin’s scope, a session and an agent does the same when it is taken out', async () => {
  const host = createHost({ logger: () => undefined });
  const session = await host.openSession();
  const child = await session.spawn({ agent_type: 't' });
  const objects: object[] = [session.task, session.worktree, child, session, host.scope('a'), new CallbackRegistry()];
  await host.use(definePlugin({ name: 'p', apply: (scope) => void objects.push(scope) }));
  objects.push(host);
  let called = 0;
  for (const object of objects) {
    for (const name of namesIn(object)) {
      const method: unknown = Reflect.get(object, name);
      if (typeof method !== 'function' || name === 'close' || name === 'openSession') continue;
      called++;
      const [within, alone] = [await outcome(() => method.call(object)), await outcome(() => method.call(undefined))];
      expect([name, alone]).toEqual([name, within]);
    }
  }
  expect(called).toBeGreaterThan(40);
  await host.close();
});

test('host and session members do their work when they are taken out', async () => {
  const { fire, register, describe, openSession, close } = createHost();
  const heard: string[] = [];
  const undo = register({ PreToolUse: [{ hooks: [() => void heard.push('pre')] }] });
  await fire('PreToolUse', { tool_name: 'Bash', tool_input: {} });
  const { tool, close: end } = await openSession({ permission: () => ({ behavior: 'allow' }) });
  const { status } = await tool({ name: 'Bash', id: 't', input: {}, execute: () => 'done' });
  expect(status).toBe('ran');
  expect(heard).toEqual(['pre', 'pre']);
  expect(String(describe())).toContain('PreToolUse');
  undo();
  await end();
  await close();
});
